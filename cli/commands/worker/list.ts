import { type LocalCommand, localCommand } from "../local_command.ts";
import { store, useQueue } from "./shared_store.ts";

/** `svc worker list`. */
export const listCommand: LocalCommand = localCommand({
  summary: "List the workers of a shared journal",
  details: "If a worker does not take the inputs of a run, its note says why.",
  flags: store,
  reads: true,
  example: "--store postgres://svc@db.example.org/city --format table",
  async run(context, flags) {
    await context.print(await useQueue(flags, (queue) => queue.listWorkers()));
  },
});
