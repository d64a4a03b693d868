/** What a person who writes a message may want to name: operators and tags, those that are in use here first. */
import type { JsonObject } from "../../utils/json.ts";
import { tagUses } from "../associations/tags.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import type { HandlerContext } from "../http/handler.ts";
import { mentionInfo } from "./views.ts";
import type { TextUse, Transaction } from "../store/store.ts";
import type { Message } from "./messages.ts";

/** What can be mentioned. */
export const MENTION_TYPES = [{ id: "Users", ID: "Users", name: "Users" }] as const;

/** The tags that are used most: those of a place first. */
export async function suggestedTags(context: HandlerContext, place: string | undefined): Promise<string[]> {
  return (await usesOfTags(context, place)).sort(mostUsed).map(({ text }) => text);
}

/** The tags that hold a text: those that begin with it first. */
export async function findTags(context: HandlerContext, searchFor: string): Promise<string[]> {
  const wanted = caseFold(searchFor.replace(/^#/, ""));
  const begins = ({ text }: TextUse) => Number(text.startsWith(wanted));
  return (await usesOfTags(context)).filter(({ text }) => text.includes(wanted))
    .sort((a, b) => begins(b) - begins(a) || mostUsed(a, b))
    .map(({ text }) => text);
}

/** The operators whose ID or name holds a text: those who wrote or are mentioned at a place first. */
export async function findOperators(
  context: HandlerContext,
  searchFor: string,
  place: string | undefined,
): Promise<JsonObject[]> {
  const { app, tx } = context;
  const wanted = caseFold(searchFor.replace(/^@/, ""));
  const named = [...await usesInMessages(tx, "author", place), ...await usesInMessages(tx, "mentions", place)];
  const uses = new Map(together(named).map((use) => [use.text, use]));
  const found = [...app.operators.values()].filter(({ id, name }) =>
    [id, name].some((called) => caseFold(called).includes(wanted))
  );
  return found.map(({ id }) => uses.get(id) ?? { text: id, here: 0, everywhere: 0 })
    .sort(mostUsed)
    .map(({ text }) => mentionInfo(app, text));
}

/** The tags in messages, and those of cases. */
async function usesOfTags({ tx }: HandlerContext, place?: string): Promise<TextUse[]> {
  return together([...await usesInMessages(tx, "tags", place), ...await tagUses(tx, place)]);
}

async function usesInMessages(tx: Transaction, member: keyof Message, place: string | undefined): Promise<TextUse[]> {
  return [...await tx.textUses("message", member, place), ...await tx.textUses("reply", member, place)];
}

/** One element for each text. */
function together(uses: readonly TextUse[]): TextUse[] {
  return [...Map.groupBy(uses, ({ text }) => text)].map(([text, same]) => {
    const sum = (count: "here" | "everywhere") => same.reduce((total, use) => total + use[count], 0);
    return { text, here: sum("here"), everywhere: sum("everywhere") };
  });
}

function mostUsed(a: TextUse, b: TextUse): number {
  return b.here - a.here || b.everywhere - a.everywhere || (a.text < b.text ? -1 : 1);
}
