/** The shapes of fields: all that expressions need to know about them. */
import type { Field, FieldType } from "../model/field.ts";

/** The type of a field, the allowed values of a Dropdown, and the fields of a page or of rows. */
export interface FieldShape {
  readonly type: FieldType;
  readonly values?: readonly string[];
  readonly fields?: FieldShapes;
}

/** The shapes of fields by name. */
export type FieldShapes = Readonly<Record<string, FieldShape>>;

/** The operators and queues of an application, by which expressions about the caller are checked. */
export interface Callers {
  readonly operators: Readonly<Record<string, unknown>>;
  readonly queues: Readonly<Record<string, unknown>>;
}

/** Returns the shapes of fields. */
export function toShapes(fields: Iterable<Field>): FieldShapes {
  return Object.fromEntries(
    Array.from(fields, ({ name, type, values, embedded }) => {
      return [name, { type, values, fields: embedded && toShapes(embedded.fields.values()) }];
    }),
  );
}
