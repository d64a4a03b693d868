/** Batches during an outage of the service: inputs wait, and none fails. */
import assert from "node:assert/strict";
import { startService } from "../../../service/mod.ts";
import { createClient } from "../../../mod.ts";
import type { JsonObject } from "../../../utils/json.ts";
import { openRuns, type RunOutage, type RunsOptions, type StartRunOptions } from "../../../workflows/runs/mod.ts";
import { TcpProxy } from "../../../tasks/support/tcp_proxy.ts";
import { NO_SERVICE } from "../../harness/fake_service.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  CREATE_CASE,
  createCaseBody,
  prepareScriptWorkspaces,
  scriptText,
  TinyApi,
  waitForOutput,
} from "../../harness/workflow.ts";
import { within } from "../../harness/wait.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

const INPUTS = Array.from({ length: 16 }, (_, index) => `C-${index}`);

const TWO_CALLS = scriptText(`
  const { id } = await svc.cases.get(input);
  const { id: again } = await svc.cases.get(id);
  return again;`);

/** An API that fails the calls that begin while it is unavailable. */
interface ChangingApi extends AsyncDisposable {
  readonly api: TinyApi;
  readonly service: RunsOptions;
}

/** Starts an API that is unavailable after some calls, until it has received some probes. */
function startChangingApi(fail: () => Response | Promise<Response>, { calls = 10, probes = 3 } = {}): ChangingApi {
  let received = 0;
  let probed = 0;
  const api = new TinyApi((call) => {
    received++;
    const isProbe = call === "GET /casetypes";
    if (isProbe) probed++;
    if (received > calls && probed < probes) return fail();
    return Response.json(isProbe ? { caseTypes: [] } : answerCase(call));
  });
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  return { api, service, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

function answerCase(call: string): JsonObject {
  return createCaseBody(call.split("/").at(-1) ?? "");
}

async function runBatch(script: string, service: RunsOptions, options: Partial<StartRunOptions> = {}) {
  const folder = await makeFolder({ "script.ts": script });
  const runs = openRuns({ ...service, journal: `${folder.path}/journal.db` });
  const outages: RunOutage[] = [];
  const run = await runs.start({
    script: `${folder.path}/script.ts`,
    inputs: INPUTS,
    concurrency: 2,
    allowDeclared: true,
    id: "r1",
    ...options,
    onOutage: (outage) => {
      outages.push(outage);
      options.onOutage?.(outage);
    },
  });
  const close = async () => {
    await run[Symbol.asyncDispose]();
    await runs[Symbol.asyncDispose]();
    await folder[Symbol.asyncDispose]();
  };
  return { run, runs, outages, [Symbol.asyncDispose]: close };
}

Deno.test("no input fails while the service is unavailable, and few further calls are made", async () => {
  await using changing = startChangingApi(() => Response.json({}, { status: 502 }));
  await using batch = await runBatch(TWO_CALLS, changing.service);
  const { succeeded, failed, stopped } = await within("the batch ends", batch.run.finish());
  assert.deepEqual([succeeded, failed, stopped], [INPUTS.length, 0, 0]);
  assert.deepEqual(batch.outages.map(({ isOver }) => isOver), [false, true]);
  assert.equal(batch.outages[0]?.maxOutageSeconds, 600);
  assert.ok(changing.api.received.length <= 1.2 * 2 * INPUTS.length, String(changing.api.received.length));
});

Deno.test("the wait for a service does not count against the time limit of an input", async () => {
  await using changing = startChangingApi(() => Response.json({}, { status: 503 }), { calls: 0, probes: 7 });
  await using batch = await runBatch(TWO_CALLS, changing.service, {
    inputs: ["C-1"],
    limits: { timeoutSeconds: 6 }, // The probes take longer. A busy machine may need seconds to load the script.
  });
  assert.deepEqual((await within("the batch ends", batch.run.finish())).failed, 0);
});

Deno.test("a run stops when the service is unavailable for too long, no input fails, and it can be resumed", async () => {
  let isUnavailable = true;
  await using api = new TinyApi((call) =>
    isUnavailable ? new Response(null, { status: 502 }) : Response.json(answerCase(call))
  );
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  await using batch = await runBatch(TWO_CALLS, service, { maxOutageSeconds: 0.3 });
  const results: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const result of batch.run.results) results.push(result);
    },
    {
      code: "SERVER_ERROR",
      message: /^The service at http:\S+ has been unavailable for 300 ms: /,
      hint: /svc workflow resume r1/,
    },
  );
  assert.deepEqual(results, []);
  assert.deepEqual((await batch.runs.list()).map(({ state, failed }) => [state, failed]), [["interrupted", 0]]);
  await batch.run[Symbol.asyncDispose]();
  isUnavailable = false;
  await using resumed = await batch.runs.resume("r1", { inputs: INPUTS });
  const { succeeded, failed } = await within("the resumed run ends", resumed.finish());
  assert.deepEqual([succeeded, failed], [INPUTS.length, 0]);
});

Deno.test("with a maximum outage of 0, calls fail after their retries", async () => {
  await using api = new TinyApi(() => Response.json({}, { status: 502 }));
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true, retries: 2 };
  await using batch = await runBatch(TWO_CALLS, service, { maxOutageSeconds: 0, inputs: ["C-1"] });
  const { failed, error } = await within("the batch ends", batch.run.finish());
  assert.deepEqual([failed, error?.code, batch.outages], [1, "WORKFLOW_FAILED", []]);
  assert.equal(api.received.length, 3);
});

Deno.test("an interrupted run does not wait for an unavailable service", async () => {
  await using api = new TinyApi(() => Response.json({}, { status: 503 }));
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  const interruption = new AbortController();
  await using batch = await runBatch(TWO_CALLS, service, {
    signal: interruption.signal,
    onOutage: () => interruption.abort(),
  });
  await assert.rejects(within("the run is interrupted", batch.run.finish(), { seconds: 20 }), { code: "INTERRUPTED" });
});

Deno.test("every change is made once when the embedded service is restarted during a batch", async () => {
  await using data = await makeFolder();
  const start = () => startService({ data: `${data.path}/data` });
  let service = await start();
  const client = await service.addClient("clerk@city");
  let ports = [Number(new URL(service.url).port)];
  // Clients always use its port. That of a stopped service could be given to another test.
  using proxy = new TcpProxy(() => ports);
  const options = { baseUrl: `http://127.0.0.1:${proxy.port}`, ...client, noCache: true };
  const stop = async () => {
    ports = [];
    await service.close();
  };
  const restart = async () => {
    service = await start();
    ports = [Number(new URL(service.url).port)];
  };
  const restarting = Promise.withResolvers<void>();
  let done = 0;
  await using batch = await runBatch(
    scriptText(`
      const data = { Applicant: input, Address: "B" };
      const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data });
      return (await svc.cases.get(id)).id;`),
    options,
    {
      onProgress: () => void (++done === 4 && stop().then(restarting.resolve, restarting.reject)),
      onOutage: ({ isOver }) => {
        if (isOver) return;
        restarting.promise.then(restart);
      },
    },
  );
  const { succeeded, failed, stopped } = await within("the batch ends", batch.run.finish());
  assert.deepEqual([succeeded, failed, stopped], [INPUTS.length, 0, 0]);
  assert.deepEqual(batch.outages.map(({ isOver }) => isOver), [false, true]);
  const { data: rows } = await createClient(options).data.query("D_Permits", { max: 100 });
  assert.deepEqual(rows?.map(({ Applicant }) => Applicant).sort(), [...INPUTS].sort());
  await within("the service closes", service.close());
});

Deno.test("svc workflow says when the service is unavailable, and SIGTERM stops the run", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.id;`);
  const { baseUrl } = NO_SERVICE;
  workspace.useService({ baseUrl });
  const process = workspace.start("run", "script.ts", "--allow-declared", "--run-id", "r1", "--max-outage", "90");
  const { rest } = await waitForOutput(
    process,
    `The service at ${baseUrl} is unavailable. Calls wait for up to 90.0 s.`,
  );
  process.kill("SIGTERM");
  const [status, stderr] = await within(
    "the run ends",
    Promise.all([process.status, rest, process.stdout.cancel()]),
    { seconds: 30 },
  );
  assert.equal(status.code, 130);
  assert.match(stderr, /"code":"INTERRUPTED"/);
  assert.equal(await workspace.permits(), 0);
});
