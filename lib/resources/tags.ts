/** The operations of `svc tags`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

import { multiStatusAnswer } from "./shared/case.ts";
import { caseId } from "./shared/params.ts";

const tag = {
  required: {
    /** Name, in lower case. */
    tagName: "string",
  },
  unchecked: {
    /** Key, e.g. `DATA-SOCIAL-TAG ACME-WORK!HOT`. */
    tagKey: "string",
  },
} as const satisfies ObjectShape;

const tagList = {
  shape: {
    required: {
      /** In the order in which they were added. */
      tagsList: { list: tag },
    },
  },
  list: "tagsList",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the tags of a case with name and key, in the order in which they were added. Names are in lower case.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { tagsList } = await svc.tags.list(id);
   * console.log(tagsList.map((tag) => tag.tagName));
   * ```
   */
  list: {
    summary: "List the tags of a case",
    method: "GET",
    path: "/cases/{caseID}/tags",
    args: [caseId],
    answer: tagList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Adds tags to a case. Each element of the response has the status of one tag. A tag that fails does not stop the
   * others; the command then fails with `BULK_PARTIAL_FAILURE`. Names are stored in lower case. The entity tag of the
   * case does not change.
   *
   * Errors: `NOT_FOUND`, `PRECONDITION_FAILED` for a stale `ifMatch`, `BAD_REQUEST` for more than a thousand tags.
   * Status of an element: 409 for a tag that the case already has, 500 `pyError_Add_Tag` for a name with characters other
   * than letters, digits, spaces and punctuation.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const added = await svc.tags.add(id, { tag: ["urgent", "heritage"] });
   * console.log(added.map((element) => `${element.ID}: ${element.status}`));
   * ```
   */
  add: {
    summary: "Add tags to a case",
    method: "POST",
    path: "/cases/{caseID}/tags",
    args: [caseId],
    flags: {
      /** Tag name. */
      tag: { help: "Tag name", type: "list", repeatable: true, to: "body:tags[].Name", required: true },
    },
    answer: multiStatusAnswer,
    status: 207,
    example: ["'CITY-PERMIT-WORK P-1' --tag urgent --tag heritage", "'CITY-PERMIT-WORK P-1' --tag urgent --dry-run"],
  },
  /**
   * Removes a tag from a case.
   *
   * Errors: `NOT_FOUND` for an unknown case or a tag that the case does not have, `PRECONDITION_FAILED` for a stale
   * `ifMatch`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * await svc.tags.add(id, { tag: ["urgent"] });
   * await svc.tags.delete(id, { tag: "urgent" });
   * ```
   */
  delete: {
    summary: "Remove a tag from a case",
    method: "DELETE",
    path: "/cases/{caseID}/tags/{tagID}",
    args: [caseId],
    flags: {
      /** Tag name or key. */
      tag: { help: "Tag name or key", type: "string", to: "path:tagID", required: true },
    },
    answer: "nothing",
    example: ["'CITY-PERMIT-WORK P-1' --tag urgent", "'CITY-PERMIT-WORK P-1' --tag 'old, big'"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The outcome for each element of a call with several. */
export type MultiStatusAnswer = AnswerOf<Operations["add"]>;

/** The outcome for one element of a call with several. */
export type ElementStatus = MultiStatusAnswer[number];

/** The tags of a case. */
export type TagsAnswer = AnswerOf<Operations["list"]>;

/** A tag of a case. */
export type TagInfo = TagsAnswer["tagsList"][number];

/** Parameters of `tags.add`. */
export type TagsAddParams = ParamsOf<Operations["add"]>;

/** Parameters of `tags.delete`. */
export type TagsDeleteParams = ParamsOf<Operations["delete"]>;
