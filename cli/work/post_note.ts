/** `svc note`: posts a message in the feed of a case. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import social from "../../lib/resources/social.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation, wantsPage } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { getShortId } from "../handles/handles.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { resolveMessageId } from "./read_messages.ts";

/**
 * Posts a message in the feed of a case, or a reply to a message. In the format `view`, it prints where the message is,
 * otherwise the message.
 */
export async function postNote(context: CommandContext, id: string, message: string, replyTo?: string): Promise<void> {
  const ref = { name: "social.post-message", operation: social.postMessage };
  const caseId = await resolveCaseId(context, id);
  const parent = replyTo === undefined ? undefined : await resolveMessageId(context, caseId, replyTo);
  const values = { context: parent ?? caseId, message };
  const reply = await callOperation(context, ref, values);
  rememberCase(context, reply.head, caseId);
  if (!wantsPage(context)) return await printReply(context, ref, values, reply);
  const { mentions = [] } = checkAnswer(social.postMessage.answer, reply);
  const names = mentions.map(({ caption }) => caption).join(", ");
  await context.print(
    `The note is in the feed of ${getShortId(caseId)}.` + (names === "" ? "" : ` It mentions ${names}.`),
  );
}
