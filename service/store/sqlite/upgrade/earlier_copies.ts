/** Copies of a database. An upgrade makes one beside the database before it changes anything. */
import { basename, dirname } from "node:path";
import { ignoreMissing } from "../../../../utils/fs/ignore_missing.ts";

/** A copy of a database from before an upgrade. */
export interface EarlierCopy {
  /** Path of the copy. */
  readonly path: string;
  /** Version of its tables. */
  readonly version: number;
  /** True until its upgrade has finished. */
  readonly isUnfinished: boolean;
}

/** Returns the path of the copy, e.g. `service.v6.db` beside `service.db`. */
export function locateCopy(database: string, version: number): string {
  return `${getStem(database)}.v${version}.db`;
}

/** Returns the path of a copy until its upgrade has finished. */
export function locateUnfinishedCopy(database: string, version: number): string {
  return `${getStem(database)}.v${version}.unfinished.db`;
}

/** Returns the path of a copy that is being written. */
export function locatePartialCopy(database: string): string {
  return `${getStem(database)}.copying.db`;
}

/** Lists the complete copies of a database. */
export async function listCopies(database: string): Promise<EarlierCopy[]> {
  const folder = dirname(database);
  const stem = basename(getStem(database));
  const copies: EarlierCopy[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    const [, version, unfinished] = name.startsWith(`${stem}.`)
      ? /^\.v(\d+)(\.unfinished)?\.db$/.exec(name.slice(stem.length)) ?? []
      : [];
    if (version === undefined) continue;
    copies.push({ path: `${folder}/${name}`, version: Number(version), isUnfinished: unfinished !== undefined });
  }
  return copies;
}

/** Deletes the files of a database. */
export async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) await Deno.remove(path + suffix).catch(ignoreMissing);
}

/** Deletes the copies of a database, complete or not. */
export async function removeCopies(database: string): Promise<void> {
  await removeDatabase(locatePartialCopy(database));
  for (const { path } of await listCopies(database)) await removeDatabase(path);
}

function getStem(database: string): string {
  return database.replace(/\.db$/, "");
}
