import type { Flag } from "../command.ts";

/** The flags that select the database of the service. */
export const storeFlags = {
  store: {
    help: "Database: 'sqlite', or postgres://<user>@<host>:<port>/<database> (default: the last one used, or sqlite)",
    type: "string",
    placeholder: "location",
  },
  storePasswordFile: {
    help: "File with the password of the database (default: PGPASSWORD)",
    type: "path",
    placeholder: "file",
  },
  storePasswordCommand: {
    help: "Program that prints the password of the database, with its arguments",
    type: "string",
    placeholder: "command",
    excludes: ["storePasswordFile"],
  },
} as const satisfies Record<string, Flag>;
