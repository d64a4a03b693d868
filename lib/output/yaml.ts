/** Results as YAML. */
import { Document, Scalar, visit } from "yaml";
import type { JsonValue } from "../json.ts";
import { escapeControls, hasControls } from "./control_characters.ts";

/** A value as a YAML document. Reading it back gives the same value, also by a reader of YAML 1.1. */
export function toYaml(value: JsonValue): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: "yaml-1.1" });
  visit(document, {
    Scalar(_key, node) {
      // Only a double-quoted scalar can hold an escape.
      if (typeof node.value === "string" && hasControls(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeControls(document.toString({ lineWidth: 0 }));
}
