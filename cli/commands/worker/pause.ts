import { type LocalCommand, localCommand } from "../local_command.ts";
import { askWorkers, selection } from "./shared_store.ts";

/** `svc worker pause`. */
export const pauseCommand: LocalCommand = localCommand({
  summary: "Stop workers from taking further inputs until they are resumed",
  details: "Inputs in progress continue.",
  flags: selection,
  example: [
    "--worker 3 --store postgres://svc@db.example.org/city",
    "--all --store postgres://svc@db.example.org/city",
  ],
  seeAlso: ["worker list --help"],
  run: (context, flags) => askWorkers(context, "paused", flags),
});
