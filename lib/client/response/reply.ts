/** Reads responses of the service: head, status and body. */
import {
  createRetryHint,
  getErrorCode,
  type Hint,
  type HintOption,
  SvcError,
  type SvcErrorOptions,
} from "../../errors.ts";
import type { Target } from "../../auth/settings.ts";
import { type Destination, explainRedirect } from "../../http/address.ts";
import { suggestDiagnosis } from "../../http/network.ts";
import type { Answer, Content } from "../../operation/answer.ts";
import { isRead, type Operation, type OperationRef } from "../../operation/operation.ts";
import {
  filterObjects,
  isJsonObject,
  isNestedWithin,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  JsonTooDeep,
  type JsonValue,
  parseJson,
  parseJsonObject,
  parseJsonOrText,
  type ParseOptions,
} from "../../../utils/json.ts";
import { MAX_LEVELS } from "../../../utils/json_depth.ts";

/** Status and headers of a response. */
export interface ReplyHead {
  /** Operation, e.g. `cases.get`. */
  readonly operation: string;
  /** Answer that the operation promises. */
  readonly answer: Answer;
  /** HTTP status. */
  readonly status: number;
  /** Reason phrase of the status. */
  readonly reason: string;
  /** Media type of the body. */
  readonly type?: string | undefined;
  /** Headers. */
  readonly headers: Headers;
  /** Entity tag. */
  readonly etag?: string | undefined;
  /** Identifier that the service gave the request. */
  readonly requestId?: string | undefined;
  /** Milliseconds from the request to the end of the response, or to the start of its content. */
  readonly milliseconds: number;
  /** Profile of the service, for hints. */
  readonly profile?: string | undefined;
  /** Address of the service. */
  readonly baseUrl?: string | undefined;
  /** True for a change that succeeded with an empty body, although the operation promises JSON. */
  readonly hasNoContent?: true | undefined;
}

/** A response. Its text is parsed on demand: the host of a workflow only passes it on. */
export class Reply {
  /** Status and headers. */
  readonly head: ReplyHead;
  /** Body that is content: not read yet. */
  readonly content?: Content | undefined;
  #text: string | undefined;
  #body: JsonValue | undefined;

  /** Creates a response from its text, its content, or a body. */
  constructor(head: ReplyHead, { text, content, body }: { text?: string; content?: Content; body?: JsonValue }) {
    this.head = head;
    this.content = content;
    this.#text = text;
    this.#body = body;
  }

  /** Entity tag. */
  get etag(): string | undefined {
    return this.head.etag;
  }

  /** Body as text; empty if it is content. */
  get text(): string {
    return this.#text ??= this.#body === undefined ? "" : JSON.stringify(this.#body);
  }

  /** Body; undefined if the operation promises none. Throws `INVALID_RESPONSE` for a promised body that is not JSON. */
  get body(): JsonValue | undefined {
    return this.#body ??= this.head.hasNoContent
      ? createEmpty(this.head.answer)
      : parseBody(this.head.answer, this.text, this.head);
  }

  /** Returns the body for printing: its numbers have the digits that the service sent. */
  readPrintable(): JsonValue | undefined {
    if (this.head.hasNoContent) return undefined;
    return parseBody(this.head.answer, this.text, this.head, { keepText: true });
  }
}

/** Reads the head of a response. */
export function readHead(
  { name, operation }: OperationRef,
  { status, statusText: reason, headers }: Response,
  milliseconds: number,
  { profile, baseUrl }: Pick<Target, "profile" | "baseUrl">,
  isEmpty = false,
): ReplyHead {
  return {
    operation: name,
    answer: operation.answer,
    status,
    reason,
    headers,
    type: headers.get("content-type") ?? undefined,
    etag: headers.get("etag") || undefined, // A proxy that strips tags may leave an empty header.
    requestId: headers.get("x-request-id") ?? undefined,
    milliseconds,
    profile,
    baseUrl,
    ...(isEmpty && !isRead(operation) && mayRespondEmpty(operation) && { hasNoContent: true }),
  };
}

/** Reports whether an empty response to a change is valid: the answer requires no members, such as a new ID. */
function mayRespondEmpty({ answer }: Operation): boolean {
  return typeof answer === "object" && !("required" in answer.shape);
}

function createEmpty(answer: Answer): JsonValue {
  return typeof answer === "object" && "list" in answer.shape ? [] : {};
}

/** Maximum depth of an error detail. */
const MAX_DETAIL_LEVELS = 32;

/**
 * Statuses with which a service rejects a call that it has examined. All others may come from a gateway, a lock or a
 * limit before that.
 */
const JUDGEMENTS: readonly number[] = [400, 404, 409, 410, 412, 415, 422, 428];

/** Reports whether the service itself rejected a call. A gateway sends pages, but knows no entity tags. */
function isJudgement(status: number, body: JsonObject | undefined): boolean {
  return status === 412 || (body !== undefined && JUDGEMENTS.includes(status));
}

/** Throws the error of a status outside 200 to 299. */
export function checkStatus(head: ReplyHead, { headers }: Response, text: string, sent: Destination): void {
  if (head.status < 200 || head.status >= 300) throw refusal(head, text, headers, sent);
}

function refusal(
  { status, reason, requestId, type }: ReplyHead,
  text: string,
  headers: Headers,
  sent: Destination,
): SvcError {
  const code = getErrorCode(status);
  const body = parseJsonObject(text); // The error page of a proxy is not JSON.
  const findings = body?.errorDetails ?? body?.errors; // The first version of the DX API calls them `errors`.
  const details = filterObjects(findings).map(readable);
  return new SvcError(
    code,
    composeMessage(body, details) ??
      describeRefusal(`${status} ${reason}`.trimEnd(), body === undefined ? text : "", type),
    {
      status,
      classification: isNonEmptyString(body?.errorClassification) ? body.errorClassification : undefined,
      details: details.length > 0 ? details : undefined,
      requestId,
      hint: offersToSkipAutomation(body) ? SKIP_AUTOMATION : hintFor(status, headers, sent),
      retryAfter: headers.get("retry-after") ?? undefined,
      rejectedByService: isJudgement(status, body) || undefined,
      replayed: headers.get("idempotent-replayed") === "true" || undefined,
    },
  );
}

const SKIP_AUTOMATION: Hint = {
  options: [{ name: "skipAutomation", purpose: "to submit without robotic automation" }],
};

/** Reports whether a form was refused because a robot failed, and can be submitted without it. */
function offersToSkipAutomation(body: JsonObject | undefined): boolean {
  const offered = body?.displayButtonsOnErrors;
  return isJsonObject(offered) && offered.skipRoboticAutomation === true;
}

/** Maximum length of the text that a message quotes from an error page. */
const MAX_EXCERPT = 200;

/** Describes a response without a message of its own. Quotes a plain text, or the title of a web page. */
function describeRefusal(status: string, text: string, type = "text/plain"): string {
  const isPage = /\bx?html\b/i.test(type);
  const [, title = ""] = isPage ? /<title[^>]*>([^<]*)/i.exec(text) ?? [] : ["", text];
  const line = title.slice(0, 10 * MAX_EXCERPT).replace(/\s+/g, " ").trim();
  const excerpt = line.length > MAX_EXCERPT ? line.slice(0, MAX_EXCERPT - 1) + "…" : line;
  return `The service responded with ${status}${excerpt === "" ? "." : `: ${excerpt}`}`;
}

/** Returns a detail that can be printed: only the scalar members of one that is nested too deeply. */
function readable(finding: JsonObject): JsonObject {
  if (isNestedWithin(finding, MAX_DETAIL_LEVELS)) return finding;
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => isScalar(value)));
}

/** Composes the message: the general sentence of the service, and the detail if there is exactly one. */
function composeMessage(body: JsonObject | undefined, details: readonly JsonObject[]): string | undefined {
  const [detail] = details;
  const [general, particular] = [body?.localizedValue, detail?.localizedValue].filter(isNonEmptyString);
  if (general === undefined) return isNonEmptyString(detail?.message) ? detail.message : undefined;
  if (particular === undefined || particular === general || details.length > 1) return general;
  return `${general.replace(/[.:]$/, "")}: ${particular}`;
}

/** Returns a hint for a status. */
function hintFor(status: number, headers: Headers, sent: Destination): string | Hint | undefined {
  const location = headers.get("location");
  if (status < 400 && location !== null) return explainRedirect(location, sent);
  const retryAfter = headers.get("retry-after") ?? undefined;
  // A server that fails without a Retry-After may have applied the call: do not suggest to repeat it.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return createRetryHint(retryAfter);
  return HINTS[status];
}

/** The option that prevents a change of a resource that has changed since it was read. */
export const TAG_OPTION: HintOption = { name: "ifMatch", purpose: "to send the entity tag that you last read" };

const HINTS: Readonly<Record<number, string | Hint>> = {
  401:
    "The service refuses a token that its token endpoint has issued: check baseUrl, tokenPath and what the client may do.",
  412: "The resource has changed since. Read it again, then decide.",
  423: "Wait until the change in progress is completed, or ask its author to submit or discard the draft. " +
    "'svc cases discard-updates <case>' discards it, if you may manage the case.",
  428: { options: [TAG_OPTION] },
};

/** The part of a head that errors of the body mention. */
type BodyHead = Pick<SvcErrorOptions, "operation" | "status" | "requestId"> & {
  readonly type?: string | undefined;
  readonly profile?: string | undefined;
};

/** Parses the text of a response as its operation promises it. */
export function parseBody(
  answer: Answer,
  text: string,
  head: BodyHead = {},
  options?: ParseOptions,
): JsonValue | undefined {
  if (answer !== "text" && answer !== "nothing") {
    return text === "" ? emptyBody(answer, head) : parseAnswer(text, head, options);
  }
  // A server that sends a web page has mistaken the client for a browser and has not applied the call.
  if (/\bx?html\b/i.test(head.type ?? "") && /^\s*</.test(text)) throw invalidBody("a web page", text, head);
  return answer === "text" ? textIn(text) : remarkIn(text);
}

/** Returns the body that an empty text stands for: some services send one for a case without ancestors. */
function emptyBody(answer: Answer, head: BodyHead): JsonValue {
  if (typeof answer === "object" && answer.mayBeEmpty) return createEmpty(answer);
  throw invalidBody("empty", "", head);
}

/** Parses the body that some services send although none is promised: JSON, or a sentence. */
function remarkIn(text: string): JsonValue | undefined {
  return text.trim() === "" ? undefined : parseJsonOrText(text);
}

/** Parses a text, which some services send as JSON. */
function textIn(text: string): string {
  if (!text.trimStart().startsWith('"')) return text;
  try {
    const value = parseJson(text);
    return typeof value === "string" ? value : text;
  } catch {
    return text; // A text that starts with a quotation mark.
  }
}

/** Parses JSON. Throws `INVALID_RESPONSE` for any other text. */
function parseAnswer(text: string, head: BodyHead, options?: ParseOptions): JsonValue {
  try {
    return parseJson(text, options);
  } catch (cause) {
    if (cause instanceof JsonTooDeep) {
      throw invalidBody(`nested more than ${MAX_LEVELS} levels deep`, text, head, cause);
    }
    throw invalidBody("not JSON", text, head, cause);
  }
}

function invalidBody(what: string, text: string, head: BodyHead, cause?: unknown): SvcError {
  const { operation, status, type, requestId, profile } = head;
  const found = `${type ?? "no content type"}, ${text.length} characters`;
  return new SvcError("INVALID_RESPONSE", `The response of the service is ${what} (${found}).`, {
    cause,
    operation,
    status,
    requestId,
    raw: text,
    hint: { text: "Check the base URL and the API root.", commands: [suggestDiagnosis(profile)] },
  });
}
