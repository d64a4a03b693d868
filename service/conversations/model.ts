/** Asks a server with the chat-completions interface. */
import { explainNetwork } from "../../lib/http/network.ts";
import { readText } from "../../lib/http/read_text.ts";
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, isNonEmptyString, type JsonObject } from "../../utils/json.ts";
import type { ChatModel } from "../application/model/application.ts";
import { addressIn, keyIn } from "./model_address.ts";
import { NoReply, type Reply } from "./reply.ts";

/** Bytes that an answer may have. */
const ANSWER_LIMIT = 1024 * 1024;

/** One message, in the words of the interface. */
export interface ChatMessage extends JsonObject {
  /** Who says it. */
  role: "system" | "user" | "assistant";
  /** What is said. */
  content: string;
}

/** The model's answer to a conversation, or `NoReply`. */
export async function askModel(model: ChatModel, messages: ChatMessage[], stop: AbortSignal): Promise<Reply> {
  const timeout = AbortSignal.timeout(model.timeoutSeconds * 1000);
  const request = requestOf(model, messages, AbortSignal.any([timeout, stop]));
  try {
    const response = await fetch(request);
    if (!response.ok) throw await refusal(response);
    return { text: textIn(await readText(response, ANSWER_LIMIT)), followUps: [] };
  } catch (error) {
    if (error instanceof NoReply) throw error;
    if (stop.aborted) throw new NoReply("the service is being stopped");
    if (timeout.aborted) throw new NoReply(`the model server took longer than ${model.timeoutSeconds} s`);
    throw new NoReply(reasonOf(error), { cause: error });
  }
}

function requestOf({ name, maxTokens, ...model }: ChatModel, messages: ChatMessage[], signal: AbortSignal): Request {
  const key = model.keyVariable === undefined ? undefined : keyIn(model.keyVariable);
  return new Request(addressIn(model.addressVariable) + "/chat/completions", {
    method: "POST",
    redirect: "manual", // the key is for the server that was configured, and for no other
    signal,
    headers: {
      "accept": "application/json",
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model: name, messages, ...(maxTokens !== undefined && { max_tokens: maxTokens }) }),
  });
}

/** The server's own words stay behind: they may repeat the key. */
async function refusal({ status, body }: Response): Promise<NoReply> {
  await body?.cancel();
  const redirects = status >= 300 && status < 400 ? ", and redirects are not followed" : "";
  return new NoReply(`the model server answered ${status}${redirects}`);
}

function textIn(body: string): string {
  const choices = memberOf(parse(body), "choices");
  const text = memberOf(memberOf(Array.isArray(choices) ? choices[0] : undefined, "message"), "content");
  if (isNonEmptyString(text)) return text;
  throw new NoReply("the model server answered no chat completion");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NoReply("the model server answered no JSON", { cause: error });
  }
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "the service may not call the model server: allow it with --allow-net";
  }
  if (error instanceof SvcError) return `the model server answered more than ${ANSWER_LIMIT} bytes`;
  return explainNetwork(error, "the call of the model server").message.replace(/\.$/, "");
}
