/** Opens the SQLite file of a journal. */
import { DatabaseSync } from "node:sqlite";
import type { Warn } from "../../../lib/client/callback.ts";
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";
import { delay } from "../../../utils/async/abort.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";
import { describeWriteError } from "../../../utils/fs/describe_error.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";
import { makePrivateDirectory, makePrivateFile, warnIfOpenToOthers } from "../../../utils/fs/private_file.ts";
import { isDatabaseBusy, isDatabaseDamaged, isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { isFileSizeLimit, RAISE_SIZE_LIMIT } from "../../../utils/fs/file_size_limit.ts";
import { describeLogDamage, keepDamagedLog } from "../../../utils/sqlite/log_damage.ts";
import { findSizeLimit } from "../../../utils/sqlite/size_limit.ts";
import { createDamageError, JournalDamage } from "../damage.ts";
import { isRunId } from "../run_id.ts";
import { isPrepared, listEarlierRuns, prepareJournal } from "./schema.ts";

/** Delay between two attempts to open a file that another process is setting up, in milliseconds. */
const RETRY_MILLISECONDS = 20;

/** Settings of a new file. It returns free pages to the file system. */
const FILE_SETTINGS = "auto_vacuum = INCREMENTAL";

/**
 * Settings of each connection. Deleted data is overwritten at once, because cases are about people. A commit does not
 * sync: the journal does, afterwards.
 */
const CONNECTION_SETTINGS = ["secure_delete = ON", "journal_mode = WAL", "synchronous = NORMAL"];

/** Default time to wait while another process writes, in milliseconds. */
const BUSY_MILLISECONDS = 10_000;

/** Options for opening a journal. */
export interface JournalOptions {
  /** Creates the directory of the file. Leave it out for a path that a person typed: a missing directory is a typo. */
  readonly makeFolder?: boolean;
  /** Time to wait while another process writes, in milliseconds. */
  readonly timeoutMilliseconds?: number;
  /** Receives a warning if others can read or change the file. Its content decides which scripts run with which grants. */
  readonly warn?: Warn;
}

/** The opened file of a journal. */
export interface JournalFile {
  /** Connection to the database. */
  readonly db: DatabaseSync;
  /** Real path of the file: the files beside it are named after it. */
  readonly file: string;
}

/** Opens the file of a journal. Creates a missing file, readable by its owner only. */
export async function openJournalFile(path: string, options: JournalOptions): Promise<JournalFile> {
  const { makeFolder = false, timeoutMilliseconds = BUSY_MILLISECONDS, warn } = options;
  try {
    if (makeFolder) await makePrivateDirectory(path.replace(/[^\\/]*$/, ""));
    makePrivateFile(path);
    const file = await Deno.realPath(path);
    const lost = keepDamagedLog(file); // Before SQLite opens the file and discards the log.
    if (lost !== undefined) {
      const sentence = describeLogDamage(file, lost.damage);
      warn?.(`${sentence}. The journal is used without them. A copy of the log is ${lost.copy}.`);
    }
    using stack = new DisposableStack();
    const db = stack.adopt(await openDatabase(file, timeoutMilliseconds), (db) => db.close());
    if (warn) warnIfOpenToOthers(path, "holds the data and the permissions of workflows", warn);
    stack.move(); // The caller closes it.
    return { db, file };
  } catch (cause) {
    throw unusable(path, "opened", cause);
  }
}

/** Describes why a journal is unusable. Commands that only read runs must be able to write the file as well. */
export function unusable(path: string, wanted: string, cause: unknown): unknown {
  if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) return cause;
  if (cause instanceof JournalDamage || isDatabaseDamaged(cause)) return createDamageError(path, cause);
  const { reason, fault } = findReason(path, cause);
  return new SvcError("INVALID_CONFIG", `The journal ${path} cannot be ${wanted}: ${fault}.`, {
    cause,
    hint: isDatabaseBusy(reason) || isDiskFull(reason) ? chooseWriteHint(reason) : "Name another file with --journal.",
  });
}

/** Finds the reason why a journal cannot be used, and describes it. */
export function findReason(path: string, cause: unknown): { readonly reason: unknown; readonly fault: string } {
  const reason = findSizeLimit(cause, path) ?? cause;
  return { reason, fault: describeWriteError(reason) ?? getErrorMessage(reason) };
}

/** Opens a database and creates missing tables. Waits for another process that is setting up the same file, as SQLite does not. */
async function openDatabase(path: string, timeoutMilliseconds: number): Promise<DatabaseSync> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const db = new DatabaseSync(path, { timeout: timeoutMilliseconds });
    try {
      const isReady = isPrepared(db, path); // Before any setting: the database of another program must not change.
      const settings = isReady ? CONNECTION_SETTINGS : [FILE_SETTINGS, ...CONNECTION_SETTINGS];
      for (const setting of settings) db.prepare(`PRAGMA ${setting}`).run(); // An error of `exec` has no code.
      if (!isPrepared(db, path)) { // Checked again: this read creates the write-ahead log.
        await checkUnused(db, path);
        prepareJournal(db, path);
      }
      return db;
    } catch (error) {
      db.close();
      if (!isDatabaseBusy(error) || Date.now() > deadline) throw error;
    }
    await delay(RETRY_MILLISECONDS);
  }
}

/** Checks that no process of an earlier version works on a run: the records that it adds may have no checksums. */
async function checkUnused(db: DatabaseSync, path: string): Promise<void> {
  for (const id of listEarlierRuns(db, path).filter(isRunId)) {
    if (!await FileLock.isHeld(getLockPath(path, id)).catch(ignoreMissing)) continue;
    throw new SvcError("INVALID_CONFIG", `An earlier version of svc is working on run ${id} in the journal ${path}.`, {
      hint: "Wait until the run ends, or stop it. Then retry.",
    });
  }
}

/** Returns the path of the file that a process locks while it works on a run. */
export function getLockPath(path: string, runId: string): string {
  return `${path}.${runId}.lock`;
}

/** Returns a hint for a journal that cannot be written. */
export function chooseWriteHint(cause: unknown): string {
  if (isDatabaseBusy(cause)) return "End the process that keeps it locked.";
  if (isFileSizeLimit(cause)) return RAISE_SIZE_LIMIT;
  return isDiskFull(cause) ? "Free some space." : "Check the file and its disk.";
}
