import { escapeLines } from "../../../utils/text/control_characters.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service logs`. */
export const serviceLogsCommand: LocalCommand = localCommand({
  summary: "Print the latest output of a service that runs in the background",
  details: "The output of a service that was started without --detach is in its own terminal.",
  flags: {
    data: dataFlag,
    lines: { help: "Number of lines, the latest last", type: "integer", default: "100" },
  },
  example: ["", "--lines 1000 | grep ERROR"],
  seeAlso: ["service start --help", "service status --help"],
  async run({ io }, { data, lines }) {
    const { readLog } = await import("../../../service/admin/read_log.ts");
    io.stdout.write(escapeLines(await readLog(data, lines)));
  },
});
