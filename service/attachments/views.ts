/** An attachment, as lists show it. */
import type { JsonObject } from "../../utils/json.ts";
import { type Attachment, idOf } from "./items.ts";
import { rightsOn } from "./rights.ts";
import { operatorName } from "../cases/context.ts";
import { joinName } from "./file_names.ts";
import type { CaseWork } from "../cases/case_work.ts";
import { link } from "../cases/views/links.ts";

/** An attachment with what the caller may do with it. */
export function attachmentInfo(work: CaseWork, attachment: Attachment): JsonObject {
  const { type, category, name, extension, url, mimeType, createdBy, at } = attachment;
  const id = idOf(attachment);
  const href = `/attachments/${id}`;
  const rights = rightsOn(work, attachment);
  return {
    id,
    ID: id,
    type: type.toUpperCase(),
    category,
    categoryName: work.type.attachmentCategories.get(category)?.name ?? category,
    name,
    ...(url === undefined ? { fileName: joinName(attachment), extension, mimeType } : { url }),
    createdBy,
    createdByName: operatorName(work.context.app, createdBy),
    createTime: at,
    links: {
      download: link(href, "GET", type === "URL" ? "Retrieve the link" : "Download the attachment"),
      ...(rights.edit && { edit: link(href, "PATCH", "Edit the attachment") }),
      ...(rights.delete && { delete: link(href, "DELETE", "Delete the attachment") }),
    },
  };
}
