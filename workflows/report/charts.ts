/**
 * Draws charts as SVG. Horizontal positions are percentages and vertical ones are pixels, so that a chart fits any page
 * width and its text keeps its size. A table or a label repeats what each chart shows.
 *
 * @module
 */
import { html } from "hono/html";
import { formatRate } from "./format.ts";

/** Content of a page: escaped HTML, text to escape, or nothing. */
export type Markup = ReturnType<typeof html> | string | undefined;

/** Pixels of the plot's height, and of the time axis below it. */
const HEIGHT = 120;
const AXIS = 22;

const MAX_TICKS = 6;
const DAY = 86_400_000;

/** Milliseconds that may lie between two ticks of the time axis. */
const TICK_STEPS: readonly number[] = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000],
  ...[3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, DAY],
];

/** A stacked bar. */
export interface Bar {
  /** Height of each part, lowest first. */
  readonly values: readonly number[];
  /** Tooltip. */
  readonly title: string;
}

/** A bar chart over time. */
export interface BarChart {
  /** Description for screen readers. */
  readonly label: string;
  /** Bars in the order of time. */
  readonly bars: readonly Bar[];
  /** CSS class of each part of a bar. */
  readonly classes: readonly string[];
  /** Milliseconds that one bar covers. */
  readonly width: number;
}

/** Draws stacked bars over time. */
export function drawBarChart({ label, bars, classes, width }: BarChart): Markup {
  const highest = Math.max(0, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)));
  const top = roundUp(highest);
  const toY = (value: number) => round(HEIGHT * (1 - value / top));
  const content = [
    [top / 2, top].map((value) => drawGridLine(value, toY(value))),
    bars.map((bar, i) => drawBar(bar, (i / bars.length) * 100, 100 / bars.length, classes, toY)),
    html`
      <line class="base" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}" />
    `,
    drawTimeAxis(bars.length * width),
  ];
  return html`<svg class="chart" role="img" aria-label="${label}" height="${HEIGHT + AXIS}">${content}</svg>`;
}

function drawGridLine(value: number, y: number): Markup {
  const line = html`
    <line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}" />
  `;
  return html`${line}<text class="y" x="-6" y="${y}" dy="0.35em">${formatRate(value)}</text>`;
}

function drawBar(
  { values, title }: Bar,
  x: number,
  width: number,
  classes: readonly string[],
  toY: (value: number) => number,
): Markup {
  const drawnWidth = round(width * (width > 1.5 ? 0.8 : 0.9));
  let sum = 0;
  const parts = values.map((value, i) => {
    const bottom = toY(sum);
    const y = toY(sum += value);
    if (value === 0) return undefined;
    const height = round(bottom - y);
    return html`
      <rect class="${classes[i]}" x="${round(x)}%" y="${y}" width="${drawnWidth}%" height="${height}" />
    `;
  });
  return sum === 0 ? undefined : html`<g><title>${title}</title>${parts}</g>`;
}

function drawTimeAxis(milliseconds: number): Markup[] {
  const step = TICK_STEPS.find((one) => milliseconds / one <= MAX_TICKS) ??
    Math.ceil(milliseconds / MAX_TICKS / DAY) * DAY;
  return Array.from({ length: Math.floor(milliseconds / step) + 1 }, (_, i) => {
    const x = round((i * step / milliseconds) * 100);
    return html`<text class="x" x="${x}%" y="${HEIGHT + 16}">${i === 0 ? "0" : formatTick(i * step, step)}</text>`;
  });
}

/** Formats a time since the start of a run in the unit in which multiples of the step are whole numbers. */
export function formatTick(milliseconds: number, step: number): string {
  if (step < 1000) return `${formatRate(milliseconds / 1000)} s`;
  if (step < 60_000) return `${milliseconds / 1000} s`;
  if (step < 3_600_000) return `${milliseconds / 60_000} min`;
  return step < DAY ? `${milliseconds / 3_600_000} h` : `${milliseconds / DAY} d`;
}

/** A distribution of durations in milliseconds. */
export interface Distribution {
  /** Description for screen readers. */
  readonly label: string;
  /** Median. */
  readonly median: number;
  /** 90th percentile. */
  readonly p90: number;
  /** 99th percentile. */
  readonly p99: number;
  /** Longest. */
  readonly longest: number;
}

/** Draws a distribution as a box plot, on a logarithmic scale that ends at the longest of all compared durations. */
export function drawBoxPlot({ label, median, p90, p99, longest }: Distribution, longestOfAll: number): Markup {
  const toX = (milliseconds: number) =>
    round(Math.log1p(milliseconds) / Math.log1p(Math.max(1, longestOfAll)) * 96 + 2);
  const [from, to, late, end] = [toX(median), toX(p90), toX(p99), toX(longest)];
  const width = Math.max(1, round(to - from));
  const content = [
    html`
      <line class="whisker" x1="${from}%" x2="${end}%" y1="8" y2="8" />
    `,
    html`
      <rect class="box" x="${from}%" y="3" width="${width}%" height="10" />
    `,
    html`
      <line class="late" x1="${late}%" x2="${late}%" y1="3" y2="13" />
    `,
    html`
      <line class="end" x1="${end}%" x2="${end}%" y1="5" y2="11" />
    `,
  ];
  return html`<svg class="spread" role="img" aria-label="${label}" height="16">${content}</svg>`;
}

/** A part of a whole. */
export interface Share {
  /** Its size. */
  readonly value: number;
  /** Its CSS class. */
  readonly class: string;
}

/** Draws the parts of a whole side by side. */
export function drawShares(label: string, shares: readonly Share[]): Markup {
  const whole = shares.reduce((sum, { value }) => sum + value, 0);
  let sum = 0;
  const content = shares.map(({ value, class: name }) => {
    const x = round((sum / whole) * 100);
    sum += value;
    if (value === 0) return undefined;
    return html`
      <rect class="${name}" x="${x}%" width="${round((value / whole) * 100)}%" height="12" />
    `;
  });
  return html`<svg class="parts" role="img" aria-label="${label}" height="12">${content}</svg>`;
}

/** Rounds up to 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5].find((digit) => digit * power >= value) ?? 10);
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
