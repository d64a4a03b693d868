/** Runs the numbers of standard input on workers of DBOS, and prints the results in order: `dbos_batch.ts <database>`. */
import { DBOSClient } from "@dbos-inc/dbos-sdk";
import { readLines } from "../../workflows/inputs/lines.ts";
import { DBOS_NAMES, POLL_MILLISECONDS } from "./dbos_engine.ts";

/** Number of inputs that are recorded before the first of them has ended. */
const MAX_AHEAD = 2000;

const [systemDatabaseUrl = ""] = Deno.args;
const { application: applicationName, workflow: workflowName, queue: queueName } = DBOS_NAMES;
const client = await DBOSClient.create({ systemDatabaseUrl, applicationName });
const lines = readLines(Deno.stdin.readable);

async function enqueueNext() {
  const { value, done } = await lines.next();
  if (done === true) return undefined;
  const { text = "" } = value;
  return await client.enqueue({ queueName, workflowName, workflowID: text }, Number(text));
}

const handles = new ReadableStream({
  async pull(controller) {
    const handle = await enqueueNext();
    if (handle === undefined) controller.close();
    else controller.enqueue(handle);
  },
}, new CountQueuingStrategy({ highWaterMark: MAX_AHEAD }));

for await (const handle of handles) {
  console.log(JSON.stringify({ result: await handle.getResult({ pollingIntervalMs: POLL_MILLISECONDS }) }));
}
await client.destroy();
