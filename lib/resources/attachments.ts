/** The operations of `svc attachments`. */
import type { Group } from "../operation.ts";
import { caseId } from "./common.ts";

const id = {
  name: "id",
  help: "Attachment ID, as 'attachments list' prints it",
  type: "string",
  to: "path:attachmentID",
  required: true,
} as const;

/** The operations by name. */
export const operations = {
  list: {
    summary: "List the attachments of a case",
    method: "GET",
    path: "/cases/{caseID}/attachments",
    args: [caseId],
    flags: {
      includeThumbnails: {
        help: "Add a small picture of each image, as base64",
        type: "boolean",
        to: "query:includeThumbnails",
      },
    },
    answer: "object",
    example: "'CITY-PERMIT-WORK P-1'",
  },
  add: {
    summary: "Add uploaded files and links to a case, all of them or none",
    method: "POST",
    path: "/cases/{caseID}/attachments",
    args: [caseId],
    flags: {
      attachments: {
        help: "Array of {type, category, name, ID or url}",
        type: "array",
        to: "body:attachments",
        required: true,
      },
    },
    answer: "nothing",
    status: 201,
    example:
      `'CITY-PERMIT-WORK P-1' --attachments '[{"type":"URL","category":"URL","name":"Site","url":"https://city.example"}]'`,
  },
  get: {
    summary: "Read the content of an attachment",
    method: "GET",
    path: "/attachments/{attachmentID}",
    args: [id],
    answer: "content",
    example: "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' -o plan.pdf",
  },
  patch: {
    summary: "Change the name or the category of an attachment",
    method: "PATCH",
    path: "/attachments/{attachmentID}",
    args: [id],
    flags: {
      name: { help: "New name", type: "string", to: "body:name" },
      category: { help: "New category", type: "string", to: "body:category" },
    },
    atLeastOne: ["name", "category"],
    answer: "text",
    example: "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT' --name plan",
  },
  delete: {
    summary: "Delete an attachment",
    method: "DELETE",
    path: "/attachments/{attachmentID}",
    args: [id],
    answer: "nothing",
    example: "'LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT'",
  },
  upload: {
    summary: "Upload a file, to be added to a case within two hours",
    method: "POST",
    path: "/attachments/upload",
    flags: {
      file: { help: "File to upload", type: "file", short: "f", to: "part:file", required: true },
      appendUniqueId: {
        help: "Append a unique ID to the file's name",
        type: "boolean",
        to: "part:appendUniqueIdToFileName",
      },
    },
    answer: "object",
    status: 201,
    example: "-f plan.pdf --append-unique-id",
  },
} as const satisfies Group;
