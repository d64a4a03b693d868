/** Asks language models on servers with the chat-completions interface. */
import { SvcError } from "../../lib/errors.ts";
import { explainNetwork } from "../../lib/http/network.ts";
import { readText } from "../../lib/http/limits.ts";
import { isJsonObject, isNonEmptyString, type JsonObject, parseJson } from "../../utils/json.ts";
import type { ChatModel } from "../application/model/agent.ts";
import { readAddress, readKey } from "./model_address.ts";
import { type AnswerText, NoAnswer } from "./answer_text.ts";

/** Maximum number of bytes in a response. */
const MAX_BYTES = 1024 * 1024;

/** A message of the chat-completions interface. */
export interface ChatMessage extends JsonObject {
  role: "system" | "user" | "assistant";
  content: string;
}

/** Asks a model for the next message of a conversation. Throws NoAnswer if it does not answer. */
export async function askModel(model: ChatModel, messages: ChatMessage[], stop: AbortSignal): Promise<AnswerText> {
  const timeout = AbortSignal.timeout(model.timeoutSeconds * 1000);
  const request = createRequest(model, messages, AbortSignal.any([timeout, stop]));
  try {
    const response = await fetch(request);
    if (!response.ok) throw await toNoAnswer(response);
    return { text: parseReply(await readText(response, { limit: MAX_BYTES })), followUps: [] };
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    if (stop.aborted) throw new NoAnswer("the service is stopping");
    if (timeout.aborted) throw new NoAnswer(`the model server took longer than ${model.timeoutSeconds} s`);
    throw new NoAnswer(explainFailure(error), { cause: error });
  }
}

function createRequest(
  { name, maxTokens, ...model }: ChatModel,
  messages: ChatMessage[],
  signal: AbortSignal,
): Request {
  const key = model.keyVariable === undefined ? undefined : readKey(model.keyVariable);
  return new Request(readAddress(model.addressVariable) + "/chat/completions", {
    method: "POST",
    redirect: "manual", // No other server may receive the key.
    signal,
    headers: {
      "accept": "application/json",
      "content-type": "application/json",
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ model: name, messages, ...(maxTokens !== undefined && { max_tokens: maxTokens }) }),
  });
}

/** Converts an error response. Its body is left out, because it may repeat the key. */
async function toNoAnswer({ status, body }: Response): Promise<NoAnswer> {
  await body?.cancel();
  const redirects = status >= 300 && status < 400 ? ", and redirects are not followed" : "";
  return new NoAnswer(`the model server responded with ${status}${redirects}`);
}

function parseReply(body: string): string {
  const choices = getMember(parseBody(body), "choices");
  const text = getMember(getMember(Array.isArray(choices) ? choices[0] : undefined, "message"), "content");
  if (isNonEmptyString(text)) return text;
  throw new NoAnswer("the response of the model server is not a chat completion");
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw new NoAnswer("the response of the model server is not JSON", { cause: error });
  }
}

function getMember(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function explainFailure(error: unknown): string {
  if (error instanceof Deno.errors.NotCapable) {
    return "the service may not call the model server: allow it with --allow-net";
  }
  if (error instanceof SvcError) return `the response of the model server has more than ${MAX_BYTES} bytes`;
  return explainNetwork(error, "the call of the model server").message.replace(/\.$/, "");
}
