/** Opens the store of a service. */
import { SvcError } from "../../lib/errors.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { PostgresLocation } from "../../utils/postgres/location.ts";
import { openSqliteStore } from "./sqlite/sqlite_store.ts";
import type { Store } from "./store.ts";

/** A file, `:memory:`, or a database server. */
export type StorePlace = StoreFile | StoreServerPlace;

/** A database file. */
export interface StoreFile {
  /** Path of the file, or `:memory:`. */
  readonly file: string;
  /** True if a service has used it before. Otherwise a missing file is created. */
  readonly isKnown?: boolean;
}

/** A schema of a PostgreSQL database. */
export interface StoreServerPlace {
  /** Location without a password, e.g. `postgres://app@db.example.org/city`. */
  readonly location: string;
  /** File that contains the password. Default: the variable `PGPASSWORD`, or no password. */
  readonly passwordFile?: string;
  /** Command line of a program that prints the password. */
  readonly passwordCommand?: string;
}

/** Default schema of a location. */
const DEFAULT_SCHEMA = "svc";

/** Hooks into the opening and use of a database server. */
export interface StoreHooks {
  /** Receives the progress of an upgrade, as lines. */
  readonly note?: (line: string) => void;
  /** Receives warnings about indexes, also while the store is open. */
  readonly log?: Log;
}

/** Opens a store. */
export async function openStore(place: StorePlace, { note, log }: StoreHooks = {}): Promise<Store> {
  if ("file" in place) return openSqliteStore(place.file, place.isKnown);
  const { openPostgresStore } = await import("./postgres/postgres_store.ts");
  const { readPassword } = await import("../../utils/postgres/password.ts");
  const { passwordFile: file, passwordCommand: command } = place;
  return await openPostgresStore(await parseStoreLocation(place.location), {
    getPassword: () => readPassword({ file, command }),
    onUpgrade: (activity) => note?.(`Preparing the database: ${activity}`),
    note: (line) => log?.(line, { level: "warning" }),
  });
}

/** Parses the location of a database server. Throws `INVALID_ARGS`, which names the flag, if it is not valid. */
export async function parseStoreLocation(location: string, flag = "--store"): Promise<PostgresLocation> {
  const { LocationError, parseLocation } = await import("../../utils/postgres/location.ts");
  try {
    return parseLocation(location, DEFAULT_SCHEMA);
  } catch (cause) {
    if (!(cause instanceof LocationError)) throw cause;
    throw new SvcError("INVALID_ARGS", `${flag}: ${cause.message}`, {
      cause,
      hint: "Pass the password with PGPASSWORD, --store-password-file or --store-password-command.",
    });
  }
}
