/** The table of a crash test. */
import Table from "cli-table3";
import type { CrashReport } from "./crash.ts";
import { faultsOf } from "./judgement.ts";
import { VICTIMS } from "./siege.ts";

/** The figures of a crash test. */
export function tableOf({ seed, kills, inputs, chronicles, judgement }: CrashReport): string {
  const resumes = chronicles.flatMap(({ resumes }) => resumes).sort((one, other) => one - other);
  const sum = (figure: "calls" | "cutOff") => chronicles.reduce((total, one) => total + one[figure], 0);
  const table = new Table({ style: { head: [], border: [] } });
  table.push(
    ...VICTIMS.map((victim) => [`kills: ${victim}`, kills.filter((kill) => kill.victim === victim).length]),
    ["inputs", inputs],
    ["calls", sum("calls")],
    ["changes cut off by a kill", sum("cutOff")],
    ["lost", judgement.lost.length],
    ["repeated", judgement.repeated.length],
    ["other faults", faultsOf(judgement).length - judgement.lost.length - judgement.repeated.length],
    ["time to resume: median", milliseconds(quantile(resumes, 0.5))],
    ["time to resume: p95", milliseconds(quantile(resumes, 0.95))],
    ["time to resume: longest", milliseconds(resumes.at(-1))],
    ["seed", seed],
  );
  return table.toString();
}

/** The smallest of sorted numbers that is not exceeded by such a share of them. */
function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? "none" : `${value} ms`;
}
