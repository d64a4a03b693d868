/** The signals of an input, and the steps that wait for them. */
import { SvcError } from "../../lib/errors.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { findReviver, type JsonValue } from "../../utils/json.ts";
import type { EventRecord, StoredEvent } from "../journal/journal.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import { decodeAnswer, parseRequest, readHistory, type RecordedStep } from "./history.ts";
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

/** A signal that was sent to the input. */
interface SentSignal {
  readonly seq: number;
  readonly signal: Signal;
  /** Position of the step that has received it. */
  receivedBy?: number;
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
  readonly #signals: SentSignal[] = [];
  readonly #receivers = new Map<number, Receiver>();
  /** Positions of the steps of the history that have received a signal, by its sequence number. */
  readonly #received: ReadonlyMap<number, number>;
  #timer?: ReturnType<typeof setTimeout>;
  #last = 0;

  /** Starts from a history, given by its events and its steps. */
  constructor(
    events: readonly StoredEvent[],
    steps: ReadonlyMap<number, RecordedStep<StoredEvent>>,
    read: ReadSignals,
  ) {
    this.#read = read;
    const received = steps.entries().flatMap(([position, { request, result }]) =>
      isReceiveRequest(request) && result?.kind === "answer"
        ? [[Number(decodeAnswer(result.content).head.signal), position] as const]
        : []
    );
    this.#received = new Map(received);
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

  /** Gives the signals of dropped steps to steps that are taken later. */
  release(dropped: readonly number[]): void {
    const positions = new Set(dropped);
    for (const sent of this.#signals) {
      if (sent.receivedBy !== undefined && positions.has(sent.receivedBy)) sent.receivedBy = undefined;
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
      this.#signals.push({ seq: event.seq, signal: parseSignal(event), receivedBy: this.#received.get(event.seq) });
    }
  }

  /** Gives signals to the steps that wait for them. */
  #match(): void {
    for (const [position, { name, resolve }] of [...this.#receivers].sort(([one], [other]) => one - other)) {
      const found = this.#signals.find(({ signal, receivedBy }) => receivedBy === undefined && signal.name === name);
      if (found === undefined) continue;
      found.receivedBy = position;
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

/** Lists the names of the signals that an input waits for. */
export function listAwaitedSignals(events: readonly StoredEvent[]): string[] {
  const waiting = readHistory(events).steps.values()
    .filter(({ request, result }) => result === undefined && isReceiveRequest(request));
  return [...new Set(waiting.map(({ request }) => String(parseRequest(request).values.name)))];
}

function isReceiveRequest(request: string): boolean {
  return parseSleep(request) === Infinity;
}

function parseSignal({ content }: EventRecord): Signal {
  return JSON.parse(content, findReviver(content));
}
