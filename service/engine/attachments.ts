/** Attachments that come with a submission. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../lib/json.ts";
import { ServiceError } from "../errors.ts";
import type { CaseWork } from "./work.ts";

/** Adds the links of a submission to the case. Files are uploaded first, and this service has not seen any. */
export function addAttachments(work: CaseWork, attachments: readonly JsonValue[] | undefined): void {
  if (attachments === undefined || attachments.length === 0) return;
  const added = attachments.map((attachment, index) => link(work, attachment, index));
  const { flow } = work.stored;
  flow.links = [...(Array.isArray(flow.links) ? flow.links : []), ...added];
  work.addEvent("attached", `Attached ${added.map(({ name }) => name).join(", ")}`, { attachments: added });
}

function link(work: CaseWork, attachment: JsonValue, index: number): JsonObject {
  const refuse = (reason: string): ServiceError => new ServiceError(400, `Attachment ${index + 1}: ${reason}.`);
  if (!isJsonObject(attachment)) throw refuse("must be an object");
  const { type, category, name, url } = attachment;
  if (type === "File") throw refuse("the file was not uploaded");
  if (type !== "URL") throw refuse("'type' must be File or URL");
  const known = typeof category === "string" ? work.type.attachmentCategories.get(category) : undefined;
  if (known?.type !== type) throw refuse(`'${category ?? ""}' is not a category of links of this case`);
  if (!known.canCreate(work.scope())) {
    throw new ServiceError(403, `You may not add attachments of category ${known.name}`);
  }
  if (typeof name !== "string" || typeof url !== "string" || !URL.canParse(url)) {
    throw refuse("'name' and 'url' are needed");
  }
  const { caller, now } = work.context;
  return { type: "URL", category: known.id, name, url, createdBy: caller.id, createTime: now.toISOString() };
}
