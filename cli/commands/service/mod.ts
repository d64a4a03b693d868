import type { LocalGroup } from "../local_command.ts";
import { addClientCommand } from "./add_client.ts";
import { backupCommand } from "./backup.ts";
import { copyCommand } from "./copy.ts";
import { diagramCommand } from "./diagram.ts";
import { serviceLogsCommand } from "./logs.ts";
import { migrateCommand } from "./migrate.ts";
import { removeClientCommand } from "./remove_client.ts";
import { resetCommand } from "./reset.ts";
import { restoreCommand } from "./restore.ts";
import { schemaCommand } from "./schema.ts";
import { seedCommand } from "./seed.ts";
import { startCommand } from "./start.ts";
import { serviceStatusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { typesCommand } from "./types.ts";
import { validateCommand } from "./validate.ts";
import { verifyCommand } from "./verify.ts";

/** The commands of `svc service`, in the order of the help. */
export const commands: LocalGroup = {
  start: startCommand,
  status: serviceStatusCommand,
  stop: stopCommand,
  logs: serviceLogsCommand,
  seed: seedCommand,
  reset: resetCommand,
  migrate: migrateCommand,
  backup: backupCommand,
  restore: restoreCommand,
  verify: verifyCommand,
  copy: copyCommand,
  validate: validateCommand,
  diagram: diagramCommand,
  schema: schemaCommand,
  types: typesCommand,
  addClient: addClientCommand,
  removeClient: removeClientCommand,
};
