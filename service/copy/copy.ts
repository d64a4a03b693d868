/** `svc service copy`: copies the data of a service to another place. */
import { SvcError } from "../../lib/errors.ts";
import { formatLocation, isPostgresLocation, type PostgresLocation } from "../../utils/postgres/location.ts";
import { readPassword } from "../../utils/postgres/password.ts";
import { resolveDirectory } from "../admin/control.ts";
import { refusePassword } from "../server/directory.ts";
import { openNamedFiles } from "../server/file_place.ts";
import type { StorePasswordOptions } from "../server/settings.ts";
import { BytesUnavailable } from "../store/bytes.ts";
import { type FilePlaceOptions, IN_DATABASE } from "../store/open_bytes.ts";
import { parseStoreLocation } from "../store/open_store.ts";
import type { CopySource, CopyTarget } from "./copied_database.ts";
import { copyRows } from "./copy_rows.ts";

/** Options of a copy. A place is a data directory, or the location of a PostgreSQL database. */
export interface CopyOptions extends StorePasswordOptions, FilePlaceOptions {
  /** Place of the data. */
  readonly from: string;
  /** Empty place. */
  readonly to: string;
  /** Location of the files of a PostgreSQL source: `database`, a directory or a bucket. Default: `database`. */
  readonly fromFiles?: string;
  /** Empty location for the files of a PostgreSQL target. Default: `database`. */
  readonly toFiles?: string;
}

/** Summary of a copy. */
export type CopyReport = {
  /** Place of the data. */
  readonly from: string;
  /** Place that now contains the same data. */
  readonly to: string;
  /** Number of copied rows. */
  readonly rows: number;
  /** Number of copied files. */
  readonly files: number;
};

/** A data directory, or the location of a PostgreSQL database. */
interface Place {
  readonly name: string;
  /** Undefined for a directory. */
  readonly location?: PostgresLocation;
}

/** Copies all data, and compares each range of rows and each file with the source. An interrupted copy continues. */
export async function copyService({ from, to, fromFiles, toFiles, ...options }: CopyOptions): Promise<CopyReport> {
  const [before, after] = [await parsePlace(from, "--from"), await parsePlace(to, "--to")];
  if (before.name === after.name) {
    throw new SvcError("INVALID_ARGS", `--from and --to both name ${before.name}.`, {
      hint: "Name another place with --to.",
    });
  }
  if (before.location === undefined && after.location === undefined) {
    refusePassword(options, "Name a PostgreSQL database with --from or --to, or omit the password.");
  }
  await using opened = await openSource(before, options);
  const source = await useFiles(opened, before, fromFiles, { flag: "--from-files", options });
  await using created = await openTarget(after, options);
  const target = await useFiles(created, after, toFiles, { flag: "--to-files", options });
  const report = await copyRows(source, target, before.name).catch((cause) => {
    if (!(cause instanceof BytesUnavailable)) throw cause;
    throw new SvcError("NETWORK_ERROR", `The files cannot be copied. ${cause.message}`, {
      cause,
      hint: "Run the same command again when the storage service is available. The copy continues.",
    });
  });
  return { from: before.name, to: after.name, ...report };
}

/** Returns a database with its files at another location. A data directory contains its own files. */
async function useFiles<T extends CopySource>(
  database: T,
  { name, location }: Place,
  files: string | undefined,
  { flag, options }: { readonly flag: string; readonly options: FilePlaceOptions },
): Promise<T> {
  if (files === undefined || (location !== undefined && files === IN_DATABASE)) return database;
  if (location !== undefined) return { ...database, bytes: await openNamedFiles(flag, files, options) };
  throw new SvcError("INVALID_ARGS", `${flag} needs a PostgreSQL database, but ${name} is a data directory.`, {
    hint: `Omit ${flag}.`,
  });
}

async function parsePlace(place: string, flag: string): Promise<Place> {
  if (!isPostgresLocation(place)) return { name: resolveDirectory(place) };
  const location = await parseStoreLocation(place, flag);
  return { name: formatLocation(location), location };
}

async function openSource({ name, location }: Place, password: StorePasswordOptions): Promise<CopySource> {
  if (location === undefined) return await (await import("./sqlite_copy.ts")).openSqliteSource(name);
  const { openPostgresSource } = await import("./postgres_copy.ts");
  return await openPostgresSource(location, () => readStorePassword(password));
}

async function openTarget({ name, location }: Place, password: StorePasswordOptions): Promise<CopyTarget> {
  if (location === undefined) return await (await import("./sqlite_copy.ts")).openSqliteTarget(name);
  const { openPostgresTarget } = await import("./postgres_copy.ts");
  return await openPostgresTarget(location, () => readStorePassword(password));
}

async function readStorePassword(options: StorePasswordOptions): Promise<string | undefined> {
  return await readPassword({ file: options.storePasswordFile, command: options.storePasswordCommand });
}
