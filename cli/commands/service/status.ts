import { wantsPage } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service status`. */
export const serviceStatusCommand: LocalCommand = localCommand({
  summary: "Show whether the service is running, and its address",
  details: "With --all, the command lists every running service that you have started, in whatever data directory.",
  flags: { data: dataFlag, all: { help: "List all running services", type: "boolean", excludes: ["data"] } },
  reads: true,
  example: ["--fields running,url", "--all --format table --fields application,url,data"],
  seeAlso: ["service start --help", "service stop --help"],
  prefersView: true,
  async run(context, { all, ...options }) {
    const { listOtherServices, listServices, readServiceStatus } = await import("../../../service/admin/control.ts");
    if (all) {
      const services = await listServices();
      if (!wantsPage(context)) return await context.print(services);
      const { printList } = await import("../../work/print_list.ts");
      return await printList(context, {
        result: services,
        rows: services.map(({ application, url, data }) => ({ application, url, data })),
        empty: "No service is running.",
      });
    }
    const status = await readServiceStatus(options);
    await context.print(status);
    if (status.running || typeof status.data !== "string" || !context.io.stderr.isTerminal()) return;
    const { explainOtherService } = await import("./service_text.ts");
    for (const other of await listOtherServices(status.data)) {
      explainOtherService(other, "status").forEach(context.note);
    }
  },
});
