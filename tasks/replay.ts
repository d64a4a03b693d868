/**
 * Replays a case log with sandboxed workflows and verifies the result: `deno task replay <log.csv.gz>`.
 *
 * Exits with 1 if the cases in the service differ from the log.
 */
import { createClient } from "../mod.ts";
import { compareCases } from "./replay/compare.ts";
import { readLog } from "./replay/log.ts";
import { countCalls, replay } from "./replay/replay.ts";
import { closeOnInterrupt, Workspace } from "./support/workspace.ts";

const [path] = Deno.args;
if (path === undefined) {
  console.error("A log is missing. Usage: deno task replay <log.csv.gz>");
  Deno.exit(2);
}
const log = await readLog(path);
closeOnInterrupt();
await using workspace = await Workspace.open();
const baseUrl = await workspace.startService();
const { handles, seconds } = await replay(workspace, log);
const calls = countCalls(log);
console.log(
  `${handles.size} cases, ${calls} calls in ${seconds.toFixed(1)} s: ${(calls / seconds).toFixed(0)} calls per second`,
);

const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
const differences = await compareCases(svc, log, handles);
for (const difference of differences) console.error(difference);
const events = log.reduce((sum, { events }) => sum + events.length, 0);
console.log(
  `Read back from ${baseUrl}: ${
    log.length - differences.length
  } of ${log.length} cases resolved, with the log's ${events} events in order.`,
);
Deno.exitCode = differences.length === 0 && handles.size === log.length ? 0 : 1;
