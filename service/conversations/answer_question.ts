/**
 * Answers messages. A message is durable before a model is asked, and no transaction is open while the model answers: a
 * reply that never comes costs only itself.
 */
import type { JsonObject } from "../../utils/json.ts";
import { type Agent, type AnswerScript, MESSAGE_VARIABLE } from "../application/model/agent.ts";
import type { Scope } from "../application/model/expression.ts";
import { buildScope, scopeWithoutCase } from "../cases/scope.ts";
import { DependencyFailed, DomainError } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { askModel, type ChatMessage } from "./chat_model.ts";
import { type AnswerText, NoAnswer } from "./answer_text.ts";
import {
  addMessage,
  type Conversation,
  getConversation,
  type Party,
  readMessages,
  saveConversation,
  type StoredMessage,
} from "./stored_conversations.ts";

/** Maximum number of messages of a conversation that a model receives. */
const MAX_HISTORY = 40;

/** Milliseconds after a model's timeout in which a conversation is blocked, in case the service ends without a reply. */
const MARGIN = 5000;

/** A message that waits for its answer. */
export interface Question {
  readonly party: Party;
  readonly agent: Agent;
  readonly conversation: Conversation;
  /** The message, which is stored already. */
  readonly message: StoredMessage;
  /** Creates the body of the response from the answer. */
  readonly toBody: (conversation: Conversation, answer: StoredMessage) => JsonObject;
}

/** Answers a message by the script or by the model of its agent. */
export async function answerQuestion(context: HandlerContext, question: Question): Promise<Outcome> {
  const { agent, conversation, message } = question;
  const { answers } = agent;
  const scope = await createScope(context, agent, conversation.contextId, message.text);
  if (answers.kind === "script") {
    return await conclude(context, question, evaluate(() => answerByScript(answers, message.text, scope)));
  }
  const instructions = evaluate(() => answers.instructions(scope));
  if (instructions instanceof NoAnswer) return await conclude(context, question, instructions);
  const messages: ChatMessage[] = [
    { role: "system", content: instructions },
    ...(await readMessages(context.tx, conversation.id, MAX_HISTORY)).map(toChatMessage),
  ];
  conversation.answeringUntil = addMilliseconds(context.now, answers.timeoutSeconds * 1000 + MARGIN);
  await saveConversation(context, conversation);
  return {
    afterCommit: async (signal) => {
      const reply = await askModel(answers, messages, signal).catch(toNoAnswer);
      return async (next) => {
        const current = await getConversation(next, question.party, agent.id, conversation.id);
        return await conclude(next, { ...question, conversation: current }, reply);
      };
    },
  };
}

/** Finds the first rule of a script that applies. */
function answerByScript({ rules, fallback }: AnswerScript, message: string, scope: Scope): AnswerText {
  const rule = rules.find(({ matches, when }) => matches(message) && when(scope));
  return { text: (rule?.answer ?? fallback)(scope), followUps: rule?.followUps ?? [] };
}

/** Creates the scope of an agent's expressions. Fields of the case are visible if it has the case type of the agent. */
async function createScope(
  context: HandlerContext,
  { caseType }: Agent,
  contextId: string,
  message: string,
): Promise<Scope> {
  const stored = await context.tx.getCase(contextId);
  const fields = stored?.typeId === caseType ? stored?.content : {};
  const { caseInfo, operator, action, now } = stored ? buildScope(stored, context) : scopeWithoutCase({}, context);
  return { caseInfo, operator, action, now, fields: { ...fields, [MESSAGE_VARIABLE]: message } };
}

/** Stores the reply. Without a reply, the outcome reports the error, so that the message stays stored. */
async function conclude(context: HandlerContext, question: Question, reply: AnswerText | NoAnswer): Promise<Outcome> {
  const { agent, conversation, message, toBody } = question;
  const { id } = conversation;
  const answer = reply instanceof NoAnswer
    ? undefined
    : await addMessage(context, { ...reply, conversationId: id, role: "assistant", inReplyTo: message.id });
  conversation.answeringUntil = "";
  await saveConversation(context, conversation);
  if (reply instanceof NoAnswer) {
    const sentence = `${agent.name} did not answer ${message.id} of ${id}: ${reply.message}. The message is stored.`;
    return { failure: new DependencyFailed(sentence) };
  }
  return { body: answer && toBody(conversation, answer), tag: conversation.tag };
}

/** Evaluates expressions. They can fail because of the content of the case. */
function evaluate<T>(compute: () => T): T | NoAnswer {
  try {
    return compute();
  } catch (error) {
    if (error instanceof DomainError) return new NoAnswer(error.message.replace(/\.$/, ""), { cause: error });
    throw error;
  }
}

function toNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  throw error;
}

/** Converts a message for a model, with the names of its attachments but without their content. */
function toChatMessage({ role, text, attachments }: StoredMessage): ChatMessage {
  const names = attachments.map(({ name, ID }) => String(name ?? ID ?? "")).filter((name) => name !== "");
  return { role, content: names.length === 0 ? text : `${text}\n\nAttachments: ${names.join(", ")}` };
}

function addMilliseconds(time: Date, milliseconds: number): string {
  return new Date(time.getTime() + milliseconds).toISOString();
}
