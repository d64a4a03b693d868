import { Document, Scalar, visit } from "yaml";
import type { JsonValue } from "../../utils/json.ts";
import { escapeControlCharacters, hasControlCharacters } from "../../utils/text/control_characters.ts";

/** Renders a value as a YAML document. Readers of YAML 1.1 and 1.2 read the same value back. */
export function toYaml(value: JsonValue): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  visit(document, {
    Scalar(_key, node) {
      // Only a double-quoted scalar can contain an escape.
      if (typeof node.value === "string" && hasControlCharacters(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeControlCharacters(document.toString({ lineWidth: 0 }));
}
