/** One line on a terminal that says how far a long command is. */
import type { BatchProgress } from "../../workflows/runs/batch.ts";
import type { Output } from "../io/io.ts";

/** Milliseconds between two looks of the line. */
const INTERVAL = 100;

const BAR_WIDTH = 24;

/** Back to the start of the line, and nothing on it. */
const CLEAR = "\r\x1b[K";

/** Draws the line, and takes it away for other output. */
export class ProgressBar {
  readonly #output: Output;
  #drawnAt = -Infinity;
  #isShown = false;

  /** A line that is yet to be shown. */
  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows how far it is, unless it did so a moment ago. */
  show(describe: () => string): void {
    const now = performance.now();
    if (now - this.#drawnAt < INTERVAL) return;
    this.#drawnAt = now;
    const width = (this.#output.columns() ?? 80) - 1;
    this.#output.write(CLEAR + describe().slice(0, width));
    this.#isShown = true;
  }

  /** Takes the line away; the next `show` draws it again. */
  clear(): void {
    if (!this.#isShown) return;
    this.#output.write(CLEAR);
    this.#isShown = false;
    this.#drawnAt = -Infinity;
  }
}

/** `[######------] 12/24 · 3/s · 1 failed · 4 s left`; without the bar and the time where the total is not known. */
export function describeProgress({ done, failed, perSecond }: BatchProgress, total: number | undefined): string {
  const rate = perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond);
  if (total === undefined) return `${done} · ${rate}/s · ${failed} failed`;
  return `${barOf(done, total)} ${done}/${total} · ${rate}/s · ${failed} failed${timeLeft(done, total, perSecond)}`;
}

/** `[######------] 12.0/24.0 MB · 3.0 MB/s · 4 s left`; without the bar and the rest where the total is not known. */
export function describeTransfer(done: number, perSecond: number, total: number | undefined): string {
  const rate = `${megabytes(perSecond)} MB/s`;
  if (total === undefined) return `${megabytes(done)} MB · ${rate}`;
  return `${barOf(done, total)} ${megabytes(done)}/${megabytes(total)} MB · ${rate}${timeLeft(done, total, perSecond)}`;
}

function barOf(done: number, total: number): string {
  const filled = Math.round(BAR_WIDTH * Math.min(1, total === 0 ? 1 : done / total));
  return `[${"#".repeat(filled).padEnd(BAR_WIDTH, "-")}]`;
}

function timeLeft(done: number, total: number, perSecond: number): string {
  return perSecond > 0 && total > done ? ` · ${duration((total - done) / perSecond)} left` : "";
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
