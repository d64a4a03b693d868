/** Parses the body of a response as its operation promises it. */
import type { Answer } from "../../operation/answer.ts";
import { SvcError, type SvcErrorOptions } from "../../errors.ts";
import { diagnoseCommand } from "../../http/network.ts";
import { type JsonValue, parseJsonOrText } from "../../../utils/json.ts";

/** Head of a response. */
type Head = Pick<SvcErrorOptions, "operation" | "status" | "requestId"> & {
  readonly type?: string;
  readonly profile?: string;
};

/** Parses the text of a response as its operation promises it. */
export function parseBody(answer: Answer, text: string, head: Head = {}): JsonValue | undefined {
  if (answer !== "text" && answer !== "nothing") return text === "" ? emptyBody(answer, head) : parseAnswer(text, head);
  // A server that sends a web page has mistaken the client for a browser and has not applied the call.
  if (/\bx?html\b/i.test(head.type ?? "") && /^\s*</.test(text)) throw invalidAnswer("a web page", text, head);
  return answer === "text" ? textIn(text) : remarkIn(text);
}

/** Returns the body that an empty text stands for: some services send one for a case without ancestors. */
function emptyBody(answer: Answer, head: Head): JsonValue {
  if (typeof answer === "object" && answer.mayBeEmpty) return {};
  throw invalidAnswer("empty", "", head);
}

/** Parses the body that some services send although none is promised: JSON, or a sentence. */
function remarkIn(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : parseJsonOrText(text);
}

/** Parses a text, which some services send as JSON. */
function textIn(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text; // A text that starts with a quotation mark.
  }
}

/** Parses JSON. Throws `INVALID_RESPONSE` for any other text. */
function parseAnswer(text: string, head: Head): JsonValue {
  try {
    const body: JsonValue = JSON.parse(text);
    return body;
  } catch (cause) {
    throw invalidAnswer("not JSON", text, head, cause);
  }
}

function invalidAnswer(what: string, text: string, head: Head, cause?: unknown): SvcError {
  const { operation, status, type, requestId, profile } = head;
  const found = `${type ?? "no content type"}, ${text.length} characters`;
  return new SvcError("INVALID_RESPONSE", `The response of the service is ${what} (${found}).`, {
    cause,
    operation,
    status,
    requestId,
    hint: { text: "Check the base URL and the API root.", commands: [diagnoseCommand(profile)] },
  });
}
