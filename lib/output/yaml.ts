/** Results as YAML. */
import { Document, Scalar, visit } from "yaml";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters, hasControlCharacters } from "../../utils/text/control_characters.ts";

/** A value as a YAML document. Reading it back gives the same value, also by a reader of YAML 1.1. */
export function toYaml(value: JsonValue): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  visit(document, {
    Scalar(_key, node) {
      // Only a double-quoted scalar can hold an escape.
      if (typeof node.value === "string" && hasControlCharacters(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeControlCharacters(document.toString({ lineWidth: 0 }));
}

/** What `toYaml` gives of the object with that list as its last member, in pieces: it may be longer than memory. */
export function* longYaml(object: JsonObject, member: string, list: Iterable<JsonValue>): Generator<string> {
  const empty = toYaml({ ...object, [member]: [] });
  const end = " []\n";
  let count = 0;
  for (const element of list) {
    if (count++ === 0) yield empty.slice(0, -end.length) + "\n";
    yield toYaml([element]).replace(/^(?=.)/gm, "  ");
  }
  if (count === 0) yield empty;
}
