import { type LocalCommand, localCommand } from "../local_command.ts";
import { dataFlag } from "./data_flag.ts";
import { storeFlags } from "./store_flags.ts";

/** `svc service migrate`. */
export const migrateCommand: LocalCommand = localCommand({
  summary: "Adapt stored data to a changed application definition",
  details:
    "Without --apply, the command shows the plan: the renames with the number of changed rows, and what does not " +
    "fit afterwards. With --apply, it stores all changes in one transaction. Stop all services that use the data " +
    "first. A rename gives a path of the definition a new name, e.g. " +
    "caseTypes.City-Permit.stages.Review=Assessment. Renames apply in order.",
  flags: {
    rename: {
      help: "Path of the definition and its new name, as <path>=<new name>; repeatable",
      type: "list",
      repeatable: true,
    },
    apply: { help: "Store the changes", type: "boolean" },
    data: dataFlag,
    ...storeFlags,
    app: { help: "Application definition (default: the last one used)", type: "path", placeholder: "file" },
  },
  example: [
    "--app permits.yaml --rename caseTypes.City-Permit.stages.Review=Assessment",
    "--app permits.yaml --rename caseTypes.City-Permit=City-Licence --apply",
  ],
  seeAlso: ["service start --help", "service backup --help"],
  prefersView: true,
  async run(context, { rename = [], apply = false, ...options }) {
    const { migrate } = await import("../../../service/migration/migrate.ts");
    await context.print(await migrate({ ...options, renames: rename, apply }));
  },
});
