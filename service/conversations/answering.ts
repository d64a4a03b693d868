/**
 * How a message gets its answer. The message is durable before a model is asked, and nobody holds the store while it
 * thinks: an answer that does not come costs nothing but itself.
 */
import type { JsonObject } from "../../utils/json.ts";
import type { Agent, ChatModel, Scope } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { type Conversation, openConversation, type Party, saveConversation } from "./conversation.ts";
import { addMessage, type Message, messagesOf } from "./messages.ts";
import { askModel, type ChatMessage } from "./model.ts";
import { NoReply, type Reply } from "./reply.ts";
import { scopeOfTalk } from "./scope.ts";
import { answerByScript } from "./script.ts";

/** Messages of a conversation that a model gets to read. */
const HISTORY = 40;

/** Milliseconds after a model's time that a conversation waits for what never comes: a service may be ended at once. */
const MARGIN = 5000;

/** A message that waits for its answer. */
export interface Question {
  /** Whether an agent or an assistant answers. */
  readonly party: Party;
  /** Who answers. */
  readonly agent: Agent;
  /** The conversation. */
  readonly conversation: Conversation;
  /** What was said, stored already. */
  readonly message: Message;
  /** The answer to the caller, from the answer to the message. */
  readonly shape: (conversation: Conversation, answer: Message) => JsonObject;
}

/** Has a message answered. */
export async function answer(context: HandlerContext, question: Question): Promise<Outcome> {
  const { agent, conversation, message } = question;
  const { answers } = agent;
  const scope = await scopeOfTalk(context, agent, conversation.contextId, message.text);
  if (answers.kind === "script") {
    return await conclude(context, question, evaluated(() => answerByScript(answers, message.text, scope)));
  }
  const messages = evaluated(() => chat(answers, scope));
  if (messages instanceof NoReply) return await conclude(context, question, messages);
  messages.push(...(await messagesOf(context.tx, conversation.id, HISTORY)).map(chatMessage));
  conversation.answeringUntil = after(context.now, answers.timeoutSeconds * 1000 + MARGIN);
  await saveConversation(context, conversation);
  return {
    goOn: async (signal) => {
      const reply = await askModel(answers, messages, signal).catch(noReply);
      return async (next) => {
        const now = await openConversation(next, question.party, agent.id, conversation.id);
        return await conclude(next, { ...question, conversation: now }, reply);
      };
    },
  };
}

/** Keeps the answer, or says why there is none: that is an outcome, and no reason to take the message back. */
async function conclude(context: HandlerContext, question: Question, reply: Reply | NoReply): Promise<Outcome> {
  const { agent, conversation, message, shape } = question;
  const { id } = conversation;
  const said = reply instanceof NoReply
    ? undefined
    : await addMessage(context, { ...reply, conversationId: id, role: "assistant", inReplyTo: message.id });
  conversation.answeringUntil = "";
  await saveConversation(context, conversation);
  if (reply instanceof NoReply) {
    return failed(`${agent.name} has not answered ${message.id} of ${id}: ${reply.message}`);
  }
  return { body: said && shape(conversation, said), tag: conversation.tag };
}

function failed(sentence: string): Outcome {
  return { status: 424, body: new ServiceError(424, `${sentence}. The message is kept.`).toBody() };
}

/** What expressions give; they can fail over what a case holds. */
function evaluated<T>(compute: () => T): T | NoReply {
  try {
    return compute();
  } catch (error) {
    if (error instanceof ServiceError) return new NoReply(error.message.replace(/\.$/, ""), { cause: error });
    throw error;
  }
}

function noReply(error: unknown): NoReply {
  if (error instanceof NoReply) return error;
  throw error;
}

function chat({ instructions }: ChatModel, scope: Scope): ChatMessage[] {
  return [{ role: "system", content: instructions(scope) }];
}

/** A model learns of attachments that they are there, not what they hold. */
function chatMessage({ role, text, attachments }: Message): ChatMessage {
  const names = attachments.map(({ name, ID }) => String(name ?? ID ?? "")).filter((name) => name !== "");
  return { role, content: names.length === 0 ? text : `${text}\n\nAttachments: ${names.join(", ")}` };
}

function after(time: Date, milliseconds: number): string {
  return new Date(time.getTime() + milliseconds).toISOString();
}
