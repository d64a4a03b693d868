/** Tags of cases: unique names in lower case. */
import { caseFold } from "../../utils/text/case_fold.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import { type CaseWork, openCase, openCaseToChange } from "../cases/case_work.ts";
import { Conflict, NotFound, OperationFailed } from "../errors.ts";
import type { GroupHandlers } from "../http/handler.ts";
import type { TextUse, Transaction } from "../store/store.ts";
import { applyToEach } from "./elements.ts";

const KIND = "caseTag";
const MAX_NAME = 64;
/** Letters, digits, marks, spaces and punctuation. Variation selectors, which make an emoji of a digit, are marks too. */
const NAME = /^(?!.*[\uFE0E\uFE0F])[\p{L}\p{N}\p{Mn}\p{Mc}\p{P} ]*[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc}\p{P} ]*$/u;

/** The handlers of `svc tags` by operation. */
export const handlers: GroupHandlers<"tags"> = {
  async list({ caseId }, context) {
    const work = await openCase(context, caseId);
    const names = await listTags(work);
    return { body: { tagsList: names.map((name) => ({ tagName: name, tagKey: buildKey(work, name) })) } };
  },

  async add({ caseId, tag, ifMatch }, context) {
    const work = await openCaseToChange(context, caseId, ifMatch);
    return await applyToEach(tag, (name) => addTag(work, name), String);
  },

  async delete({ caseId, tag, ifMatch }, context) {
    await deleteTag(await openCaseToChange(context, caseId, ifMatch), tag);
    return {};
  },
};

/** Counts the uses of each tag: in all cases, and in one. */
export async function countCaseTags(tx: Transaction, caseId: string | undefined): Promise<TextUse[]> {
  return await tx.textUses(KIND, "name", caseId);
}

/** Lists the tags of a case, oldest first. */
async function listTags({ context, stored }: CaseWork): Promise<string[]> {
  return (await context.tx.listItems(KIND, stored.id)).reverse().map(({ content }) => String(content.name));
}

/** Builds the key of a tag in upper case. Tags of the same name share it in all cases of a work pool. */
function buildKey({ type }: CaseWork, name: string): string {
  const upper = name.toUpperCase();
  // "straße" stays in lower case, because "strasse" has the same upper case.
  return `DATA-SOCIAL-TAG ${type.workPool}!${upper.toLowerCase() === name ? upper : name}`;
}

/** Adds a tag to a case and returns its normalized name. */
async function addTag({ context, stored }: CaseWork, tag: string): Promise<string> {
  const { tx, now, caller } = context;
  const name = normalize(tag);
  if (countCharacters(name) > MAX_NAME || !NAME.test(name)) {
    const localizedValue = `Couldn't add tag: a name has at most ${MAX_NAME} letters, digits, spaces and punctuation`;
    throw new OperationFailed([{ message: "pyError_Add_Tag", localizedValue }]);
  }
  const id = toItemId(stored.id, name);
  if (await tx.getItem(KIND, id) !== undefined) throw new Conflict(`The case already has the tag ${name}`);
  await tx.putItem({ kind: KIND, id, owner: stored.id, at: now.toISOString(), content: { name, addedBy: caller.id } });
  return name;
}

/** Deletes a tag from a case, by its name or its key. */
async function deleteTag(work: CaseWork, tag: string): Promise<void> {
  const wanted = normalize(tag);
  const name = (await listTags(work)).find((name) => name === wanted || buildKey(work, name) === tag);
  if (name === undefined) throw new NotFound(`The case has no tag ${tag}`);
  await work.context.tx.deleteItem(KIND, toItemId(work.stored.id, name));
}

function normalize(tag: string): string {
  return caseFold(tag).trim().replace(/\s+/g, " ");
}

/** Builds the ID of an item. A case handle never contains `!`. */
function toItemId(caseId: string, name: string): string {
  return `${caseId}!${name}`;
}
