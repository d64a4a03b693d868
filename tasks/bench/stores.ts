import { startPostgres } from "../../tests/harness/postgres.ts";
import { PROGRAM } from "../build.ts";
import { API_ROOT, Workspace } from "../support/workspace.ts";
import { type Figure, measureInTurns } from "./figure.ts";
import { runForNumber } from "./processes.ts";
import { createActivity, createCase } from "./work.ts";

const CLIENTS = 32;

/** A service with a token and work to do. */
interface Target {
  readonly api: string;
  readonly token: string;
  readonly caseUrl: string;
  readonly assignments: readonly string[];
}

/** Compares reads and performs of a service on PostgreSQL with those of one on SQLite. The database is on this machine, too. */
export async function compareStores(): Promise<Figure[]> {
  await using postgres = await startPostgres({ settings: { fsync: "on" } });
  await using onSqlite = await Workspace.open(PROGRAM);
  await using onPostgres = await Workspace.open(PROGRAM);
  const [sqlite, database] = await Promise.all([
    prepare(onSqlite, []),
    prepare(onPostgres, ["--store", `${postgres.location}?schema=bench`]),
  ]);
  const reads = ({ caseUrl, token }: Target) => () =>
    runForNumber("load_get.ts", [caseUrl, token, String(CLIENTS), "3000"]);
  const performs = ({ api, token, assignments }: Target) => () =>
    runForNumber("load_perform.ts", [api, token, "1500", ...assignments]);
  const figures: Figure[] = [];
  for (const [name, measure] of [["GET /cases/{id}", reads], ["perform", performs]] as const) {
    const [ours = NaN, theirs = NaN] = await measureInTurns([measure(database), measure(sqlite)]);
    figures.push({ name: `${name} on PostgreSQL`, baseline: "SQLite", ours, theirs, unit: "/s", limit: 0.5 });
  }
  return figures;
}

async function prepare(workspace: Workspace, flags: readonly string[]): Promise<Target> {
  const api = await workspace.startService(...flags) + API_ROOT;
  const caseUrl = `${api}/cases/${encodeURIComponent(await createCase(workspace))}`;
  const assignments: string[] = [];
  while (assignments.length < CLIENTS) assignments.push(await createActivity(workspace));
  return { api, token: await workspace.token("default"), caseUrl, assignments };
}
