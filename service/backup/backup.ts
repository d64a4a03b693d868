/** `svc service backup`, `restore` and `verify`: copies of a data directory, and the check of one. */
import { dirname, resolve } from "node:path";
import { SvcError } from "../../lib/errors.ts";
import { writeAll } from "../../utils/fs/chunks.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isFileSizeLimit, RAISE_SIZE_LIMIT } from "../../utils/fs/file_size_limit.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { makePrivateDirectory } from "../../utils/fs/private_file.ts";
import { renameDurably, syncFolder } from "../../utils/fs/sync_folder.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import { FILE_KIND } from "../attachments/files.ts";
import { locateFiles, lockDirectory, refuseServer, registerApplication } from "../server/directory.ts";
import { keepBytes } from "../store/bytes_on_disk.ts";
import { describeLogDamage, findLogDamage, locateDamagedLog } from "../../utils/sqlite/log_damage.ts";
import {
  checkDatabase,
  checkDerived,
  copyDatabase,
  type DatabaseFindings,
  findTwins,
  readItems,
} from "../store/sqlite/snapshot.ts";
import { readUsedState, resolveDirectory, type ServiceDirectory } from "../admin/control.ts";
import { type ArchiveDescription, DATABASE_ENTRY, FILES_FOLDER, readArchive, writeArchive } from "./archive.ts";

/** Largest number of issues that an error lists. */
const MAX_ISSUES = 20;

/** Number of attempts to copy files that a service may delete, because the backup may not write to the data directory. */
const MAX_ATTEMPTS = 5;

/** Summary of a backup. */
export type BackupReport = {
  /** The backup. */
  readonly backup: string;
  /** The data directory. */
  readonly data: string;
  /** ISO 8601 time of the copy, UTC, with milliseconds. */
  readonly createdAt: string;
  /** Number of cases. */
  readonly cases: number;
  /** Number of uploaded files. */
  readonly files: number;
};

/** Result of a check. */
export type VerifyReport = {
  /** Path of the data directory or of the backup. */
  readonly checked: string;
  /** Version of the tables. */
  readonly schema: number;
  /** Number of cases. */
  readonly cases: number;
  /** Number of uploaded files. */
  readonly files: number;
  /** Classes and keys of records whose keys differ only in how accents are stored. The composed one is found by its key. */
  readonly twins?: string[][];
  /** Tables of counts, sums and texts that were computed again. */
  readonly repaired?: string[];
};

/** A check of a data directory or of a backup. */
export interface VerifyOptions extends ServiceDirectory {
  /** Path of the backup. Default: the data directory. */
  readonly backup?: string;
  /** Computes tables of counts, sums and texts again if they are wrong. */
  readonly repair?: boolean;
}

/** Writes a backup of a data directory to a new file. A service that uses the directory continues to work. */
export async function backUp({ file, ...which }: ServiceDirectory & { file: string }): Promise<BackupReport> {
  const data = resolveDirectory(which.data);
  const backup = resolve(file);
  const state = await readUsedState(data, "There is nothing to back up.");
  refuseServer(state, "Back up the database with the tools of PostgreSQL, such as pg_dump.");
  if (await exists(backup)) {
    throw new SvcError("INVALID_ARGS", `${file} already exists.`, {
      hint: "Name a new file. Backups are not replaced.",
    });
  }
  const { database, files } = locateFiles(data);
  const createdAt = new Date().toISOString();
  using _kept = await keepBytes(files);
  try {
    await assertLogIntact(data, database);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const counts = await tryBackUp(data, backup, { createdAt, app: state.app ?? "" });
      if (counts !== undefined) return { backup, data, createdAt, ...counts };
    }
  } catch (error) {
    throw explainWrite(error, file);
  }
  throw new SvcError("CONFLICT", `Uploaded files were deleted during each of ${MAX_ATTEMPTS} attempts.`, {
    hint: `Run the backup as a user who may write to ${data}: the service then keeps files until the backup has ended.`,
  });
}

/** Writes a backup. Returns undefined if a service has deleted a file of the copied database in the meantime. */
async function tryBackUp(
  data: string,
  backup: string,
  about: ArchiveDescription,
): Promise<Pick<BackupReport, "cases" | "files"> | undefined> {
  const { database, files } = locateFiles(data);
  await using folder = await makeFolder(dirname(backup));
  const copy = `${folder.path}/${DATABASE_ENTRY}`;
  await copyDatabase(database, copy);
  const { cases } = assertIntact(database, copy);
  const ids = [...readItems(copy, FILE_KIND).keys()];
  const archive = `${folder.path}/archive`;
  const sources = ids.map((id) => ({ name: FILES_FOLDER + id, path: `${files}/${id}` }));
  try {
    await writeArchive(archive, [{ name: DATABASE_ENTRY, path: copy }, ...sources], about);
  } catch (error) {
    ignoreMissing(error);
    const lost = await findLost(data, ids);
    if (lost.length > 0) throw damaged(data, lost);
    return undefined;
  }
  await renameDurably(archive, backup);
  return { cases, files: ids.length };
}

/** Describes the missing files that the database has. */
async function findLost(data: string, ids: Iterable<string>): Promise<string[]> {
  const { database, files } = locateFiles(data);
  const missing: string[] = [];
  for (const id of ids) if (!await exists(`${files}/${id}`)) missing.push(id);
  if (missing.length === 0) return [];
  const items = readItems(database, FILE_KIND); // Read again: a service may have deleted a file.
  return missing.filter((id) => items.has(id)).map((id) => `The file ${files}/${id} is missing`);
}

/** Creates a data directory from a backup. Puts the database in place last, after checking it. */
export async function restore({ file, ...which }: ServiceDirectory & { file: string }): Promise<BackupReport> {
  const data = resolveDirectory(which.data);
  using _lock = await lockDirectory(data);
  const { database, files } = locateFiles(data);
  if (await exists(database)) {
    throw new SvcError("CONFLICT", `${data} already contains data, which a restore does not replace.`, {
      hint: "Name another directory with --data, or delete the data with 'svc service reset'.",
    });
  }
  try {
    await using folder = await makeFolder(data);
    const copy = `${folder.path}/${DATABASE_ENTRY}`;
    await makePrivateDirectory(`${folder.path}/${FILES_FOLDER}`);
    const { createdAt, app, entries } = await readArchive(file, async (name, content) => {
      await writePrivate(`${folder.path}/${name}`, content);
    });
    const { cases } = assertIntact(file, copy);
    await makePrivateDirectory(files);
    for (const { name } of entries) {
      if (name !== DATABASE_ENTRY) {
        await Deno.rename(`${folder.path}/${name}`, `${files}/${name.slice(FILES_FOLDER.length)}`);
      }
    }
    await syncFolder(files);
    await registerApplication(data, app);
    await renameDurably(copy, database);
    return { backup: resolve(file), data, createdAt, cases, files: entries.length - 1 };
  } catch (error) {
    throw explainRead(explainWrite(error, data), file);
  }
}

/** Checks the backup if there is one, otherwise the data directory. Throws `STORE_DAMAGED` with the issues. */
export async function verify({ backup, repair = false, ...which }: VerifyOptions): Promise<VerifyReport> {
  if (backup !== undefined) {
    if (!repair) return await verifyBackup(backup);
    throw new SvcError("INVALID_ARGS", "--repair works only on a data directory, not on a backup.", {
      hint: "Restore the backup to a data directory with 'svc service restore', then repair that.",
    });
  }
  const data = resolveDirectory(which.data);
  const state = await readUsedState(data, "There is nothing to verify.");
  refuseServer(state, "Verify the database with the tools of PostgreSQL, such as pg_amcheck.");
  const { database, files } = locateFiles(data);
  using _kept = await keepBytes(files);
  await assertLogIntact(data, database);
  const { schema, cases } = assertIntact(database, database);
  const items = readItems(database, FILE_KIND);
  const issues = await findLost(data, items.keys());
  for (const [id, { size }] of items) {
    const found = await Deno.stat(`${files}/${id}`).catch(ignoreMissing);
    if (found !== undefined && found.size !== size) {
      issues.push(`The file ${files}/${id} has ${found.size} bytes instead of ${size}`);
    }
  }
  if (issues.length > 0) throw damaged(data, issues);
  using _lock = repair ? await lockDirectory(data) : undefined;
  const wrong = checkDerived(database, { repair });
  if (wrong.length > 0 && !repair) throw createWrongError(data, wrong);
  const report = { checked: data, schema, cases, files: items.size, ...reportTwins(database) };
  return { ...report, ...(repair && { repaired: wrong }) };
}

function reportTwins(database: string): Pick<VerifyReport, "twins"> {
  const twins = findTwins(database).map((names) => [...names]);
  return twins.length > 0 ? { twins } : {};
}

function createWrongError(data: string, tables: readonly string[]): SvcError {
  const message = `Counts or texts in ${data} do not match the cases: lists and searches can be wrong.`;
  return new SvcError("STORE_DAMAGED", message, {
    details: tables.map((table) => ({ message: `The rows of ${table} are wrong` })),
    hint: "Cases are not damaged. Stop the service, then compute the tables again: svc service verify --repair.",
  });
}

async function verifyBackup(backup: string): Promise<VerifyReport> {
  await using folder = await makeFolder();
  const copy = `${folder.path}/${DATABASE_ENTRY}`;
  try {
    const { entries } = await readArchive(backup, async (name, content) => {
      if (name === DATABASE_ENTRY) await writePrivate(copy, content);
      else for await (const _ of content); // Reading it computes its digest.
    });
    const { schema, cases } = assertIntact(backup, copy);
    const names = new Set(entries.map(({ name }) => name));
    const missing = [...readItems(copy, FILE_KIND).keys()].filter((id) => !names.has(FILES_FOLDER + id));
    if (missing.length > 0) throw damaged(backup, missing.map((id) => `The file ${id} is missing`));
    return { checked: resolve(backup), schema, cases, files: entries.length - 1, ...reportTwins(copy) };
  } catch (error) {
    throw explainRead(error, backup);
  }
}

/** Checks a database. Throws `STORE_DAMAGED` if it has issues. `owner` is the path to report. */
function assertIntact(owner: string, database: string): DatabaseFindings {
  const findings = checkDatabase(database);
  if (findings.issues.length > 0) throw damaged(owner, findings.issues);
  return findings;
}

/** Checks the write-ahead log of a data directory. Throws `STORE_DAMAGED` if confirmed changes are lost. */
async function assertLogIntact(data: string, database: string): Promise<void> {
  const damage = findLogDamage(database);
  if (damage !== undefined) throw damaged(data, [describeLogDamage(database, damage)]);
  const copy = locateDamagedLog(database);
  if (!await exists(copy)) return;
  throw damaged(data, [
    `The service has lost the last changes of a damaged log, and keeps a copy of it. To accept the loss, delete ${copy}`,
  ]);
}

function damaged(path: string, issues: readonly string[]): SvcError {
  const number = issues.length === 1 ? "one issue" : `${issues.length} issues`;
  return new SvcError("STORE_DAMAGED", `${path} is damaged: ${number} found.`, {
    details: issues.slice(0, MAX_ISSUES).map((message) => ({ message })),
    hint: "Restore the latest backup to another directory: svc service restore <backup> --data <dir>.",
  });
}

/** Creates a temporary folder. Disposing of it removes it. */
async function makeFolder(dir?: string): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir({ dir, prefix: "svc-backup-" });
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

async function writePrivate(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true, mode: 0o600 });
  for await (const chunk of content) await writeAll(file, chunk);
  await file.sync();
}

function explainRead(error: unknown, file: string): unknown {
  const reason = error instanceof SvcError ? undefined : describeReadError(error);
  if (reason === undefined) return error;
  return new SvcError("INVALID_ARGS", `${file} cannot be read: ${reason}.`, { cause: error, hint: "Check the path." });
}

function explainWrite(error: unknown, target: string): unknown {
  if (isFileSizeLimit(error)) {
    return new SvcError("INVALID_ARGS", `${target} would exceed the limit of file sizes.`, {
      cause: error,
      hint: `Nothing was changed. ${RAISE_SIZE_LIMIT}`,
    });
  }
  if (!isDiskFull(error)) return error;
  return new SvcError("INVALID_ARGS", `There is not enough disk space for ${target}.`, {
    cause: error,
    hint: "Nothing was changed. Free some space, or choose another disk.",
  });
}
