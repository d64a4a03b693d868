/** Moves a row of a list in a case to the position of another row. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { CaseType, Field } from "../application/model/application.ts";
import { Invalid, NotFound } from "../errors.ts";
import { type CaseWork, checkChange, checkOpen, type EngineContext, openCase } from "../cases/case_work.ts";

/** A row and its new position. */
export interface RowMove {
  /** The class and its list, or a view with one list, e.g. `City-Permit-Work-Permit!Documents`. */
  readonly viewName: string;
  /** The row to move: its position from 1, e.g. `.Documents(2)`, or its `ID`. */
  readonly sourceId: string;
  /** The row whose position it gets. */
  readonly destinationId: string;
  /** Case handle. */
  readonly context?: string;
  /** Class of the rows. */
  readonly listClass?: string;
  readonly ifMatch?: string;
}

/** The result of a move. */
export interface MovedRow {
  readonly work: CaseWork;
  /** The field of the list. */
  readonly list: Field;
}

/** Moves a row. Nothing changes if it has the position already. */
export async function moveRow(context: EngineContext, move: RowMove): Promise<MovedRow> {
  const { type, list } = findList(context, move.viewName);
  if (move.listClass !== undefined && move.listClass !== list.embedded?.classId) {
    throw new Invalid(`The rows of ${list.name} are of ${list.embedded?.classId}, not of ${move.listClass}.`);
  }
  if (move.context === undefined) throw new Invalid("The context is missing. It is the handle of the case.");
  const work = await openCase(context, move.context);
  const { stored } = work;
  if (work.type !== type) throw new Invalid(`${move.context} is of ${work.type.id}, not of ${type.id}.`);
  checkChange(work, move.ifMatch);
  checkOpen(work);
  const value = stored.content[list.name];
  const rows = (Array.isArray(value) ? value : []).filter(isJsonObject);
  const from = findRow(list, rows, move.sourceId);
  const to = findRow(list, rows, move.destinationId);
  if (from === to) return { work, list };
  work.touch();
  rows.splice(to, 0, ...rows.splice(from, 1));
  work.setContent({ ...stored.content, [list.name]: rows }, []);
  work.addEvent("moved", `Moved row ${from + 1} of ${list.label} to ${to + 1}`, {
    list: list.name,
    from: from + 1,
    to: to + 1,
  });
  await work.save();
  return { work, list };
}

/** Finds a list by its name: a list of the class, or the only list of a view. */
function findList({ app }: EngineContext, viewName: string): { type: CaseType; list: Field } {
  const [classId = "", name = "", ...more] = viewName.split("!");
  const type = app.caseTypes.get(classId);
  if (type === undefined || more.length > 0) {
    throw new NotFound(`'${viewName}' does not name a case type and its list, e.g. Org-App-Work-Type!Items.`);
  }
  const named = type.fields.get(name);
  const shown = [...type.views.get(name)?.fields.values() ?? []].map(({ field }) => field);
  const [list, second] = (named === undefined ? shown : [named]).filter((field) => field.type === "List");
  if (list === undefined) {
    throw new NotFound(`${classId} has no list '${name}' and no view of this name with a list.`);
  }
  if (second !== undefined) {
    throw new Invalid(`The view ${name} shows several lists: name one, such as ${classId}!${list.name}.`);
  }
  if (list.calculated !== undefined) {
    throw new Invalid(`The rows of ${list.name} are calculated and cannot be moved.`);
  }
  return { type, list };
}

function findRow(list: Field, rows: readonly JsonObject[], id: string): number {
  const byId = list.embedded?.fields.has("ID") ? rows.findIndex((row) => String(row.ID) === id) : -1;
  if (byId >= 0) return byId;
  const [, name, position] = id.match(/^(?:\.?(\w+)\((\d+)\)|\d+)$/) ?? [];
  const index = Number(position ?? id) - 1;
  if ((name ?? list.name) === list.name && index in rows) return index;
  throw new NotFound(`${list.name} has no row '${id}': it has ${rows.length}.`);
}
