import { printWarnings } from "../../context.ts";
import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";

/** `svc service verify`. */
export const verifyCommand: LocalCommand = localCommand({
  summary: "Check a data directory or a backup for damage",
  details:
    "The service can keep running. For a data directory, the command reads the whole database, and checks each row " +
    "and the size of each uploaded file. It also compares counts, sums and texts with the cases. --repair computes them again " +
    "if they are wrong, while the service is stopped. For a backup, the command reads every file.",
  args: [{ name: "backup", help: "Backup to check (default: the data directory)", type: "path", optional: true }],
  flags: {
    data: dataFlag,
    repair: { help: "Compute counts, sums and texts again if they are wrong", type: "boolean" },
  },
  example: ["", "permits.backup", "--data permits", "--data permits --repair"],
  seeAlso: ["service backup --help"],
  prefersView: true,
  async run(context, options) {
    const { verify } = await import("../../../service/backup/backup.ts");
    const report = await verify(options);
    await context.print(report);
    const [twins] = report.twins ?? [];
    if (twins === undefined) return;
    printWarnings(context)(
      `Records have the same key with differently stored accents, e.g. ${twins.join(" and ")}. Delete one of them.`,
    );
  },
});
