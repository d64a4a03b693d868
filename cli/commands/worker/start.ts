import { callerOptions } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { journal } from "../workflow/shared/flags.ts";

/** `svc worker start`. */
export const startCommand: LocalCommand = localCommand({
  summary: "Run the scheduled workflows of a journal until Ctrl-C",
  details:
    "Starts each schedule of 'svc workflow schedule add' when it is due, and continues interrupted runs. It logs " +
    "to stderr; the results are in the journal. Only one worker runs the schedules of a journal, and a second one " +
    "waits. At Ctrl-C or SIGTERM, the responses to open calls are recorded, and the runs continue when a worker " +
    "starts again.",
  flags: {
    untilIdle: { help: "Start what is due, and end when no run is in progress", type: "boolean" },
    ...journal,
  },
  example: ["", "--until-idle"],
  seeAlso: ["workflow schedule add --help"],
  async run(context, { untilIdle, journal }) {
    const { escapeToOneLine } = await import("../../../utils/text/control_characters.ts");
    const { runSchedules } = await import("../../../workflows/schedules/schedule_worker.ts");
    const { io, signal, globals: { quiet } } = context;
    const log = (line: string) => {
      if (!quiet) io.stderr.write(`${new Date().toISOString()} ${escapeToOneLine(line)}\n`);
    };
    await runSchedules({ ...callerOptions(context), journal, signal, untilIdle, log });
  },
});
