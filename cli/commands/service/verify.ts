import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service verify`. */
export const verifyCommand: LocalCommand = localCommand({
  summary: "Check a data directory or a backup for damage",
  details:
    "The service can keep running. For a data directory, the command reads the whole database, and checks each row " +
    "and the size of each uploaded file. For a backup, it reads every file.",
  args: [{ name: "backup", help: "Backup to check (default: the data directory)", type: "path", optional: true }],
  flags: { data: dataFlag },
  example: ["", "permits.backup", "--data permits"],
  seeAlso: ["service backup --help"],
  prefersView: true,
  async run(context, options) {
    const { verify } = await import("../../../service/backup/backup.ts");
    await context.print(await verify(options));
  },
});
