import { type LocalCommand, localCommand } from "../local_command.ts";
import { shellQuote } from "../../../utils/text/shell_quote.ts";
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
    const { listOtherServices, stopService } = await import("../../../service/admin/control.ts");
    const result = await stopService(options);
    const others = result.stopped ? [] : await listOtherServices(result.data);
    for (const other of others) {
      context.note(
        `No service uses ${result.data}. A service uses ${other}. To stop it, run: svc service stop --data ${
          shellQuote(other)
        }`,
      );
    }
    await context.print(result);
  },
});
