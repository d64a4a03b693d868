/** Largest number of spans. */
export const MAX_SPANS = 120;

/** Possible widths of a span in milliseconds. Each is a multiple of the previous one; larger widths double. */
const WIDTHS: readonly number[] = [
  ...[100, 200, 1000, 2000, 10_000, 30_000],
  ...[60_000, 120_000, 600_000, 1_800_000],
  ...[3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
];

/** Counts of what ended in a span of time. */
export interface Span {
  /** Inputs that succeeded. */
  succeeded: number;
  /** Inputs that failed. */
  failed: number;
  /** Calls that ended. */
  calls: number;
}

/** Counts what ended when. Spans grow with the run, so that their number is bounded. */
export class Throughput {
  /** Start of the first span, in milliseconds since 1970. */
  readonly start: number;
  #step = 0;
  #width = WIDTHS[0] ?? 1;
  #spans: Span[] = [];

  /** Creates empty counts for a run that started at a time. */
  constructor(start: number) {
    this.start = start;
  }

  /** Width of a span in milliseconds. */
  get width(): number {
    return this.#width;
  }

  /** Spans from the start to the last in which something ended. */
  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** Counts something that ended at a time. */
  add(at: number, what: keyof Span): void {
    const offset = Math.max(0, at - this.start);
    while (offset >= this.#width * MAX_SPANS) this.#widen();
    const index = Math.floor(offset / this.#width);
    while (this.#spans.length <= index) this.#spans.push({ succeeded: 0, failed: 0, calls: 0 });
    const span = this.#spans[index];
    if (span) span[what]++;
  }

  #widen(): void {
    const wider = WIDTHS[++this.#step] ?? this.#width * 2;
    const factor = wider / this.#width;
    const { length } = this.#spans;
    this.#spans = Array.from(
      { length: Math.ceil(length / factor) },
      (_, i) => this.#spans.slice(i * factor, (i + 1) * factor).reduce(sum),
    );
    this.#width = wider;
  }
}

function sum(one: Span, other: Span): Span {
  return {
    succeeded: one.succeeded + other.succeeded,
    failed: one.failed + other.failed,
    calls: one.calls + other.calls,
  };
}
