/** Where messages are: on a case, an operator or the application. Each is named by a context ID. */
import type { EngineContext } from "../cases/context.ts";
import { findCase } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";

/** A place. */
export interface Place {
  /** What it is. */
  readonly kind: "case" | "operator" | "application";
  /** Its one context ID: messages belong to it. */
  readonly id: string;
}

/** The place of a context ID, or 404. */
export async function placeOf(context: EngineContext, id: string): Promise<Place> {
  const { app } = context;
  const own = `DATA-PORTAL $${app.id}`; // as portals send it, with the ID or the name
  if ([own, app.id, `DATA-PORTAL $${app.name}`].includes(id)) return { kind: "application", id: own };
  if (app.operators.has(id)) return { kind: "operator", id };
  if (await findCase(context, id) !== undefined) return { kind: "case", id };
  throw new ServiceError(404, `There is no case, operator or message '${id}', and the application is '${own}'.`);
}
