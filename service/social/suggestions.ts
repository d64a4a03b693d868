/** Suggestions of operators and tags for a new message. Those in use at its place come first. */
import type { JsonObject } from "../../utils/json.ts";
import { countCaseTags } from "../associations/tags.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import type { HandlerContext } from "../http/handler.ts";
import { describeMention } from "./views.ts";
import type { TextUse, Transaction } from "../store/store.ts";
import type { Message } from "./messages.ts";

/** The types of mentions. */
export const MENTION_TYPES = [{ id: "Users", ID: "Users", name: "Users" }] as const;

/** Suggests the most used tags. Those of a place come first. */
export async function suggestTags(context: HandlerContext, place: string | undefined): Promise<string[]> {
  return (await countTagUses(context, place)).sort(compareUses).map(({ text }) => text);
}

/** Finds tags that contain a text. Those that begin with it come first. */
export async function searchTags(context: HandlerContext, searchFor: string): Promise<string[]> {
  const wanted = caseFold(searchFor.replace(/^#/, ""));
  const begins = ({ text }: TextUse) => Number(text.startsWith(wanted));
  return (await countTagUses(context)).filter(({ text }) => text.includes(wanted))
    .sort((a, b) => begins(b) - begins(a) || compareUses(a, b))
    .map(({ text }) => text);
}

/** Finds operators whose ID or name contains a text. Authors and mentioned operators of a place come first. */
export async function searchOperators(
  context: HandlerContext,
  searchFor: string,
  place: string | undefined,
): Promise<JsonObject[]> {
  const { app, tx } = context;
  const wanted = caseFold(searchFor.replace(/^@/, ""));
  const named = [...await countUses(tx, "author", place), ...await countUses(tx, "mentions", place)];
  const uses = new Map(mergeUses(named).map((use) => [use.text, use]));
  const found = [...app.operators.values()].filter(({ id, name }) =>
    [id, name].some((text) => caseFold(text).includes(wanted))
  );
  return found.map(({ id }) => uses.get(id) ?? { text: id, here: 0, everywhere: 0 })
    .sort(compareUses)
    .map(({ text }) => describeMention(app, text));
}

/** Counts the uses of tags in messages and of cases. */
async function countTagUses({ tx }: HandlerContext, place?: string): Promise<TextUse[]> {
  return mergeUses([...await countUses(tx, "tags", place), ...await countCaseTags(tx, place)]);
}

async function countUses(tx: Transaction, member: keyof Message, place: string | undefined): Promise<TextUse[]> {
  return [...await tx.textUses("message", member, place), ...await tx.textUses("reply", member, place)];
}

/** Adds up the uses of each text. */
function mergeUses(uses: readonly TextUse[]): TextUse[] {
  return [...Map.groupBy(uses, ({ text }) => text)].map(([text, same]) => {
    const sum = (count: "here" | "everywhere") => same.reduce((total, use) => total + use[count], 0);
    return { text, here: sum("here"), everywhere: sum("everywhere") };
  });
}

function compareUses(a: TextUse, b: TextUse): number {
  return b.here - a.here || b.everywhere - a.everywhere || (a.text < b.text ? -1 : 1);
}
