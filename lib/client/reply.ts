/** What came back: read once, checked once, with the service's errors as errors of the family. */
import type { Answers, Content } from "../answer_types.ts";
import { codeOfStatus, hintOfWait, SvcError } from "../errors.ts";
import type { OperationRef } from "../operation.ts";
import {
  isFilledText,
  isJsonObject,
  isScalar,
  isWithin,
  type JsonObject,
  jsonOrText,
  type JsonValue,
  parseJsonObject,
} from "../json.ts";

/** The most bytes that an answer may have, whether the service or a proxy sends it. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** Levels of a finding of a refused call. */
const MAX_LEVELS = 32;

/** What an answer says of itself beside its text. */
export interface ReplyHead {
  /** The operation that it answers, e.g. `cases.get`. */
  readonly operation: string;
  /** Shape of the answer that the operation promises. */
  readonly answer: keyof Answers;
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase of the status. */
  readonly reason: string;
  /** Media type of the body. */
  readonly type?: string;
  /** Entity tag. */
  readonly etag?: string;
  /** The service's identifier of the request. */
  readonly requestId?: string;
  /** Milliseconds from the request to the end of the answer; of content, to its beginning. */
  readonly milliseconds: number;
}

/** An answer of the service. Its text becomes JSON when somebody asks: a workflow's parent only passes it on. */
export class Reply {
  /** Status and headers. */
  readonly head: ReplyHead;
  /** Body as it was received; empty where it is content. */
  readonly text: string;
  /** Body where it is content: not read yet. */
  readonly content?: Content;
  #body?: JsonValue;

  /** An answer whose text has been read, or whose content has not. */
  constructor(head: ReplyHead, text: string, content?: Content) {
    this.head = head;
    this.text = text;
    this.content = content;
  }

  /** Entity tag. */
  get etag(): string | undefined {
    return this.head.etag;
  }

  /** Body; undefined where none was promised. Throws `INVALID_RESPONSE` where one was that is empty or not JSON. */
  get body(): JsonValue | undefined {
    return this.#body ??= bodyOf(this.head.answer, this.text, this.head);
  }
}

/** The text of an answer, or `INVALID_RESPONSE` where it is too long. */
export async function readText(response: Response, limit = ANSWER_LIMIT): Promise<string> {
  const { headers } = response;
  // The length of what is compressed says nothing of what comes out of it, and none counts beside chunks.
  const isTold = !headers.has("content-encoding") && !headers.has("transfer-encoding");
  const length = isTold ? Number(headers.get("content-length") ?? NaN) : NaN;
  if (length <= limit || response.body === null) return await response.text();
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new SvcError("INVALID_RESPONSE", `The service's answer is longer than ${limit} bytes.`);
    }
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/**
 * Statuses by which a service refuses a call that it has looked at. All others may come from before that: from a gateway,
 * a lock or a limit.
 */
const JUDGEMENTS: readonly number[] = [400, 404, 409, 410, 412, 415, 422, 428];

/** Whether the service itself has judged a call. A gateway has pages of its own, but no entity tags. */
function isJudgement(status: number, body: JsonObject | undefined): boolean {
  return status === 412 || (body !== undefined && JUDGEMENTS.includes(status));
}

/** What a response says of itself. */
export function headOf(
  { name, operation }: OperationRef,
  { status, statusText: reason, headers }: Response,
  milliseconds: number,
): ReplyHead {
  return {
    operation: name,
    answer: operation.answer,
    status,
    reason,
    type: headers.get("content-type") ?? undefined,
    etag: headers.get("etag") || undefined, // A proxy that strips tags may leave the name.
    requestId: headers.get("x-request-id") ?? undefined,
    milliseconds,
  };
}

/** Where a request was sent. */
export interface Destination {
  /** Its whole address. */
  readonly url: string;
  /** What of that is the base URL. */
  readonly baseUrl: string;
}

/** Throws what the service refused. */
export function checkStatus(head: ReplyHead, { headers }: Response, text: string, sent: Destination): void {
  if (head.status < 200 || head.status >= 300) throw refusal(head, text, headers, sent);
}

/** The body of an answer whose text has been read, as its operation promises it. */
export function bodyOf(
  answer: keyof Answers,
  text: string,
  head: Partial<ReplyHead> = {},
): JsonValue | undefined {
  if (answer !== "text" && answer !== "nothing") return text === "" ? emptyBody(answer, head) : parseAnswer(text, head);
  // A server that answers with a page took the call for a browser's, and has not done it.
  if (/\bx?html\b/i.test(head.type ?? "") && /^\s*</.test(text)) throw invalidAnswer("a web page", text, head);
  return answer === "text" ? textIn(text) : remarkIn(text);
}

/** Shapes of which an empty text stands for `{}`: some servers answer so of a case that has no ancestors. */
const MAY_BE_EMPTY: readonly (keyof Answers)[] = [
  "ancestors",
  "attachmentCategories",
  "bulkActions",
  "dataObjects",
  "dataPages",
  "descendants",
  "object",
  "recordActions",
  "viewRows",
];

/** What an empty text stands for. */
function emptyBody(answer: keyof Answers, head: Partial<ReplyHead>): JsonValue {
  if (MAY_BE_EMPTY.includes(answer)) return {};
  throw invalidAnswer("empty", "", head);
}

/** What some servers say where nothing is promised: JSON, or a sentence. */
function remarkIn(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : jsonOrText(text);
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
function parseAnswer(text: string, head: Partial<ReplyHead>): JsonValue {
  try {
    const body: JsonValue = JSON.parse(text);
    return body;
  } catch (cause) {
    throw invalidAnswer("not JSON", text, head, cause);
  }
}

function invalidAnswer(what: string, text: string, head: Partial<ReplyHead>, cause?: unknown): SvcError {
  const { operation, status, type, requestId } = head;
  const found = `${type ?? "no content type"}, ${text.length} characters`;
  return new SvcError("INVALID_RESPONSE", `The service's answer is ${what} (${found}).`, {
    cause,
    operation,
    status,
    requestId,
    hint: "Check the base URL and the API root; 'svc auth diagnose' tests both.",
  });
}

function refusal(
  { status, reason, requestId }: ReplyHead,
  text: string,
  headers: Headers,
  sent: Destination,
): SvcError {
  const code = codeOfStatus(status);
  const body = parseJsonObject(text); // The status alone says enough: a proxy's error page is no JSON.
  const findings = body?.errorDetails ?? body?.errors; // Errors of the first DX API have another name for them.
  const details = Array.isArray(findings) ? findings.filter(isJsonObject).map(readable) : [];
  return new SvcError(code, sentenceOf(body, details) ?? `The service answered ${status} ${reason}`.trimEnd() + ".", {
    status,
    classification: isFilledText(body?.errorClassification) ? body.errorClassification : undefined,
    details: details.length > 0 ? details : undefined,
    requestId,
    hint: hintFor(status, headers, sent),
    retryAfter: headers.get("retry-after") ?? undefined,
    judged: isJudgement(status, body) || undefined,
    replayed: headers.get("idempotent-replayed") === "true" || undefined,
  });
}

/** A finding that can be written wherever an error goes: of one that is nested beyond reason, its plain members. */
function readable(finding: JsonObject): JsonObject {
  if (isWithin(finding, MAX_LEVELS)) return finding;
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => isScalar(value)));
}

/** What the service says: its own general sentence, and the particular one where there is but one. */
function sentenceOf(body: JsonObject | undefined, details: readonly JsonObject[]): string | undefined {
  const [detail] = details;
  const [general, particular] = [body?.localizedValue, detail?.localizedValue].filter(isFilledText);
  if (general === undefined) return isFilledText(detail?.message) ? detail.message : undefined;
  if (particular === undefined || particular === general || details.length > 1) return general;
  return `${general.replace(/[.:]$/, "")}: ${particular}`;
}

/** What the user can do about a status. */
function hintFor(status: number, headers: Headers, sent: Destination): string | undefined {
  const location = headers.get("location");
  if (status < 400 && location !== null) return hintOfRedirect(location, sent);
  const retryAfter = headers.get("retry-after") ?? undefined;
  // A server that fails without a Retry-After may have done the call: no hint says to repeat it.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return hintOfWait(retryAfter);
  return HINTS[status];
}

/** What to do about a redirect: it may name the same request elsewhere, or another page. */
export function hintOfRedirect(location: string, { url, baseUrl }: Destination): string {
  const address = URL.parse(location, url)?.href ?? location;
  const below = url.slice(baseUrl.length);
  const base = address.slice(0, -below.length);
  const isSame = address.endsWith(below) && base !== baseUrl && !/[?#]/.test(base);
  return `It redirects to ${address}: ` +
    (isSame ? `set the base URL to ${base}.` : "the base URL may be wrong, or a login page stands before the service.");
}

const HINTS: Readonly<Record<number, string>> = {
  401:
    "The service refuses a token that its token endpoint has issued: check baseUrl, tokenPath and what the client may do.",
  412: "It was changed by somebody else. Read it again, then decide.",
  428: "Give the entity tag that you last read with --if-match.",
};
