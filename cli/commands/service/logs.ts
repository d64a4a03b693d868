import { escapeLines } from "../../../utils/text/control_characters.ts";
import { writeWaiting } from "../../io/io.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service logs`. */
export const serviceLogsCommand: LocalCommand = localCommand({
  summary: "Print the log of a service that runs in the background",
  details: "A service that was started without --detach prints its log in its own terminal instead.",
  flags: {
    data: dataFlag,
    lines: { help: "Number of lines to print, from the end of the log", type: "integer", default: "100" },
    follow: { help: "Also print new lines, until Ctrl-C", type: "boolean", short: "f" },
  },
  example: ["", "--lines 1000 | grep ERROR", "--follow --lines 0"],
  seeAlso: ["service start --help", "service status --help"],
  async run(context, { data, lines, follow }) {
    const { followLog, readLog } = await import("../../../service/admin/read_log.ts");
    const { stdout } = context.io;
    if (!follow) return stdout.write(escapeLines(await readLog(data, lines)));
    for await (const text of followLog(data, lines, context.signal)) {
      await writeWaiting(stdout, escapeLines(text), context.signal);
    }
  },
});
