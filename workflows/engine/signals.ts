/** The signals of an input, and the steps that wait for them. */
import { SvcError } from "../../lib/errors.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { findReviver, type JsonValue } from "../../utils/json.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { decodeAnswer, type RecordedStep } from "./history.ts";
import { parseSleep } from "./wait_limit.ts";

/** Milliseconds between two looks for new signals. */
const CHECK_MILLISECONDS = 200;

/** A signal. The journal stores it as JSON with these names. */
export interface Signal {
  /** Name. */
  readonly name: string;
  /** Value. Undefined if it has none. */
  readonly value?: JsonValue;
}

/** Creates the event of a signal. */
export function toSignalEvent(signal: Signal): EventRecord {
  return { kind: "signal", position: 0, at: Date.now(), content: JSON.stringify(signal) };
}

/** A step that waits for a signal. */
interface Receiver {
  readonly name: string;
  readonly resolve: (answer: CallAnswer) => void;
}

/** Reads the signals of an input after a sequence number. */
export type ReadSignals = (after: number) => Promise<readonly StoredEvent[]>;

/**
 * The signals of an input. Each is given to one step, in the order in which the signals were sent and the steps were taken.
 * The answer of a step has the sequence number of its signal: a signal without a recorded answer was not received.
 */
export class Signals {
  readonly #read: ReadSignals;
  readonly #unreceived: { readonly seq: number; readonly signal: Signal }[] = [];
  readonly #receivers = new Map<number, Receiver>();
  readonly #received: ReadonlySet<number>;
  #timer?: ReturnType<typeof setTimeout>;
  #last = 0;

  /** Starts from a history, given by its events and its steps. */
  constructor(
    events: readonly StoredEvent[],
    steps: ReadonlyMap<number, RecordedStep<StoredEvent>>,
    read: ReadSignals,
  ) {
    this.#read = read;
    const answers = steps.values().flatMap(({ request, result }) =>
      isReceiveRequest(request) && result?.kind === "answer" ? [decodeAnswer(result.content)] : []
    );
    this.#received = new Set(answers.map(({ head }) => Number(head.signal)));
    this.#add(events.filter(({ kind }) => kind === "signal"));
  }

  /** Sequence number of the last signal. */
  get last(): number {
    return this.#last;
  }

  /** Waits for a signal. Rejects when the step is cancelled. */
  async receive(position: number, name: string, signal: AbortSignal): Promise<CallAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<CallAnswer>();
    this.#receivers.set(position, { name, resolve });
    using _listening = onAbort(signal, () => reject(new SvcError("INTERRUPTED", "The receive was cancelled.")));
    try {
      if (!signal.aborted) this.#match();
      this.#watch();
      return await promise;
    } finally {
      this.#receivers.delete(position);
    }
  }

  /** Looks for no more signals. */
  end(): void {
    clearTimeout(this.#timer);
    this.#receivers.clear();
  }

  #add(events: readonly StoredEvent[]): void {
    for (const event of events) {
      this.#last = Math.max(this.#last, event.seq);
      if (!this.#received.has(event.seq)) this.#unreceived.push({ seq: event.seq, signal: parseSignal(event) });
    }
  }

  /** Gives signals to the steps that wait for them. */
  #match(): void {
    for (const [position, { name, resolve }] of [...this.#receivers].sort(([one], [other]) => one - other)) {
      const index = this.#unreceived.findIndex(({ signal }) => signal.name === name);
      const [found] = index < 0 ? [] : this.#unreceived.splice(index, 1);
      if (found === undefined) continue;
      this.#receivers.delete(position);
      const { value } = found.signal;
      resolve({ head: { signal: found.seq }, text: value === undefined ? "" : JSON.stringify(value) });
    }
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#receivers.size > 0) this.#timer = setTimeout(() => void this.#look(), CHECK_MILLISECONDS);
  }

  async #look(): Promise<void> {
    const events = await this.#read(this.#last).catch(() => []); // The next write to the journal reports it.
    this.#add(events.filter(({ seq }) => seq > this.#last));
    this.#match();
    this.#watch();
  }
}

function isReceiveRequest(request: string): boolean {
  return parseSleep(request) === Infinity;
}

function parseSignal({ content }: EventRecord): Signal {
  return JSON.parse(content, findReviver(content));
}
