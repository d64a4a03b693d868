/** The operations of `svc ui-lists`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";
import type { JsonObject } from "../../utils/json.ts";

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
  /** Name of the personalization. */
  name: { help: "Name of the personalization", type: "string", to: "body:name", required: true },
  /** ID of the personalization. */
  id: { help: "ID of the personalization", type: "string", to: "body:ID" },
  /** State of the list, stored unchanged. */
  personalizationState: {
    help: "State of the list, stored unchanged",
    type: "string",
    to: "body:personalizationState",
  },
  /** Make it the caller's default. */
  markAsDefault: { help: "Make it the caller's default", type: "boolean", to: "body:markAsDefault", negatable: true },
  /** Make it the application's default. */
  markAsAppDefault: {
    help: "Make it the application's default",
    type: "boolean",
    to: "body:markAsAppDefault",
    negatable: true,
  },
  /** Queue to route to. */
  routeToWorkbasket: { help: "Queue to route to", type: "string", to: "body:pyRouteToWorkbasket" },
} as const;

const personalizationInfo = {
  required: {
    /** Personalization ID. Other operations take it as `personalizationID`. */
    ID: "string",
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** State of the list, unchanged. */
    personalizationState: "string",
    /** True if it is the caller's default. */
    markAsDefault: "boolean",
    /** True if it is the application's default. */
    markAsAppDefault: "boolean",
    /** Queue to which it is routed. */
    pyRouteToWorkbasket: "string",
  },
} as const satisfies ObjectShape;

const personalizationList = {
  shape: {
    optional: {
      /** One element per personalization. */
      personalizations: { list: personalizationInfo },
    },
  },
  list: "personalizations",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const movedList = {
  shape: {
    unchecked: {
      /** Case handle. */
      id: "string",
      /** Entity tag of the case, for `ifMatch`. */
      etag: "string",
      /** The case. */
      data: {
        unchecked: {
          /** The case. */
          caseInfo: {
            unchecked: {
              /** Case handle. */
              ID: "string",
              /** The list in its new order. */
              content: "open",
            },
          },
        },
      },
    },
  },
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the personalizations of a UI list in `personalizations`: the caller's own, the oldest first, and the one that
   * is the application's default.
   *
   * Errors: `NOT_FOUND` for an unknown list.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { personalizations = [] } = await svc.uiLists.listPersonalizations("Permits");
   * console.log(personalizations.find((one) => one.markAsDefault));
   * ```
   */
  listPersonalizations: {
    summary: "List the personalizations of a UI list",
    method: "GET",
    path: "/ui_lists/{ui_list_ID}/personalizations",
    args: [uiListID],
    answer: personalizationList,
    example: ["Permits", "Permits --format table"],
  },
  /**
   * Creates a personalization of a UI list for the caller and returns its ID. The state is stored unchanged. A new
   * default replaces the previous one of the caller or of the application.
   *
   * Errors: `NOT_FOUND` for an unknown list, `CONFLICT` for an ID that is taken, `FORBIDDEN` for a caller who may not
   * choose the application's default, `BAD_REQUEST` for an empty name, an invalid ID or an unknown queue.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const personalizationState = JSON.stringify({ columns: ["pyID", "Applicant"] });
   * const id = await svc.uiLists.createPersonalization("Permits", { name: "Short", personalizationState });
   * console.log(id);
   * ```
   */
  createPersonalization: {
    summary: "Create a personalization of a UI list",
    method: "POST",
    creates: true,
    path: "/ui_lists/{ui_list_ID}/personalizations",
    args: [uiListID],
    flags: personalization,
    answer: "text",
    example: [
      `Permits --name Mine --id mine --personalization-state '{"columns":["pyID"]}' --mark-as-default`,
      "Permits --name Review --route-to-workbasket Review",
    ],
  },
  /**
   * Changes a personalization of the caller and returns its ID. Missing parameters leave their values unchanged.
   *
   * Errors: `NOT_FOUND` for one that is not the caller's, `FORBIDDEN` and `BAD_REQUEST` as for a new one,
   * `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const id = await svc.uiLists.createPersonalization("Permits", { name: "Mine" });
   * await svc.uiLists.updatePersonalization("Permits", id, { name: "Ours", markAsDefault: true });
   * ```
   */
  updatePersonalization: {
    summary: "Change a personalization of a UI list",
    method: "PUT",
    path: "/ui_lists/{ui_list_ID}/personalizations/{personalizationID}",
    args: [uiListID, personalizationID],
    flags: personalization,
    answer: "text",
    example: [
      "Permits mine --name Ours",
      "Permits mine --name Mine --mark-as-default",
    ],
  },
  /**
   * Deletes a personalization of the caller and returns its ID.
   *
   * Errors: `NOT_FOUND` for one that is not the caller's, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const id = await svc.uiLists.createPersonalization("Permits", { name: "Mine" });
   * await svc.uiLists.deletePersonalization("Permits", id);
   * ```
   */
  deletePersonalization: {
    summary: "Delete a personalization of a UI list",
    method: "DELETE",
    path: "/ui_lists/{ui_list_ID}/personalizations/{personalizationID}",
    args: [uiListID, personalizationID],
    answer: "text",
    example: ["Permits mine", "Permits mine --dry-run"],
  },
  /**
   * Moves a row of a case's embedded list to the position of another row. The rows between them move up or down. The view is the
   * case type with the list, or with a view that shows one list. A row is its position from 1, a reference such as
   * `.Documents(2)`, or the `ID` of rows that have one. The response contains the list in its new order. Moving
   * a row to its own position changes nothing.
   *
   * Errors: `NOT_FOUND` for an unknown list, case or row, `BAD_REQUEST` for a case of another type, a missing context
   * or another `listClass`, `CONFLICT` for a resolved case, `LOCKED`, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const data = { Documents: [{ Title: "Drawing" }, { Title: "Letter" }] };
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data });
   * await svc.uiLists.move("City-Permit-Work-Permit!Documents", { context: id, sourceId: "2", destinationId: "1" });
   * ```
   */
  move: {
    summary: "Move a row of a list to the position of another",
    method: "PATCH",
    path: "/ui_lists/{viewName}/move",
    args: [{
      name: "viewName",
      help: "View, e.g. 'City-Permit-Work-Permit!Documents'",
      type: "string",
      to: "path:viewName",
      required: true,
    }],
    flags: {
      /** Row to move: its position from 1, or its ID. */
      sourceId: {
        help: "Row to move: its position from 1, or its ID",
        type: "string",
        to: "body:sourceID",
        required: true,
      },
      /** Row whose position it takes. */
      destinationId: {
        help: "Row whose position it takes",
        type: "string",
        to: "body:destinationID",
        required: true,
      },
      /** Context, e.g. a case handle. */
      context: { help: "Context, e.g. a case handle", type: "string", namesCase: true, to: "body:context" },
      /** Class of the rows. */
      listClass: { help: "Class of the rows", type: "string", to: "body:listClass" },
    },
    answer: movedList,
    example: [
      "'City-Permit-Work-Permit!Documents' --source-id 3 --destination-id 1 --context 'CITY-PERMIT-WORK P-1'",
      "'City-Permit-Work-Permit!Documents' --source-id 1 --destination-id 2 --context 'CITY-PERMIT-WORK P-1'",
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The personalizations of a UI list. */
export type PersonalizationsAnswer = AnswerOf<Operations["listPersonalizations"]>;

/** A personalization of a UI list. */
export type PersonalizationInfo = NonNullable<PersonalizationsAnswer["personalizations"]>[number];

/** A list in its new order. */
export type MovedListAnswer<Content = JsonObject> = AnswerOf<Operations["move"], Content>;

/** Parameters of `uiLists.createPersonalization`. */
export type UiListsCreatePersonalizationParams = ParamsOf<Operations["createPersonalization"]>;

/** Parameters of `uiLists.updatePersonalization`. */
export type UiListsUpdatePersonalizationParams = ParamsOf<Operations["updatePersonalization"]>;

/** Parameters of `uiLists.move`. */
export type UiListsMoveParams = ParamsOf<Operations["move"]>;
