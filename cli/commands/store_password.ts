/** The password of a PostgreSQL database, for all commands that use one. */
import type { PasswordSource } from "../../utils/postgres/password.ts";
import type { Flag } from "./command.ts";

/** The flags for the password of a database. */
export const storePasswordFlags = {
  storePasswordFile: {
    help: "File with the database password (default: the variable PGPASSWORD)",
    type: "path",
    placeholder: "file",
  },
  storePasswordCommand: {
    help: "Command that prints the database password",
    type: "string",
    placeholder: "command",
    excludes: ["storePasswordFile"],
  },
} as const satisfies Record<string, Flag>;

/** Values of the flags. */
export interface StorePasswordValues {
  readonly storePasswordFile?: string;
  readonly storePasswordCommand?: string;
}

/** Converts the values of the flags. Returns undefined if none is set. */
export function toPasswordSource(
  { storePasswordFile: file, storePasswordCommand: command }: StorePasswordValues,
): PasswordSource | undefined {
  return file === undefined && command === undefined ? undefined : { file, command };
}
