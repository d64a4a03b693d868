import { type LocalCommand, localCommand } from "../local_command.ts";
import { askWorkers, selection } from "./shared_store.ts";

/** `svc worker drain`. */
export const drainCommand: LocalCommand = localCommand({
  summary: "Stop workers after their current inputs",
  details: "They take no further inputs. Other workers process the rest.",
  flags: selection,
  example: [
    "--worker 3 --store postgres://svc@db.example.org/city",
    "--all --store postgres://svc@db.example.org/city",
  ],
  seeAlso: ["worker list --help"],
  run: (context, flags) => askWorkers(context, "draining", flags),
});
