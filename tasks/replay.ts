/**
 * Replays a case log through a sandboxed workflow and proves the result: `deno task replay <log.csv.gz>`.
 *
 * Ends with 1 on any difference between the log and what the service answers afterwards.
 */
import { createClient } from "../mod.ts";
import { readLog } from "./replay/log.ts";
import { differences } from "./replay/prove.ts";
import { callsOf, replay } from "./replay/replay.ts";
import { closeOnInterrupt, Workspace } from "./workspace.ts";

const [path] = Deno.args;
if (path === undefined) {
  console.error("Which log? deno task replay <log.csv.gz>");
  Deno.exit(2);
}
const log = await readLog(path);
closeOnInterrupt();
await using workspace = await Workspace.open();
const baseUrl = await workspace.startService();
const { handles, seconds } = await replay(workspace, log);
const calls = callsOf(log);
console.log(
  `${handles.size} cases, ${calls} calls in ${seconds.toFixed(1)} s: ${(calls / seconds).toFixed(0)} calls per second`,
);

const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
const found = await differences(svc, log, handles);
for (const difference of found) console.error(difference);
const events = log.reduce((sum, { events }) => sum + events.length, 0);
console.log(
  `Read back from ${baseUrl}: ${
    log.length - found.length
  } of ${log.length} cases resolved, with the log's ${events} events in order.`,
);
Deno.exitCode = found.length === 0 && handles.size === log.length ? 0 : 1;
