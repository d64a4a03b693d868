/** A progress bar on one line of a terminal. */
import type { BatchProgress } from "../../workflows/runs/batch.ts";
import type { Output } from "../io/io.ts";

/** Milliseconds between two updates. */
const INTERVAL = 100;

const BAR_WIDTH = 24;

/** Returns to the start of the line and clears it. */
const CLEAR = "\r\x1b[K";

/** Draws the progress bar, and removes it for other output. */
export class ProgressBar {
  readonly #output: Output;
  #drawnAt = -Infinity;
  #isShown = false;

  /** Creates a progress bar, which is not shown yet. */
  constructor(output: Output) {
    this.#output = output;
  }

  /** Shows the progress, unless the last update was very recent. */
  show(describe: () => string): void {
    const now = performance.now();
    if (now - this.#drawnAt < INTERVAL) return;
    this.#drawnAt = now;
    const width = (this.#output.columns() ?? 80) - 1;
    this.#output.write(CLEAR + describe().slice(0, width));
    this.#isShown = true;
  }

  /** Removes the progress bar. The next `show` draws it again. */
  clear(): void {
    if (!this.#isShown) return;
    this.#output.write(CLEAR);
    this.#isShown = false;
    this.#drawnAt = -Infinity;
  }
}

/** `[######------] 12/24 · 3/s · 1 failed · 4 s left`. Bar and time are omitted if the total is unknown. */
export function describeProgress({ done, failed, perSecond }: BatchProgress, total: number | undefined): string {
  const rate = perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond);
  if (total === undefined) return `${done} · ${rate}/s · ${failed} failed`;
  return `${drawBar(done, total)} ${done}/${total} · ${rate}/s · ${failed} failed${
    formatTimeLeft(done, total, perSecond)
  }`;
}

/** `[######------] 12.0/24.0 MB · 3.0 MB/s · 4 s left`. Bar and time are omitted if the total is unknown. */
export function describeTransfer(done: number, perSecond: number, total: number | undefined): string {
  const rate = `${formatMegabytes(perSecond)} MB/s`;
  if (total === undefined) return `${formatMegabytes(done)} MB · ${rate}`;
  return `${drawBar(done, total)} ${formatMegabytes(done)}/${formatMegabytes(total)} MB · ${rate}${
    formatTimeLeft(done, total, perSecond)
  }`;
}

function drawBar(done: number, total: number): string {
  const filled = Math.round(BAR_WIDTH * Math.min(1, total === 0 ? 1 : done / total));
  return `[${"#".repeat(filled).padEnd(BAR_WIDTH, "-")}]`;
}

function formatTimeLeft(done: number, total: number, perSecond: number): string {
  return perSecond > 0 && total > done ? ` · ${formatDuration((total - done) / perSecond)} left` : "";
}

function formatMegabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}

function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
