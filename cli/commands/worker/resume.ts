import { type LocalCommand, localCommand } from "../local_command.ts";
import { askWorkers, selection } from "./shared_store.ts";

/** `svc worker resume`. */
export const resumeCommand: LocalCommand = localCommand({
  summary: "Let paused workers take inputs again",
  flags: selection,
  example: [
    "--worker 3 --store postgres://svc@db.example.org/city",
    "--all --store postgres://svc@db.example.org/city",
  ],
  seeAlso: ["worker list --help"],
  run: (context, flags) => askWorkers(context, "active", flags),
});
