/** What a person who writes a message may want to name: operators and tags, those that are in use here first. */
import type { JsonObject } from "../../lib/json.ts";
import type { HandlerContext } from "../handler.ts";
import { mentionInfo } from "./answers.ts";
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
  const uses = await usesOf(context, place, ({ tags }) => tags);
  return uses.sort(mostUsed).map(({ name }) => name);
}

/** The tags that hold a text: those that begin with it first. */
export async function findTags(context: HandlerContext, searchFor: string): Promise<string[]> {
  const wanted = searchFor.replace(/^#/, "").normalize("NFC").toLowerCase();
  const uses = await usesOf(context, undefined, ({ tags }) => tags);
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
  const { app } = context;
  const wanted = searchFor.replace(/^@/, "").normalize("NFC").toLowerCase();
  const known = await usesOf(context, place, ({ author, mentions }) => [author, ...mentions]);
  const uses = new Map(known.map((use) => [use.name, use]));
  const found = [...app.operators.values()].filter(({ id, name }) =>
    [id, name].some((called) => called.normalize("NFC").toLowerCase().includes(wanted))
  );
  return found.map(({ id }) => uses.get(id) ?? { name: id, here: 0, everywhere: 0 })
    .sort(mostUsed)
    .map(({ name }) => mentionInfo(app, name));
}

async function usesOf(
  { tx }: HandlerContext,
  place: string | undefined,
  namesOf: (message: Message) => readonly string[],
): Promise<Use[]> {
  const uses = new Map<string, Use>();
  for (const item of [...await tx.itemsOf("message"), ...await tx.itemsOf("reply")]) {
    const message = toMessage(item);
    for (const name of namesOf(message)) {
      const use = uses.get(name) ?? { name, here: 0, everywhere: 0 };
      use.everywhere++;
      if (message.place === place) use.here++;
      uses.set(name, use);
    }
  }
  return [...uses.values()];
}

function mostUsed(a: Use, b: Use): number {
  return b.here - a.here || b.everywhere - a.everywhere || (a.name < b.name ? -1 : 1);
}
