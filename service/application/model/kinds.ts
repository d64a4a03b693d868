/** The kinds of what fields hold. */
import type { FieldType } from "./application.ts";

/** How values compare. */
export type Kind = "text" | "number" | "boolean" | "date" | "instant" | "embedded";

/** How values of a type compare. */
export function kindOf(type: FieldType): Kind {
  switch (type) {
    case "Integer":
    case "Decimal":
    case "Currency":
      return "number";
    case "Boolean":
      return "boolean";
    case "Date":
      return "date";
    case "DateTime":
      return "instant";
    case "Page":
    case "List":
      return "embedded";
    default:
      return "text";
  }
}
