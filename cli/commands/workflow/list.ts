import type { SvcError } from "../../../lib/errors.ts";
import { SHOWN_STATES } from "../../../workflows/journal/journal.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal } from "./shared/flags.ts";

/** `svc workflow list`. */
export const listCommand: LocalCommand = localCommand({
  summary: "List the runs of the journal, newest first",
  flags: {
    state: { help: "Only runs in this state", type: "string", choices: SHOWN_STATES, placeholder: "state" },
    schedule: {
      help: "Only runs of this schedule",
      type: "string",
      placeholder: "name",
      suggest: async () => await (await import("./schedule/open_schedules.ts")).suggestSchedules(),
    },
    ...journal,
  },
  reads: true,
  example: "--state interrupted --format table",
  async run(context, { state, schedule, ...flags }) {
    const { openRunsFor } = await import("./shared/open_runs.ts");
    await using runs = openRunsFor(context, flags);
    const damaged: SvcError[] = [];
    const intact = await runs.list({ state, schedule, onDamage: (error) => damaged.push(error) });
    await context.print([...intact, ...damaged.map(({ details }) => ({ id: details?.[0]?.run, state: "damaged" }))]);
    for (const { message } of damaged) context.note(message);
  },
});
