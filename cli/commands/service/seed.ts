import { SvcError } from "../../../lib/errors.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import type { SeedReport } from "../../../service/seed/seed_application.ts";
import { printWarnings, wantsPage } from "../../context.ts";
import type { CommandContext } from "../command.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";
import { storeFlags } from "./store_flags.ts";

/** Maximum number of cases of one command. */
const MOST_CASES = 100_000;

/** `svc service seed`. */
export const seedCommand: LocalCommand = localCommand({
  summary: "Create sample records and cases in the running service",
  details:
    "Operators of the application create cases, fill in their forms and work on them through the API, so every " +
    "case has a real history. Some cases end early, and some wait at each step. The same seed creates the same data, " +
    "with dates relative to today. The result counts the cases by state. Select the service with --data or with --profile.",
  flags: {
    count: { help: "Number of cases, not counting the child cases that steps create", type: "integer", default: "200" },
    seed: { help: "Seed of the random values", type: "integer", default: "1" },
    data: dataFlag,
    ...storeFlags,
  },
  example: ["", "--count 50 --seed 7", "--data permits --fields states --format table"],
  prefersView: true,
  seeAlso: ["service start --help", "service reset --help"],
  async run(context, { count, seed, ...which }) {
    if (count < 1 || count > MOST_CASES) {
      throw new SvcError("INVALID_ARGS", `--count must be from 1 to ${MOST_CASES}, not ${count}.`);
    }
    const { seedService } = await import("../../../service/seed/seed_service.ts");
    const { io, globals, signal } = context;
    const isShown = io.stderr.isTerminal() && !globals.quiet;
    const { ProgressBar } = await import("../../render/progress.ts");
    const bar = new ProgressBar(io.stderr);
    try {
      const onProgress = (cases: number) => isShown && bar.show(() => `${cases}/${pluralize(count, "case")} created`);
      const report = await seedService({ count, seed, ...which, profile: globals.profile, signal, onProgress });
      bar.clear();
      const warn = printWarnings(context);
      for (const { work, message, calls } of report.refusals) {
        warn(`${pluralize(calls, "call")} refused: ${work}: ${message}`);
      }
      await printReport(context, report);
    } finally {
      bar.clear();
    }
  },
});

async function printReport(context: CommandContext, report: SeedReport): Promise<void> {
  if (!wantsPage(context)) return await context.print(report);
  const { printList } = await import("../../work/print_list.ts");
  await printList(context, { result: report, rows: report.states, empty: "No cases were created." });
  const added = (["case", "record", "note", "tag", "follower", "participant", "attachment"] as const)
    .flatMap((noun) => report[`${noun}s`] > 0 ? [pluralize(report[`${noun}s`], noun)] : []);
  if (added.length > 0) context.note(`Created ${added.join(", ")}.`);
}
