/** Texts with expressions in `{{ }}`. */
import type { JsonValue } from "../../../utils/json.ts";
import type { Expression, Scope } from "../model/application.ts";
import type { Vocabulary } from "./expressions.ts";
import type { Path, Report } from "../findings.ts";

/** A compiled text: gives the text with the values of its expressions. */
export type Template = (scope: Scope) => string;

/** Compiles a text. */
export function compileTemplate(source: string, at: Path, words: Vocabulary, report: Report): Template {
  const [first = "", ...rest] = source.split("{{");
  const parts: (string | Expression)[] = [first];
  for (const part of rest) {
    const end = part.indexOf("}}");
    if (end < 0) {
      report(at, "a '{{' has no '}}'");
      break;
    }
    parts.push(words.expression(part.slice(0, end).trim(), at, report), part.slice(end + 2));
  }
  return (scope) => parts.map((part) => typeof part === "string" ? part : shown(part(scope))).join("");
}

function shown(value: JsonValue): string {
  if (value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
