import { SvcError } from "../../../lib/errors.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal, runId } from "./shared/flags.ts";

/** Milliseconds of the units of `--older-than`. */
const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `svc workflow prune`. */
export const pruneCommand: LocalCommand = localCommand({
  summary: "Delete the histories of inputs that have succeeded",
  dryRun: true,
  details: "Runs can still be listed and shown, and files that were processed once stay processed. Failed and open " +
    "inputs keep their histories, so that 'svc workflow retry' and 'resume' can continue them. With --dry-run, the " +
    "command prints what it would delete, and how much space that would free.",
  args: [{
    name: "run",
    help: "Run to prune (default: all runs that have ended)",
    type: "string",
    optional: true,
    suggest: runId.suggest,
  }],
  flags: {
    olderThan: {
      help: "Only runs that ended longer ago than this, e.g. 30d, 12h or 90m",
      type: "string",
      placeholder: "time",
    },
    keep: {
      help: "What remains of an input: its value and result, or only its state",
      type: "string",
      choices: ["results", "nothing"],
      default: "results",
      placeholder: "what",
    },
    ...journal,
  },
  example: ["--older-than 30d --dry-run", "20261121-1405-k7wqh2 --keep nothing"],
  async run(context, { run, olderThan, keep, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    const isPreview = context.globals.dryRun;
    const endedBefore = olderThan === undefined ? undefined : Date.now() - parseAge(olderThan);
    await using runs = openRunsFor(context, flags);
    const options = { run, endedBefore, keep: keep === "nothing" ? keep : "results", isPreview } as const;
    const pruned = await Array.fromAsync(runs.prune(options));
    await context.print(pruned);
    if (pruned.length === 0) return context.note("There is nothing to delete.");
    const sum = (member: "inputs" | "events" | "bytes") => pruned.reduce((total, one) => total + one[member], 0);
    context.note(
      `${isPreview ? "Would delete" : "Deleted"} ${pluralize(sum("events"), "event")} of ${
        pluralize(sum("inputs"), "input")
      } in ${pluralize(pruned.length, "run")}: ${(sum("bytes") / 1024 / 1024).toFixed(1)} MiB.`,
    );
  },
});

function parseAge(text: string): number {
  const [, count, unit = ""] = /^(\d+)([mhd])$/.exec(text) ?? [];
  if (count !== undefined && unit in UNITS) return Number(count) * UNITS[unit as keyof typeof UNITS];
  throw new SvcError(
    "INVALID_ARGS",
    `--older-than must be a number of minutes, hours or days, not ${JSON.stringify(text)}.`,
    { hint: "Use a number and a unit, e.g. 90m, 12h or 30d." },
  );
}
