/** What a person who writes a message may want to name: operators and tags, those that are in use here first. */
import type { JsonObject } from "../../lib/json.ts";
import { tagsOfAll } from "../associations/tags.ts";
import { folded } from "../folded.ts";
import type { HandlerContext } from "../handler.ts";
import { mentionInfo } from "./answers.ts";
import type { Transaction } from "../store/store.ts";
import { type Message, toMessage } from "./messages.ts";

/** What can be mentioned. */
export const MENTION_TYPES = [{ id: "Users", ID: "Users", name: "Users" }] as const;

/** How often something is named. */
interface Use {
  readonly name: string;
  here: number;
  everywhere: number;
}

/** The tags that are used most: those of a place first. */
export async function suggestedTags(context: HandlerContext, place: string | undefined): Promise<string[]> {
  const uses = usesOf(await tagNamings(context), place);
  return uses.sort(mostUsed).map(({ name }) => name);
}

/** The tags that hold a text: those that begin with it first. */
export async function findTags(context: HandlerContext, searchFor: string): Promise<string[]> {
  const wanted = folded(searchFor.replace(/^#/, ""));
  const uses = usesOf(await tagNamings(context), undefined);
  const begins = ({ name }: Use) => Number(name.startsWith(wanted));
  return uses.filter(({ name }) => name.includes(wanted))
    .sort((a, b) => begins(b) - begins(a) || mostUsed(a, b))
    .map(({ name }) => name);
}

/** The operators whose ID or name holds a text: those who wrote or are mentioned at a place first. */
export async function findOperators(
  context: HandlerContext,
  searchFor: string,
  place: string | undefined,
): Promise<JsonObject[]> {
  const { app, tx } = context;
  const wanted = folded(searchFor.replace(/^@/, ""));
  const messages = await allMessages(tx);
  const namings = messages.map(({ place, author, mentions }) => ({ place, names: [author, ...mentions] }));
  const uses = new Map(usesOf(namings, place).map((use) => [use.name, use]));
  const found = [...app.operators.values()].filter(({ id, name }) =>
    [id, name].some((called) => folded(called).includes(wanted))
  );
  return found.map(({ id }) => uses.get(id) ?? { name: id, here: 0, everywhere: 0 })
    .sort(mostUsed)
    .map(({ name }) => mentionInfo(app, name));
}

/** What is named at a place. */
interface Naming {
  readonly place: string;
  readonly names: readonly string[];
}

/** The tags in messages, and those of cases. */
async function tagNamings({ tx }: HandlerContext): Promise<Naming[]> {
  const inMessages = (await allMessages(tx)).map(({ place, tags }) => ({ place, names: tags }));
  return [...inMessages, ...(await tagsOfAll(tx)).map(({ caseId, name }) => ({ place: caseId, names: [name] }))];
}

async function allMessages(tx: Transaction): Promise<Message[]> {
  return [...await tx.itemsOf("message"), ...await tx.itemsOf("reply")].map(toMessage);
}

function usesOf(namings: readonly Naming[], here: string | undefined): Use[] {
  const uses = new Map<string, Use>();
  for (const { place, names } of namings) {
    for (const name of names) {
      const use = uses.get(name) ?? { name, here: 0, everywhere: 0 };
      use.everywhere++;
      if (place === here) use.here++;
      uses.set(name, use);
    }
  }
  return [...uses.values()];
}

function mostUsed(a: Use, b: Use): number {
  return b.here - a.here || b.everywhere - a.everywhere || (a.name < b.name ? -1 : 1);
}
