/** Attachments in the store: items of their case. */
import { stringOrUndefined } from "../../utils/json.ts";
import type { StoredItem, Transaction } from "../store/store.ts";

const KIND = "attachment";

/** An attachment of a case: an uploaded file, or a URL. */
export interface Attachment {
  readonly type: "File" | "URL";
  /** Category ID. */
  readonly category: string;
  /** Name without extension. */
  readonly name: string;
  /** Extension without its dot, or an empty string. */
  readonly extension: string;
  /** Address, of a link. */
  readonly url?: string;
  /** Name of the bytes, of a file. */
  readonly file?: string;
  /** Media type, of a file. */
  readonly mimeType?: string;
  /** Number of bytes, of a file. */
  readonly size?: number;
  /** Its case. */
  readonly caseId: string;
  /** Identifier within the case: the time when it was added, or a later time if that is taken. */
  readonly tag: string;
  /** Operator who added it. */
  readonly createdBy: string;
  /** ISO 8601 time. */
  readonly at: string;
}

/** Builds the ID of an attachment, e.g. `LINK-ATTACHMENT CITY-PERMIT-WORK P-1!20260102T030405.678 GMT`. */
export function buildAttachmentId({ caseId, tag }: Pick<Attachment, "caseId" | "tag">): string {
  return `LINK-ATTACHMENT ${caseId}!${tag}`;
}

/** Converts an attachment to an item of the store. */
export function toAttachmentItem(attachment: Attachment): StoredItem {
  const { caseId, at, ...content } = attachment;
  return { kind: KIND, id: buildAttachmentId(attachment), owner: caseId, at, content };
}

/** Finds an attachment. */
export async function findAttachment(tx: Transaction, id: string): Promise<Attachment | undefined> {
  const item = await tx.getItem(KIND, id);
  return item && toAttachment(item);
}

/** Lists the attachments of a case, newest first. */
export async function listAttachments(tx: Transaction, caseId: string): Promise<Attachment[]> {
  return (await tx.listItems(KIND, caseId)).map(toAttachment);
}

/** Finds the newest attachment of a case. */
export async function findNewestAttachment(tx: Transaction, caseId: string): Promise<Attachment | undefined> {
  const [item] = await tx.listItems(KIND, caseId, { limit: 1 });
  return item && toAttachment(item);
}

/** Deletes an attachment, but not its file. */
export async function deleteAttachment(tx: Transaction, attachment: Attachment): Promise<void> {
  await tx.deleteItem(KIND, buildAttachmentId(attachment));
}

function toAttachment({ owner, at, content }: StoredItem): Attachment {
  const { type, category, name, extension, url, file, mimeType, size, tag, createdBy } = content;
  return {
    type: type === "URL" ? "URL" : "File",
    category: String(category),
    name: String(name),
    extension: String(extension),
    url: stringOrUndefined(url),
    file: stringOrUndefined(file),
    mimeType: stringOrUndefined(mimeType),
    size: typeof size === "number" ? size : undefined,
    caseId: owner,
    tag: String(tag),
    createdBy: String(createdBy),
    at,
  };
}
