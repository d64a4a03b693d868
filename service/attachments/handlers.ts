/** Serves the operations of `svc attachments`. */
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { clearAttachmentFields } from "./clear_attachment_fields.ts";
import { addAttachments } from "./attachments.ts";
import { type Attachment, buildAttachmentId, deleteAttachment, listAttachments, toAttachmentItem } from "./items.ts";
import { checkMove, createDeniedError, getPublicName, getRights, openAttachment } from "./rights.ts";
import { cleanFileName, cleanNewName, cleanTitle, joinName } from "./file_names.ts";
import { releaseFile, storeUpload } from "./files.ts";
import { type CaseWork, checkEntityTag, getOperatorName, openCase, openCaseToChange } from "../cases/case_work.ts";
import { checkWork } from "../access/case_rights.ts";
import { Invalid } from "../errors.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import { readSwitch } from "../cases/arguments.ts";
import { guessMediaType } from "../../utils/media_type.ts";
import type { JsonObject } from "../../utils/json.ts";
import { createLink } from "../cases/views/ui.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import type { ByteStore } from "../store/bytes.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"attachments"> = {
  async list({ caseId, includeThumbnails }, context) {
    const work = await openCase(context, caseId);
    const attachments = (await listAttachments(context.tx, caseId)).filter((one) => getRights(work, one).view);
    const infos = attachments.map((attachment) => describeAttachment(work, attachment));
    if (!(includeThumbnails ?? readSwitch(context, "includeThumbnail", false))) {
      return { body: { attachments: infos } };
    }
    return {
      afterCommit: async () => {
        for (const [index, attachment] of attachments.entries()) {
          const thumbnail = await readThumbnail(attachment, context.bytes);
          if (thumbnail !== undefined) infos[index] = { ...infos[index], thumbnail };
        }
        return () => ({ body: { attachments: infos } });
      },
    };
  },

  async add({ caseId, attachments, ifMatch }, context) {
    const work = await openCaseToChange(context, caseId, ifMatch);
    if (attachments.length === 0) throw new Invalid("At least one attachment is needed");
    await addAttachments(work, attachments.map(withoutField));
    await work.save();
    return {};
  },

  async get({ id }, context) {
    const { attachment } = await openAttachment(context, id);
    const { url, file, mimeType = "application/octet-stream", size = 0 } = attachment;
    if (url !== undefined) return { text: url };
    if (file === undefined) throw new TypeError(`${id} is neither a file nor a link.`);
    const name = joinName(attachment);
    return {
      content: { type: mimeType, name, size, stream: context.bytes.read(file), isBase64: wantsBase64(context) },
    };
  },

  async patch({ id, name, category, ifMatch }, context) {
    const { work, attachment, rights } = await openAttachment(context, id);
    checkWork(work);
    checkEntityTag(ifMatch, work.stored.tag);
    if (!rights.edit) throw createDeniedError("You may not change this attachment");
    const changed = {
      ...attachment,
      ...(name !== undefined && { name: cleanName(name, attachment) }),
      ...(category !== undefined && { category: checkMove(work, attachment, category) }),
    };
    work.putItem(toAttachmentItem(changed));
    const facts = { attachment: id, name: changed.name, category: changed.category };
    work.addEvent("attachment-changed", `Changed the attachment ${getPublicName(work, attachment)}`, facts);
    await work.save();
    return { text: "Attachment edited successfully" };
  },

  async delete({ id, ifMatch }, context) {
    const { work, attachment, rights } = await openAttachment(context, id);
    checkWork(work);
    checkEntityTag(ifMatch, work.stored.tag);
    if (!rights.delete) throw createDeniedError("You may not delete this attachment");
    await deleteAttachment(context.tx, attachment);
    await releaseFile(attachment.file, context);
    clearAttachmentFields(work, id);
    const facts = { attachment: buildAttachmentId(attachment) };
    work.addEvent("detached", `Deleted the attachment ${getPublicName(work, attachment)}`, facts);
    await work.save();
    return {};
  },

  async upload({ file, appendUniqueId }, context) {
    if (file.size === 0) throw new Invalid("Empty file can't be uploaded");
    const { id, size } = file;
    // Not the ID of the upload, because others can read the name, also in the history.
    const name = cleanFileName(file.name, appendUniqueId ? `-${crypto.randomUUID()}` : "");
    const expires = await storeUpload(context, { id, name, size, type: guessMediaType(name, file.type) });
    return { expires, body: { id, ID: id } };
  },
};

function cleanName(given: string, { type, extension }: { type: "File" | "URL"; extension: string }): string {
  const name = type === "URL" ? cleanTitle(given) : cleanNewName(given, extension);
  if (given.trim() === "" || name === "") throw new Invalid("'name' must not be empty");
  return name;
}

/** Reports whether the response is base64, which is the default. A header names the encoding. */
function wantsBase64({ query }: HandlerContext): boolean {
  return query.get("mode") !== "stream";
}

/** Describes an attachment with links to the operations that the caller may use. */
function describeAttachment(work: CaseWork, attachment: Attachment): JsonObject {
  const { type, category, name, extension, url, mimeType, createdBy, at } = attachment;
  const id = buildAttachmentId(attachment);
  const href = `/attachments/${id}`;
  const rights = getRights(work, attachment);
  return {
    id,
    ID: id,
    type: type.toUpperCase(),
    category,
    categoryName: work.type.attachmentCategories.get(category)?.name ?? category,
    name,
    ...(url === undefined ? { fileName: joinName(attachment), extension, mimeType } : { url }),
    createdBy,
    createdByName: getOperatorName(work.context.app, createdBy),
    createTime: at,
    links: {
      download: createLink(href, "GET", type === "URL" ? "Retrieve the link" : "Download the attachment"),
      ...(rights.edit && { edit: createLink(href, "PATCH", "Edit the attachment") }),
      ...(rights.delete && { delete: createLink(href, "DELETE", "Delete the attachment") }),
    },
  };
}

/** Maximum bytes of an image in a list. */
const MAX_THUMBNAIL_BYTES = 32 * 1024;

/** Image formats that cannot contain scripts, as SVG can. */
const IMAGES: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/bmp"]);

/** Reads a small image as base64. Returns undefined for other files, large images and deleted files. */
async function readThumbnail(
  { file, mimeType = "", size = 0 }: Attachment,
  bytes: ByteStore,
): Promise<string | undefined> {
  if (file === undefined || size > MAX_THUMBNAIL_BYTES || !IMAGES.has(mimeType)) return undefined;
  const image = await new Response(bytes.read(file)).bytes().catch(ignoreMissing);
  return image?.toBase64();
}

/** Removes the name of a field, which this operation ignores: a form would store the attachment in that field. */
function withoutField(attachment: JsonValue): JsonValue {
  if (!isJsonObject(attachment)) return attachment;
  const { attachmentFieldName: _, ...others } = attachment;
  return others;
}
