import { render } from "../../lib/output/render.ts";
import { quantile } from "../support/quantile.ts";
import type { CrashReport } from "./crash.ts";
import { VICTIMS } from "./killer.ts";
import { listFaults } from "./verdict.ts";

/** Renders the figures of a crash test as a table. */
export async function renderReport({ seed, kills, inputs, statistics, verdict }: CrashReport): Promise<string> {
  const resumes = statistics.flatMap(({ resumeTimes }) => resumeTimes).sort((one, other) => one - other);
  const sum = (figure: "calls" | "interruptedChanges") => statistics.reduce((total, one) => total + one[figure], 0);
  const figures: [figure: string, value: string | number][] = [
    ...VICTIMS.map((victim): [string, number] => [
      `kills: ${victim}`,
      kills.filter((kill) => kill.victim === victim).length,
    ]),
    ["inputs", inputs],
    ["calls", sum("calls")],
    ["changes interrupted", sum("interruptedChanges")],
    ["lost", verdict.lost.length],
    ["repeated", verdict.repeated.length],
    ["other faults", listFaults(verdict).length - verdict.lost.length - verdict.repeated.length],
    ["time to resume: median", formatMilliseconds(quantile(resumes, 0.5))],
    ["time to resume: p95", formatMilliseconds(quantile(resumes, 0.95))],
    ["time to resume: longest", formatMilliseconds(resumes.at(-1))],
    ["seed", seed],
  ];
  const rows = figures.map(([figure, value]) => ({ figure, value: String(value) }));
  return (await render(rows, { format: "table" }, { columns: 80, color: false })).text;
}

function formatMilliseconds(value: number | undefined): string {
  return value === undefined ? "none" : `${value} ms`;
}
