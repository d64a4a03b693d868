/** The messages of a case, and those that mention the caller. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { formatCommandLine, SvcError } from "../../lib/errors.ts";
import type { OperationRef } from "../../lib/operation/operation.ts";
import social, { type SocialListMessagesParams } from "../../lib/resources/social.ts";
import work from "../../lib/resources/work.ts";
import { parseTimestamp } from "../../utils/time/parse_timestamp.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { getShortId } from "../handles/handles.ts";
import { readIfEmbedded, readIfServed } from "../handles/if_served.ts";
import { type Conversation, readConversation, summarizeMessages } from "../view/conversation.ts";
import type { Row, Section } from "../view/page.ts";

/** Maximum number of messages in a section of a page. */
const MAX_RECENT = 3;

/** Number of days for which the inbox shows a mention. */
const MENTION_DAYS = 7;

/** The operation that lists messages. */
export const LIST_MESSAGES: OperationRef = { name: "social.list-messages", operation: social.listMessages };

/** Reads messages of a case or an operator, newest first. */
export async function readMessages(context: CommandContext, params: SocialListMessagesParams): Promise<Reply> {
  return await callOperation(context, LIST_MESSAGES, { ...params });
}

/** Returns the latest messages of a case, with the command that shows all. */
export async function readRecentNotes(
  context: CommandContext,
  caseId: string,
): Promise<{ heading: string; rows: Row[] }> {
  const recent = await readRecent(context, { filterFor: caseId, filterBy: "messages", pageSize: MAX_RECENT });
  const all = formatCommandLine(["notes", getShortId(caseId)]);
  return { heading: `Notes (for all, run: ${all})`, rows: summarizeMessages(recent) };
}

/** Returns a section with recent messages that mention the caller. It is missing if the service cannot list them. */
export async function readMentions(context: CommandContext): Promise<Section[]> {
  const operator = await readIfEmbedded(context, () => readOperator(context));
  if (operator === undefined) return [];
  const recent = await readRecent(context, { filterFor: operator, filterBy: "mentions", pageSize: MAX_RECENT });
  const start = new Date(Date.now() - MENTION_DAYS * 24 * 60 * 60 * 1000).toISOString();
  const entries = recent.entries.filter(({ postedTime }) => (parseTimestamp(String(postedTime)) ?? "") >= start);
  const rows = summarizeMessages({ ...recent, entries }, ({ context }) => getShortId(String(context ?? "")));
  return [{ heading: "You were mentioned", rows }];
}

async function readOperator(context: CommandContext): Promise<string> {
  const reply = await callOperation(context, { name: "work.get-operator", operation: work.getOperator }, {});
  return checkAnswer(work.getOperator.answer, reply).ID;
}

async function readRecent(context: CommandContext, params: SocialListMessagesParams): Promise<Conversation> {
  const reply = await readIfServed(() => readMessages(context, params));
  const empty: Conversation = { entries: [], textMember: "message", hasMore: false };
  return reply?.body === undefined ? empty : readConversation(reply.body) ?? empty;
}

/** Finds the ID of a message of a case by its number, such as `M-3`. */
export async function resolveMessageId(context: CommandContext, caseId: string, text: string): Promise<string> {
  if (text.includes(" ")) return text;
  const reply = await readMessages(context, { filterFor: caseId, filterBy: "messages", pageSize: 1000 });
  const { messages } = checkAnswer(social.listMessages.answer, reply);
  const all = messages.flatMap((message) => [message, ...message.replies ?? []]);
  const found = all.find(({ id }) => getShortId(id).toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found.id;
  const name = getShortId(caseId);
  throw new SvcError("NOT_FOUND", `${name} has no note ${text}.`, {
    hint: { commands: [{ args: ["notes", name], purpose: "to list its notes" }] },
  });
}
