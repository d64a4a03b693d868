import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service backup`. */
export const backupCommand: LocalCommand = localCommand({
  summary: "Write a backup of the service's data to a new file",
  details:
    "The service can keep running. The backup is a consistent snapshot of the database and the uploaded files. " +
    "Do not copy the files of the data directory instead: such a copy can be damaged.",
  args: [{ name: "file", help: "File to create", type: "path", required: true }],
  flags: { data: dataFlag },
  example: ["permits.backup", "/backups/permits.tar --data permits"],
  seeAlso: ["service restore --help", "service verify --help"],
  prefersView: true,
  async run(context, options) {
    const { backUp } = await import("../../../service/backup/backup.ts");
    await context.print(await backUp(options));
  },
});
