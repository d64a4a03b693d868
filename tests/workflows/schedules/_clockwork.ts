/** Schedules with workers whose clock the test sets, in a journal in SQLite and in PostgreSQL. */
import { makeFolder } from "../../harness/svc.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { scriptText } from "../../harness/workflow.ts";
import { within } from "../../harness/wait.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import { openShared } from "../../../workflows/runs/runs.ts";
import { ScheduleWorker } from "../../../workflows/schedules/schedule_worker.ts";
import { openSchedules, type Schedules } from "../../../workflows/schedules/schedules.ts";
import { SharedSchedules } from "../../../workflows/schedules/shared_schedules.ts";
import { openScheduleStore } from "../../../workflows/schedules/sqlite_schedule_store.ts";
import { runWorker } from "../../../workflows/workers/worker.ts";

/** A kind of database. */
export type Database = "SQLite" | "PostgreSQL";

/** A journal with schedules. */
export interface Clockwork extends AsyncDisposable {
  /** The clock of the schedules and the workers. */
  readonly clock: { time: string };
  /** Lines of the workers. */
  readonly log: string[];
  /** Journal of the schedules. */
  readonly journal: string;
  readonly schedules: Schedules;
  /** Path of the script. */
  readonly script: string;
  /** Lists the runs, the latest first: identifier, state, schedule. */
  listRuns(): Promise<string[]>;
  /** Orders the due runs, whose inputs do not start. In PostgreSQL, the runs are recorded. */
  order(): Promise<void>;
  /** Lets a worker start the due runs, and waits for them. */
  work(signal?: AbortSignal): Promise<void>;
}

/** Opens a journal for schedules of a script, from the body of its `run`. */
export async function openClockwork(database: Database, body: string): Promise<Clockwork> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder({ "script.ts": scriptText(body, []) }));
  const journal = database === "SQLite" ? `${folder.path}/journal.db` : stack.use(useTestSchema()).location;
  const log: string[] = [];
  const clock = { time: "2026-01-01T12:05:00Z" };
  const now = () => Date.parse(clock.time);
  const options = { journal, now, configDirectory: folder.path };
  const schedules = stack.use(openSchedules(options));
  const resources = stack.move();
  async function work(signal = new AbortController().signal) {
    const events = { signal, log: (line: string) => void log.push(line) };
    if (database === "PostgreSQL") {
      const service = { configDirectory: folder.path };
      const work = runWorker({ store: journal, concurrency: 4, allow: [], service, now, untilIdle: true, ...events });
      return await within("the worker is idle", work, { seconds: 120 });
    }
    await using store = await openScheduleStore(journal, { now });
    await using worker = await ScheduleWorker.open(store, journal, { ...options, ...events });
    for (;;) {
      await worker.startDueRuns();
      if (worker.isIdle) return;
      await within("a scheduled run ends", worker.nextEvent(), { seconds: 120 });
    }
  }
  return {
    clock,
    log,
    journal,
    schedules,
    script: `${folder.path}/script.ts`,
    async listRuns() {
      await using runs = openRuns({ journal });
      return (await runs.list()).map(({ id, state, schedule }) => `${id} ${state} ${schedule}`);
    },
    async order() {
      if (database === "SQLite") return void await work(AbortSignal.abort());
      await using shared = await openShared(journal);
      await new SharedSchedules(shared, { path: journal }, (line) => void log.push(line), now).startDueRuns();
    },
    work: async (signal) => void await work(signal),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Tests a property of schedules in each database. */
export function testSchedules(
  name: string,
  body: string,
  check: (clockwork: Clockwork, database: Database) => Promise<void>,
): void {
  for (const database of ["SQLite", "PostgreSQL"] as const) {
    Deno.test(`${database}: ${name}`, async () => {
      await using clockwork = await openClockwork(database, body);
      await check(clockwork, database);
    });
  }
}
