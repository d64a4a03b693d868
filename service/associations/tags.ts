/** The tags of a case: names in small letters, each once. */
import { countCharacters } from "../../utils/text/wording.ts";
import type { CaseWork } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import type { TextUse, Transaction } from "../store/store.ts";

const KIND = "caseTag";
const LONGEST = 64;
/** Letters, digits, marks, spaces and punctuation; what makes an emoji of a digit is a mark too. */
const NAME = /^(?!.*[\uFE0E\uFE0F])[\p{L}\p{N}\p{Mn}\p{Mc}\p{P} ]*[\p{L}\p{N}][\p{L}\p{N}\p{Mn}\p{Mc}\p{P} ]*$/u;

/** The tags of a case, those first that were added first. */
export async function tagsOf({ context, stored }: CaseWork): Promise<string[]> {
  return (await context.tx.itemsOf(KIND, stored.id)).reverse().map(({ content }) => String(content.name));
}

/** How often the cases have each tag: all of them, and one. */
export async function tagUses(tx: Transaction, caseId: string | undefined): Promise<TextUse[]> {
  return await tx.textUses(KIND, "name", caseId);
}

/** The key of a tag, in capitals: the tags of all cases of a work pool with the same name share it, and no others. */
export function tagKey({ type }: CaseWork, name: string): string {
  const capitals = name.toUpperCase();
  // "strasse" has the capitals of "straße", which stays as it is.
  return `DATA-SOCIAL-TAG ${type.workPool}!${capitals.toLowerCase() === name ? capitals : name}`;
}

/** Tags a case and answers the name as it is stored. */
export async function addTag({ context, stored }: CaseWork, given: string): Promise<string> {
  const name = nameOf(given);
  const { tx, now, caller } = context;
  const id = itemId(stored.id, name);
  if (await tx.getItem(KIND, id) !== undefined) throw new ServiceError(409, `The case has the tag ${name} already`);
  await tx.putItem({ kind: KIND, id, owner: stored.id, at: now.toISOString(), content: { name, addedBy: caller.id } });
  return name;
}

/** Takes a tag off a case, by its name or its key. */
export async function removeTag(work: CaseWork, given: string): Promise<void> {
  const wanted = plain(given);
  const name = (await tagsOf(work)).find((name) => name === wanted || tagKey(work, name) === given);
  if (name === undefined) throw new ServiceError(404, `The case has no tag ${given}`);
  await work.context.tx.deleteItem(KIND, itemId(work.stored.id, name));
}

function nameOf(given: string): string {
  const name = plain(given);
  if (countCharacters(name) <= LONGEST && NAME.test(name)) return name;
  const localizedValue = `Couldn't add tag: a name is letters, digits, spaces and punctuation, ${LONGEST} at most`;
  throw new ServiceError(500, [{ message: "pyError_Add_Tag", localizedValue }]);
}

function plain(given: string): string {
  return caseFold(given).trim().replace(/\s+/g, " ");
}

/** A case handle holds no `!`. */
function itemId(caseId: string, name: string): string {
  return `${caseId}!${name}`;
}
