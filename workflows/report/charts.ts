/**
 * Charts as SVG. Places are in percent of the width and in pixels of the height, so that a chart fits any page and its
 * text keeps its size. What a chart shows, a table or its label says too.
 */
import { type Markup, markup, type Part } from "./markup.ts";
import { rate } from "./numbers.ts";

/** Pixels of the plot's height, and below it of the time axis. */
const HEIGHT = 120;
const AXIS = 22;

/** Most marks of the time axis. */
const MAX_TICKS = 6;

const DAY = 86_400_000;

/** Milliseconds between two marks of the time axis. */
const TICKS: readonly number[] = [
  ...[100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000],
  ...[60_000, 120_000, 300_000, 600_000, 1_200_000, 1_800_000],
  ...[3_600_000, 7_200_000, 14_400_000, 21_600_000, 43_200_000, DAY],
];

/** A bar of parts that stand on each other. */
export interface Bar {
  /** Height of each part, lowest first. */
  readonly values: readonly number[];
  /** What it says when it is pointed at. */
  readonly title: string;
}

/** A chart of bars over time. */
export interface BarChart {
  /** What it shows, for those who do not see it. */
  readonly label: string;
  /** The bars in the order of time. */
  readonly bars: readonly Bar[];
  /** Class of each part. */
  readonly classes: readonly string[];
  /** Milliseconds of a bar. */
  readonly width: number;
}

/** Draws bars over time. */
export function barChart({ label, bars, classes, width }: BarChart): Markup {
  const highest = Math.max(0, ...bars.map(({ values }) => values.reduce((sum, one) => sum + one, 0)));
  const top = roundUp(highest);
  const yOf = (value: number) => round(HEIGHT * (1 - value / top));
  const content = [
    [top / 2, top].map((value) => gridLine(value, yOf(value))),
    bars.map((bar, i) => drawBar(bar, (i / bars.length) * 100, 100 / bars.length, classes, yOf)),
    markup`<line class="base" x1="0" x2="100%" y1="${HEIGHT}" y2="${HEIGHT}"/>`,
    timeAxis(bars.length * width),
  ];
  return markup`<svg class="chart" role="img" aria-label="${label}" height="${HEIGHT + AXIS}">${content}</svg>`;
}

function gridLine(value: number, y: number): Markup {
  const line = markup`<line class="grid" x1="0" x2="100%" y1="${y}" y2="${y}"/>`;
  return markup`${line}<text class="y" x="-6" y="${y}" dy="0.35em">${rate(value)}</text>`;
}

function drawBar(
  { values, title }: Bar,
  x: number,
  width: number,
  classes: readonly string[],
  yOf: (value: number) => number,
): Part {
  const shown = round(width * (width > 1.5 ? 0.8 : 0.9));
  let sum = 0;
  const parts = values.map((value, i) => {
    const bottom = yOf(sum);
    const y = yOf(sum += value);
    if (value === 0) return undefined;
    const height = round(bottom - y);
    return markup`<rect class="${classes[i]}" x="${round(x)}%" y="${y}" width="${shown}%" height="${height}"/>`;
  });
  return sum === 0 ? undefined : markup`<g><title>${title}</title>${parts}</g>`;
}

function timeAxis(milliseconds: number): Part {
  const step = TICKS.find((one) => milliseconds / one <= MAX_TICKS) ?? Math.ceil(milliseconds / MAX_TICKS / DAY) * DAY;
  return Array.from({ length: Math.floor(milliseconds / step) + 1 }, (_, i) => {
    const x = round((i * step / milliseconds) * 100);
    return markup`<text class="x" x="${x}%" y="${HEIGHT + 16}">${i === 0 ? "0" : timeLabel(i * step, step)}</text>`;
  });
}

/** A time in the unit in which these steps of it are whole. */
export function timeLabel(milliseconds: number, step: number): string {
  if (step < 1000) return `${rate(milliseconds / 1000)} s`;
  if (step < 60_000) return `${milliseconds / 1000} s`;
  if (step < 3_600_000) return `${milliseconds / 60_000} min`;
  return step < DAY ? `${milliseconds / 3_600_000} h` : `${milliseconds / DAY} d`;
}

/** How durations are spread. */
export interface Spread {
  /** What it says to those who do not see it. */
  readonly label: string;
  /** The median, the 90th and the 99th percentile, and the longest, in milliseconds. */
  readonly median: number;
  readonly p90: number;
  readonly p99: number;
  readonly longest: number;
}

/** Draws how durations are spread, on a logarithmic scale up to the longest of all that are compared. */
export function spreadChart({ label, median, p90, p99, longest }: Spread, longestOfAll: number): Markup {
  const xOf = (milliseconds: number) =>
    round(Math.log1p(milliseconds) / Math.log1p(Math.max(1, longestOfAll)) * 96 + 2);
  const [from, to, late, end] = [xOf(median), xOf(p90), xOf(p99), xOf(longest)];
  const width = Math.max(1, round(to - from));
  const content = [
    markup`<line class="whisker" x1="${from}%" x2="${end}%" y1="8" y2="8"/>`,
    markup`<rect class="box" x="${from}%" y="3" width="${width}%" height="10"/>`,
    markup`<line class="late" x1="${late}%" x2="${late}%" y1="3" y2="13"/>`,
    markup`<line class="end" x1="${end}%" x2="${end}%" y1="5" y2="11"/>`,
  ];
  return markup`<svg class="spread" role="img" aria-label="${label}" height="16">${content}</svg>`;
}

/** A part of a whole. */
export interface Piece {
  /** How much it is. */
  readonly value: number;
  /** Its class. */
  readonly class: string;
}

/** Draws a whole as its parts side by side. */
export function partsChart(label: string, pieces: readonly Piece[]): Markup {
  const whole = pieces.reduce((sum, { value }) => sum + value, 0);
  let sum = 0;
  const content = pieces.map(({ value, class: name }) => {
    const x = round((sum / whole) * 100);
    sum += value;
    if (value === 0) return undefined;
    return markup`<rect class="${name}" x="${x}%" width="${round((value / whole) * 100)}%" height="12"/>`;
  });
  return markup`<svg class="parts" role="img" aria-label="${label}" height="12">${content}</svg>`;
}

/** The next round number: 1, 2, 2.5 or 5 times a power of ten. */
function roundUp(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return power * ([1, 2, 2.5, 5].find((digit) => digit * power >= value) ?? 10);
}

function round(number: number): number {
  return Math.round(number * 100) / 100;
}
