/** Conversations with agents and assistants. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import type { Agent } from "../application/model/agent.ts";
import type { Application } from "../application/model/application.ts";
import { findUpload } from "../attachments/files.ts";
import { checkEntityTag } from "../cases/case_work.ts";
import { Conflict, Invalid, Locked, NotFound } from "../errors.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { answerQuestion } from "./answer_question.ts";
import {
  addMessage,
  allocateConversationId,
  type Conversation,
  findConversations,
  getConversation,
  getStoredMessage,
  type Party,
  readMessages,
  saveConversation,
  saveMessage,
} from "./stored_conversations.ts";
import { describeConversation, describeReply, describeStart, describeStoredMessage } from "./views.ts";

const DEFAULT_PAGE_SIZE = 25;
const MAX_PAGE_SIZE = 100;

/** Maximum number of characters in a message and in feedback. */
const MAX_TEXT = 10_000;

/** The IDs that identify a conversation. */
export interface ConversationKey {
  readonly party: Party;
  /** ID of the agent or of the assistant. */
  readonly agentId: string;
  /** ID of the conversation. */
  readonly conversation: string;
  /** The entity tag that the conversation must have. */
  readonly ifMatch?: string;
}

/** The channel that a client uses. */
export interface ActiveChannel {
  /** Type, e.g. `Web`. */
  readonly activeChannel?: string;
  readonly activeChannelId?: string;
}

/** The options of a new conversation. */
export interface NewConversation extends ActiveChannel {
  /** Handle of the case that it is about. */
  readonly contextId?: string;
  /** The client's own ID of the conversation. */
  readonly interactionId?: string;
  /** False to leave out the starter question. */
  readonly executeStarter?: boolean;
}

/** Starts a conversation and asks its starter question. */
export async function startConversation(
  context: HandlerContext,
  party: Party,
  agentId: string,
  { contextId = "", interactionId = "", executeStarter = true, activeChannel, activeChannelId }: NewConversation,
): Promise<Outcome> {
  const agent = getAgent(context, party, agentId);
  if (contextId !== "" && await context.tx.getCase(contextId) === undefined) {
    throw new NotFound("Case not found for the given parameter contextID");
  }
  const conversation: Conversation = {
    id: await allocateConversationId(context.tx),
    startedAt: context.now.toISOString(),
    contextId,
    party,
    agentId,
    operator: context.caller.id,
    interactionId,
    channel: activeChannel ?? "",
    channelId: activeChannelId ?? "",
    closedAt: "",
    answeringUntil: "",
    tag: "",
  };
  await saveConversation(context, conversation);
  if (!executeStarter || agent.starterQuestion === "") {
    return { body: describeStart(conversation, agent), tag: conversation.tag };
  }
  const said = { conversationId: conversation.id, role: "user", text: agent.starterQuestion } as const;
  const message = await addMessage(context, said);
  return await answerQuestion(context, {
    party,
    agent,
    conversation,
    message,
    toBody: (current, reply) => describeStart(current, agent, reply),
  });
}

/** Lists a page of the caller's conversations about a context, newest first. */
export async function listConversations(
  context: HandlerContext,
  party: Party,
  agentId: string,
  { contextId, pageSize = DEFAULT_PAGE_SIZE, pageIndex = 0 }: {
    contextId: string;
    pageSize?: number;
    pageIndex?: number;
  },
): Promise<Outcome> {
  getAgent(context, party, agentId);
  if (pageSize < 1 || pageSize > MAX_PAGE_SIZE) {
    throw new Invalid(`pageSize must be 1 to ${MAX_PAGE_SIZE}, not ${pageSize}`);
  }
  const all = await findConversations(context, party, agentId, contextId);
  const page = all.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize);
  return { body: { conversations: page.map(describeConversation) } };
}

/** Reads a conversation with its messages, oldest first. */
export async function readConversation(context: HandlerContext, key: ConversationKey): Promise<Outcome> {
  const conversation = await openConversation(context, key);
  const messages = await readMessages(context.tx, conversation.id);
  return {
    body: { ...describeConversation(conversation), messages: messages.map(describeStoredMessage) },
    tag: conversation.tag,
  };
}

/** Sends a message and answers it. */
export async function sendMessage(
  context: HandlerContext,
  key: ConversationKey,
  text: string,
  { attachments = [], activeChannel, activeChannelId }: ActiveChannel & {
    readonly attachments?: readonly JsonValue[];
  } = {},
): Promise<Outcome> {
  const conversation = await openConversation(context, key);
  checkTurn(conversation, context);
  checkText("Request", text);
  if (!attachments.every(isJsonObject)) throw new Invalid("Attachments must be an array of JSON objects");
  await checkUploads(attachments, context);
  conversation.channel = activeChannel ?? conversation.channel;
  conversation.channelId = activeChannelId ?? conversation.channelId;
  const said = { conversationId: conversation.id, role: "user", text, attachments } as const;
  const message = await addMessage(context, said);
  const agent = getAgent(context, key.party, key.agentId);
  return await answerQuestion(context, {
    party: key.party,
    agent,
    conversation,
    message,
    toBody: (_conversation, reply) => describeReply(reply),
  });
}

/** Checks that the files exist which attachments name by their ID. */
async function checkUploads(attachments: readonly JsonObject[], context: HandlerContext): Promise<void> {
  for (const [index, { ID: id }] of attachments.entries()) {
    if (id === undefined) continue;
    if (typeof id === "string" && await findUpload(context, id) !== undefined) continue;
    throw new Invalid(`Attachments(${index + 1}): the file was not uploaded, or its upload has expired.`);
  }
}

/** Closes a conversation. After that, it can only be read and rated. */
export async function closeConversation(context: HandlerContext, key: ConversationKey): Promise<Conversation> {
  const conversation = await openConversation(context, key);
  checkTurn(conversation, context);
  conversation.closedAt = context.now.toISOString();
  await saveConversation(context, conversation);
  return conversation;
}

/** Rates an answer. The last rating applies. */
export async function rateMessage(
  context: HandlerContext,
  key: ConversationKey,
  messageId: string,
  rating: "like" | "dislike",
  feedback = "",
): Promise<Outcome> {
  const conversation = await openConversation(context, key);
  const message = await getStoredMessage(context, conversation.id, messageId);
  if (message.role !== "assistant") {
    throw new Invalid(`${messageId} is a message of the caller: only replies can be liked and disliked`);
  }
  if (rating === "dislike") checkText("feedbackText", feedback);
  await saveMessage(context.tx, { ...message, rating, feedback });
  await saveConversation(context, conversation);
  return { tag: conversation.tag };
}

async function openConversation(
  context: HandlerContext,
  { party, agentId, conversation: id, ifMatch }: ConversationKey,
): Promise<Conversation> {
  getAgent(context, party, agentId);
  const conversation = await getConversation(context, party, agentId, id);
  checkEntityTag(ifMatch, conversation.tag);
  return conversation;
}

/** Lists the agents that callers may talk to. The API has no list of assistants. */
export function listAgents({ agents }: Application): Agent[] {
  return [...agents.values()].filter(({ external }) => external);
}

/** Checks that a conversation accepts a message. Throws Conflict if it is closed, and Locked if an answer is pending. */
function checkTurn({ id, closedAt, answeringUntil }: Conversation, { now }: HandlerContext): void {
  if (closedAt !== "") throw new Conflict(`${id} is closed: start another conversation`);
  if (answeringUntil > now.toISOString()) {
    throw new Locked(`${id} waits for the reply to the previous message: try again later`);
  }
}

function getAgent({ app }: HandlerContext, party: Party, id: string): Agent {
  const agent = app[party].get(id);
  if (agent?.external === true) return agent;
  if (party === "assistants") throw new NotFound(`Assistant '${id}' not found`);
  const known = listAgents(app).map((one) => one.id);
  throw new NotFound(`Agent '${id}' not found${suggestAlternatives(id, known)}`);
}

function checkText(name: string, text: string): void {
  if (text.trim() === "") throw new Invalid(`${name} must not be empty`);
  if (countCharacters(text) > MAX_TEXT) {
    throw new Invalid(`${name} must have at most ${MAX_TEXT} characters`);
  }
}
