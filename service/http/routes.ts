/** The routes of all operations, from their descriptions. */
import { permissionName } from "../../lib/operation/names.ts";
import { listParams, type Operation } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import type { HandlerContext, Handlers, Outcome } from "./handler.ts";

/** An operation with what serves it. */
export interface Route {
  /** Permission name, e.g. `cases.get-action`. */
  readonly name: string;
  /** The operation. */
  readonly operation: Operation;
  /** Serves a call. */
  readonly serve: Serve["serve"];
}

/**
 * A handler of an operation that is known at run time alone. It is declared as a method so that a handler may ask for
 * more than `object`: its values are decoded from the very description that its type comes from.
 */
interface Serve {
  serve(values: object, context: HandlerContext): Outcome | Promise<Outcome>;
}

/** The routes, those first whose path is written out where another has a variable. */
export async function buildRoutes(handlers: Handlers): Promise<Route[]> {
  const serves: Readonly<Record<string, Readonly<Record<string, Serve["serve"] | undefined>>>> = handlers;
  const routes: Route[] = [];
  for (const [group, operations] of Object.entries(await loadResources())) {
    for (const [name, operation] of Object.entries(operations)) {
      const serve = serves[group]?.[name];
      if (serve && !picks(operation)) routes.push({ name: permissionName(group, name), operation, serve });
    }
  }
  return routes.sort((a, b) => variables(a.operation.path) - variables(b.operation.path));
}

/** An operation that picks from another's answer has that one's route. */
function picks(operation: Operation): boolean {
  return listParams(operation).some(([, param]) => param.to.startsWith("pick:"));
}

function variables(path: string): number {
  return path.split("{").length;
}
