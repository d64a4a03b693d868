/**
 * The operations of `svc work`. They belong to the embedded service, not to the specified API. Their paths begin with
 * `/svc`.
 */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";

import { assignmentAnswer } from "./shared/case.ts";

const assignmentId = {
  name: "assignmentId",
  help: "Assignment handle, e.g. 'ASSIGN-WORKBASKET ACME-WORK C-1!REVIEW'",
  type: "string",
  to: "path:assignmentID",
  required: true,
} as const;

const operations = {
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
    answer: assignmentAnswer,
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
      toOperator: {
        help: "Operator who gets the assignment",
        type: "string",
        to: "body:operator",
        excludes: ["toQueue"],
      },
      toQueue: { help: "Queue that gets the assignment", type: "string", to: "body:queue" },
    },
    answer: assignmentAnswer,
    example: [
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --to-operator reviewer@city",
      "'ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW' --to-queue Decision",
    ],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** An assignment after a transfer, with its case. */
export type WorkAnswer = AnswerOf<Operations["transfer"]>;

/** Parameters of `work.transfer`. */
export type WorkTransferParams = ParamsOf<Operations["transfer"]>;
