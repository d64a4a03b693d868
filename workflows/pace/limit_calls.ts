import type { Attempts, AttemptsOptions, Caller } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";
import { type OperationRef, readsTagFirst } from "../../lib/operation/operation.ts";
import { abortable } from "../../utils/async/abort.ts";
import { type CallLimiter, CallPacer } from "./call_limiter.ts";

/**
 * Returns a caller that keeps to limits of calls per second. Each attempt counts as a call, and so does the read of an entity
 * tag before a change. The first call also requests a token, so the others start only after it has ended.
 */
export function limitCalls(caller: Caller, limiters: readonly CallLimiter[]): Caller {
  const pacer = new CallPacer(limiters);
  /** Names of operations for which the service has demanded an entity tag. */
  const withTag = new Set<string>();
  const first = Promise.withResolvers<void>();
  let hasStarted = false;
  const start = async ({ name, operation }: OperationRef, options: AttemptsOptions) => {
    if (!pacer.isLimited) return first.resolve();
    const { signal, lastAttempt, onWaiting } = options;
    const cancel = AbortSignal.any([signal, lastAttempt].filter((one) => one !== undefined));
    const readsTag = operation.tagFrom !== undefined &&
      (withTag.has(name) || readsTagFirst(operation, caller.getTarget().tags));
    onWaiting?.(true);
    try {
      if (hasStarted) await abortable(first.promise, cancel);
      hasStarted = true;
      await pacer.start(readsTag ? 2 : 1, cancel);
    } catch (cause) {
      if (!cancel.aborted) throw cause;
      throw new SvcError("INTERRUPTED", "The call was cancelled while the limit of calls per second delayed it.", {
        cause: cancel.reason,
        operation: name,
      });
    } finally {
      onWaiting?.(false);
    }
  };
  return {
    getTarget: () => caller.getTarget(),
    supportsIdempotencyKeys: () => caller.supportsIdempotencyKeys(),
    startAttempts(ref, options) {
      const attempts = caller.startAttempts(ref, options);
      return new PacedAttempts(attempts, () => start(ref, options), first.resolve);
    },
    async prepare(ref, values, options) {
      const prepared = await caller.prepare(ref, values, options);
      if (prepared.ifMatch !== undefined) withTag.add(ref.name);
      return prepared;
    },
    async call(ref, values, options) {
      try {
        await start(ref, { signal: options?.signal, isIdempotent: () => false });
        return await caller.call(ref, values, options);
      } finally {
        first.resolve();
      }
    },
  };
}

/** Attempts that keep to the limits. */
class PacedAttempts implements Attempts {
  readonly #attempts: Attempts;
  readonly #start: () => Promise<void>;
  readonly #onEnd: () => void;

  constructor(attempts: Attempts, start: () => Promise<void>, onEnd: () => void) {
    this.#attempts = attempts;
    this.#start = start;
    this.#onEnd = onEnd;
  }

  async begin(): Promise<void> {
    await this.#attempts.begin();
    await this.#start();
  }

  succeeded(): void {
    this.#attempts.succeeded();
    this.#onEnd();
  }

  async next(thrown: unknown): Promise<void> {
    this.#onEnd();
    await this.#attempts.next(thrown);
  }

  async outlast(thrown: unknown): Promise<boolean> {
    return await this.#attempts.outlast(thrown);
  }
}
