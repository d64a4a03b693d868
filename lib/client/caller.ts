/** One call: values in, reply out. The command line, the library and a workflow's parent all enter here. */
import { TIMEOUT_RULE } from "../auth/profile.ts";
import { openSession, type Session } from "../auth/session.ts";
import type { ExchangeSummary, SessionOptions, Target } from "../auth/settings.ts";
import { tell } from "./callback.ts";
import { SvcError, toSvcError } from "../errors.ts";
import { getRequestPath } from "../http/address.ts";
import { Deadline } from "../http/deadline.ts";
import { readText } from "../http/read_text.ts";
import { isKey, KEY_FORM } from "../operation/idempotency_key.ts";
import { filterObjects, isJsonObject } from "../../utils/json.ts";
import { jsonText } from "./json_text.ts";
import { isRead, type Operation, type OperationRef, paramsOf, type RequestOptions } from "../operation/operation.ts";
import { checkSignal } from "../operation/param_types.ts";
import { USER_AGENT } from "../version.ts";
import { type EncodedRequest, encodeRequest, type Part } from "./encode.ts";
import type { MultipartBody } from "./multipart.ts";
import { mayBeDone } from "./outcome.ts";
import { checkStatus } from "./refusal.ts";
import { headOf, Reply, type ReplyHead } from "./reply.ts";
import { hintOfNotFound, type Values } from "./values.ts";

/** One request and its answer, for the caller's log. Nothing in it is secret. */
export interface Exchange extends ExchangeSummary {
  /** Milliseconds from the request to the end of the answer; of content, to its beginning. */
  readonly milliseconds: number;
  /** Body of the answer; of content, its media type in parentheses. */
  readonly text: string;
}

/** How to reach the service, and a hook that sees each exchange. */
export interface CallerOptions extends SessionOptions {
  /** Is told of each exchange with the API. */
  onReply?: (exchange: Exchange) => void;
}

/** What a caller that repeats calls may add to one. */
export interface RepeatableOptions extends RequestOptions {
  /** Is awaited right before a changing request itself is sent, with the entity tag that it carries. */
  sending?: (ifMatch: string | undefined) => void | Promise<void>;
  /** Is told that a changing request will follow as soon as its entity tag is known: the read of that is on its way. */
  readingTag?: () => void;
  /** Asked before each further attempt of a change that may be done: whether the service still knows the key. Yes by default. */
  isKeyKnown?: () => boolean;
  /** Whether the same change has been sent before, by another process say, and may have been done. */
  mayHaveArrived?: boolean;
  /** Aborts when the attempt that is on its way is to be the last. */
  lastAttempt?: AbortSignal;
  /** The entity tag that an attempt before has read: it is sent again and not read anew. */
  knownTag?: string;
}

/** Makes calls. */
export interface Caller {
  /** Makes one call: one request, and before it the read of an entity tag where the operation needs one. */
  call(ref: OperationRef, values: Values, options?: RepeatableOptions): Promise<Reply>;
  /** Whether the service does a call once that is repeated with the same idempotency key. */
  supportsIdempotencyKeys(): boolean;
}

/**
 * A caller for the service that the options, the environment and the profile name, or whose session `open` opens;
 * nothing is read before the first call.
 */
export function createCaller(
  options: CallerOptions = {},
  open: (options: SessionOptions) => Session = openSession,
): Caller {
  let opened: Session | undefined;
  const session = () => opened ??= open(options);
  return {
    supportsIdempotencyKeys: () => session().target.idempotencyKeys,
    async call(ref, values, callOptions = {}) {
      try {
        checkTimeout(callOptions.timeoutSeconds);
        checkSignal(callOptions.signal);
        checkKey(callOptions.idempotencyKey);
        const request = encodeRequest(ref.operation, values);
        const call = new Call(ref, session(), callOptions, options.onReply);
        return picked(ref.operation, values, await call.run(request));
      } catch (error) {
        throw toSvcError(error).withOperation(ref.name);
      }
    },
  };
}

function checkTimeout(seconds: unknown): void {
  if (seconds === undefined || TIMEOUT_RULE.holds(seconds)) return;
  throw new SvcError("INVALID_ARGS", `timeoutSeconds must be ${TIMEOUT_RULE.must}.`, {
    hint: "Leave it out for the profile's own limit.",
  });
}

function checkKey(key: unknown): void {
  if (key === undefined || isKey(key)) return;
  throw new SvcError("INVALID_ARGS", `idempotencyKey must be ${KEY_FORM}.`, {
    hint: "Use one of your own for each call, such as crypto.randomUUID().",
  });
}

/** The error of a change that needs an entity tag where the service gives none. */
export function missingTag(path: string): SvcError {
  return new SvcError("MISSING_ETAG", `GET ${path} answered no entity tag.`, {
    hint: "Give the tag that you last read with --if-match.",
  });
}

/** One call in progress. */
class Call {
  readonly #ref: OperationRef;
  readonly #session: Session;
  readonly #options: RepeatableOptions;
  readonly #onReply?: (exchange: Exchange) => void;

  constructor(ref: OperationRef, session: Session, options: RepeatableOptions, onReply?: (exchange: Exchange) => void) {
    this.#ref = ref;
    this.#session = session;
    this.#options = options;
    this.#onReply = onReply;
  }

  async run(request: EncodedRequest): Promise<Reply> {
    if (isRead(this.#ref.operation)) return await this.#send(request);
    const { knownTag, sending, idempotencyKey } = this.#options;
    const key = this.#session.target.idempotencyKeys ? idempotencyKey : undefined;
    const { tagPath } = request;
    const ifMatch = tagPath === undefined ? request.ifMatch : knownTag ?? await this.#readTag(tagPath, key);
    await sending?.(ifMatch);
    return await this.#send({ ...request, ifMatch }, { key });
  }

  /** The entity tag to send. Under a key that is none where the thing is gone: the change itself may have done that. */
  async #readTag(path: string, key: string | undefined): Promise<string | undefined> {
    const reading = this.#send({ method: "GET", path });
    this.#options.readingTag?.();
    try {
      const { etag } = await reading;
      if (etag !== undefined) return etag;
    } catch (error) {
      if (key !== undefined && error instanceof SvcError && error.code === "NOT_FOUND") return undefined;
      // A refusal of this read is no judgment on the change, which an earlier attempt may have made.
      throw toSvcError(error).with({ rejectedByService: undefined });
    }
    throw missingTag(path);
  }

  /** Makes a request and reads its answer. */
  async #send(request: EncodedRequest, change?: Change): Promise<Reply> {
    const transit = new Transit(this.#session.target, request, this.#options, change);
    const { operation } = this.#ref;
    try {
      const body = request.parts ? await transit.formOf(request.parts) : request.body && jsonText(request.body);
      const response = await this.#fetch(transit, body);
      if (operation.answer === "content" && response.ok) return await this.#contentReply(transit, response);
      return this.#textReply(transit, response, await readText(response));
    } catch (error) {
      transit.deadline.clear();
      const failure = hinted(transit.explain(error), operation);
      throw change && transit.isUnderWay && mayBeDone(failure) ? failure.with({ outcomeUnknown: true }) : failure;
    }
  }

  /** Sends a request; one that changes something must not arrive twice unless it has a key. */
  #fetch(transit: Transit, body?: MultipartBody | string): Promise<Response> {
    const { request, change, url, deadline } = transit;
    const fetching = this.#session.fetch({
      method: request.method,
      url,
      headers: headersOf(this.#ref.operation, request, change?.key),
      body,
      signal: deadline.signal,
      // With a key it may arrive twice, but not unseen: a refusal of the second would say that the first was not done.
      once: change !== undefined,
      underWay: (isSent) => transit.underWay(isSent),
    });
    deadline.start(); // Only now: the first clock of a process takes longer to make than the request.
    return fetching;
  }

  #textReply(transit: Transit, response: Response, text: string): Reply {
    const head = headOf(this.#ref, response, transit.milliseconds, this.#session.target.profile);
    this.#tell(transit, head, () => this.#session.redact(text));
    checkStatus(head, response, response.ok ? text : this.#session.redact(text), transit);
    const reply = new Reply(head, { text });
    // A gateway's page is no answer: its sender is told at once. An empty one may still have the tag that is wanted.
    if (text !== "" && !/\bjson\b/i.test(head.type ?? "")) void reply.body;
    transit.deadline.clear();
    return reply;
  }

  /** An answer whose content is the caller's to read; where the caller does not get it, it is let go of here. */
  async #contentReply(transit: Transit, response: Response): Promise<Reply> {
    const { deadline } = transit;
    try {
      const head = headOf(this.#ref, response, transit.milliseconds, this.#session.target.profile);
      this.#tell(transit, head, () => `(${head.type ?? "content"})`);
      const { contentOf } = await import("./content.ts");
      const explain = (error: unknown) => transit.explain(error).withOperation(this.#ref.name);
      return new Reply(head, { content: contentOf(response, { deadline, explain }) });
    } catch (error) {
      void response.body?.cancel().catch(() => {});
      throw error;
    }
  }

  /** Describes an exchange only where somebody listens: to look for secrets in its text takes as long as to read it. */
  #tell({ request, change, url }: Transit, head: ReplyHead, textOf: () => string): void {
    if (this.#onReply === undefined) return;
    const { status, reason, milliseconds } = head;
    const exchange = {
      method: request.method,
      path: getRequestPath(url),
      status,
      reason,
      milliseconds,
      text: textOf(),
    };
    tell("onReply", this.#onReply, exchange, {
      hint: `The call itself was answered with ${status}. Catch in onReply what may fail.`,
      outcomeUnknown: change !== undefined || undefined,
    });
  }
}

/** What a request that changes something is sent with. */
interface Change {
  readonly key: string | undefined;
}

/** One request on its way, and what it is called when it fails. */
class Transit {
  readonly request: EncodedRequest;
  readonly change?: Change;
  readonly baseUrl: string;
  readonly url: string;
  readonly deadline: Deadline;
  isUnderWay = false;
  readonly #signal?: AbortSignal;
  #started = performance.now();
  #form?: MultipartBody;

  constructor(target: Target, request: EncodedRequest, options: RequestOptions, change?: Change) {
    const { signal, timeoutSeconds = target.timeoutSeconds } = options;
    this.request = request;
    this.change = change;
    this.baseUrl = target.baseUrl;
    this.url = target.baseUrl + target.apiRoot + request.path;
    this.deadline = new Deadline({ timeoutSeconds, profile: target.profile }, signal);
    this.#signal = signal;
  }

  /** Milliseconds since it was sent. */
  get milliseconds(): number {
    return performance.now() - this.#started;
  }

  underWay(isSent: boolean): void {
    this.isUnderWay = isSent;
    this.#started = performance.now(); // What came before was the way to a token, which is told by itself.
  }

  /** Its body with files. It keeps the deadline away for as long as somebody reads it. */
  async formOf(parts: readonly Part[]): Promise<MultipartBody> {
    const { MultipartBody } = await import("./multipart.ts");
    return this.#form = new MultipartBody(parts, () => this.deadline.start());
  }

  /** Why it failed: of a file that cannot be read the platform only says that the request was not sent. */
  explain(error: unknown): SvcError {
    const reason = this.#signal?.aborted ? error : this.#form?.failure ?? error;
    // A request that is not under way yet is still waiting for its token.
    const exchange = this.isUnderWay ? `${this.request.method} ${this.url}` : `The token exchange with ${this.baseUrl}`;
    return this.deadline.explain(reason, exchange);
  }
}

function headersOf({ answer }: Operation, { ifMatch, body }: EncodedRequest, key?: string): Record<string, string> {
  const headers: Record<string, string> = {
    "accept": answer === "content" ? "*/*" : "application/json",
    "user-agent": USER_AGENT,
    "x-origin-channel": "Web",
  };
  if (ifMatch !== undefined) headers["if-match"] = ifMatch;
  if (key !== undefined) headers["idempotency-key"] = key;
  if (body !== undefined) headers["content-type"] = "application/json";
  return headers;
}

function hinted(failure: SvcError, operation: Operation): SvcError {
  const isUnknown = failure.status === 404 && failure.rejectedByService === true;
  return isUnknown ? failure.with({ hint: hintOfNotFound(operation) }) : failure;
}

/** The element that the caller asked for, where the service only lists them all. */
function picked(operation: Operation, values: Values, reply: Reply): Reply {
  for (const [name, param] of paramsOf(operation)) {
    if (!param.to.startsWith("pick:")) continue;
    const [list = "", member = ""] = param.to.slice("pick:".length).split(".");
    const elements = filterObjects(isJsonObject(reply.body) ? reply.body[list] : undefined);
    const body = elements.find((one) => one[member] === values[name]);
    if (body === undefined) {
      throw new SvcError("NOT_FOUND", `The service lists no ${list} with ${member} ${JSON.stringify(values[name])}.`, {
        hint: "The list command of this group shows what there is.",
      });
    }
    return new Reply({ ...reply.head, etag: undefined }, { body }); // The tag was that of the list.
  }
  return reply;
}
