/** The body of an answer: its text as what the operation promises. */
import type { Answer } from "../../operation/answer.ts";
import { SvcError, type SvcErrorOptions } from "../../errors.ts";
import { diagnoseCommand } from "../../http/network.ts";
import { type JsonValue, parseJsonOrText } from "../../../utils/json.ts";

/** What is known of an answer beside its text. */
type Head = Pick<SvcErrorOptions, "operation" | "status" | "requestId"> & {
  readonly type?: string;
  readonly profile?: string;
};

/** The body of an answer whose text has been read, as its operation promises it. */
export function parseBody(answer: Answer, text: string, head: Head = {}): JsonValue | undefined {
  if (answer !== "text" && answer !== "nothing") return text === "" ? emptyBody(answer, head) : parseAnswer(text, head);
  // A server that answers with a page took the call for a browser's, and has not done it.
  if (/\bx?html\b/i.test(head.type ?? "") && /^\s*</.test(text)) throw invalidAnswer("a web page", text, head);
  return answer === "text" ? textIn(text) : remarkIn(text);
}

/** What an empty text stands for: some services answer so about a case that has no ancestors. */
function emptyBody(answer: Answer, head: Head): JsonValue {
  if (typeof answer === "object" && answer.mayBeEmpty) return {};
  throw invalidAnswer("empty", "", head);
}

/** What some servers say where nothing is promised: JSON, or a sentence. */
function remarkIn(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : parseJsonOrText(text);
}

/** Some servers put a text into JSON, others send it as it is. */
function textIn(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text; // A text that begins with a quotation mark.
  }
}

/** The JSON of an answer's text, or `INVALID_RESPONSE`. */
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
  return new SvcError("INVALID_RESPONSE", `The service's answer is ${what} (${found}).`, {
    cause,
    operation,
    status,
    requestId,
    hint: { text: "Check the base URL and the API root.", commands: [diagnoseCommand(profile)] },
  });
}
