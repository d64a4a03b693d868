import { fileURLToPath } from "node:url";
import type { ApiCaller } from "../../tests/harness/service.ts";
import { textAt } from "../../tests/harness/service_engine.ts";
import { delay } from "../../utils/async/abort.ts";
import { readPeakMemory } from "../bench/peak_memory.ts";
import { Process } from "../support/processes.ts";
import { quantile } from "../support/quantile.ts";
import { Service } from "../support/service.ts";
import { API_ROOT, Workspace } from "../support/workspace.ts";
import { createEarlierStore, listFormats } from "./earlier_stores.ts";
import { openCaller } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

const CONNECTIONS = 1000;
const CASES = 100_000;

/** Clients whose times are measured. */
const CLIENTS = 4;

/** Seconds of each measurement. */
const SECONDS = 60;

/** Milliseconds from one slow query to the next. */
const QUERY_INTERVAL = 1000;

/** Bytes of the response that is read slowly. */
const LARGE_BYTES = 1024 * 1024;

const MAX_RATIO = 2;
const MAX_MEMORY_MIB = 512;

const SLOW_CLIENTS = fileURLToPath(new URL("./slow_clients.ts", import.meta.url));

/** A query without an index: it reads the content of every case. */
const SLOW_QUERY = {
  query: {
    select: [{ field: "pyID" }],
    filter: {
      logic: "F1",
      filterConditions: { F1: { lhs: { field: "Address" }, comparator: "CONTAINS", rhs: { value: "No such street" } } },
    },
  },
};

/** Measures the calls of other clients while many connections are slow and queries take long. */
export const connections: Scenario = {
  name: "connections",
  what: `${CONNECTIONS.toLocaleString("en")} connections, slow readers and writers, one slow query per second`,
  target: `others within ${MAX_RATIO} × their normal p99, service ≤ ${MAX_MEMORY_MIB} MB`,
  seconds: 200,
  run: loadConnections,
};

async function loadConnections(
  { scale, ignoresLimits, program, signal, onProgress }: SoakOptions,
): Promise<SoakResult> {
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  createEarlierStore(service.data, listFormats().at(-1) ?? 1, scaleNumber(CASES, scale, 2000));
  await service.start();
  const caller = await openCaller(workspace);
  const count = scaleNumber(CONNECTIONS, scale, 30);
  const seconds = scaleNumber(SECONDS, scale, 2);
  const faults: string[] = [];
  const path = `${API_ROOT}/attachments/${encodeURIComponent(await attachLargeFile(caller))}`;
  const paths = await createCases(caller);
  const normal = await measure(caller, paths, seconds, signal, faults);
  onProgress(`p99 ${normal.toFixed(1)} ms without load`);

  const args = ["run", "--quiet", "--no-check", "--allow-all", SLOW_CLIENTS, new URL(caller.api).origin, caller.token];
  const command = new Deno.Command(Deno.execPath(), {
    args: [...args, String(count), path],
    stdout: "piped",
    stderr: "piped",
  });
  const slow = new Process(command);
  await slow.hasResult;
  if (slow.end !== undefined) throw new Error(`The slow clients have ended: ${slow.end.stderr}`);
  const over = new AbortController();
  const queries = query(caller, over.signal, faults);
  const loaded = await measure(caller, paths, seconds, signal, faults);
  over.abort();
  const durations = await queries;
  slow.kill();
  await slow.ended;
  const memory = await readPeakMemory(service.pid);
  await workspace.svc("service", "verify", "--data", service.data);

  const ratio = loaded / normal;
  const slowest = Math.max(0, ...durations);
  const limits = [
    ...ratio > MAX_RATIO ? [`The p99 is ${ratio.toFixed(1)} times the normal one`] : [],
    ...memory > MAX_MEMORY_MIB ? [`The service took ${memory.toFixed(0)} MiB`] : [],
  ];
  return createResult(
    `${count} connections; p99 of others ${normal.toFixed(1)} ms, with load ${loaded.toFixed(1)} ms (${
      ratio.toFixed(1)
    } ×); ` +
      `${durations.length} slow queries, longest ${slowest.toFixed(0)} ms; peak ${
        memory.toFixed(0)
      } MiB; ${faults.length} failed calls`,
    [...faults, ...ignoresLimits ? [] : limits],
  );
}

/** Creates a case for each client. Returns their paths. */
async function createCases(caller: ApiCaller): Promise<string[]> {
  const body = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } };
  return await Promise.all(Array.from({ length: CLIENTS }, async () => {
    return `/cases/${encodeURIComponent(textAt((await caller.call("POST", "/cases", { body })).body, "id"))}`;
  }));
}

/** Attaches a large file to the first case. Returns the ID of the attachment. */
async function attachLargeFile(caller: ApiCaller): Promise<string> {
  const form = new FormData();
  form.append("file", new File([new Uint8Array(LARGE_BYTES)], "large.bin"));
  const headers = { authorization: `Bearer ${caller.token}` };
  const uploaded = await fetch(`${caller.api}/attachments/upload`, { method: "POST", body: form, headers });
  const ID = textAt(await uploaded.json(), "ID");
  const path = `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-4")}/attachments`;
  const added = await caller.call("POST", path, { body: { attachments: [{ type: "File", category: "File", ID }] } });
  if (added.status !== 201) throw new Error(`The large file was not attached: ${JSON.stringify(added.body)}`);
  return textAt((await caller.call("GET", path)).body, "attachments.0.ID");
}

/** Lets clients read and change their cases in turn. Returns the p99 of the times in milliseconds. */
async function measure(
  caller: ApiCaller,
  paths: readonly string[],
  seconds: number,
  signal: AbortSignal,
  faults: string[],
): Promise<number> {
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  await Promise.all(paths.map(async (path) => {
    for (let n = 0; performance.now() < end && !signal.aborted; n++) {
      const started = performance.now();
      const { status, body } = n % 2 === 0
        ? await caller.call("GET", path)
        : await caller.call("PATCH", `${path}/actions/pyUpdateCaseDetails`, { body: { content: { Area: n } } });
      times.push(performance.now() - started);
      if (status !== 200) faults.push(`${path}: ${status} ${JSON.stringify(body)}`);
    }
  }));
  return quantile(times.toSorted((a, b) => a - b), 0.99) ?? 0;
}

/** Sends slow queries at intervals until a signal aborts. Returns their times in milliseconds. */
async function query(caller: ApiCaller, signal: AbortSignal, faults: string[]): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  while (!signal.aborted) {
    running.push(queryOnce());
    await delay(QUERY_INTERVAL);
  }
  await Promise.all(running);
  return times;

  async function queryOnce(): Promise<void> {
    const started = performance.now();
    const { status, body } = await caller.call("POST", "/data_views/D_Permits", { body: SLOW_QUERY });
    times.push(performance.now() - started);
    if (status !== 200) faults.push(`The slow query: ${status} ${JSON.stringify(body)}`);
  }
}
