/** The routes of all operations, from their descriptions and handlers. */
import { listParams, type Operation, permissionName } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { handlers as assignments } from "../assignments/handlers.ts";
import { handlers as followers } from "../associations/followers.ts";
import { handlers as related } from "../associations/relations.ts";
import { handlers as tags } from "../associations/tags.ts";
import { handlers as work } from "../assignments/work_handlers.ts";
import { handlers as attachments } from "../attachments/handlers.ts";
import { handlers as caseTypes } from "../case_types/handlers.ts";
import { handlers as cases } from "../cases/handlers.ts";
import { agentHandlers as aiAgents, assistantHandlers as assistants } from "../conversations/handlers.ts";
import { handlers as data } from "../data/handlers.ts";
import {
  pageHandlers as pages,
  staticContentHandlers as staticContent,
  uiListHandlers as uiLists,
} from "../pages/handlers.ts";
import { handlers as participants } from "../participants/handlers.ts";
import { handlers as social } from "../social/handlers.ts";
import type { HandlerContext, Handlers, Outcome } from "./handler.ts";

/** The handlers by group and operation. A missing one does not compile. */
export const handlers: Handlers = {
  cases,
  assignments,
  data,
  participants,
  attachments,
  tags,
  followers,
  related,
  caseTypes,
  social,
  aiAgents,
  assistants,
  pages,
  uiLists,
  staticContent,
  work,
};

/** An operation with its handler. */
export interface Route {
  /** Permission name, e.g. `cases.get-action`. */
  readonly name: string;
  readonly operation: Operation;
  readonly serve: AnyHandler["serve"];
}

/**
 * A handler of any operation. It is declared as a method, so that a handler may require more than `object`: its values are
 * decoded from the description that their type derives from.
 */
interface AnyHandler {
  serve(values: object, context: HandlerContext): Outcome | Promise<Outcome>;
}

/** Builds the routes. Fixed paths come before paths with variables. */
export async function buildRoutes(handlers: Handlers): Promise<Route[]> {
  const groups: Readonly<Record<string, Readonly<Record<string, AnyHandler["serve"] | undefined>>>> = handlers;
  const routes: Route[] = [];
  for (const [group, operations] of Object.entries(await loadResources())) {
    for (const [name, operation] of Object.entries(operations)) {
      const serve = groups[group]?.[name];
      if (serve && !isPick(operation)) routes.push({ name: permissionName(group, name), operation, serve });
    }
  }
  return routes.sort((a, b) => countVariables(a.operation.path) - countVariables(b.operation.path));
}

/** Reports whether an operation picks a part of another response. It uses the route of the other operation. */
function isPick(operation: Operation): boolean {
  return listParams(operation).some(([, param]) => param.to.startsWith("pick:"));
}

function countVariables(path: string): number {
  return path.split("{").length;
}
