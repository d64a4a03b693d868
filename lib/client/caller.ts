/** Makes calls of operations. The command line, the library and the workflow engine share this module. */
import { PROFILE_MEMBERS } from "../auth/profiles.ts";
import { openSession, type Session } from "../auth/session.ts";
import { createWarn, type ExchangeSummary, type SessionOptions, type Target } from "../auth/settings.ts";
import { invokeCallback } from "./callback.ts";
import { SvcError, toSvcError } from "../errors.ts";
import { getRequestPath } from "../http/address.ts";
import { Deadline, readText } from "../http/limits.ts";
import { listLoggedHeaders } from "../http/logged_headers.ts";
import {
  IDEMPOTENCY_KEY_FORM,
  isIdempotencyKey,
  isRead,
  listParams,
  type Operation,
  type OperationRef,
  type RequestOptions,
} from "../operation/operation.ts";
import type { RequestStyle } from "../operation/request_style.ts";
import { filterObjects } from "../../utils/json.ts";
import { checkSignal, describeNotFound, jsonText, type Values } from "./request/values.ts";
import { USER_AGENT } from "../version.ts";
import { type EncodedRequest, encodeRequest, type Part } from "./request/encode.ts";
import type { MultipartBody } from "./request/multipart.ts";
import { mayBeDone } from "./outcome.ts";
import { findList } from "./response/check_answer.ts";
import { checkStatus, readHead, Reply, type ReplyHead, TAG_OPTION } from "./response/reply.ts";

/** A request and its response, for logs. It contains no secret. */
export interface Exchange extends ExchangeSummary {
  /** Milliseconds from the request to the end of the response, or to the start of its content. */
  readonly milliseconds: number;
  /** Body of the response, or type and size of its content in parentheses. */
  readonly text: string;
}

/** Options of a caller. */
export interface CallerOptions extends SessionOptions {
  /** Receives each exchange with the API. */
  onReply?: ((exchange: Exchange) => void) | undefined;
  /**
   * Set to false to throw `PRECONDITION_REQUIRED` when the service demands an entity tag. By default, the client reads the
   * tag and sends the request again.
   */
  autoTag?: boolean | undefined;
}

/** Options of a call that may be one of several attempts. */
export interface AttemptOptions extends RequestOptions {
  /** The entity tag that an earlier attempt was sent with. It is sent again instead of a new one. */
  knownTag?: string | undefined;
}

/** A call that is ready to be sent: its values are encoded and its entity tag is known. Nothing has been changed yet. */
export interface PreparedCall {
  /** The entity tag that the request carries. */
  readonly ifMatch: string | undefined;
  /** Sends the request and reads the response. */
  send(): Promise<Reply>;
  /**
   * Reads the entity tag that the service demands, and prepares the request with it. Returns undefined for any other
   * failure, for a request with a tag, and for an operation without a source of tags.
   */
  addDemandedTag(thrown: unknown): Promise<PreparedCall | undefined>;
}

/** The attempts of one call. */
export interface Attempts {
  /** Resolves when an attempt may start. Throws if the service is unavailable for too long. */
  begin(): Promise<void>;
  /** Reports that an attempt succeeded. */
  succeeded(): void;
  /** Resolves when another attempt may start. Otherwise throws the final error of the call. */
  next(thrown: unknown): Promise<void>;
  /**
   * Waits until the service is available, if an error may be due to an outage. Returns whether there was one. Throws if it
   * lasts too long.
   */
  outlast(thrown: unknown): Promise<boolean>;
}

/** Options of the attempts of a call. */
export interface AttemptsOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Aborts when the attempt in progress has to be the last. */
  readonly lastAttempt?: AbortSignal | undefined;
  /** Reports whether the service applies a repeated change only once. */
  readonly isIdempotent: () => boolean;
  /** Reports whether the service still knows the key of a change that may have been applied (default: true). */
  readonly isKeyKnown?: (() => boolean) | undefined;
  /** True if the change was sent before, for example by another process, and may have been applied. */
  readonly mayHaveArrived?: boolean | undefined;
  /** Called when the call starts or stops to wait for a service that may be unavailable. */
  readonly onWaiting?: ((isWaiting: boolean) => void) | undefined;
}

/** Makes calls. */
export interface Caller {
  /** Makes a call: prepares it and sends it. */
  call(ref: OperationRef, values: Values, options?: AttemptOptions): Promise<Reply>;
  /** Encodes a call and reads the entity tag that it needs. */
  prepare(ref: OperationRef, values: Values, options?: AttemptOptions): Promise<PreparedCall>;
  /** Starts to count the attempts of a call. */
  startAttempts(ref: OperationRef, options: AttemptsOptions): Attempts;
  /** Returns the service. Throws if options, environment and profile name none. */
  getTarget(): Target;
  /** Reports whether the service applies a repeated change with the same idempotency key only once. */
  supportsIdempotencyKeys(): boolean;
}

/** Allows one attempt. */
export const SINGLE_ATTEMPT: Attempts = {
  begin: () => Promise.resolve(),
  succeeded: () => {},
  next: (thrown) => Promise.reject(thrown),
  outlast: () => Promise.resolve(false),
};

/**
 * Creates a caller for the service that the options, the environment and the profile name. Nothing is read before the
 * first call.
 */
export function createCaller(
  options: CallerOptions = {},
  open: (options: SessionOptions) => Session = openSession,
): Caller {
  let opened: Session | undefined;
  const session = () => opened ??= open(options);
  /** Operations for which the service has demanded an entity tag: further calls read it first. */
  const demanding = new Set<string>();
  let isWarned = false;
  const listeners: CallListeners = {
    onRequest: options.onRequest,
    onReply: options.onReply,
    onFailure: options.onFailure,
    onUntagged(reason) {
      if (isWarned) return;
      isWarned = true;
      createWarn(options)(
        `The change is sent without an entity tag, because ${reason}. It overwrites what others have changed since. ` +
          'To skip this read, set "tags": "never" in the profile.',
      );
    },
  };
  const prepare = async (ref: OperationRef, values: Values, attempt: AttemptOptions = {}): Promise<PreparedCall> => {
    try {
      const request = encodeCall(ref, values, attempt, () => session().target);
      const call = new Call(ref, session(), attempt, listeners);
      const ifMatch = await call.findTag(request, demanding.has(ref.name));
      return {
        ifMatch,
        send: () => send(ref, values, call.send({ ...request, ifMatch })),
        async addDemandedTag(thrown) {
          const canRead = options.autoTag !== false && ifMatch === undefined && request.demandedTagPath !== undefined;
          if (!demandsTag(thrown) || !canRead) return undefined;
          demanding.add(ref.name);
          try {
            return await prepare(ref, values, attempt);
          } catch (error) {
            const read = toSvcError(error);
            throw read.with({}, `The service demands an entity tag, but reading it failed: ${read.message}`);
          }
        },
      };
    } catch (error) {
      throw toSvcError(error).withOperation(ref.name);
    }
  };
  const send = async (ref: OperationRef, values: Values, sending: Promise<Reply>): Promise<Reply> => {
    try {
      return pickElement(ref.operation, values, await sending);
    } catch (error) {
      throw toSvcError(error).withOperation(ref.name);
    }
  };
  return {
    prepare,
    call: async (ref, values, attempt) => await sendPrepared(await prepare(ref, values, attempt)),
    startAttempts: () => SINGLE_ATTEMPT,
    getTarget: () => session().target,
    supportsIdempotencyKeys: () => session().target.idempotencyKeys,
  };
}

/** Reports whether the service has not performed a call because it demands an entity tag. */
export function demandsTag(thrown: unknown): boolean {
  return thrown instanceof SvcError && thrown.status === 428;
}

/** Sends a prepared call, and once more with the entity tag if the service demands one. Calls `onTag` with that tag. */
export async function sendPrepared(prepared: PreparedCall, onTag?: (tag?: string) => void): Promise<Reply> {
  try {
    return await prepared.send();
  } catch (thrown) {
    const tagged = await prepared.addDemandedTag(thrown);
    if (tagged === undefined) throw thrown;
    onTag?.(tagged.ifMatch);
    return await tagged.send();
  }
}

/** Encodes the request of a call. Throws `INVALID_ARGS` for invalid values and options. */
export function encodeCall(
  ref: OperationRef,
  values: Values,
  options: AttemptOptions = {},
  getStyle?: () => RequestStyle,
): EncodedRequest {
  checkTimeout(options.timeoutSeconds);
  checkSignal(options.signal);
  checkKey(options.idempotencyKey);
  return encodeRequest(ref.operation, values, getStyle);
}

function checkTimeout(seconds: unknown): void {
  const { isValid, must } = PROFILE_MEMBERS.timeoutSeconds;
  if (seconds === undefined || isValid(seconds)) return;
  throw new SvcError("INVALID_ARGS", `timeoutSeconds must be ${must}.`, {
    hint: "Omit it to use the limit of the profile.",
  });
}

function checkKey(key: unknown): void {
  if (key === undefined || isIdempotencyKey(key)) return;
  throw new SvcError("INVALID_ARGS", `idempotencyKey must be ${IDEMPOTENCY_KEY_FORM}.`, {
    hint: "Use a new key for each call, such as crypto.randomUUID().",
  });
}

/** The error of a service that returns no entity tag for a change that needs one. */
export function missingTag(path: string): SvcError {
  return new SvcError("MISSING_ETAG", `The response of GET ${path} has no entity tag.`, {
    hint: { options: [TAG_OPTION] },
  });
}

/** Reports whether an operation cannot be performed without an entity tag. */
export function isTagRequired({ tagDemand }: Operation): boolean {
  return tagDemand === "always";
}

/** Statuses of services that cannot read a single record, and so not its entity tag. */
const NO_SINGLE_RECORD: readonly (number | undefined)[] = [404, 405, 422];

/** Reports whether a change can be sent without an entity tag although reading the tag has failed. */
export function canSkipTag({ tagFrom }: Operation, error: unknown): error is SvcError {
  return tagFrom?.scalarsOf !== undefined && error instanceof SvcError && NO_SINGLE_RECORD.includes(error.status);
}

/** Callbacks of a call. */
interface CallListeners extends Pick<CallerOptions, "onRequest" | "onReply" | "onFailure"> {
  /** Receives the reason why a change is sent without an entity tag. */
  readonly onUntagged: (reason: string) => void;
}

/** One call in progress. */
class Call {
  readonly #ref: OperationRef;
  readonly #session: Session;
  readonly #options: AttemptOptions;
  readonly #listeners: CallListeners;

  constructor(ref: OperationRef, session: Session, options: AttemptOptions, listeners: CallListeners) {
    this.#ref = ref;
    this.#session = session;
    this.#options = options;
    this.#listeners = listeners;
  }

  /** Returns the entity tag that a request needs: the given one, that of an earlier attempt, or one that is read now. */
  async findTag(
    { ifMatch = this.#options.knownTag, tagPath, demandedTagPath }: EncodedRequest,
    isDemanded: boolean,
  ): Promise<string | undefined> {
    if (ifMatch !== undefined) return ifMatch;
    if (tagPath !== undefined) return await this.#readTag(tagPath, isTagRequired(this.#ref.operation));
    return demandedTagPath !== undefined && isDemanded ? await this.#readTag(demandedTagPath, true) : undefined;
  }

  /** Sends a request and reads its response. */
  async send(request: EncodedRequest): Promise<Reply> {
    const { operation } = this.#ref;
    try {
      return await this.#send(request, isRead(operation) ? undefined : { key: this.#key });
    } catch (error) {
      throw request.ifMatch === undefined ? explainMissingTag(error, operation, this.#session.target) : error;
    }
  }

  /** The idempotency key, if the service supports keys. */
  get #key(): string | undefined {
    return this.#session.target.idempotencyKeys ? this.#options.idempotencyKey : undefined;
  }

  /**
   * Reads an entity tag. With an idempotency key, a 404 yields no tag: an earlier attempt may already have deleted the
   * resource.
   */
  async #readTag(path: string, isRequired: boolean): Promise<string | undefined> {
    const request = `GET ${path.replace(/\?.*/, "")}`;
    try {
      const { etag } = await this.#send({ method: "GET", path });
      if (etag !== undefined) return etag;
    } catch (error) {
      if (this.#key !== undefined && error instanceof SvcError && error.code === "NOT_FOUND") return undefined;
      // A refusal of this read says nothing about the change, which an earlier attempt may have made.
      if (isRequired || !canSkipTag(this.#ref.operation, error)) {
        throw toSvcError(error).with({ rejectedByService: undefined });
      }
      this.#listeners.onUntagged(`${request} responded with ${error.status}`);
      return undefined;
    }
    if (isRequired) throw missingTag(path);
    this.#listeners.onUntagged(`the response of ${request} has none`);
    return undefined;
  }

  /** Sends a request and reads its response. */
  async #send(request: EncodedRequest, change?: Change): Promise<Reply> {
    const transit = new Transit(this.#session.target, request, this.#options, change);
    const { operation } = this.#ref;
    try {
      const body = request.parts ? await transit.createForm(request.parts) : request.body && jsonText(request.body);
      const response = await this.#fetch(transit, body).catch((error) => {
        this.#reportFailure(transit, error);
        throw error;
      });
      if (operation.answer === "content" && response.ok) return await this.#contentReply(transit, response);
      return this.#textReply(transit, response, await readText(response));
    } catch (error) {
      transit.deadline.clear();
      const failure = addHint(transit.explain(error), operation);
      throw change && transit.isUnderWay && mayBeDone(failure) ? failure.with({ outcomeUnknown: true }) : failure;
    }
  }

  /** Sends a request. The session never sends a change again by itself. */
  #fetch(transit: Transit, body?: MultipartBody | string): Promise<Response> {
    const { request, change, url, deadline } = transit;
    const headers = buildHeaders(this.#ref.operation, request, change?.key);
    this.#reportRequest(transit, headers, body);
    const fetching = this.#session.fetch({
      method: request.method,
      url,
      headers,
      body,
      signal: deadline.signal,
      // Not even with a key: a refusal of the second request would hide that the first was applied.
      once: change !== undefined,
      underWay: (isSent) => transit.underWay(isSent),
    });
    deadline.start(); // After the request: the first timer of a process takes longer to create.
    return fetching;
  }

  /** Reports a request, if `onRequest` is set. */
  #reportRequest({ request, url }: Transit, headers: Record<string, string>, body?: MultipartBody | string): void {
    const { onRequest } = this.#listeners;
    if (onRequest === undefined) return;
    invokeCallback("onRequest", onRequest, {
      method: request.method,
      path: getRequestPath(url),
      headers: { ...headers, authorization: "Bearer [REDACTED]" },
      text: typeof body === "object" ? `(${body.size} bytes)` : this.#session.redact(body ?? ""),
    });
  }

  /** Reports a request that got no response. An `SvcError` comes from the token exchange. */
  #reportFailure({ request: { method }, change, url, deadline, isUnderWay, milliseconds }: Transit, error: unknown) {
    const { onFailure } = this.#listeners;
    if (onFailure === undefined || !isUnderWay || error instanceof SvcError) return;
    const path = getRequestPath(url);
    const failure = deadline.explain(error, `${method} ${path}`);
    invokeCallback("onFailure", onFailure, { method, path, milliseconds, message: failure.message }, {
      outcomeUnknown: (change !== undefined && mayBeDone(failure)) || undefined,
    });
  }

  #textReply(transit: Transit, response: Response, text: string): Reply {
    const head = readHead(this.#ref, response, transit.milliseconds, this.#session.target, text === "");
    this.#report(transit, head, () => describeBytes(head) ?? this.#session.redact(text));
    checkStatus(head, response, response.ok ? text : this.#session.redact(text), transit);
    const reply = new Reply(head, { text });
    // Report the page of a gateway at once. An empty response may still carry the entity tag.
    if (text !== "" && !/\bjson\b/i.test(head.type ?? "")) void reply.body;
    transit.deadline.clear();
    return reply;
  }

  /** Returns a response whose content the caller reads. Cancels the content if the caller does not get it. */
  async #contentReply(transit: Transit, response: Response): Promise<Reply> {
    const { deadline } = transit;
    try {
      const head = readHead(this.#ref, response, transit.milliseconds, this.#session.target);
      this.#report(transit, head, () => describeContent(head));
      const { openContent } = await import("./response/open_content.ts");
      const explain = (error: unknown) => transit.explain(error).withOperation(this.#ref.name);
      return new Reply(head, { content: openContent(response, { deadline, explain }) });
    } catch (error) {
      void response.body?.cancel().catch(() => {});
      throw error;
    }
  }

  /** Reports an exchange, if `onReply` is set: redacting the text takes as long as reading it. */
  #report({ request, change, url }: Transit, head: ReplyHead, getText: () => string): void {
    const { onReply } = this.#listeners;
    if (onReply === undefined) return;
    const { status, reason, milliseconds } = head;
    const exchange = {
      method: request.method,
      path: getRequestPath(url),
      status,
      reason,
      milliseconds,
      headers: listLoggedHeaders(head.headers, (text) => this.#session.redact(text)),
      text: getText(),
    };
    invokeCallback("onReply", onReply, exchange, {
      hint: `The service responded with ${status}. Catch errors inside onReply.`,
      outcomeUnknown: change !== undefined || undefined,
    });
  }
}

/** Describes content by its type and size. */
function describeContent({ type = "content", headers }: ReplyHead): string {
  const length = headers.get("content-length");
  const isEncoded = headers.get("content-transfer-encoding")?.trim().toLowerCase() === "base64";
  if (length === null || headers.has("content-encoding")) return `(${type}, size unknown)`;
  return `(${type}, ${length} bytes${isEncoded ? " of base64" : ""})`;
}

/** Describes a body that is not text, such as an image. */
function describeBytes(head: ReplyHead): string | undefined {
  const isText = head.type === undefined || /^text\/|json|xml|script|form-urlencoded/i.test(head.type);
  return isText ? undefined : describeContent(head);
}

/** Properties of a request that changes something. */
interface Change {
  readonly key: string | undefined;
}

/** A request in progress. */
class Transit {
  readonly request: EncodedRequest;
  readonly change?: Change | undefined;
  readonly baseUrl: string;
  readonly url: string;
  readonly deadline: Deadline;
  isUnderWay = false;
  readonly #signal: AbortSignal | undefined;
  #started = performance.now();
  #form: MultipartBody | undefined;

  constructor(target: Target, request: EncodedRequest, options: RequestOptions, change?: Change) {
    const { signal, timeoutSeconds = target.timeoutSeconds } = options;
    this.request = request;
    this.change = change;
    this.baseUrl = target.baseUrl;
    this.url = target.baseUrl + target.apiRoot + request.path;
    this.deadline = new Deadline({ ...target, timeoutSeconds }, signal);
    this.#signal = signal;
  }

  /** Time since it was sent, in milliseconds. */
  get milliseconds(): number {
    return performance.now() - this.#started;
  }

  underWay(isSent: boolean): void {
    this.isUnderWay = isSent;
    this.#started = performance.now(); // The token exchange before is reported separately.
  }

  /** Creates a multipart body. Each read of the body restarts the deadline. */
  async createForm(parts: readonly Part[]): Promise<MultipartBody> {
    const { MultipartBody } = await import("./request/multipart.ts");
    return this.#form = new MultipartBody(parts, () => this.deadline.start());
  }

  /** Explains why it failed. For an unreadable file, the platform only reports that the request was not sent. */
  explain(error: unknown): SvcError {
    const reason = this.#signal?.aborted ? error : this.#form?.failure ?? error;
    // Until it is sent, a request waits for its token.
    const exchange = this.isUnderWay ? `${this.request.method} ${this.url}` : `The token exchange with ${this.baseUrl}`;
    return this.deadline.explain(reason, exchange);
  }
}

function buildHeaders({ answer }: Operation, { ifMatch, body }: EncodedRequest, key?: string): Record<string, string> {
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

function addHint(failure: SvcError, operation: Operation): SvcError {
  const isUnknown = failure.status === 404 && failure.rejectedByService === true;
  return isUnknown ? failure.with({ hint: describeNotFound(operation) }) : failure;
}

/** Statuses with which services refuse a request that lacks an entity tag. */
const UNTAGGED: readonly (number | undefined)[] = [400, 409, 412, 428];

/** Adds a hint to a refusal that may be due to the missing entity tag. */
function explainMissingTag(thrown: unknown, { tagFrom }: Operation, { tags }: RequestStyle): unknown {
  if (tagFrom === undefined || !(thrown instanceof SvcError) || !UNTAGGED.includes(thrown.status)) return thrown;
  const advice = tags === "first"
    ? "The request had no entity tag, because the service did not provide one."
    : 'The request had no entity tag, which some services require. Set "tags": "first" in the profile to read it first.';
  return thrown.with({ hint: { text: advice, options: [TAG_OPTION] } });
}

/** Picks the requested element from a response that lists all of them. */
function pickElement(operation: Operation, values: Values, reply: Reply): Reply {
  for (const [name, param] of listParams(operation)) {
    if (!param.to.startsWith("pick:")) continue;
    const [list = "", member = ""] = param.to.slice("pick:".length).split(".");
    const elements = filterObjects(findList(reply.body, list));
    const body = elements.find((one) => one[member] === values[name]);
    if (body === undefined) {
      throw new SvcError("NOT_FOUND", `The service lists no ${list} with ${member} ${JSON.stringify(values[name])}.`, {
        hint: "Use the list command of this group to see what exists.",
      });
    }
    return new Reply({ ...reply.head, etag: undefined }, { body }); // The tag belongs to the list.
  }
  return reply;
}
