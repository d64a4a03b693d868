/**
 * The operations of `svc work`. They belong to the embedded service, not to the specified API. Their paths begin with
 * `/svc`.
 */
import type { JsonAnswer } from "../operation/answer.ts";
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { Members, ObjectShape } from "../../utils/shape.ts";
import { changedAssignmentAnswer } from "./shared/case.ts";
import { viewType } from "./shared/params.ts";

const caseFacts = {
  /** Number of the case, e.g. `P-1`. */
  businessID: "string",
  /** Label of the case. */
  label: "string",
  /** Case type ID. */
  caseTypeID: "string",
  /** Name of the case type. */
  caseTypeName: "string",
  /** Status of the case. */
  status: "string",
  /** Name of the current stage. */
  stageLabel: "string",
  /** Urgency, 0 to 100. */
  urgency: { oneOf: ["number", "string"] },
  /** Time at which it was created. */
  createTime: "string",
} as const satisfies Members;

const assignee = {
  unchecked: {
    /** Operator or queue ID. */
    ID: "string",
    /** Name of the operator or of the queue. */
    name: "string",
    /** `worklist` for an operator, `workbasket` for a queue. */
    type: "string",
  },
} as const satisfies ObjectShape;

const inboxAnswer = {
  shape: {
    required: {
      /** One page: the most urgent first, then the oldest. */
      assignments: {
        list: {
          required: {
            /** Assignment handle. */
            ID: "string",
            /** Case handle. */
            caseID: "string",
          },
          unchecked: {
            /** Name of the step. */
            name: "string",
            ...caseFacts,
            /** Time at which it is due, if its step has a number of days. */
            dueTime: "string",
            /** IDs of the actions that have a saved draft. */
            draftActions: { list: "string" },
            /** The caller, or the queue in which it waits. */
            assigneeInfo: assignee,
          },
        },
      },
      /** True if another page follows. */
      hasMoreResults: "boolean",
    },
  },
} as const satisfies JsonAnswer;

const casesAnswer = {
  shape: {
    required: {
      /** One page, the newest first. */
      cases: {
        list: {
          required: {
            /** Case handle. */
            ID: "string",
          },
          unchecked: {
            ...caseFacts,
            /** Operator who created it. */
            createdBy: "string",
            /** Time of the last change. */
            lastUpdateTime: "string",
          },
        },
      },
      /** True if another page follows. */
      hasMoreResults: "boolean",
    },
  },
} as const satisfies JsonAnswer;

const operatorAnswer = {
  shape: {
    required: {
      /** Operator ID, e.g. `clerk@city`. */
      ID: "string",
      /** Name. */
      name: "string",
      /** Queues from which the operator takes work. */
      queues: {
        list: {
          required: {
            /** Queue ID. */
            ID: "string",
            /** Name. */
            name: "string",
          },
        },
      },
    },
  },
} as const satisfies JsonAnswer;

const type = { help: "Case type: its ID or its name", type: "string", to: "query:type" } as const;
const status = { help: "Beginning of the status, e.g. Pending", type: "string", to: "query:status" } as const;
const paging = {
  /** Page number, starting at 1. */
  page: { help: "Page number, starting at 1", type: "integer", to: "query:page" },
  /** Maximum number on a page, up to 200 (default: 50). */
  pageSize: { help: "Maximum number on a page, up to 200 (default: 50)", type: "integer", to: "query:pageSize" },
} as const;
const pages = { more: "hasMoreResults", page: "page", size: "pageSize", first: 1 } as const;

const assignmentId = {
  name: "assignmentId",
  help: "Assignment handle, e.g. 'ASSIGN-WORKBASKET ACME-WORK C-1!REVIEW'",
  type: "string",
  to: "path:assignmentID",
  required: true,
} as const;

const operations = {
  /**
   * Reads the operator that the client acts as. Only the embedded service has this operation.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { ID, queues } = await svc.work.getOperator();
   * console.log(ID, queues.map(({ name }) => name));
   * ```
   */
  getOperator: {
    summary: "Show the operator that you act as",
    method: "GET",
    path: "/svc/operator",
    answer: operatorAnswer,
    example: ["", "--fields ID"],
    seeAlso: ["auth whoami --help"],
  },
  /**
   * Lists the open work of the caller: the assignments in the caller's worklist, and those in the caller's queues that the
   * caller may take. Only the embedded service has this operation.
   *
   * Errors: `BAD_REQUEST` for an unknown case type, an invalid time or an invalid page.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { assignments } = await svc.work.inbox({ status: "Pending", text: "harbour" });
   * for (const { businessID, label, name } of assignments) console.log(businessID, label, name);
   * ```
   */
  inbox: {
    summary: "List your open work and the work in your queues",
    method: "GET",
    path: "/svc/inbox",
    flags: {
      /** Case type: its ID or its name. */
      type,
      /** Beginning of the status, e.g. Pending. */
      status,
      /** Text in the number, the label or a text field of the case. */
      text: { help: "Text in the number, the label or a text field of the case", type: "string", to: "query:text" },
      /** Only work that is due by this time, e.g. 2026-01-31T17:00:00Z. */
      due: { help: "Only work that is due by this time, e.g. 2026-01-31T17:00:00Z", type: "string", to: "query:due" },
      ...paging,
    },
    answer: inboxAnswer,
    pages: { items: "assignments", ...pages },
    example: ["--status Pending", "--type Permit --text harbour --page-size 20"],
  },
  /**
   * Finds cases by a text in the number, the label or a text field, or by their number. Case is ignored. A text that is the
   * number of a case finds this case only. Only the embedded service has this operation.
   *
   * Errors: `BAD_REQUEST` for an unknown case type, an invalid page, and a search that takes too long.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { cases } = await svc.work.find({ text: "main street" });
   * console.log(cases.map(({ ID }) => ID));
   * ```
   */
  find: {
    summary: "Find cases by text or by number",
    method: "GET",
    path: "/svc/cases",
    flags: {
      /** Text in the number, the label or a text field. */
      text: { help: "Text in the number, the label or a text field", type: "string", to: "query:text" },
      /** Number of the case, e.g. P-1. */
      businessId: { help: "Number of the case, e.g. P-1", type: "string", to: "query:businessID" },
      /** Case type: its ID or its name. */
      type,
      /** Beginning of the status, e.g. Pending. */
      status,
      ...paging,
    },
    atLeastOne: ["text", "businessId"],
    answer: casesAnswer,
    pages: { items: "cases", ...pages },
    example: ["--text harbour", "--business-id P-1", "--text 'main street' --status Pending --page-size 20"],
  },
  /**
   * Takes an assignment from a queue into the worklist of the caller. The history of the case records it. Nothing changes if
   * the caller has it already. Only the embedded service has this operation.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` for a queue of others or without the right to change the case, `CONFLICT` for an
   * assignment that another operator has, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { assignments: [first] } = await svc.work.inbox({ pageSize: 1 });
   * if (first) await svc.work.take(first.ID);
   * ```
   */
  take: {
    summary: "Take an assignment from a queue",
    method: "POST",
    path: "/svc/assignments/{assignmentID}/take",
    args: [assignmentId],
    accepts: { query: viewType },
    answer: changedAssignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW'",
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --if-match '20260102T030405.678 GMT'",
    ],
  },
  /**
   * Gives an assignment back to the queue of its step. The holder may do that, and so may an operator with the right
   * `manage`. The history of the case records it. Only the embedded service has this operation.
   *
   * Errors: `NOT_FOUND`, `FORBIDDEN` for another operator, `CONFLICT` for an assignment without a queue or with a saved
   * draft, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.cases.stageGo(id, { stage: "Review" });
   * const next = await svc.assignments.getNext();
   * await svc.work.release(next.id);
   * ```
   */
  release: {
    summary: "Give an assignment back to its queue",
    method: "POST",
    path: "/svc/assignments/{assignmentID}/release",
    args: [assignmentId],
    accepts: { query: viewType },
    answer: changedAssignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW'",
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --if-match '20260102T030405.678 GMT'",
    ],
  },
  /**
   * Transfers an assignment to an operator or to a queue. The holder may do that, and so may an operator with the right
   * `manage`. The history of the case records it. Only the embedded service has this operation.
   *
   * Errors: `NOT_FOUND`, `BAD_REQUEST` for an unknown operator or queue, `FORBIDDEN` for another operator, `CONFLICT` for
   * a saved draft or an operator who may not change the case, `PRECONDITION_FAILED` for a stale `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { nextAssignmentInfo: next } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * if (next) await svc.work.transfer(next.ID, { toOperator: "reviewer@city" });
   * ```
   */
  transfer: {
    summary: "Transfer an assignment to an operator or a queue",
    method: "PUT",
    path: "/svc/assignments/{assignmentID}/assignee",
    args: [assignmentId],
    flags: {
      /** Operator who gets the assignment. */
      toOperator: {
        help: "Operator who gets the assignment",
        type: "string",
        to: "body:operator",
        excludes: ["toQueue"],
      },
      /** Queue that gets the assignment. */
      toQueue: { help: "Queue that gets the assignment", type: "string", to: "body:queue" },
    },
    accepts: { query: viewType },
    answer: changedAssignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --to-operator reviewer@city",
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --to-queue Decision",
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** An operator. */
export type WorkOperatorAnswer = AnswerOf<Operations["getOperator"]>;

/** An assignment after it was taken, released or transferred, with its case. */
export type WorkAnswer = AnswerOf<Operations["transfer"]>;

/** The open work of the caller. */
export type WorkInboxAnswer = AnswerOf<Operations["inbox"]>;

/** Cases that were found. */
export type WorkFindAnswer = AnswerOf<Operations["find"]>;

/** Parameters of `work.inbox`. */
export type WorkInboxParams = ParamsOf<Operations["inbox"]>;

/** Parameters of `work.find`. */
export type WorkFindParams = ParamsOf<Operations["find"]>;

/** Parameters of `work.transfer`. */
export type WorkTransferParams = ParamsOf<Operations["transfer"]>;
