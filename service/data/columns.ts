/** The columns of a data view: what they hold, and where the store has them. */
import type { DataView, Field } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { RowField } from "../store/query.ts";

/** A column that a request has named. */
export interface NamedColumn {
  /** The name without a leading dot: the member of the answer's rows. */
  readonly name: string;
  /** The field. */
  readonly field: Field;
  /** Where the store has it. */
  readonly place: RowField;
}

/** A column by its name, which may be a path into embedded pages; 400 where there is none. */
export function columnOf(view: DataView, name: string): NamedColumn {
  const [head = "", ...rest] = name.replace(/^\./, "").split(".");
  const column = view.columns.get(head);
  if (!column) {
    throw new ServiceError(400, `${view.id} has no field ${name}${suggestAlternatives(head, view.columns.keys())}`);
  }
  let field = column.field;
  for (const [index, member] of rest.entries()) {
    const fields = field.type === "Page" ? field.embedded?.fields : undefined;
    const inner = fields?.get(member);
    if (!inner) {
      const place = [head, ...rest.slice(0, index)].join(".");
      const known = [...fields?.keys() ?? []].map((one) => `${place}.${one}`);
      throw new ServiceError(400, `${view.id} has no field ${name}${suggestAlternatives(`${place}.${member}`, known)}`);
    }
    field = inner;
  }
  const place = "content" in column.place ? { content: [...column.place.content, ...rest] } : column.place;
  return { name: [head, ...rest].join("."), field, place };
}

/** All columns of a data view. */
export function columnsOf(view: DataView): NamedColumn[] {
  return [...view.columns.keys()].map((name) => columnOf(view, name));
}
