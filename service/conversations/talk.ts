/** What people do with agents and assistants; both are served by the same functions. */
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { countCharacters } from "../../utils/text/wording.ts";
import type { Agent, Application } from "../application/model/application.ts";
import { ServiceError } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { checkEntityTag } from "../cases/entity_tags.ts";
import { answer } from "./answering.ts";
import { conversationInfo, messageInfo, replyInfo, startInfo } from "./views.ts";
import {
  checkTurn,
  type Conversation,
  conversationsAbout,
  nextConversationId,
  openConversation,
  type Party,
  saveConversation,
} from "./conversation.ts";
import { addMessage, messagesOf, openMessage, saveMessage } from "./messages.ts";

const DEFAULT_PAGE = 25;
const LARGEST_PAGE = 100;

/** Characters that a message, or what somebody thinks of one, may have. */
const TEXT_LIMIT = 10_000;

/** Which conversation is meant. */
export interface Place {
  /** Whether it is with an agent or with an assistant. */
  readonly party: Party;
  /** The agent or the assistant. */
  readonly agentId: string;
  /** The conversation. */
  readonly conversation: string;
  /** Entity tag of the conversation, as the caller knows it. */
  readonly ifMatch?: string;
}

/** Through what a person talks. */
export interface Channel {
  /** Type, e.g. `Web`. */
  readonly activeChannel?: string;
  /** ID. */
  readonly activeChannelId?: string;
}

/** What starts a conversation. */
export interface Start extends Channel {
  /** What it is about: a case handle. */
  readonly contextId?: string;
  /** The caller's own ID of it. */
  readonly interactionId?: string;
  /** Whether the starter question is asked; it is, unless the caller declines. */
  readonly executeStarter?: boolean;
}

/** Starts a conversation and asks its starter question. */
export async function start(context: HandlerContext, party: Party, agentId: string, given: Start): Promise<Outcome> {
  const { contextId = "", interactionId = "", executeStarter = true, activeChannel, activeChannelId } = given;
  const agent = agentOf(context, party, agentId);
  if (contextId !== "" && await context.tx.getCase(contextId) === undefined) {
    throw new ServiceError(404, "Case not found for the given parameter contextID");
  }
  const conversation: Conversation = {
    id: await nextConversationId(context.tx),
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
    return { body: startInfo(conversation, agent), tag: conversation.tag };
  }
  const said = { conversationId: conversation.id, role: "user", text: agent.starterQuestion } as const;
  const message = await addMessage(context, said);
  return await answer(context, {
    party,
    agent,
    conversation,
    message,
    shape: (now, reply) => startInfo(now, agent, reply),
  });
}

/** One page of the caller's conversations about a context, newest first. */
export async function list(
  context: HandlerContext,
  party: Party,
  agentId: string,
  { contextId, pageSize = DEFAULT_PAGE, pageIndex = 0 }: { contextId: string; pageSize?: number; pageIndex?: number },
): Promise<Outcome> {
  agentOf(context, party, agentId);
  if (pageSize < 1 || pageSize > LARGEST_PAGE) {
    throw new ServiceError(400, `pageSize must be 1 to ${LARGEST_PAGE}, not ${pageSize}`);
  }
  const all = await conversationsAbout(context, party, agentId, contextId);
  const page = all.slice(pageIndex * pageSize, (pageIndex + 1) * pageSize);
  return { body: { conversations: page.map(conversationInfo) } };
}

/** A conversation with its messages, oldest first. */
export async function read(context: HandlerContext, place: Place): Promise<Outcome> {
  const conversation = await open(context, place);
  const messages = await messagesOf(context.tx, conversation.id);
  return {
    body: { ...conversationInfo(conversation), messages: messages.map(messageInfo) },
    tag: conversation.tag,
  };
}

/** Says something and has it answered. */
export async function send(
  context: HandlerContext,
  place: Place,
  text: string,
  { attachments = [], activeChannel, activeChannelId }: Channel & { readonly attachments?: readonly JsonValue[] } = {},
): Promise<Outcome> {
  const conversation = await open(context, place);
  checkTurn(conversation, context);
  checkText("Request", text);
  if (!attachments.every(isJsonObject)) throw new ServiceError(400, "Attachments must be an array of JSON objects");
  conversation.channel = activeChannel ?? conversation.channel;
  conversation.channelId = activeChannelId ?? conversation.channelId;
  const said = { conversationId: conversation.id, role: "user", text, attachments } as const;
  const message = await addMessage(context, said);
  const agent = agentOf(context, place.party, place.agentId);
  return await answer(context, {
    party: place.party,
    agent,
    conversation,
    message,
    shape: (_now, reply) => replyInfo(reply),
  });
}

/** Ends a conversation: it can be read from then on, and no more. */
export async function close(context: HandlerContext, place: Place): Promise<Conversation> {
  const conversation = await open(context, place);
  checkTurn(conversation, context);
  conversation.closedAt = context.now.toISOString();
  await saveConversation(context, conversation);
  return conversation;
}

/** Says what one thinks of an answer; the last word counts. */
export async function rate(
  context: HandlerContext,
  place: Place,
  messageId: string,
  rating: "like" | "dislike",
  feedback = "",
): Promise<Outcome> {
  const conversation = await open(context, place);
  const message = await openMessage(context, conversation.id, messageId);
  if (message.role !== "assistant") {
    throw new ServiceError(400, `${messageId} is the caller's own message: only answers are liked and disliked`);
  }
  if (rating === "dislike") checkText("feedbackText", feedback);
  await saveMessage(context.tx, { ...message, rating, feedback });
  await saveConversation(context, conversation);
  return { tag: conversation.tag };
}

async function open(
  context: HandlerContext,
  { party, agentId, conversation: id, ifMatch }: Place,
): Promise<Conversation> {
  agentOf(context, party, agentId);
  const conversation = await openConversation(context, party, agentId, id);
  checkEntityTag(ifMatch, conversation.tag);
  return conversation;
}

/** The agents that callers may talk to; there is no such list of assistants. */
export function listedAgents({ agents }: Application): Agent[] {
  return [...agents.values()].filter(({ external }) => external);
}

function agentOf({ app }: HandlerContext, party: Party, id: string): Agent {
  const agent = app[party].get(id);
  if (agent?.external === true) return agent;
  if (party === "assistants") throw new ServiceError(404, `Assistant '${id}' not found`);
  const listed = listedAgents(app).map((one) => one.id);
  throw new ServiceError(404, `Agent '${id}' not found${suggestAlternatives(id, listed)}`);
}

function checkText(name: string, text: string): void {
  if (text.trim() === "") throw new ServiceError(400, `${name} must not be empty`);
  if (countCharacters(text) > TEXT_LIMIT) {
    throw new ServiceError(400, `${name} may have at most ${TEXT_LIMIT} characters`);
  }
}
