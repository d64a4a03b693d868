/** HTML that is safe by construction: what a template is given is text, unless it is markup itself. */
import { escapeControlCharacters } from "../../utils/text/control_characters.ts";

/** HTML. */
export class Markup {
  /** Its text. */
  readonly text: string;

  /** Text that is HTML already. */
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. */
export type Part = string | number | Markup | undefined | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Makes HTML: parts that are text are escaped, control characters and marks of direction become visible. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  return new Markup(strings.map((text, i) => i === 0 ? text : textOf(parts[i - 1]) + text).join(""));
}

function textOf(part: Part): string {
  if (part === undefined) return "";
  if (part instanceof Markup) return part.text;
  if (typeof part === "object") return part.map(textOf).join("");
  return escapeControlCharacters(String(part).toWellFormed()).replace(
    /[&<>"']/g,
    (character) => ENTITIES[character] ?? "",
  );
}
