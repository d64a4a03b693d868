import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service verify`. */
export const verifyCommand: LocalCommand = localCommand({
  summary: "Check a data directory or a backup for damage",
  details:
    "The service can run meanwhile. Every page of the database is read, and every uploaded file is looked up; in a " +
    "backup, every file is read.",
  args: [{ name: "backup", help: "Backup to check (default: the data directory)", type: "path", optional: true }],
  flags: { data: dataFlag },
  example: ["", "permits.backup", "--data permits"],
  seeAlso: ["service backup --help"],
  async run(context, options) {
    const { verify } = await import("../../../service/backup/backup.ts");
    await context.print(await verify(options));
  },
});
