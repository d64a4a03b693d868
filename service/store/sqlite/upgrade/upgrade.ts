/** Upgrades a database of an earlier version of svc, step by step. */
import type { DatabaseSync } from "node:sqlite";
import { getErrorMessage, SvcError } from "../../../../lib/errors.ts";
import { nextTurn } from "../../../../utils/async/next_turn.ts";
import { renameDurably } from "../../../../utils/fs/sync_folder.ts";
import { isDatabaseDamaged } from "../../../../utils/sqlite/database_errors.ts";
import { inTransaction } from "../../../../utils/sqlite/in_transaction.ts";
import { listCopies, locateCopy, locatePartialCopy, locateUnfinishedCopy, removeDatabase } from "./earlier_copies.ts";
import { readVersion, runStep, SCHEMA_STEPS, SCHEMA_VERSION } from "../schema.ts";
import type { RowProgress } from "./seal_rows.ts";
import { defineSearchText } from "../derived.ts";
import { defineChecksum } from "../tables.ts";
import { checkStructure, copyDatabase, openForReading } from "../snapshot.ts";
import { explainOpenFailure, isEmptyFile, openDatabase } from "../sqlite_store.ts";

/** Milliseconds between two reports of the progress of a step. */
const REPORT_INTERVAL = 1000;

/** Progress of an upgrade. */
export interface UpgradeProgress {
  /** Number of the step, starting at 1. */
  readonly step: number;
  /** Number of steps. */
  readonly steps: number;
  /** Work of the step, e.g. `adding indexes for lists`. */
  readonly activity: string;
}

/** A finished upgrade. */
export interface UpgradeReport {
  /** Version of the tables before the upgrade. */
  readonly from: number;
  /** Copy of the database from before the upgrade. */
  readonly copy: string;
}

/** Options of an upgrade. */
export interface UpgradeOptions {
  /** Interrupts the upgrade after the current step. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the progress before each part of a step. The step waits for it. */
  readonly observe?: (progress: UpgradeProgress) => Promise<void>;
}

/**
 * Upgrades a database to the current version. Copies it first, and keeps the copy. Each step is a transaction, so an
 * upgrade that is interrupted, even by killing the process, continues with the next call. Returns undefined if there is
 * nothing to upgrade. Only one process may call this at a time.
 */
export async function upgradeDatabase(
  path: string,
  { signal, observe }: UpgradeOptions = {},
): Promise<UpgradeReport | undefined> {
  if (isEmptyFile(path)) return undefined;
  const found = readStoredVersion(path);
  const unfinished = (await listCopies(path)).find((copy) => copy.isUnfinished);
  if (found === 0 || (found === SCHEMA_VERSION && unfinished === undefined)) return undefined;
  using db = openDatabase(path, true, defineRowFunctions);
  const from = unfinished?.version ?? found;
  const steps = SCHEMA_VERSION - found + (unfinished === undefined ? 1 : 0);
  let step = 0;
  let activity = "";
  const report = async (next: string) => {
    activity = next;
    await nextTurn(); // Lets signals arrive.
    signal?.throwIfAborted();
    await observe?.({ step, steps, activity });
  };
  try {
    if (unfinished === undefined) {
      step++;
      await report("copying the database");
      await makeCopy(path, from, signal);
    }
    for (let version = found + 1; version <= SCHEMA_VERSION; version++) {
      step++;
      const { activity = "", changeRows } = SCHEMA_STEPS[version - 1] ?? {};
      await report(activity);
      if (changeRows) await runInBatches(changeRows(db), (progress) => report(`${activity} ${progress}`), signal);
      inTransaction(db, () => runStep(db, version));
    }
  } catch (error) {
    throw explainFailure(error, path, { step, steps, activity, size: measure(db) }, signal);
  }
  return { from, copy: await finishCopy(path, from) };
}

/** Runs a step in batches. Reports the progress at most once a second. */
async function runInBatches(
  batches: Iterable<RowProgress>,
  report: (progress: string) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  let reportedAt = performance.now();
  for (const { done, total } of batches) {
    await nextTurn();
    signal?.throwIfAborted();
    if (performance.now() - reportedAt < REPORT_INTERVAL) continue;
    await report(`(${done.toLocaleString("en")} of ${total.toLocaleString("en")} rows)`);
    reportedAt = performance.now();
  }
}

/** Defines the functions that the steps call. */
function defineRowFunctions(db: DatabaseSync): void {
  defineChecksum(db);
  defineSearchText(db);
}

function readStoredVersion(path: string): number {
  try {
    using db = openForReading(path);
    return readVersion(db, path);
  } catch (cause) {
    throw explainOpenFailure(path, cause);
  }
}

/** Copies the database, and checks the copy. A damaged database is not upgraded. */
async function makeCopy(path: string, version: number, signal: AbortSignal | undefined): Promise<void> {
  const partial = locatePartialCopy(path);
  await removeDatabase(partial); // From an interrupted upgrade.
  try {
    await copyDatabase(path, partial, () => signal?.throwIfAborted());
    const [issue] = checkStructure(partial);
    if (issue !== undefined) throw createDamagedError(path, issue);
    await renameDurably(partial, locateUnfinishedCopy(path, version));
  } catch (error) {
    if (error instanceof Error && isDatabaseDamaged(error)) throw createDamagedError(path, error.message);
    throw error;
  } finally {
    await removeDatabase(partial); // Including the files that the check has made beside it.
  }
}

/** Keeps the copy of a finished upgrade, and deletes those of earlier upgrades. Returns the path of the kept copy. */
async function finishCopy(path: string, version: number): Promise<string> {
  const kept = locateCopy(path, version);
  await renameDurably(locateUnfinishedCopy(path, version), kept);
  for (const copy of await listCopies(path)) {
    if (copy.version !== version) await removeDatabase(copy.path);
  }
  return kept;
}

function createDamagedError(path: string, issue: string): SvcError {
  return new SvcError("STORE_DAMAGED", `${path} is damaged and cannot be upgraded: ${issue}.`, {
    hint: "Nothing was changed. Restore the latest backup to another directory: " +
      "svc service restore <backup> --data <dir>.",
  });
}

function explainFailure(
  error: unknown,
  path: string,
  { step, steps, activity, size }: UpgradeProgress & { readonly size: number },
  signal: AbortSignal | undefined,
): unknown {
  const where = `step ${step} of ${steps} (${activity})`;
  if (signal?.aborted && error === signal.reason) {
    return new SvcError("INTERRUPTED", `The upgrade of ${path} was interrupted during ${where}.`, {
      cause: error,
      hint: "Start the service again to continue the upgrade.",
    });
  }
  if (error instanceof SvcError) return error;
  return new SvcError("INVALID_CONFIG", `The upgrade of ${path} failed in ${where}: ${getErrorMessage(error)}.`, {
    cause: error,
    hint: `Check that the disk has ${formatMegabytes(size)} of free space, then start the service ` +
      "again to continue the upgrade.",
  });
}

/** Returns the size of a database in bytes. A part may still be in the write-ahead log. */
function measure(db: DatabaseSync): number {
  const { pages, size } =
    db.prepare("SELECT page_count AS pages, page_size AS size FROM pragma_page_count, pragma_page_size").get() ?? {};
  return Number(pages) * Number(size);
}

function formatMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;
}
