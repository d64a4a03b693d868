/** Serves the operations of `svc attachments`. */
import { attachmentInfo } from "./views.ts";
import { addAttachments } from "./attachments.ts";
import { attachmentsOf, deleteAttachment, idOf, itemOfAttachment } from "./items.ts";
import { denied, moveTo, nameForAll, openAttachment, rightsOn } from "./rights.ts";
import { cleanFileName, cleanTitle, joinName, renamed } from "./file_names.ts";
import { keepUpload, releaseFile } from "./files.ts";
import { thumbnailOf } from "./thumbnails.ts";
import { openCase } from "../cases/case_work.ts";
import { Invalid } from "../errors.ts";
import type { GroupHandlers, HandlerContext } from "../http/handler.ts";
import { checkEntityTag } from "../cases/entity_tags.ts";
import { choiceOf, switchOf } from "../cases/handler_values.ts";
import { mediaTypeOf } from "./media_types.ts";

/** The handlers by operation. */
export const handlers: GroupHandlers<"attachments"> = {
  async list({ caseId, includeThumbnails }, context) {
    const work = await openCase(context, caseId);
    const attachments = (await attachmentsOf(context.tx, caseId)).filter((one) => rightsOn(work, one).view);
    const infos = attachments.map((attachment) => attachmentInfo(work, attachment));
    if (!(includeThumbnails ?? switchOf(context, "includeThumbnail", false))) {
      return { body: { attachments: infos } };
    }
    return {
      afterCommit: async () => {
        for (const [index, attachment] of attachments.entries()) {
          const thumbnail = await thumbnailOf(attachment, context.bytes);
          if (thumbnail !== undefined) infos[index] = { ...infos[index], thumbnail };
        }
        return () => ({ body: { attachments: infos } });
      },
    };
  },

  async add({ caseId, attachments, ifMatch }, context) {
    const work = await openCase(context, caseId, ifMatch);
    if (attachments.length === 0) throw new Invalid("At least one attachment is needed");
    await addAttachments(work, attachments);
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
    checkEntityTag(ifMatch, work.stored.tag);
    if (!rights.edit) throw denied("You may not change this attachment");
    const changed = {
      ...attachment,
      ...(name !== undefined && { name: newName(name, attachment) }),
      ...(category !== undefined && { category: moveTo(work, attachment, category) }),
    };
    work.putItem(itemOfAttachment(changed));
    const facts = { attachment: id, name: changed.name, category: changed.category };
    work.addEvent("attachment-changed", `Changed the attachment ${nameForAll(work, attachment)}`, facts);
    await work.save();
    return { text: "Attachment edited successfully" };
  },

  async delete({ id, ifMatch }, context) {
    const { work, attachment, rights } = await openAttachment(context, id);
    checkEntityTag(ifMatch, work.stored.tag);
    if (!rights.delete) throw denied("You may not delete this attachment");
    await deleteAttachment(context.tx, attachment);
    await releaseFile(attachment.file, context);
    const facts = { attachment: idOf(attachment) };
    work.addEvent("detached", `Deleted the attachment ${nameForAll(work, attachment)}`, facts);
    await work.save();
    return {};
  },

  async upload({ file, appendUniqueId }, context) {
    if (file.size === 0) throw new Invalid("Empty file can't be uploaded");
    const { id, size } = file;
    // Not the upload's ID: a name is there for others to read, in the history too.
    const name = cleanFileName(file.name, appendUniqueId ? `-${crypto.randomUUID()}` : "");
    const expires = await keepUpload(context, { id, name, size, type: mediaTypeOf(name, file.type) });
    return { expires, body: { id, ID: id } };
  },
};

function newName(given: string, { type, extension }: { type: "File" | "URL"; extension: string }): string {
  const name = type === "URL" ? cleanTitle(given) : renamed(given, extension);
  if (given.trim() === "" || name === "") throw new Invalid("'name' must not be empty");
  return name;
}

/** Whether a client gets base64: it does unless it asks for the bytes. A header says which form was sent. */
function wantsBase64(context: HandlerContext): boolean {
  return choiceOf(context, "mode", ["string", "stream"]) !== "stream";
}
