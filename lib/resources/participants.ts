/** The operations of `svc participants`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";
import type { JsonObject } from "../../utils/json.ts";

import { caseData, viewAnswer } from "./shared/case.ts";
import { attachmentMembers, caseId, caseTag, content, participantViewType } from "./shared/params.ts";

const participantId = {
  help: "Participant ID, or the name of the person on the command line",
  type: "string",
  to: "path:participantID",
  required: true,
} as const;

const participantAnswer = {
  shape: {
    required: {
      /** Participant ID. Other operations take it as `participantId`. */
      id: "string",
    },
    unchecked: {
      /** Role in which the participant takes part. */
      participantRoleID: "string",
      /** Display name of the role. */
      roleName: "string",
      /** Entity tag of the case, for `ifMatch`. */
      etag: "string",
      /** Content: `data.caseInfo.content`. */
      data: caseData,
      /** The form: fields with their types, and the components that show them. */
      uiResources: "object",
    },
  },
  fill: "participant",
} as const satisfies JsonAnswer;

const changedParticipantAnswer = {
  shape: { unchecked: { ...participantAnswer.shape.required, ...participantAnswer.shape.unchecked } },
  fill: "participant",
} as const satisfies JsonAnswer;

const participant = {
  required: {
    /** Participant ID. Other operations take it as `participantId`. */
    ID: "string",
    /** Role in which the participant takes part. */
    participantRoleID: "string",
  },
  unchecked: {
    /** Display name of the role. */
    roleName: "string",
    /** Fields of the role's form. */
    content: "open",
    /** Requests that the participant offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const participantList = {
  shape: {
    required: {
      /** In the order in which they were added. */
      participants: { list: participant },
    },
  },
  list: "participants",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const role = {
  required: {
    /** Role ID. `add` takes it as `role`. */
    ID: "string",
    /** Display name. */
    name: "string",
  },
  unchecked: {
    /** True if several participants of a case may have the role. Some services omit it. */
    multiple: "boolean",
    /** Requests that the role offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const roleList = {
  shape: {
    required: {
      /** In the order of the case type. */
      participantRoles: { list: role },
    },
  },
  list: "participantRoles",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the participants of a case with their roles and fields, in the order in which they were added.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { participants } = await svc.participants.list(id);
   * console.log(participants.map((participant) => participant.roleName));
   * ```
   */
  list: {
    summary: "List the participants of a case",
    method: "GET",
    path: "/cases/{caseID}/participants",
    args: [caseId],
    answer: participantList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Adds a participant in a role of the case type. The role defines the fields and whether a case may have
   * several such participants. The response has the new entity tag of the case. The change is part of its history.
   *
   * Errors: `VALIDATION_FAIL` with a detail per field that is missing or invalid, or for a role that is taken;
   * `BAD_REQUEST` for an unknown role or field, `NOT_FOUND`, `CONFLICT` for a resolved case, `PRECONDITION_FAILED`
   * for a stale `ifMatch`, `LOCKED` by the draft of another operator.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: caseId } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { pyFirstName: "Ada", pyLastName: "Lovelace" };
   * const added = await svc.participants.add(caseId, { role: "Applicant", data });
   * console.log(added.id, added.etag);
   * ```
   */
  add: {
    summary: "Add a participant to a case",
    method: "POST",
    path: "/cases/{caseID}/participants",
    args: [caseId],
    flags: {
      /** Participant role ID. */
      role: { help: "Participant role ID", type: "string", to: "body:participantRoleID", required: true },
      /** Content of the participant's fields. */
      data: {
        help: "Content of the participant's fields",
        type: "object",
        isContent: true,
        to: "body:content",
        required: true,
      },
    },
    ...caseTag,
    accepts: { query: participantViewType, body: ["pageInstructions"] },
    answer: changedParticipantAnswer,
    status: 201,
    example: [
      `'CITY-PERMIT-WORK P-1' --role Applicant --data '{"pyFirstName":"Ada","pyLastName":"Lovelace"}'`,
      "'CITY-PERMIT-WORK P-1' --role Applicant --data @applicant.json",
    ],
    seeAlso: ["participants list-roles --help"],
  },
  /**
   * Reads a participant, with the form in which its role shows it.
   *
   * Errors: `NOT_FOUND` for an unknown case or participant.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: caseId } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { pyFirstName: "Ada", pyLastName: "Lovelace" };
   * await svc.participants.add(caseId, { role: "Applicant", data });
   * const { participants: [added] } = await svc.participants.list(caseId);
   * const participant = added && await svc.participants.get(caseId, { participantId: added.ID });
   * console.log(participant?.data?.caseInfo.content);
   * ```
   */
  get: {
    summary: "Read a participant",
    method: "GET",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: {
      /** Participant ID. */
      participantId,
    },
    accepts: { query: participantViewType },
    answer: participantAnswer,
    example: [
      "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1",
      "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1 --format yaml",
    ],
  },
  /**
   * Changes the given fields of a participant and leaves the others. The case gets a new entity tag, and the change
   * is part of its history.
   *
   * Errors: as for `add`; `NOT_FOUND` for an unknown participant too.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: caseId } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { pyFirstName: "Ada", pyLastName: "Lovelace" };
   * const { etag } = await svc.participants.add(caseId, { role: "Applicant", data });
   * const { participants: [added] } = await svc.participants.list(caseId);
   * if (added) {
   *   const change = { participantId: added.ID, data: { pyPhoneNumber: "555-0100" } };
   *   await svc.participants.update(caseId, change, { ifMatch: etag });
   * }
   * ```
   */
  update: {
    summary: "Change a participant",
    method: "PATCH",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: {
      /** Participant ID. */
      participantId,
      ...content,
    },
    ...caseTag,
    accepts: { query: participantViewType, body: attachmentMembers },
    answer: changedParticipantAnswer,
    example: [
      `'CITY-PERMIT-WORK P-1' --participant-id PARTY-1 --data '{"pyPhoneNumber":"555-0100"}'`,
      "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1 --data @participant.json",
    ],
  },
  /**
   * Removes a participant from a case. The case gets a new entity tag, and the change is part of its history.
   *
   * Errors: `NOT_FOUND` for an unknown case or participant, `CONFLICT` for a resolved case, `PRECONDITION_FAILED` for
   * a stale `ifMatch`, `LOCKED` by the draft of another operator.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id: caseId } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const data = { pyFirstName: "Ada", pyLastName: "Lovelace" };
   * await svc.participants.add(caseId, { role: "Applicant", data });
   * const { participants: [added] } = await svc.participants.list(caseId);
   * if (added) await svc.participants.delete(caseId, { participantId: added.ID });
   * ```
   */
  delete: {
    summary: "Remove a participant from a case",
    method: "DELETE",
    path: "/cases/{caseID}/participants/{participantID}",
    args: [caseId],
    flags: {
      /** Participant ID. */
      participantId,
    },
    ...caseTag,
    answer: "nothing",
    example: [
      "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1",
      "'CITY-PERMIT-WORK P-1' --participant-id PARTY-1 --dry-run",
    ],
  },
  /**
   * Lists the participant roles of a case, which its case type defines, and whether each takes several participants.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const { participantRoles } = await svc.participants.listRoles(id);
   * console.log(participantRoles.map((role) => role.ID));
   * ```
   */
  listRoles: {
    summary: "List the participant roles of a case",
    method: "GET",
    path: "/cases/{caseID}/participant_roles",
    args: [caseId],
    answer: roleList,
    example: ["'CITY-PERMIT-WORK P-1'", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Reads a participant role, with the empty form of a participant: its fields, and which are required.
   *
   * Errors: `NOT_FOUND` for an unknown case or role.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const role = await svc.participants.getRole(id, { roleId: "Applicant" });
   * console.log(role.uiResources);
   * ```
   */
  getRole: {
    summary: "Read a participant role and its form",
    method: "GET",
    path: "/cases/{caseID}/participant_roles/{participant_role_ID}",
    args: [caseId],
    flags: {
      /** Participant role ID. */
      roleId: {
        help: "Participant role ID",
        type: "string",
        to: "path:participant_role_ID",
        required: true,
      },
    },
    accepts: { query: participantViewType },
    answer: viewAnswer,
    example: ["'CITY-PERMIT-WORK P-1' --role-id Applicant", "'CITY-PERMIT-WORK P-1' --role-id Adviser --format yaml"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** A participant of a case. */
export type ParticipantAnswer<Content = JsonObject> = AnswerOf<Operations["get"], Content>;

/** A participant after a change. A service may omit any member. */
export type ChangedParticipantAnswer<Content = JsonObject> = AnswerOf<Operations["add"], Content>;

/** The participants of a case. */
export type ParticipantsAnswer<Content = JsonObject> = AnswerOf<Operations["list"], Content>;

/** A participant, as a case lists it. */
export type ParticipantInfo<Content = JsonObject> = ParticipantsAnswer<Content>["participants"][number];

/** The participant roles of a case. */
export type ParticipantRolesAnswer = AnswerOf<Operations["listRoles"]>;

/** A participant role. */
export type ParticipantRoleInfo = ParticipantRolesAnswer["participantRoles"][number];

/** Parameters of `participants.add`. */
export type ParticipantsAddParams<Content = JsonObject> = ParamsOf<Operations["add"], Content>;

/** Parameters of `participants.get`. */
export type ParticipantsGetParams = ParamsOf<Operations["get"]>;

/** Parameters of `participants.update`. */
export type ParticipantsUpdateParams<Content = JsonObject> = ParamsOf<Operations["update"], Content>;

/** Parameters of `participants.delete`. */
export type ParticipantsDeleteParams = ParamsOf<Operations["delete"]>;

/** Parameters of `participants.getRole`. */
export type ParticipantsGetRoleParams = ParamsOf<Operations["getRole"]>;
