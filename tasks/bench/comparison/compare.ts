import { CHECKOUT } from "../../support/copy_checkout.ts";
import { renderRows } from "../../support/render_rows.ts";
import { Workspace } from "../../support/workspace.ts";
import { formatValue, median } from "../figure.ts";
import type { Row } from "./rows.ts";
import { Side } from "./side.ts";
import { describeVerdict, judge } from "./verdict.ts";

/** Options of a comparison. */
export interface ComparisonOptions {
  /** Path of the other checkout. */
  readonly checkout: string;
  /** Rows to compare. */
  readonly rows: readonly Row[];
  /** Number of rounds. */
  readonly rounds: number;
  /** Share of the work to do. */
  readonly scale: number;
  /** Uses the programs in `dist/` of both checkouts instead of building copies of the checkouts. */
  readonly built: boolean;
}

/** Values of both sides, one per round. */
interface Values {
  readonly before: number[];
  readonly after: number[];
}

/** Compares this checkout with another one, and prints a table. Returns false if this one is worse in any row. */
export async function compareCheckouts(options: ComparisonOptions): Promise<boolean> {
  const { checkout, rows, rounds, scale, built } = options;
  await using programs = await Workspace.open();
  if (!built) console.error("Building both checkouts");
  const openSide = async (path: string, copy: string) =>
    built ? await Side.open(path, scale) : await Side.build(path, `${programs.directory}/${copy}`, scale);
  await using sides = new AsyncDisposableStack();
  const other = sides.use(await openSide(checkout, "before"));
  const own = sides.use(await openSide(CHECKOUT, "after"));
  const values = new Map(rows.map((row): [Row, Values] => [row, { before: [], after: [] }]));
  for (let round = 1; round <= rounds; round++) {
    await Promise.all([other.restart(), own.restart()]);
    for (const [row, { before, after }] of values) {
      console.error(`Round ${round} of ${rounds}: ${row.name}`);
      const [theirs = NaN, ours = NaN] = await measureInPairs(row, [other, own], round);
      before.push(theirs);
      after.push(ours);
    }
  }
  return await printTable(values);
}

/** Measures both sides alternately, and returns the median of each. The order changes with each pair. */
async function measureInPairs(row: Row, sides: readonly [Side, Side], round: number): Promise<number[]> {
  const measured = sides.map((side) => ({ side, values: new Array<number>() }));
  for (let turn = 0; turn < sides[0].reduce(row.turns); turn++) {
    const pair = (round + turn) % 2 === 0 ? measured : measured.toReversed();
    for (const { side, values } of pair) values.push(await row.measure(side));
  }
  return measured.map(({ values }) => median(values));
}

async function printTable(values: ReadonlyMap<Row, Values>): Promise<boolean> {
  const compared = [...values].map(([row, { before, after }]) => {
    const toTimes = (values: number[]) => row.unit === "/s" ? values.map((rate) => 1 / rate) : values;
    return { row, before, after, verdict: judge(toTimes(before), toTimes(after)) };
  });
  console.log(
    await renderRows(compared.map(({ row: { name, what, unit }, before, after, verdict }) => ({
      name,
      what,
      before: `${formatRange(before, median(before), formatValue)} ${unit}`,
      "this checkout": `${formatRange(after, median(after), formatValue)} ${unit}`,
      "ratio of times": `${formatRange(verdict.ratios, verdict.ratio, (ratio) => ratio.toFixed(2))} ×`,
      verdict: describeVerdict(verdict),
    }))),
  );
  const count = (difference: string) => compared.filter(({ verdict }) => verdict.difference === difference).length;
  if (count("noisy") > 0) {
    console.log("Rows marked 'noisy' differ, but not in enough rounds. Repeat them on a quiet machine with --only.");
  }
  return count("worse") === 0;
}

function formatRange(values: readonly number[], middle: number, format: (value: number) => string): string {
  return `${format(middle)} (${format(Math.min(...values))}–${format(Math.max(...values))})`;
}
