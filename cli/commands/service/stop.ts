import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service stop`. */
export const stopCommand: LocalCommand = localCommand({
  summary: "Stop the service",
  details: "The service completes open requests first. On Windows it stops at once and interrupts open requests; " +
    "changes that were confirmed are saved.",
  flags: { data: dataFlag },
  example: ["", "--data permits"],
  seeAlso: ["service start --help"],
  async run(context, options) {
    const { stopService } = await import("../../../service/admin/control.ts");
    await context.print(await stopService(options));
  },
});
