/** The requests and calls of `svc attachments`. */
import { CHECKOUT } from "../../harness/svc.ts";
import { ATTACHMENTS, attachments, C, CASE } from "./_arguments.ts";
import { testOperations } from "./_operation_tests.ts";

const FILE = "LICENSE";
const file = { name: FILE, size: Deno.statSync(`${CHECKOUT}/${FILE}`).size };

testOperations("attachments", {
  requests: {
    [`attachments list ${C}`]: { request: `GET ${CASE}/attachments` },
    [`attachments list ${C} --include-thumbnails`]: { request: `GET ${CASE}/attachments?includeThumbnails=true` },
    [`attachments add ${C} ${ATTACHMENTS}`]: { request: `POST ${CASE}/attachments`, body: { attachments } },
    [`attachments get 'LINK-ATTACHMENT X!1'`]: { request: "GET /attachments/LINK-ATTACHMENT%20X!1" },
    [`attachments patch A-1 --name plan --category File`]: {
      request: "PATCH /attachments/A-1",
      body: { name: "plan", category: "File" },
    },
    [`attachments upload -f ${FILE}`]: {
      request: "POST /attachments/upload",
      type: "multipart/form-data",
      body: { file },
    },
    [`attachments upload --file ${FILE} --append-unique-id`]: {
      request: "POST /attachments/upload",
      type: "multipart/form-data",
      body: { appendUniqueIdToFileName: "true", file },
    },
    [`attachments delete A-1`]: { request: "DELETE /attachments/A-1" },
  },
  steps: [
    { line: "attachments upload -f plan.txt --append-unique-id", keep: { upload: "ID" } },
    {
      line:
        `attachments add '{permit}' --attachments '[{"type":"File","category":"Plan","name":"plan","ID":"{upload}"}]'`,
    },
    {
      line: "attachments list '{permit}' --include-thumbnails",
      says: { "attachments.0.category": "Plan", "attachments.0.mimeType": /^text.plain/ },
      keep: { attachment: "attachments.0.id" },
    },
    { line: "attachments patch '{attachment}' --name drawing" },
    { line: "attachments get '{attachment}' -o copy.txt", file: ["copy.txt", "plan.txt"] },
    { line: "attachments delete '{attachment}'" },
  ],
});
