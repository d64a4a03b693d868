/**
 * Calls that are made for real: checked against what was granted, then sent. A change carries an idempotency key; where
 * the service knows none, or not any more, what may have arrived is settled here and not sent again blindly.
 */
import type { Caller, RepeatableOptions } from "../../lib/client/caller.ts";
import { type ErrorCode, SvcError, toSvcError } from "../../lib/errors.ts";
import { isRead, type OperationRef } from "../../lib/operation/operation.ts";
import { delay } from "../../utils/async/delay.ts";
import type { OnUnknown } from "../journal/journal.ts";
import { findGrantedOperation, type Grants, type Operations } from "../scripts/permissions.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { answerOf } from "./answer.ts";
import { type LiveCall, type LiveCalls, StopInput } from "./live_call.ts";
import { isSleep, sleepSince } from "./sleeping.ts";

/** Times that a change under an entity tag is sent before it is given up: the tag keeps it from being done twice. */
const MAX_ATTEMPTS = 3;

/** Milliseconds before such a change is sent again; twice as many before the next time. */
const PAUSE = 200;

/** Milliseconds for which a service surely keeps the first answer to a key: what was sent before then it may do again. */
const KEY_LIFETIME = 23 * 60 * 60 * 1000;

/** What a service says to a change under a tag that it has done already: the tag is another one, or what had it is gone. */
const ARRIVED: readonly ErrorCode[] = ["PRECONDITION_FAILED", "NOT_FOUND"];

const UNDECIDED = "Check whether the change was applied. If it was, add --on-unknown skip: it is not sent again, and " +
  "the script gets this error. Otherwise add --on-unknown repeat: it is sent again.";

const PASSED_OVER =
  "It was skipped, as --on-unknown skip demands. Finish this input by hand; or catch OUTCOME_UNKNOWN in " +
  "the script, to continue after the call, and add --force --on-unknown skip.";

/** What was granted, of what there is. */
export interface Granted {
  /** All operations. */
  readonly operations: Operations;
  /** Those that may be called. */
  readonly grants: Grants;
}

/** Makes the calls of a run. */
export class GrantedCalls implements LiveCalls {
  readonly #caller: Caller;
  readonly #granted: Granted;
  readonly #onUnknown: OnUnknown;

  /** Makes the calls that were granted. */
  constructor(caller: Caller, granted: Granted, onUnknown: OnUnknown = "stop") {
    this.#caller = caller;
    this.#granted = granted;
    this.#onUnknown = onUnknown;
  }

  /** Makes a call, or sleeps. */
  async call(request: CallRequest, how: LiveCall): Promise<CallAnswer> {
    if (isSleep(request)) return await sleepSince(how.askedAt, request, how.signal);
    const { operation, values, timeoutSeconds } = request;
    const { operations, grants } = this.#granted;
    const ref = findGrantedOperation(operation, operations, grants);
    const { signal, sent: { key, tag: knownTag, unkeyed }, readingTag } = how;
    let { sentAt } = how;
    const isKeyed = this.#caller.supportsIdempotencyKeys();
    const sending = async (tag: string | undefined) => {
      await how.sending(tag, isKeyed);
      sentAt ??= Date.now();
    };
    // What was sent in the future was sent by another clock: the further ahead, the less is known of how long ago.
    const isKeyKnown = () => Math.abs(Date.now() - (sentAt ?? Date.now())) < KEY_LIFETIME;
    const options = { signal, lastAttempt: how.lastAttempt, timeoutSeconds, idempotencyKey: key, knownTag, sending };
    const send = async (more?: RepeatableOptions) => {
      return await answerOf(await this.#caller.call(ref, values, { ...options, ...more }));
    };
    if (isRead(ref.operation)) return await send();
    if (isKeyed && !unkeyed && isKeyKnown()) {
      try {
        return await send({ readingTag, isKeyKnown, mayHaveArrived: sentAt !== undefined });
      } catch (thrown) {
        if (!toSvcError(thrown).outcomeUnknown || isKeyKnown()) throw thrown;
      }
    }
    return await this.#settle(ref, send, { ...how, sentAt });
  }

  /** Sends a change that the service may do as often as it gets it. */
  async #settle(
    ref: OperationRef,
    send: (more?: RepeatableOptions) => Promise<CallAnswer>,
    { sent, sentAt, sending, signal, lastAttempt }: LiveCall,
  ): Promise<CallAnswer> {
    let knownTag = sent.tag;
    let failure: SvcError | undefined;
    const mayHaveArrived = () => sentAt !== undefined || failure !== undefined;
    const noteTag = async (tag: string | undefined) => {
      knownTag = tag;
      await sending(tag, this.#caller.supportsIdempotencyKeys());
    };
    for (let attempt = 1;; attempt++) {
      if (mayHaveArrived() && (knownTag === undefined || attempt > MAX_ATTEMPTS)) {
        return await this.#decide(ref, () => send({ knownTag }), failure);
      }
      try {
        return await send({ knownTag, sending: noteTag });
      } catch (thrown) {
        const error = toSvcError(thrown);
        if (!error.outcomeUnknown && !mayHaveArrived()) throw error;
        if (error.rejectedByService) {
          if (ARRIVED.includes(error.code)) return arrived(ref);
          // What refuses the repetition may be what the first one did: without keys nobody remembers that.
          return await this.#decide(ref, () => send({ knownTag }), error);
        }
        failure = error;
        await delay(PAUSE * 2 ** (attempt - 1), AbortSignal.any([signal, lastAttempt])).catch(() => {
          throw error.with({ outcomeUnknown: true });
        });
      }
    }
  }

  /** What the user has decided for changes that may or may not have arrived. */
  async #decide(ref: OperationRef, send: () => Promise<CallAnswer>, cause?: SvcError): Promise<CallAnswer> {
    if (this.#onUnknown === "repeat") return await send();
    if (this.#onUnknown === "skip") throw unknownOutcome(ref, PASSED_OVER, cause);
    throw new StopInput(unknownOutcome(ref, UNDECIDED, cause));
  }
}

function unknownOutcome({ name }: OperationRef, hint: string, cause?: SvcError): SvcError {
  return new SvcError(
    "OUTCOME_UNKNOWN",
    `${name} was sent and its answer was lost: the service has either done it or never received it.`,
    { cause, operation: name, outcomeUnknown: true, hint },
  );
}

/** The answer of a change that has arrived, while its answer was lost. */
function arrived({ operation }: OperationRef): CallAnswer {
  if (operation.answer === "nothing") return { head: {}, text: "" };
  return { head: { answer: "any" }, text: JSON.stringify({ settled: "arrived" }) };
}
