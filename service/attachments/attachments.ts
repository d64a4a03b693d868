/** Adds attachments to a case: all of a request, or none. */
import { isJsonObject, type JsonObject, type JsonValue, stringOrUndefined } from "../../utils/json.ts";
import type { AttachmentCategory } from "../application/model/application.ts";
import { Forbidden, Invalid, type Issue, MAX_ISSUES } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { type CaseWork, nextEntityTag } from "../cases/case_work.ts";
import { type Attachment, buildAttachmentId, findAttachment, findNewestAttachment, toAttachmentItem } from "./items.ts";
import { getPublicName, listCreatableCategories } from "./rights.ts";
import { cleanNewName, cleanTitle, splitName } from "./file_names.ts";
import { addLink, findUpload, toFileItem, type UploadedFile } from "./files.ts";

/** The reason why an attachment cannot be added. */
class Rejection extends Error {
  readonly kind: "Invalid" | "Forbidden";

  constructor(kind: "Invalid" | "Forbidden", reason: string) {
    super(reason);
    this.kind = kind;
  }
}

type NewAttachment = Pick<Attachment, "type" | "category" | "name" | "extension" | "url"> & {
  readonly file?: UploadedFile;
  readonly field?: string;
};

/** Adds attachments, which are stored with the case. Sets attachment fields of `content` to the IDs of their attachments. */
export async function addAttachments(
  work: CaseWork,
  attachments: readonly JsonValue[],
  content: JsonObject = work.stored.content,
): Promise<void> {
  if (attachments.length === 0) return;
  const added = await readAttachments(work, attachments);
  const { stored, context: { caller, now, tx } } = work;
  const files = new Map<string, UploadedFile>();
  let tag = (await findNewestAttachment(tx, stored.id))?.tag;
  for (const { file, field, ...attachment } of added) {
    tag = await findFreeTag(work, nextEntityTag(tag, now));
    if (file !== undefined) files.set(file.id, addLink(files.get(file.id) ?? file));
    const fileFacts = file && { file: file.id, mimeType: file.type, size: file.size };
    const at = now.toISOString();
    if (field !== undefined) content[field] = { ID: buildAttachmentId({ caseId: stored.id, tag }) };
    work.putItem(toAttachmentItem({ ...attachment, ...fileFacts, caseId: stored.id, tag, createdBy: caller.id, at }));
  }
  for (const file of files.values()) work.putItem(toFileItem(file));
  const facts = added.map(({ type, category, name, url }): JsonObject => ({ type, category, name, url }));
  const names = added.map((attachment) => getPublicName(work, attachment));
  work.addEvent("attached", `Attached ${names.join(", ")}`, { attachments: facts });
}

/** Finds an unused tag. If the clock was set back, the newest attachment does not have the latest tag. */
async function findFreeTag({ stored: { id: caseId }, context: { tx, now } }: CaseWork, tag: string): Promise<string> {
  let free = tag;
  while (await findAttachment(tx, buildAttachmentId({ caseId, tag: free })) !== undefined) {
    free = nextEntityTag(free, now);
  }
  return free;
}

async function readAttachments(work: CaseWork, attachments: readonly JsonValue[]): Promise<NewAttachment[]> {
  const added: NewAttachment[] = [];
  const details: Issue[] = [];
  let isInvalid = false;
  for (const [index, attachment] of attachments.entries()) {
    try {
      added.push(await readAttachment(work, attachment));
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      isInvalid ||= error.kind === "Invalid";
      details.push(toIssue(error, index, attachment));
      if (details.length === MAX_ISSUES) break;
    }
  }
  if (details.length === 0) return added;
  throw isInvalid ? new Invalid(details) : new Forbidden(details);
}

function toIssue({ kind, message: reason }: Rejection, index: number, attachment: JsonValue): Issue {
  const field = isJsonObject(attachment) ? attachment.attachmentFieldName : undefined;
  const subject = field === undefined ? `Attachment ${index + 1}` : String(field);
  const sentence = `${subject}: ${reason}${reason.endsWith("?") ? "" : "."}`;
  return {
    message: kind === "Forbidden" ? "Error_Attachment_Access_Denied" : sentence,
    localizedValue: sentence,
    erroneousInputOutputIdentifier: field === undefined ? `attachments(${index + 1})` : `.${field}`,
  };
}

async function readAttachment(work: CaseWork, attachment: JsonValue): Promise<NewAttachment> {
  if (!isJsonObject(attachment)) throw new Rejection("Invalid", "must be an object");
  if (attachment.delete === true) {
    throw new Rejection("Invalid", "delete it with 'attachments delete'");
  }
  const type = readType(attachment);
  const category = findCategory(work, type, attachment).id;
  if (type === "URL") return { type, category, ...readLink(attachment) };
  const { ID, name, attachmentFieldName } = attachment;
  if (typeof ID !== "string") throw new Rejection("Invalid", "'ID' must be the ID that the upload returned");
  const file = await findUpload(work.context, ID);
  if (file === undefined) throw new Rejection("Invalid", "the file was not uploaded, or its upload has expired");
  if (name !== undefined && typeof name !== "string") throw new Rejection("Invalid", "'name' must be text");
  const { name: stem, extension } = splitName(file.name);
  const field = stringOrUndefined(attachmentFieldName);
  const { extensions } = work.type.fields.get(field ?? "") ?? {};
  if (extensions !== undefined && !extensions.includes(extension.replace(/^\./, "").toLowerCase())) {
    throw new Rejection("Invalid", `'${file.name}' is not a file of the type ${extensions.join(" or ")}`);
  }
  return {
    type,
    category,
    name: name === undefined ? stem : cleanNewName(name, extension),
    extension,
    file,
    field,
  };
}

function readType({ type }: JsonObject): Attachment["type"] {
  const given = typeof type === "string" ? type.toUpperCase() : "";
  if (given === "FILE") return "File";
  if (given === "URL") return "URL";
  throw new Rejection("Invalid", "'type' must be File or URL");
}

function findCategory(work: CaseWork, type: Attachment["type"], { category: given }: JsonObject): AttachmentCategory {
  const id = stringOrUndefined(given) ?? "";
  const category = work.type.attachmentCategories.get(id);
  if (category?.type !== type) {
    const what = type === "URL" ? "links" : "files";
    const instead = suggestAlternatives(id, listCreatableCategories(work, type));
    throw new Rejection("Invalid", `'${id}' is not a category of ${what} of this case${instead}`);
  }
  if (category.canCreate(work.scope())) return category;
  throw new Rejection("Forbidden", `you may not add attachments of category ${category.name}`);
}

function readLink({ name, url }: JsonObject): Pick<Attachment, "name" | "extension" | "url"> {
  // The parser drops control characters, so that the stored address would be another one.
  if (typeof url !== "string" || !/^https?:/i.test(url) || /\p{Cc}/u.test(url) || !URL.canParse(url)) {
    throw new Rejection("Invalid", "'url' must be an address that begins with http: or https:");
  }
  const title = typeof name === "string" ? cleanTitle(name) : "";
  if (title === "") throw new Rejection("Invalid", "'name' is needed");
  return { name: title, extension: "", url };
}
