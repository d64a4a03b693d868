import { SvcError } from "../../../lib/errors.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { grants, input, journal, maxOutage, runLimits, sandbox, script, toWorkOptions } from "./shared/flags.ts";

/** `svc workflow record`. */
export const recordCommand: LocalCommand = localCommand({
  summary: "Run a script once, and save its calls as a cassette for tests",
  details: "The run is recorded in the journal like that of 'svc workflow run'. A failed run is saved, too: " +
    "its test then expects the failure.",
  args: [script],
  flags: {
    output: { help: "File to write", type: "path", short: "o", required: true },
    force: { help: "Overwrite an existing file", type: "boolean" },
    ...input,
    ...grants,
    ...sandbox,
    ...maxOutage,
    ...runLimits,
    ...journal,
  },
  example: `intake.ts -o intake.cassette.json --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
  async run(context, { output, force, ...flags }) {
    const { NO_JOURNAL, openRunsFor } = await import("./shared/open_runs.ts");
    if (flags.journal === NO_JOURNAL) {
      throw new SvcError("INVALID_ARGS", "A cassette requires a journal.", { hint: "Omit --journal none." });
    }
    const { checkCassetteFile, writeCassette } = await import("./shared/cassettes.ts");
    await checkCassetteFile(output, force);
    const { newRunId } = await import("../../../workflows/journal/run_id.ts");
    const { processRun } = await import("./shared/process_run.ts");
    await using runs = openRunsFor(context, flags);
    const id = newRunId();
    let hasStarted = false;
    try {
      await processRun(context, {
        async open(options) {
          const run = await runs.start({ ...flags, ...toWorkOptions(flags), ...options, id });
          hasStarted = true;
          return run;
        },
      });
    } finally {
      const cassette = hasStarted ? await runs.cassette(id) : undefined;
      if (cassette !== undefined) await writeCassette(context, output, cassette);
    }
  },
});
