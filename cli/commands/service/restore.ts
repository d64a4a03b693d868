import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service restore`. */
export const restoreCommand: LocalCommand = localCommand({
  summary: "Create a data directory from a backup",
  details: "The directory must not contain data yet. Start the service afterwards.",
  args: [{ name: "file", help: "Backup to read", type: "path", required: true }],
  flags: { data: dataFlag },
  example: ["permits.backup --data permits-2"],
  seeAlso: ["service backup --help", "service reset --help"],
  prefersView: true,
  async run(context, options) {
    const { restore } = await import("../../../service/backup/backup.ts");
    await context.print(await restore(options));
  },
});
