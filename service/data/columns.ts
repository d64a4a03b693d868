/** The columns of a data view that requests can name. */
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { DataView } from "../application/model/data_view.ts";
import { type Field, holdsPage } from "../application/model/field.ts";
import { type DomainError, Invalid } from "../errors.ts";
import type { RowField } from "../store/query.ts";

/** A column that a request has named. */
export interface NamedColumn {
  /** The name without a leading dot. It becomes a member of the rows. */
  readonly name: string;
  readonly field: Field;
  /** The location of the value in the store. */
  readonly place: RowField;
}

/** Finds a column by its name, which may be a path into embedded pages. Throws Invalid if it does not exist. */
export function findColumn(view: DataView, name: string): NamedColumn {
  const [head = "", ...members] = stripDot(name).split(".");
  const column = view.columns.get(head);
  if (column === undefined) throw noField(view, name, head, view.columns.keys());
  let { field } = column;
  for (const [index, member] of members.entries()) {
    const fields: ReadonlyMap<string, Field> = (holdsPage(field.type) && field.embedded?.fields) || new Map();
    const inner = fields.get(member);
    if (inner === undefined) {
      const path = [head, ...members.slice(0, index)].join(".");
      throw noField(view, name, `${path}.${member}`, [...fields.keys()].map((known) => `${path}.${known}`));
    }
    field = inner;
  }
  const place = "content" in column.place ? { content: [...column.place.content, ...members] } : column.place;
  return { name: [head, ...members].join("."), field, place };
}

/** Removes the leading dot that some clients write before names. */
export function stripDot(name: string): string {
  return name.replace(/^\./, "");
}

function noField({ id }: DataView, name: string, part: string, known: Iterable<string>): DomainError {
  return new Invalid(`${id} has no field ${name}${suggestAlternatives(part, known)}`);
}
