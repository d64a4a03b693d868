/** `svc service migrate`: fits stored data to a changed application definition. */
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { exists } from "../../utils/fs/exists.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { Application } from "../application/model/application.ts";
import { loadServedApplication } from "../sample/served_application.ts";
import {
  findApplication,
  findStore,
  lockDirectory,
  openKnownStore,
  resolveDataDirectory,
} from "../server/directory.ts";
import type { StoreOptions } from "../server/settings.ts";
import type { Transaction } from "../store/store.ts";
import type { Rename } from "../store/uses.ts";
import { findMismatches, markVerified, type Mismatch } from "./mismatches.ts";
import { describeUnusedName } from "./unused_names.ts";
import { parseRename } from "./renames.ts";

/** Options of a migration. */
export interface MigrateOptions extends StoreOptions {
  /** Data directory. */
  readonly data?: string;
  /** Application definition. Default: the last one used. */
  readonly app?: string;
  /** Renames such as `caseTypes.City-Permit.stages.Review=Assessment`, in order. */
  readonly renames: readonly string[];
  /** True to perform the migration. */
  readonly apply: boolean;
}

/** A migration: what it changes, and what does not fit afterwards. */
export interface MigrationReport extends JsonObject {
  /** True if the changes are stored. */
  applied: boolean;
  /** The renames with the number of changed rows, and a note if the stored data does not contain the old name. */
  renames: { rename: string; rows: number; note?: string }[];
  /** Data that the definition still does not fit. */
  mismatches: Mismatch[];
}

/** Undoes a unit of work that only shows a plan. */
class PlanOnly extends Error {
  readonly report: MigrationReport;

  constructor(report: MigrationReport) {
    super("The plan is undone.");
    this.report = report;
  }
}

/**
 * Replaces names in stored data, all or none. Without `apply`, shows the plan: the same unit of work runs and is undone,
 * so that the numbers are exact. The service must not run.
 */
export async function migrate(
  { data: given, app: file, renames: texts, apply, ...storeOptions }: MigrateOptions,
): Promise<MigrationReport> {
  const renames = texts.map((text) => ({ text, rename: parseRename(text) }));
  const data = resolveDataDirectory(given);
  const place = await findStore(data, storeOptions);
  if ("file" in place && !await exists(place.file)) {
    throw new SvcError("INVALID_ARGS", `${data} has no database.`, { hint: "Name a data directory with --data." });
  }
  const app = await loadServedApplication(await findApplication(data, file));
  for (const { text, rename } of renames) checkTarget(app, rename, text);
  using _lock = await lockDirectory(data);
  const store = await openKnownStore(data, storeOptions);
  try {
    return await store.transact(async (tx) => {
      const report = await applyRenames(tx, app, renames);
      if (!apply) throw new PlanOnly(report);
      if (report.mismatches.length === 0) await markVerified(tx, app, new Date());
      return { ...report, applied: true };
    });
  } catch (error) {
    if (error instanceof PlanOnly) return error.report;
    throw error;
  } finally {
    await store.close();
  }
}

async function applyRenames(
  tx: Transaction,
  app: Application,
  renames: readonly { readonly text: string; readonly rename: Rename }[],
): Promise<MigrationReport> {
  const done: MigrationReport["renames"] = [];
  for (const { text, rename } of renames) {
    const rows = await tx.rename(rename);
    done.push({ rename: text, rows, ...(rows === 0 && { note: await describeUnusedName(tx, rename) }) });
  }
  return { applied: false, renames: done, mismatches: await findMismatches(tx, app, { onlyChanged: false }) };
}

/** Checks that the definition has the new name. Data that was migrated to a misspelt name would fit nothing. */
function checkTarget(app: Application, rename: Rename, text: string): void {
  const names = listTargets(app, rename);
  if (names === undefined || names.includes(rename.to)) return;
  throw new SvcError("INVALID_ARGS", `The definition has no '${rename.to}'${suggestAlternatives(rename.to, names)}`, {
    hint: `Correct the rename '${text}', or name another definition with --app.`,
  });
}

/** Lists the names that the new name can have. Returns undefined if a later rename decides. */
function listTargets(app: Application, rename: Rename): string[] | undefined {
  switch (rename.kind) {
    case "caseType":
      return [...app.caseTypes.keys()];
    case "dataType":
      return [...app.dataTypes.keys()];
    case "queue":
      return [...app.queues.keys()];
    case "operator":
      return [...app.operators.keys()];
    case "recordField":
      return list(app.dataTypes.get(rename.owner)?.fields);
    case "field":
      return list(app.caseTypes.get(rename.owner)?.fields);
    case "stage":
      return list(app.caseTypes.get(rename.owner)?.stages);
    case "process":
      return list(app.caseTypes.get(rename.owner)?.processes);
    case "step":
      return list(app.caseTypes.get(rename.owner)?.processes.get(rename.process)?.steps);
  }
}

function list(members: ReadonlyMap<string, unknown> | undefined): string[] | undefined {
  return members && [...members.keys()];
}
