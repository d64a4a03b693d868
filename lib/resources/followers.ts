/** The operations of `svc followers`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

import { multiStatusAnswer } from "./shared/case.ts";
import { caseId } from "./shared/params.ts";

const follower = {
  required: {
    /** User ID. */
    ID: "string",
  },
  unchecked: {
    /** Display name. */
    name: "string",
    /** Email address. */
    email: "string",
  },
} as const satisfies ObjectShape;

const followerList = {
  shape: {
    required: {
      /** In the order in which they started to follow. */
      followers: { list: follower },
    },
  },
  list: "followers",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the followers of a case, in the order in which they started to follow.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { followers } = await svc.followers.list(id);
   * console.log(followers.map((follower) => follower.name));
   * ```
   */
  list: {
    summary: "List the followers of a case",
    method: "GET",
    path: "/cases/{caseID}/followers",
    args: [caseId],
    answer: followerList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Adds a follower to a case. The response has one element with the outcome. The command fails with
   * `BULK_PARTIAL_FAILURE` if the element failed. `associations.follows` of a case tells whether the caller follows it.
   * The entity tag of the case does not change.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`. Status of the element: 400 for an unknown user,
   * 409 for a user who already follows the case.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const [added] = await svc.followers.add(id, { user: "reviewer@city" });
   * console.log(added?.status);
   * ```
   */
  add: {
    summary: "Add a follower to a case",
    method: "POST",
    path: "/cases/{caseID}/followers",
    args: [caseId],
    flags: {
      /** User ID. */
      user: { help: "User ID", type: "string", to: "body:users[0].ID", required: true },
    },
    answer: multiStatusAnswer,
    status: 207,
    example: [
      "'CITY-PERMIT-WORK P-1' --user clerk@city",
      "'CITY-PERMIT-WORK P-1' --user reviewer@city --dry-run",
    ],
  },
  /**
   * Removes a follower from a case.
   *
   * Errors: `NOT_FOUND` for an unknown case or a user who does not follow it, `PRECONDITION_FAILED` for a stale
   * `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.followers.add(id, { user: "reviewer@city" });
   * await svc.followers.delete(id, { user: "reviewer@city" });
   * ```
   */
  delete: {
    summary: "Remove a follower from a case",
    method: "DELETE",
    path: "/cases/{caseID}/followers/{followerID}",
    args: [caseId],
    flags: {
      /** User ID. */
      user: { help: "User ID", type: "string", to: "path:followerID", required: true },
    },
    answer: "nothing",
    example: ["'CITY-PERMIT-WORK P-1' --user clerk@city", "'CITY-PERMIT-WORK P-1' --user reviewer@city --dry-run"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The followers of a case. */
export type FollowersAnswer = AnswerOf<Operations["list"]>;

/** A follower. */
export type FollowerInfo = FollowersAnswer["followers"][number];

/** Parameters of `followers.add`. */
export type FollowersAddParams = ParamsOf<Operations["add"]>;

/** Parameters of `followers.delete`. */
export type FollowersDeleteParams = ParamsOf<Operations["delete"]>;
