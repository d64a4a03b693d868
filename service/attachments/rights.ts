/** Permissions on attachments, from the categories of the case type. */
import { type DomainError, Forbidden, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { type Attachment, findAttachment } from "./items.ts";
import { type CaseWork, type EngineContext, findCase } from "../cases/case_work.ts";

/** Permissions of the caller on an attachment. */
export interface AttachmentRights {
  /** See it. */
  readonly view: boolean;
  /** Change its name and category. */
  readonly edit: boolean;
  /** Delete it. */
  readonly delete: boolean;
}

/**
 * Reads an attachment with its case. Throws `NotFound` if it does not exist, and `Forbidden` if the caller may not see it.
 * This applies to every operation: otherwise a caller could move it into a category that permits reading it.
 */
export async function openAttachment(
  context: EngineContext,
  id: string,
): Promise<{ work: CaseWork; attachment: Attachment; rights: AttachmentRights }> {
  const attachment = await findAttachment(context.tx, id);
  const work = attachment && await findCase(context, attachment.caseId);
  if (attachment === undefined || work === undefined) {
    throw new NotFound([{ message: "Error_File_Not_Found", localizedValue: "The attachment was not found" }]);
  }
  const rights = getRights(work, attachment);
  if (!rights.view) throw createDeniedError("You may not see this attachment");
  return { work, attachment, rights };
}

/** Returns the permissions of the caller. All are denied if the application no longer has the category. */
export function getRights(work: CaseWork, { category: id, createdBy }: Attachment): AttachmentRights {
  const category = work.type.attachmentCategories.get(id);
  if (category === undefined) return { view: false, edit: false, delete: false };
  const scope = work.scope();
  const isOwn = createdBy === work.context.caller.id;
  return {
    view: category.canView(scope),
    edit: category.canEdit(scope),
    delete: category.canDeleteAll(scope) || (isOwn && category.canDeleteOwn(scope)),
  };
}

/** Returns the name of an attachment for the history. It is hidden unless every caller may see the attachment. */
export function getPublicName(work: CaseWork, { name, category }: Pick<Attachment, "name" | "category">): string {
  return work.type.attachmentCategories.get(category)?.isForAll ? name : "(hidden)";
}

/** Lists the categories of a type in which the caller may create attachments. */
export function listCreatableCategories(work: CaseWork, type: Attachment["type"]): string[] {
  const scope = work.scope();
  const all = [...work.type.attachmentCategories.values()];
  return all.filter((category) => category.type === type && category.canCreate(scope)).map(({ id }) => id);
}

/** Checks that the caller may move an attachment into a category, and returns the category. */
export function checkMove(work: CaseWork, { type, category: current }: Attachment, id: string): string {
  if (id === current) return id;
  const open = listCreatableCategories(work, type);
  if (open.includes(id)) return id;
  throw createDeniedError(`You may not move this attachment into the category '${id}'${suggestAlternatives(id, open)}`);
}

/** Creates the error for a missing right. */
export function createDeniedError(sentence: string): DomainError {
  return new Forbidden([{ message: "Error_Attachment_Access_Denied", localizedValue: sentence }]);
}
