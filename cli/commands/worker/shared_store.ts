/** The journal of the workers, and the choice of workers. */
import { SvcError } from "../../../lib/errors.ts";
import type { WorkerState } from "../../../workflows/journal/postgres/session.ts";
import type { WorkerDescription, WorkQueue } from "../../../workflows/workers/work_queue.ts";
import type { CommandContext, Flag } from "../command.ts";
import { storePasswordFlags, type StorePasswordValues, toPasswordSource } from "../store_password.ts";

/** The flag for the journal of the workers. */
export const store = {
  store: {
    help: "PostgreSQL journal of the workers, e.g. postgres://svc@db.example.org/city",
    type: "string",
    placeholder: "location",
    required: true,
  },
  ...storePasswordFlags,
} as const satisfies Record<string, Flag>;

/** The flags of commands that ask workers to do something. */
export const selection = {
  worker: { help: "Number of the worker, as 'svc worker list' shows it", type: "integer", excludes: ["all"] },
  all: { help: "All workers", type: "boolean" },
  ...store,
} as const satisfies Record<string, Flag>;

/** Values of the flags for the journal. */
interface StoreValues extends StorePasswordValues {
  readonly store: string;
}

/** Uses the queue of a journal. */
export async function useQueue<T>(
  { store, ...values }: StoreValues,
  use: (queue: WorkQueue) => Promise<T>,
): Promise<T> {
  const { openPostgresJournal } = await import("../../../workflows/journal/postgres/postgres_journal.ts");
  const { WorkQueue } = await import("../../../workflows/workers/work_queue.ts");
  await using journal = await openPostgresJournal(store, { password: toPasswordSource(values) });
  return await use(new WorkQueue(journal));
}

/** Asks workers to do something, and prints them. */
export async function askWorkers(
  context: CommandContext,
  request: WorkerState,
  { worker, all = false, ...flags }: StoreValues & { readonly worker?: number; readonly all?: boolean },
): Promise<void> {
  if (worker === undefined && !all) {
    throw new SvcError("INVALID_ARGS", "No worker was named.", { hint: "Use --worker <number>, or --all." });
  }
  const found: readonly WorkerDescription[] = await useQueue(flags, async (queue) => {
    const ids = await queue.askWorkers(request, worker);
    if (worker !== undefined && ids.length === 0) {
      throw new SvcError("INVALID_ARGS", `There is no worker ${worker}.`, {
        hint: "'svc worker list' lists the workers.",
      });
    }
    return (await queue.listWorkers()).filter(({ id }) => ids.includes(id));
  });
  await context.print([...found]);
}
