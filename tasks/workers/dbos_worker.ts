/** A worker of DBOS: `dbos_worker.ts <database> <name> <concurrency> <steps>`. */
import { DBOS } from "@dbos-inc/dbos-sdk";
import { createClient } from "../../mod.ts";
import { DBOS_NAMES, POLL_MILLISECONDS } from "./dbos_engine.ts";
import { formatApplicant } from "./verify.ts";

const [systemDatabaseUrl, executorID, concurrency, steps] = Deno.args;
const client = createClient();
const { application, workflow, queue, version } = DBOS_NAMES;

/** Retries for a minute, because a killed service needs some seconds to start again. */
const STEP = { name: "create", retriesAllowed: true, intervalSeconds: 0.1, backoffRate: 1, maxAttempts: 600 };

DBOS.registerWorkflow(async (input: number) => {
  const ids: string[] = [];
  for (let step = 1; step <= Number(steps); step++) {
    const data = { Applicant: formatApplicant(input, step), Address: ids.at(-1) ?? "Main St 1" };
    const createCase = async () => (await client.cases.create({ type: "City-Permit-Work-Permit", data })).id;
    ids.push(await DBOS.runStep(createCase, STEP));
  }
  return { input, ids };
}, { name: workflow });

DBOS.setConfig({
  name: application,
  systemDatabaseUrl,
  executorID,
  applicationVersion: version,
  listenQueues: [queue],
  logLevel: "error",
});
await DBOS.launch();
await DBOS.registerQueue(queue, {
  workerConcurrency: Number(concurrency),
  minPollingIntervalMs: POLL_MILLISECONDS,
});
