import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service reset`. */
export const resetCommand: LocalCommand = localCommand({
  summary: "Delete all data of the service",
  flags: { data: dataFlag, stop: { help: "Stop the service first", type: "boolean" } },
  example: ["--stop", "--data permits --stop"],
  seeAlso: ["service start --help"],
  prefersView: true,
  async run(context, { stop, ...options }) {
    const { resetService } = await import("../../../service/admin/control.ts");
    await context.print(await resetService({ ...options, stopFirst: stop }));
  },
});
