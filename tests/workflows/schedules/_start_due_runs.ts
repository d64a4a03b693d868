/** Starts the due runs of a journal in a process of its own, which a test can kill. The argument is the location. */
import { openShared } from "../../../workflows/runs/runs.ts";
import { SharedSchedules } from "../../../workflows/schedules/shared_schedules.ts";

const [path = ""] = Deno.args;
await using journal = await openShared(path);
await new SharedSchedules(journal, { path }, (line) => console.log(line)).startDueRuns();
