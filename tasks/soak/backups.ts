import { DatabaseSync } from "node:sqlite";
import { locateFiles } from "../../service/server/directory.ts";
import type { ApiCaller } from "../../tests/harness/service.ts";
import { valueAt } from "../../tests/harness/service_engine.ts";
import { delay } from "../../utils/async/abort.ts";
import { formatDuration } from "../../utils/time/format_duration.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { createEarlierStore, digestStore, listFormats, type StoreDigest } from "./earlier_stores.ts";
import { openCaller } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";
import { WriteLoad } from "./write_load.ts";

const CASES = 100_000;
const WRITERS = 8;

/** Number of cases below which only the first format is migrated. It passes through all later ones. */
const FEW_CASES = 5000;

/** Milliseconds of writing before and after a backup begins. */
const LOAD_BEFORE = 1000;
const LOAD_AFTER = 200;

/** Migrates stores of all earlier formats, and backs up and restores the last one while it is written to. */
export const backups: Scenario = {
  name: "backup",
  what: `backup under load, restore, migration from each earlier format at ${CASES.toLocaleString("en")} cases`,
  target: "verified by digest",
  seconds: 420,
  run: migrateAndBackUp,
};

async function migrateAndBackUp(options: SoakOptions): Promise<SoakResult> {
  const { scale, program, signal, onProgress } = options;
  const cases = scaleNumber(CASES, scale);
  const known = listFormats();
  // With few cases the starts of the services take most of the time.
  const formats = cases < FEW_CASES ? known.slice(0, 1) : known;
  const faults: string[] = [];
  const measured: string[] = [];
  for (const version of formats) {
    if (signal.aborted) break;
    await using workspace = await Workspace.open(program);
    await using service = new Service(workspace);
    const digest = await migrate(workspace, service, version, cases, faults);
    measured.push(`format ${version} in ${formatDuration(digest.milliseconds)}`);
    onProgress(measured.at(-1) ?? "");
    if (version !== formats.at(-1)) continue;
    measured.push(await backUpUnderLoad(options, workspace, service, digest, faults));
    const missing = listMissingFormats(service.data, known);
    faults.push(...missing.map((one) => `tests/fixtures/formats/service_${one}.sql is missing`));
  }
  return createResult(`${cases.toLocaleString("en")} cases; ${measured.join(", ")}; ${faults.length} faults`, faults);
}

/** Lets the service migrate a store of an earlier format. Returns the digest of the rows. */
async function migrate(
  workspace: Workspace,
  service: Service,
  version: number,
  cases: number,
  faults: string[],
): Promise<StoreDigest & { milliseconds: number }> {
  createEarlierStore(service.data, version, cases);
  const before = digestStore(service.data);
  const started = performance.now();
  await service.start();
  const milliseconds = performance.now() - started;
  await checkCounts(await openCaller(workspace), before, `Format ${version}`, faults);
  compare(before, digestStore(service.data, before), `The migration of format ${version}`, faults);
  await workspace.svc("service", "verify", "--data", service.data);
  return { ...before, milliseconds };
}

/** Backs up a running service, restores the backup elsewhere, and compares. Returns the measured times. */
async function backUpUnderLoad(
  { random, program }: SoakOptions,
  workspace: Workspace,
  service: Service,
  digest: StoreDigest,
  faults: string[],
): Promise<string> {
  const file = `${workspace.directory}/permits.backup`;
  const waitUntilAvailable = () =>
    Promise.reject(new Error("A write was interrupted, although the service was running."));
  const load = new WriteLoad(await openCaller(workspace), { writers: WRITERS, random, waitUntilAvailable });
  const over = new AbortController();
  const writing = load.run(over.signal);
  await delay(LOAD_BEFORE);
  const finished = load.cases.filter(({ isFinished }) => isFinished);
  const answered = load.answered;
  const started = performance.now();
  await workspace.svc("service", "backup", file, "--data", service.data);
  const backedUp = performance.now();
  const during = load.answered - answered;
  await delay(LOAD_AFTER);
  over.abort();
  await writing;
  faults.push(...await load.check(await openCaller(workspace)));

  await using other = await Workspace.open(program);
  await using restored = new Service(other);
  const restoring = performance.now();
  await other.svc("service", "restore", file, "--data", restored.data);
  const end = performance.now();
  compare(digest, digestStore(restored.data, digest), "The restored backup", faults);
  await other.svc("service", "verify", "--data", restored.data);
  await restored.start();
  faults.push(...(await load.check(await openCaller(other), finished)).map((fault) => `In the backup, ${fault}`));
  return `backup in ${formatDuration(backedUp - started)} during ${during} writes, restore in ${
    formatDuration(end - restoring)
  }`;
}

function compare(before: StoreDigest, after: StoreDigest, what: string, faults: string[]): void {
  if (before.sha256 !== after.sha256) faults.push(`${what} has the digest ${after.sha256} instead of ${before.sha256}`);
}

/** Compares the number of cases in a list with the number of rows. */
async function checkCounts(caller: ApiCaller, { tables }: StoreDigest, what: string, faults: string[]): Promise<void> {
  const { status, body } = await caller.call("POST", "/data_views/D_Permits/count", { body: {} });
  const count = valueAt(body, "resultCount");
  const expected = tables.get("cases")?.last;
  if (count !== expected) faults.push(`${what} lists ${count} cases instead of ${expected} (status ${status})`);
}

/** Versions that exist only while an upgrade runs. */
const INTERMEDIATE = [7, 10, 12];

/** Lists the versions below the current one whose tables are unknown. */
function listMissingFormats(data: string, known: readonly number[]): number[] {
  using db = new DatabaseSync(locateFiles(data).database, { readOnly: true });
  const current = Number(db.prepare("PRAGMA user_version").get()?.user_version);
  return Array.from({ length: current - 1 }, (_, n) => n + 1)
    .filter((version) => ![...known, ...INTERMEDIATE].includes(version));
}
