/**
 * Makes the calls of a run: checks them against the grants, records changes, and sends them. A change carries an
 * idempotency key. If the service does not support keys, or may have forgotten the key, a change that may have been
 * applied is sent again only with its entity tag, or if the user decides so.
 */
import { isOutageTooLong } from "../../lib/client/availability.ts";
import { type Attempts, type Caller, demandsTag, type PreparedCall, sendPrepared } from "../../lib/client/caller.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { type ErrorCode, SvcError, toSvcError } from "../../lib/errors.ts";
import { isRead, type OperationRef } from "../../lib/operation/operation.ts";
import { delay, MAX_TIMER } from "../../utils/async/abort.ts";
import type { OnUnknown } from "../journal/journal.ts";
import { findGrantedOperation, type Grants, type Operations } from "../scripts/permissions.ts";
import { LeftOpen, StopsRun } from "../sandbox/host/interruption.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { encodeContent } from "../sandbox/protocol/files.ts";
import { type CallRequest, isReceive, isSleep } from "../sandbox/protocol/messages.ts";
import type { SentHeaders } from "./history.ts";
import { whenSent } from "../../utils/async/when_sent.ts";

/** Options of a call. */
export interface LiveCallOptions {
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal;
  /** Aborts when no attempt may follow the one in progress. */
  readonly lastAttempt: AbortSignal;
  /** Called when the call starts or stops to wait for a service that may be unavailable. */
  readonly onWaiting?: (isWaiting: boolean) => void;
  /** When the script first took the step, in milliseconds since 1970. */
  readonly calledAt: number;
  /** Idempotency key of a change and, if it was sent before, its entity tag. */
  readonly sent: SentHeaders;
  /** When the change was sent before, in milliseconds since 1970. */
  readonly sentAt?: number;
  /**
   * Records the headers of a change, and resolves when they are on disk. A further call records only the entity tag of a
   * change without a key that had none before.
   */
  commit(tag: string | undefined, isKeyed: boolean): Promise<void>;
}

/** Makes calls and sleeps. A thrown `StopInput` ends the input. The script gets all other errors. */
export interface LiveCalls {
  /** Makes a call, or sleeps. */
  call(request: CallRequest, options: LiveCallOptions): Promise<CallAnswer>;
}

/** Ends an input, even if its script catches every error. */
export class StopInput extends Error {
  /** The error of the input. */
  readonly reason: SvcError;

  /** Ends an input with an error. */
  constructor(reason: SvcError) {
    super(reason.message);
    this.reason = reason;
  }
}

/** Maximum number of times to send a change with an entity tag, which keeps it from being applied twice. */
const MAX_ATTEMPTS = 3;

/** Delay before such a change is sent again, in milliseconds. It doubles with each attempt. */
const FIRST_DELAY = 200;

/** Time for which a service is sure to remember a key, in milliseconds. */
const KEY_LIFETIME = 23 * 60 * 60 * 1000;

/** Responses to a repeated change that has been applied: its tag is stale, or the resource is gone. */
const APPLIED: readonly ErrorCode[] = ["PRECONDITION_FAILED", "NOT_FOUND"];

const UNDECIDED = "Check whether the change was applied. If it was, add --on-unknown skip: svc does not send it " +
  "again, and the script gets this error. If it was not, add --on-unknown repeat to send it again.";

const SKIPPED =
  "The change was not sent again because of --on-unknown skip. Complete this input by hand. Or change the " +
  "script so that it catches OUTCOME_UNKNOWN and continues, and retry with --on-unknown skip.";

/** The operations that a run may call. */
export interface Granted {
  /** All operations. */
  readonly operations: Operations;
  /** The granted ones. */
  readonly grants: Grants;
}

/** A granted call with its values. */
interface PermittedCall {
  readonly ref: OperationRef;
  readonly request: CallRequest;
  readonly options: LiveCallOptions;
}

/** Makes the calls of a run. */
export class GrantedCalls implements LiveCalls {
  readonly #caller: Caller;
  readonly #granted: Granted;
  readonly #onUnknown: OnUnknown;

  /** Makes granted calls with a caller. */
  constructor(caller: Caller, granted: Granted, onUnknown: OnUnknown = "stop") {
    this.#caller = caller;
    this.#granted = granted;
    this.#onUnknown = onUnknown;
  }

  /** Makes a call, or sleeps. A call whose service is unavailable for too long stops the run. */
  async call(request: CallRequest, options: LiveCallOptions): Promise<CallAnswer> {
    if (isSleep(request)) return await finishSleep(options.calledAt, request, options.signal);
    if (isReceive(request)) throw new StopInput(noSignals());
    const { operations, grants } = this.#granted;
    const call = { ref: findGrantedOperation(request.operation, operations, grants), request, options };
    try {
      return await this.#make(call);
    } catch (thrown) {
      const error = toSvcError(thrown);
      if (error.cause instanceof LeftOpen) throw new StopInput(error);
      if (!isOutageTooLong(error)) throw thrown;
      throw new StopInput(error.with({ cause: new StopsRun(undefined, { cause: error.cause }) }));
    }
  }

  async #make(call: PermittedCall): Promise<CallAnswer> {
    const { options } = call;
    if (isRead(call.ref.operation)) return await this.#read(call);
    const change = new Change(this.#caller, call);
    if (change.isKeyed && !options.sent.unkeyed && change.isKeyKnown()) {
      try {
        return await change.sendWithKey();
      } catch (thrown) {
        if (!toSvcError(thrown).outcomeUnknown || change.isKeyKnown()) throw thrown;
      }
    }
    // Only a recorded tag proves anything: the attempt with a key may have read its tag after the change was applied.
    return await this.#settle(call, new Change(this.#caller, call, change.sentAt));
  }

  async #read({ ref, request, options: { signal, lastAttempt, onWaiting } }: PermittedCall): Promise<CallAnswer> {
    const { values, timeoutSeconds } = request;
    const attempts = this.#caller.startAttempts(ref, { signal, lastAttempt, onWaiting, isIdempotent: () => true });
    for (;;) {
      try {
        await attempts.begin();
        const prepared = await this.#caller.prepare(ref, values, { signal, timeoutSeconds });
        const answer = await toCallAnswer(await sendPrepared(prepared));
        attempts.succeeded();
        return answer;
      } catch (thrown) {
        await attempts.next(thrown);
      }
    }
  }

  /** Sends a change that the service would apply each time it arrives. */
  async #settle({ ref, options }: PermittedCall, change: Change): Promise<CallAnswer> {
    const { signal, lastAttempt, onWaiting } = options;
    const attempts = this.#caller.startAttempts(ref, { signal, lastAttempt, onWaiting, isIdempotent: () => true });
    let failure: SvcError | undefined;
    const mayHaveArrived = () => change.sentAt !== undefined || failure !== undefined;
    for (let attempt = 1;; attempt++) {
      if (mayHaveArrived() && (change.tag === undefined || attempt > MAX_ATTEMPTS)) {
        return await this.#decide(ref, change, failure);
      }
      try {
        return await change.send();
      } catch (thrown) {
        const error = toSvcError(thrown);
        if (isOutageTooLong(error) || (!error.outcomeUnknown && !mayHaveArrived())) throw error;
        if (error.rejectedByService) {
          if (APPLIED.includes(error.code)) return describeApplied(ref);
          // The service may refuse the change because it has applied an earlier attempt.
          return await this.#decide(ref, change, error);
        }
        failure = error;
        if (change.tag !== undefined && await attempts.outlast(error)) {
          attempt = 0;
          continue;
        }
        await delay(FIRST_DELAY * 2 ** (attempt - 1), AbortSignal.any([signal, lastAttempt])).catch(() => {
          throw error.with({ outcomeUnknown: true });
        });
      }
    }
  }

  /** Applies the user's decision about a change with an unknown outcome. */
  async #decide(ref: OperationRef, change: Change, cause?: SvcError): Promise<CallAnswer> {
    if (this.#onUnknown === "repeat") return await change.send();
    if (this.#onUnknown === "skip") throw unknownOutcome(ref, SKIPPED, cause);
    throw new StopInput(unknownOutcome(ref, UNDECIDED, cause));
  }
}

/** A change of a run. */
class Change {
  /** True if the service supports idempotency keys. */
  readonly isKeyed: boolean;
  /** The entity tag that it was sent with. */
  tag: string | undefined;
  /** When it was first sent, in milliseconds since 1970. */
  sentAt: number | undefined;
  readonly #caller: Caller;
  readonly #call: PermittedCall;

  constructor(caller: Caller, call: PermittedCall, sentAt = call.options.sentAt) {
    this.#caller = caller;
    this.#call = call;
    this.isKeyed = caller.supportsIdempotencyKeys();
    this.tag = call.options.sent.tag;
    this.sentAt = sentAt;
  }

  /** Reports whether the service is sure to remember the key. The clock may have been set back since. */
  isKeyKnown(): boolean {
    return Math.abs(Date.now() - (this.sentAt ?? Date.now())) < KEY_LIFETIME;
  }

  /** Sends the change to a service that remembers its key. */
  async sendWithKey(): Promise<CallAnswer> {
    const { ref, options: { signal, lastAttempt, onWaiting } } = this.#call;
    return await this.#attempt(this.#caller.startAttempts(ref, {
      signal,
      lastAttempt,
      onWaiting,
      isIdempotent: () => true,
      isKeyKnown: () => this.isKeyKnown(),
      mayHaveArrived: this.sentAt !== undefined,
    }));
  }

  /** Sends the change once. The service may apply it each time it arrives. */
  async send(): Promise<CallAnswer> {
    const { ref, options: { signal, lastAttempt, onWaiting } } = this.#call;
    return await this.#attempt(
      this.#caller.startAttempts(ref, { signal, lastAttempt, onWaiting, isIdempotent: () => this.isKeyed }),
    );
  }

  /** Prepares the change, commits it to the journal, and sends it. */
  async #attempt(attempts: Attempts): Promise<CallAnswer> {
    const { ref, request, options } = this.#call;
    let reply: Reply | undefined;
    while (reply === undefined) {
      try {
        await attempts.begin();
        const preparing = this.#caller.prepare(ref, request.values, {
          signal: options.signal,
          timeoutSeconds: request.timeoutSeconds,
          idempotencyKey: options.sent.key,
          knownTag: this.tag,
        });
        reply = await this.#send(await this.#commitMeanwhile(preparing));
        attempts.succeeded();
      } catch (thrown) {
        await attempts.next(thrown);
      }
    }
    return await toCallAnswer(reply);
  }

  /** Commits a change to the journal and sends it. If the service demands an entity tag, it has not applied the change. */
  async #send(prepared: PreparedCall): Promise<Reply> {
    const { ifMatch } = prepared;
    await this.#call.options.commit(ifMatch, this.isKeyed);
    const { sentAt } = this;
    this.sentAt ??= Date.now();
    this.tag ??= ifMatch;
    try {
      return await prepared.send();
    } catch (thrown) {
      if (demandsTag(thrown)) this.sentAt = sentAt;
      const tagged = await prepared.addDemandedTag(thrown);
      if (tagged === undefined) throw thrown;
      return await this.#send(tagged);
    }
  }

  /** Commits a change with a key while its entity tag is read, because the key does not depend on the tag. */
  async #commitMeanwhile<T>(preparing: Promise<T>): Promise<T> {
    let isPreparing = this.isKeyed;
    whenSent(() => {
      if (isPreparing) void this.#call.options.commit(undefined, true).catch(() => {}); // The next commit reports it.
    });
    try {
      return await preparing;
    } finally {
      isPreparing = false;
    }
  }
}

/** Sleeps for the rest of a sleep, given its start in milliseconds since 1970. A clock that is set back does not prolong it. */
export async function finishSleep(since: number, { values }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
  const whole = Number(values.milliseconds);
  const unslept = Math.min(whole, since + whole - Date.now());
  try {
    for (let left = unslept; left > 0; left -= MAX_TIMER) await delay(Math.min(left, MAX_TIMER), signal);
  } catch (cause) {
    throw new SvcError("INTERRUPTED", "The sleep was cancelled.", { cause });
  }
  return { head: {}, text: "" };
}

function noSignals(): SvcError {
  return new SvcError("INVALID_CONFIG", "The script waits for a signal, and a run without a journal gets none.", {
    hint: "Run it with a journal.",
  });
}

/** Converts a response of the service to one for the script. */
export async function toCallAnswer(reply: Reply): Promise<CallAnswer> {
  const { head: { hasNoContent }, etag, content } = reply;
  const tag = etag === undefined ? {} : { etag };
  if (content === undefined) return { head: tag, text: hasNoContent ? JSON.stringify(reply.body) : reply.text };
  const { head, base64 } = await encodeContent(content);
  return { head: { ...tag, content: head }, text: base64 };
}

function unknownOutcome({ name }: OperationRef, hint: string, cause?: SvcError): SvcError {
  return new SvcError(
    "OUTCOME_UNKNOWN",
    `${name} was sent and its response was lost: the service has either applied it or never received it.`,
    { cause, operation: name, outcomeUnknown: true, hint },
  );
}

/** Describes a change that was applied and whose response was lost. */
function describeApplied({ operation }: OperationRef): CallAnswer {
  if (operation.answer === "nothing") return { head: {}, text: "" };
  return { head: { answer: "any" }, text: JSON.stringify({ settled: "arrived" }) };
}
