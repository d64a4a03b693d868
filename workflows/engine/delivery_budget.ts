import { onAbort } from "../../utils/async/abort.ts";
import { type CallRequest, MAX_OPEN_CALLS } from "../sandbox/protocol/messages.ts";

/** Total size of the responses that a script has not taken, in characters. A single one may be larger. */
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** Expected size of the first response of an operation, in characters. */
const FIRST_ESTIMATE = 2 * 1024 * 1024;

/** Smallest expected size of a response, in characters: the open calls of a script fit into the budget. */
const MIN_ESTIMATE = MAX_CHARACTERS / MAX_OPEN_CALLS;

/** Smallest expected size of a file. Their sizes differ more. */
const MIN_FILE_ESTIMATE = 4 * 1024 * 1024;

/** A call whose response is expected, or waits until the script takes it. */
export interface Delivery {
  /** Name of the operation. */
  readonly operation: string;
  /** Expected or real size of the response, in characters. */
  readonly characters: number;
}

/** A call that waits for room. */
interface WaitingCall {
  readonly request: CallRequest;
  readonly proceed: (delivery: Delivery) => void;
}

/**
 * Limits the memory for the responses of an input: calls wait, in order, while the responses of earlier calls use up the
 * budget. A call does not wait if there is no other response, so that a script never waits for itself.
 */
export class DeliveryBudget {
  /** Size of the largest response of each operation. */
  readonly #largest = new Map<string, number>();
  #waiting: WaitingCall[] = [];
  #used = 0;

  /** Begins a delivery. Returns undefined if the call has to wait. */
  tryBegin(request: CallRequest): Delivery | undefined {
    const characters = this.#estimate(request);
    const hasRoom = this.#used === 0 || this.#used + characters <= MAX_CHARACTERS;
    if (this.#waiting.length > 0 || !hasRoom) return undefined;
    this.#used += characters;
    return { operation: request.operation, characters };
  }

  /** Begins a delivery when there is room, or when the signal aborts: the call then fails at once. */
  async begin(request: CallRequest, signal: AbortSignal): Promise<Delivery> {
    const { promise, resolve } = Promise.withResolvers<Delivery>();
    const waiting = { request, proceed: resolve };
    this.#waiting.push(waiting);
    using _listening = onAbort(signal, () => {
      this.#waiting = this.#waiting.filter((one) => one !== waiting);
      resolve({ operation: request.operation, characters: 0 });
    });
    return await promise;
  }

  /** Replaces the expected size of a response by the real one. */
  arrive({ operation, characters: expected }: Delivery, characters: number): Delivery {
    this.#largest.set(operation, Math.max(characters, this.#largest.get(operation) ?? 0));
    this.#used += characters - expected;
    this.#proceed();
    return { operation, characters };
  }

  /** Ends a delivery: the script has taken the response, or the call has failed. */
  end({ characters }: Delivery): void {
    this.#used -= characters;
    this.#proceed();
  }

  #estimate({ operation, hasFile = false }: CallRequest): number {
    return Math.max(this.#largest.get(operation) ?? FIRST_ESTIMATE, hasFile ? MIN_FILE_ESTIMATE : MIN_ESTIMATE);
  }

  #proceed(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    while (waiting[0] !== undefined) {
      const delivery = this.tryBegin(waiting[0].request);
      if (delivery === undefined) break;
      waiting.shift()?.proceed(delivery);
    }
    this.#waiting = waiting;
  }
}
