import { startPostgres } from "../../tests/harness/postgres.ts";
import { PROGRAM } from "../build.ts";
import { API_ROOT, Workspace } from "../support/workspace.ts";
import { type Figure, measureInTurns } from "./figure.ts";
import { measurePerformRate, measureReadRate, prepareTarget, type Target, toCaseUrl } from "./load.ts";

/** Compares reads and performs of a service on PostgreSQL with those of one on SQLite. The database is on this machine, too. */
export async function compareStores(): Promise<Figure[]> {
  await using postgres = await startPostgres({ settings: { fsync: "on" } });
  await using onSqlite = await Workspace.open(PROGRAM);
  await using onPostgres = await Workspace.open(PROGRAM);
  const prepare = async (workspace: Workspace, ...flags: string[]) =>
    await prepareTarget(workspace, await workspace.startService(...flags) + API_ROOT);
  const sqlite = await prepare(onSqlite);
  const database = await prepare(onPostgres, "--store", `${postgres.location}?schema=bench`);
  const reads = (target: Target) => () => measureReadRate(toCaseUrl(target), target.token, 3000);
  const performs = (target: Target) => () => measurePerformRate(target, 1500);
  const figures: Figure[] = [];
  for (const [name, measure] of [["GET /cases/{id}", reads], ["perform", performs]] as const) {
    const [ours = NaN, theirs = NaN] = await measureInTurns([measure(database), measure(sqlite)]);
    figures.push({ name: `${name} on PostgreSQL`, baseline: "SQLite", ours, theirs, unit: "/s", limit: 0.5 });
  }
  return figures;
}
