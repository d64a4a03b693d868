/** `svc notes`: the messages of a case as a conversation. */
import type { JsonValue } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { getSurface, wantsPage, writeResult } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { getCaseHandle, getShortId } from "../handles/handles.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { findNextPage, readConversation, renderConversation } from "../view/conversation.ts";
import { LIST_MESSAGES, readMessages } from "./read_messages.ts";

/** Selection of notes. */
export interface NotesPage {
  /** Maximum number of notes, not counting replies. */
  readonly pageSize: number;
  /** Shows only notes that are older than this time. */
  readonly olderThan?: string;
}

/** Prints the notes of a case: for people the oldest first, otherwise in the order of the service. */
export async function showNotes(context: CommandContext, id: string, page: NotesPage): Promise<void> {
  const caseId = await resolveCaseId(context, getCaseHandle(id));
  const values = { filterFor: caseId, filterBy: "messages", ...page };
  const reply = await readMessages(context, values);
  rememberCase(context, reply.head, caseId);
  if (!wantsPage(context)) return await printReply(context, LIST_MESSAGES, values, reply);
  const body: JsonValue = reply.readPrintable() ?? {};
  const conversation = readConversation(body);
  if (conversation === undefined) return await context.print(body);
  const { entries } = conversation;
  if (entries.length === 0) {
    const isFirstPage = page.olderThan === undefined;
    return context.note(`${getShortId(caseId)} has no ${isFirstPage ? "notes" : "older notes"}.`);
  }
  const oldestFirst = { ...conversation, entries: entries.toReversed() };
  await writeResult(context, renderConversation(oldestFirst, getSurface(context.io)));
  const next = findNextPage(conversation);
  if (next !== undefined) context.note(`For older notes, add --older-than ${next}`);
}
