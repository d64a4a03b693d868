import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service stop`. */
export const stopCommand: LocalCommand = localCommand({
  summary: "Stop the service",
  details: "The service completes open requests first. On Windows it stops at once and interrupts open requests; " +
    "changes that were confirmed are saved. With --all, the command stops every service that you have started.",
  flags: {
    data: dataFlag,
    all: { help: "Stop all services, including those in memory", type: "boolean", excludes: ["data"] },
  },
  example: ["", "--data permits", "--all --format table"],
  seeAlso: ["service status --help", "service start --help"],
  prefersView: true,
  async run(context, { all, ...options }) {
    const { listOtherServices, stopAllServices, stopService } = await import("../../../service/admin/control.ts");
    if (all) return await context.print(await stopAllServices());
    const result = await stopService(options);
    for (const other of result.stopped ? [] : await listOtherServices(result.data)) {
      const { explainOtherService } = await import("./service_text.ts");
      const [sentence, line] = explainOtherService(other, "stop");
      context.note(`No service uses ${result.data}. ${sentence}`);
      context.note(line);
    }
    await context.print(result);
  },
});
