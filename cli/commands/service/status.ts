import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service status`. */
export const serviceStatusCommand: LocalCommand = localCommand({
  summary: "Show whether the service is running, and its address",
  flags: { data: dataFlag },
  example: ["--fields running,url", "--data permits --format table"],
  seeAlso: ["service start --help"],
  async run(context, options) {
    const { readServiceStatus } = await import("../../../service/admin/control.ts");
    await context.print(await readServiceStatus(options));
  },
});
