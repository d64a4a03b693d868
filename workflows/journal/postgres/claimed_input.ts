/** An input that this process has claimed in PostgreSQL. */
import type { ErrorRecord } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { EventRecord, InputClaim, InputEnd, InputRecord, Keep, NewInput } from "../journal.ts";
import { createLostClaimError } from "../lost_claim.ts";
import { type Row, toInput } from "../rows.ts";

/** The columns of an input that change while it is claimed. */
export interface InputColumns {
  place: string;
  value: string | null;
  startedAt: number;
  generation: number;
  state: string;
  outcome: string | null;
  endedAt: number | null;
  until: number | null;
}

/** The key and the fence of a claim. */
export interface ClaimKey {
  readonly runId: string;
  /** Key of the run in the tables. */
  readonly run: number;
  readonly number: number;
  readonly fence: number;
}

/** Unwritten changes of a claim. */
export interface PendingWrites {
  /** Number of this write, so that it has an effect only once. */
  readonly flush: number;
  readonly events: readonly EventRecord[];
  /** True if the events replace the earlier history. */
  readonly replaces: boolean;
  /** The columns, if they have changed. */
  readonly columns?: Readonly<InputColumns>;
  /** The last event that the input had seen when it began to wait. */
  readonly seen?: number;
  /** True if the input has started. */
  readonly hasBegun: boolean;
  /** True releases the claim. */
  readonly releases: boolean;
}

/** Writes the changes of claims, many at a time. */
export interface ClaimWriter {
  /** Writes the claim soon. */
  add(claim: ClaimedInput): void;
  /** Writes all claims. Rejects if the journal is broken. */
  flush(): Promise<void>;
}

/** A claim and its unwritten changes. */
export class ClaimedInput implements InputClaim {
  readonly key: ClaimKey;
  readonly #writer: ClaimWriter;
  readonly #onRelease: () => void;
  readonly #columns: InputColumns;
  readonly #loss = new AbortController();
  #events: EventRecord[] = [];
  #flush = 0;
  #eventCount: number;
  #isChanged = false;
  #isReplaced = false;
  #hasBegun = false;
  #seen?: number;
  #isHeld = true;
  #isReleasing = false;

  /** Takes the row of the input after it was claimed. */
  constructor(runId: string, row: Row, writer: ClaimWriter, onRelease: () => void) {
    this.key = { runId, run: Number(row.run), number: Number(row.number), fence: Number(row.fence) };
    this.#writer = writer;
    this.#onRelease = onRelease;
    this.#eventCount = Number(row.events);
    const optional = (value: unknown) => value === null ? null : Number(value);
    this.#columns = {
      place: String(row.place),
      value: row.value === null ? null : String(row.value),
      startedAt: Number(row.startedAt),
      generation: Number(row.generation),
      state: String(row.state),
      outcome: row.outcome === null ? null : String(row.outcome),
      endedAt: optional(row.endedAt),
      until: optional(row.until),
    };
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  /** True until the claim is released or lost. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** True if the input has no history. */
  get isEmpty(): boolean {
    return this.#eventCount === 0;
  }

  /** Number of unwritten events. */
  get unwritten(): number {
    return this.#events.length;
  }

  /** The input. Undefined if it has not started. */
  get record(): InputRecord | undefined {
    return this.#columns.state === "new" ? undefined : this.described;
  }

  /** The input, also if it was recorded and has not started. */
  get described(): InputRecord {
    const { until } = this.#columns;
    return toInput({ ...this.#columns, number: this.key.number }, until === null ? undefined : { until });
  }

  begin({ place, value, startedAt, generation }: NewInput): void {
    this.#hasBegun = true;
    this.#change({ place: toText(place), value: toJson(value), startedAt, generation, state: "open" });
  }

  end(end: InputEnd): void {
    const outcome = toJson(end.state === "done" ? end.result : end.error);
    this.#change({ state: end.state, outcome, endedAt: Date.now(), until: null });
  }

  stop(reason?: ErrorRecord): void {
    if (this.#columns.state === "open") this.#change({ outcome: toJson(reason) });
  }

  wait(until: number, seen = 0): void {
    if (this.#columns.state !== "open") return;
    this.#seen = seen;
    this.#change({ until });
  }

  async reopen(rewind: EventRecord, generation: number): Promise<void> {
    this.append(rewind);
    this.#change({ state: "open", outcome: null, endedAt: null, generation });
    await this.durable();
  }

  async continue(start: EventRecord): Promise<void> {
    this.#replaceHistory(start);
    this.#change({ generation: this.#columns.generation + 1, until: null });
    await this.durable();
  }

  prune(keep: Exclude<Keep, "answers">): void {
    this.#replaceHistory({ kind: "pruned", position: 0, at: Date.now(), content: JSON.stringify({ keep }) });
    if (keep === "nothing") this.#change({ value: null, outcome: null });
  }

  change(value: JsonValue | undefined): void {
    this.#change({ value: toJson(value) });
  }

  append(event: EventRecord): void {
    if (!this.#isHeld) return;
    this.#eventCount++;
    this.#events.push(event);
    this.#writer.add(this);
  }

  async durable(): Promise<void> {
    if (this.#isHeld) await this.#writer.flush();
    if (!this.#isHeld) throw this.#lossError;
  }

  /** Takes the unwritten changes, if any. */
  takeWrites(): PendingWrites | undefined {
    if (!this.#isChanged && this.#events.length === 0 && !this.#isReleasing) return undefined;
    const writes = {
      flush: ++this.#flush,
      events: this.#events,
      replaces: this.#isReplaced,
      columns: this.#isChanged ? { ...this.#columns } : undefined,
      seen: this.#seen,
      hasBegun: this.#hasBegun,
      releases: this.#isReleasing,
    };
    this.#events = [];
    this.#isChanged = this.#hasBegun = this.#isReplaced = false;
    this.#seen = undefined;
    return writes;
  }

  /** Notes that another process has taken over the input. */
  lose(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#events = [];
    this.#onRelease();
    this.#loss.abort(this.#lossError);
  }

  /** Releases the claim, with everything that was written through it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isHeld || this.#isReleasing) return;
    this.#isReleasing = true;
    this.#writer.add(this);
    await this.#writer.flush().catch(() => {}); // The journal reports it.
    this.#isHeld = false;
    this.#onRelease();
  }

  #replaceHistory(event: EventRecord): void {
    if (!this.#isHeld) return;
    this.#eventCount = 1;
    this.#events = [event];
    this.#isReplaced = true;
    this.#writer.add(this);
  }

  #change(changed: Partial<InputColumns>): void {
    if (!this.#isHeld) return;
    Object.assign(this.#columns, changed);
    this.#isChanged = true;
    this.#writer.add(this);
  }

  get #lossError() {
    return createLostClaimError(this.key.runId, this.key.number);
  }
}

/** Converts a text for PostgreSQL, which has no U+0000: it ends there, as in SQLite. */
export function toText(text: string): string {
  return text.includes("\0") ? text.slice(0, text.indexOf("\0")) : text;
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
