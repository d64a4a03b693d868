/** `svc service copy`: copies the data of a service to another place. */
import { SvcError } from "../../lib/errors.ts";
import { formatLocation, isPostgresLocation, LocationError, parseLocation } from "../../utils/postgres/location.ts";
import { resolveDirectory } from "../admin/control.ts";
import type { CopySource, CopyTarget } from "./copied_database.ts";
import { copyRows } from "./copy_rows.ts";
import type { GetPassword } from "./postgres_copy.ts";

/** Default schema of a location. */
const SCHEMA = "svc";

/** Options of a copy. A place is a data directory, or the location of a PostgreSQL database. */
export interface CopyOptions {
  /** Place of the data. */
  readonly from: string;
  /** Empty place. */
  readonly to: string;
  /** Returns the password of the database. Default: the variable `PGPASSWORD`. */
  readonly getPassword?: GetPassword;
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

/** Copies all data, and compares each range of rows and each file with the source. An interrupted copy continues. */
export async function copyService({ from, to, getPassword }: CopyOptions): Promise<CopyReport> {
  const [before, after] = [normalize(from), normalize(to)];
  if (before === after) {
    throw new SvcError("INVALID_ARGS", `--from and --to both name ${before}.`, {
      hint: "Name another place with --to.",
    });
  }
  await using source = await openSource(before, getPassword);
  await using target = await openTarget(after, getPassword);
  return { from: before, to: after, ...await copyRows(source, target, before) };
}

function normalize(place: string): string {
  if (!isPostgresLocation(place)) return resolveDirectory(place);
  try {
    return formatLocation(parseLocation(place, SCHEMA));
  } catch (cause) {
    throw cause instanceof LocationError ? new SvcError("INVALID_ARGS", cause.message, { cause }) : cause;
  }
}

const FROM_ENVIRONMENT: GetPassword = () => Promise.resolve(Deno.env.get("PGPASSWORD"));

async function openSource(place: string, getPassword = FROM_ENVIRONMENT): Promise<CopySource> {
  if (!isPostgresLocation(place)) return await (await import("./sqlite_copy.ts")).openSqliteSource(place);
  const { openPostgresSource } = await import("./postgres_copy.ts");
  return await openPostgresSource(parseLocation(place, SCHEMA), getPassword);
}

async function openTarget(place: string, getPassword = FROM_ENVIRONMENT): Promise<CopyTarget> {
  if (!isPostgresLocation(place)) return await (await import("./sqlite_copy.ts")).openSqliteTarget(place);
  const { openPostgresTarget } = await import("./postgres_copy.ts");
  return await openPostgresTarget(parseLocation(place, SCHEMA), getPassword);
}
