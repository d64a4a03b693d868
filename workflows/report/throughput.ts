/** What was finished when: counts per span of time, in spans that grow with the run, so that there are never many. */

/** Most spans of a run. */
export const MAX_SPANS = 120;

/** Milliseconds of a span, each a multiple of the one before; beyond the last they double. */
const WIDTHS: readonly number[] = [
  ...[100, 200, 1000, 2000, 10_000, 30_000],
  ...[60_000, 120_000, 600_000, 1_800_000],
  ...[3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000],
];

/** What was finished in a span of time. */
export interface Span {
  /** Inputs that gave a result. */
  succeeded: number;
  /** Inputs that failed. */
  failed: number;
  /** Calls that were answered or refused. */
  calls: number;
}

/** What was finished when. */
export class Throughput {
  /** When the first span begins: milliseconds since 1970. */
  readonly start: number;
  #step = 0;
  #width = WIDTHS[0] ?? 1;
  #spans: Span[] = [];

  /** Nothing yet, of a run that began then. */
  constructor(start: number) {
    this.start = start;
  }

  /** Milliseconds of a span. */
  get width(): number {
    return this.#width;
  }

  /** The spans from the beginning to the last in which something was finished. */
  get spans(): readonly Span[] {
    return this.#spans;
  }

  /** Takes something that was finished at a time. */
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
