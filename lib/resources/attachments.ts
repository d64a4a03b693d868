/** The operations of `svc attachments`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { ObjectShape } from "../../utils/shape.ts";

import { attachmentMembers, caseId } from "./shared/params.ts";

const id = {
  name: "id",
  help: "Attachment ID, or its short name on the command line, such as P-3/2 or P-3/plan.pdf",
  type: "string",
  to: "path:attachmentID",
  required: true,
} as const;

const attachment = {
  required: {
    /** Attachment ID. Other operations take it as `id`. */
    ID: "string",
    /** Kind of attachment. */
    type: { values: ["FILE", "URL", "EMAIL"] },
  },
  unchecked: {
    /** Category ID. */
    category: "string",
    /** Display name of the category. */
    categoryName: "string",
    /** Display name. */
    name: "string",
    /** Name with extension, of a file. */
    fileName: "string",
    /** Extension, of a file. */
    extension: "string",
    /** Media type, of a file. */
    mimeType: "string",
    /** Address, of a link. */
    url: "string",
    /** Small picture of an image as base64, if it was requested. */
    thumbnail: "string",
    /** Operator who added it. */
    createdBy: "string",
    /** Display name of that operator. */
    createdByName: "string",
    /** Time at which it was added. */
    createTime: "string",
    /** Requests that the caller may make with it. */
    links: "object",
  },
} as const satisfies ObjectShape;

const attachmentList = {
  shape: {
    required: {
      /** Attachments that the caller may see. */
      attachments: { list: attachment },
    },
  },
  list: "attachments",
  mayBeEmpty: true,
} as const satisfies JsonAnswer;

const upload = {
  shape: {
    required: {
      /** Upload ID. `attachments.add` takes it as `ID`. */
      id: "string",
      /** The same ID. */
      ID: "string",
    },
  },
  fill: "id",
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Lists the attachments of a case that the caller may see, newest first, with links to what the caller may do with each.
   * `includeThumbnails` adds small pictures of images as base64.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt") });
   * await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", name: "plan.txt", ID }] });
   * for (const { ID, fileName, url } of (await svc.attachments.list(id)).attachments) console.log(ID, fileName ?? url);
   * ```
   */
  list: {
    summary: "List the attachments of a case",
    method: "GET",
    path: "/cases/{caseID}/attachments",
    args: [caseId],
    flags: {
      /** Add a small picture of each image, as base64. */
      includeThumbnails: {
        help: "Add a small picture of each image, as base64",
        type: "boolean",
        to: "query:includeThumbnails",
      },
    },
    accepts: { query: { includeThumbnail: "boolean" } },
    answer: attachmentList,
    example: ["'CITY-PERMIT-WORK P-1' --include-thumbnails", "'CITY-PERMIT-WORK P-1' --format table"],
  },
  /**
   * Adds uploaded files (`{ type: "File", category, name?, ID }`) and links (`{ type: "URL", category, name, url }`) to a case:
   * all of them, or none if one is invalid. An upload can be added several times until it expires.
   *
   * Errors: `BAD_REQUEST` with a detail per invalid element, `FORBIDDEN` for a category to which the caller may not add
   * attachments, `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt") });
   * await svc.attachments.add(id, {
   *   attachments: [
   *     { type: "File", category: "File", name: "plan.txt", ID },
   *     { type: "URL", category: "URL", name: "The city", url: "https://city.example" },
   *   ],
   * });
   * ```
   */
  add: {
    summary: "Add uploaded files and links to a case, all of them or none",
    method: "POST",
    path: "/cases/{caseID}/attachments",
    args: [caseId],
    flags: {
      /** Attachments to add: uploaded files and links. */
      attachments: {
        help: "Array of {type, category, name, ID or url}",
        type: "array",
        members: "newAttachments",
        to: "body:attachments",
        required: true,
      },
    },
    accepts: { body: attachmentMembers },
    answer: "nothing",
    status: 201,
    example: [
      `'CITY-PERMIT-WORK P-1' --attachments '[{"type":"URL","category":"URL","name":"Site","url":"https://city.example"}]'`,
      "'CITY-PERMIT-WORK P-1' --file plan.pdf --file photo.png",
      "'CITY-PERMIT-WORK P-1' --attachments @attachments.json",
    ],
    seeAlso: ["attachments upload --help", "cases list-attachment-categories --help"],
  },
  /**
   * Reads the content of an attachment: the bytes of a file, or the address of a link. The bytes are streamed and can be
   * read once. The stream fails if the transfer is cut short. On the command line `-o` writes a file, which appears when
   * it is complete.
   *
   * Errors: `FORBIDDEN` in a category that the caller may not see, `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt") });
   * await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", name: "plan.txt", ID }] });
   * const { attachments } = await svc.attachments.list(id);
   * for (const plan of attachments) {
   *   const { type, name, stream } = await svc.attachments.get(plan.ID);
   *   console.log(type, name, await new Response(stream).text());
   * }
   * ```
   */
  get: {
    summary: "Read the content of an attachment",
    method: "GET",
    path: "/attachments/{attachmentID}",
    args: [id],
    accepts: { query: { mode: ["string", "stream"] } },
    answer: "content",
    example: [
      "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' -o plan.pdf",
      "P-1/plan.pdf -o plan.pdf",
    ],
    seeAlso: ["attachments list --help"],
  },
  /**
   * Changes the name, the category, or both. A file keeps its extension.
   *
   * Errors: `FORBIDDEN` without the right to it, and for a category that does not fit, `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt") });
   * await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", name: "plan.txt", ID }] });
   * const { attachments } = await svc.attachments.list(id);
   * for (const plan of attachments) await svc.attachments.patch(plan.ID, { name: "Site plan", category: "Plan" });
   * ```
   */
  patch: {
    summary: "Change the name or the category of an attachment",
    method: "PATCH",
    path: "/attachments/{attachmentID}",
    args: [id],
    flags: {
      /** New name. */
      name: { help: "New name", type: "string", to: "body:name" },
      /** New category. */
      category: { help: "New category", type: "string", to: "body:category" },
    },
    atLeastOne: ["name", "category"],
    accepts: { body: ["description"] },
    answer: "text",
    example: [
      "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' --name 'Site plan' --category Plan",
      "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' --name drawing",
    ],
  },
  /**
   * Deletes an attachment. The bytes are deleted with the last attachment that refers to them.
   *
   * Errors: `FORBIDDEN` for an attachment of another operator without the right to delete all, `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt") });
   * await svc.attachments.add(id, { attachments: [{ type: "File", category: "File", name: "plan.txt", ID }] });
   * const { attachments } = await svc.attachments.list(id);
   * for (const plan of attachments) await svc.attachments.delete(plan.ID);
   * ```
   */
  delete: {
    summary: "Delete an attachment",
    method: "DELETE",
    path: "/attachments/{attachmentID}",
    args: [id],
    answer: "nothing",
    example: [
      "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT'",
      "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' --dry-run",
    ],
  },
  /**
   * Uploads a file. Client and service stream it. It expires after two hours unless it is added to a case.
   *
   * Errors: `BAD_REQUEST` for an empty file, `HTTP_ERROR` with status 413 for one that is larger than the service allows.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { ID } = await svc.attachments.upload({ file: new File(["0 1 2"], "plan.txt"), appendUniqueId: true });
   * console.log(ID);
   * ```
   */
  upload: {
    summary: "Upload a file, to be added to a case within two hours",
    method: "POST",
    creates: true,
    path: "/attachments/upload",
    flags: {
      /** File to upload. */
      file: { help: "File to upload", type: "file", short: "f", to: "part:file", required: true },
      /** Append a unique ID to the file's name. */
      appendUniqueId: {
        help: "Append a unique ID to the file's name",
        type: "boolean",
        to: "part:appendUniqueIdToFileName",
      },
    },
    answer: upload,
    status: 201,
    example: ["-f plan.pdf --append-unique-id", "-f plan.pdf --fields ID --format compact"],
    seeAlso: ["attachments add --help"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** The attachments of a case. */
export type AttachmentsAnswer = AnswerOf<Operations["list"]>;

/** An attachment of a case. */
export type AttachmentInfo = AttachmentsAnswer["attachments"][number];

/** An uploaded file that is not attached to a case yet. */
export type UploadAnswer = AnswerOf<Operations["upload"]>;

/** Parameters of `attachments.list`. */
export type AttachmentsListParams = ParamsOf<Operations["list"]>;

/** Parameters of `attachments.add`. */
export type AttachmentsAddParams = ParamsOf<Operations["add"]>;

/** Parameters of `attachments.patch`. */
export type AttachmentsPatchParams = ParamsOf<Operations["patch"]>;

/** Parameters of `attachments.upload`. */
export type AttachmentsUploadParams = ParamsOf<Operations["upload"]>;
