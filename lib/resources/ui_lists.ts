/** The operations of `svc ui-lists`. */
import type { Group } from "../operation.ts";

const uiListID = {
  name: "uiListID",
  help: "UI list ID",
  type: "string",
  to: "path:ui_list_ID",
  required: true,
} as const;
const personalizationID = {
  name: "personalizationID",
  help: "Personalization ID",
  type: "string",
  to: "path:personalizationID",
  required: true,
} as const;

const personalization = {
  name: { help: "Name of the personalization", type: "string", to: "body:name", required: true },
  id: { help: "ID of the personalization", type: "string", to: "body:ID" },
  personalizationState: {
    help: "State of the list, passed on as it is",
    type: "string",
    to: "body:personalizationState",
  },
  markAsDefault: { help: "Make it the caller's default", type: "boolean", to: "body:markAsDefault" },
  markAsAppDefault: { help: "Make it the application's default", type: "boolean", to: "body:markAsAppDefault" },
  routeToWorkbasket: { help: "Queue to route to", type: "string", to: "body:pyRouteToWorkbasket" },
} as const;

/** The operations by name. */
export const operations = {
  listPersonalizations: {
    summary: "List the personalizations of a UI list",
    method: "GET",
    path: "/ui_lists/{ui_list_ID}/personalizations",
    args: [uiListID],
    answer: "object",
    example: "Permits",
  },
  createPersonalization: {
    summary: "Create a personalization of a UI list",
    method: "POST",
    path: "/ui_lists/{ui_list_ID}/personalizations",
    args: [uiListID],
    flags: personalization,
    answer: "text",
    example: `Permits --name Mine --personalization-state '{"columns":["pyID"]}' --mark-as-default`,
  },
  updatePersonalization: {
    summary: "Change a personalization of a UI list",
    method: "PUT",
    path: "/ui_lists/{ui_list_ID}/personalizations/{personalizationID}",
    args: [uiListID, personalizationID],
    flags: personalization,
    answer: "text",
    example: "Permits P-1 --name Ours",
  },
  deletePersonalization: {
    summary: "Delete a personalization of a UI list",
    method: "DELETE",
    path: "/ui_lists/{ui_list_ID}/personalizations/{personalizationID}",
    args: [uiListID, personalizationID],
    answer: "text",
    example: "Permits P-1",
  },
  move: {
    summary: "Move a row of a UI list before another",
    method: "PATCH",
    path: "/ui_lists/{viewName}/move",
    args: [{
      name: "viewName",
      help: "View, e.g. 'City-Permit-Work-Permit!Items'",
      type: "string",
      to: "path:viewName",
      required: true,
    }],
    flags: {
      sourceId: { help: "ID of the row to move", type: "string", to: "body:sourceID", required: true },
      destinationId: {
        help: "ID of the row whose place it takes",
        type: "string",
        to: "body:destinationID",
        required: true,
      },
      context: { help: "Context, e.g. a case handle", type: "string", to: "body:context" },
      listClass: { help: "Class of the rows", type: "string", to: "body:listClass" },
    },
    answer: "object",
    example: "'City-Permit-Work-Permit!Items' --source-id 3 --destination-id 1 --context 'CITY-PERMIT-WORK P-1'",
  },
} as const satisfies Group;
