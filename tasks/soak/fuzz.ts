import { readProfiles } from "../../lib/auth/profiles.ts";
import type { ApiCaller } from "../../tests/harness/service.ts";
import { objectAt, textAt, valueAt } from "../../tests/harness/service_engine.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { mutate } from "./mutate.ts";
import { addClients, openClientCaller } from "./open_caller.ts";
import { listOperations, recordCalls, type RecordedCall, type Target } from "./record_calls.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";

const REQUESTS = 200_000;
const CONCURRENCY = 8;

/** Requests to one service. Later ones would find that the earlier ones have deleted or closed everything. */
const ROUND = 4000;

/** Milliseconds after which a request counts as hanging. */
const MAX_DURATION = 30_000;

const OPERATORS = ["clerk@city", "reviewer@city", "decider@city", "inspector@city"];

/** Length of a body in a report. */
const SHOWN_BYTES = 400;

/** Calls every operation once, and then sends requests that differ from the accepted ones. */
export const fuzz: Scenario = {
  name: "fuzz",
  what: "fuzzing of all operations, each with an accepted baseline request first",
  target: `${REQUESTS.toLocaleString("en")} requests, no 5xx, no hang, data consistent`,
  seconds: 900,
  run: fuzzOperations,
};

async function fuzzOperations(options: SoakOptions): Promise<SoakResult> {
  const { scale, signal, onProgress } = options;
  const requests = scaleNumber(REQUESTS, scale);
  const operations = await listOperations();
  const results: RoundResult[] = [];
  for (let sent = 0; sent < requests && !signal.aborted; sent += ROUND) {
    results.push(await runRound(options, operations, Math.min(ROUND, requests - sent), sent === 0));
    onProgress(`${Math.min(requests, sent + ROUND)} of ${requests} requests`);
  }
  const sum = (figure: "sent" | "accepted") => results.reduce((total, result) => total + result[figure], 0);
  const faults = results.flatMap((result) => result.faults);
  return createResult(
    `${operations.length} operations accepted before, ${sum("sent")} requests, ${sum("accepted")} of them accepted; ` +
      `${faults.length} faults`,
    faults,
  );
}

/** The outcome of the requests to one service. */
interface RoundResult {
  readonly sent: number;
  readonly accepted: number;
  readonly faults: readonly string[];
}

async function runRound(
  { random, program, signal }: SoakOptions,
  operations: readonly string[],
  requests: number,
  isFirst: boolean,
): Promise<RoundResult> {
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const { baseUrl: url = "" } = readProfiles(workspace.env.SVC_CONFIG_DIR).default ?? {};
  const target: Target = { url, clients: await addClients(service.data, undefined, OPERATORS) };
  const faults = isFirst ? await checkBaseline(target, operations) : [];
  const { calls } = await recordCalls(target, true);
  const callers = await Promise.all([...target.clients.values()].map((client) => openClientCaller(url, client)));
  const [first, ...rest] = callers;
  if (first === undefined) throw new Error("There are no callers.");
  const fuzzed = Array.from({ length: requests }, (): [ApiCaller, RecordedCall] => {
    const call = calls[Math.floor(random.next() * calls.length)];
    if (call === undefined) throw new Error("No calls were recorded.");
    return [random.chance(0.7) ? first : random.pick([first, ...rest]), mutate(call, calls, random)];
  });
  // Requests that delete come last, because others need what they delete.
  fuzzed.sort(([, one], [, other]) => Number(one.method === "DELETE") - Number(other.method === "DELETE"));
  let [sent, accepted] = [0, 0];
  await forEachConcurrently(fuzzed, CONCURRENCY, async ([caller, call]) => {
    if (signal.aborted) return;
    sent++;
    const outcome = await send(caller, call);
    if (typeof outcome === "string") faults.push(`${outcome}: ${describe(call)}`);
    else if (outcome < 300) accepted++;
  });
  faults.push(...await checkCases(first));
  await workspace.svc("service", "verify", "--data", service.data);
  return { sent, accepted, faults };
}

/** Calls every operation, and lists those that were not accepted. */
async function checkBaseline(target: Target, operations: readonly string[]): Promise<string[]> {
  const { accepted, refused } = await recordCalls(target, false);
  const missing = operations.filter((name) => !accepted.has(name));
  return missing.length === 0 ? [] : [`Not accepted: ${missing.join(", ")}`, ...refused];
}

/** Returns the status of a response, or a fault. */
async function send(
  { api, token }: ApiCaller,
  { method, path, headers, body }: RecordedCall,
): Promise<number | string> {
  const hasBody = body.length > 0 && method !== "GET" && method !== "HEAD";
  try {
    const response = await fetch(api + path, {
      method,
      headers: { ...headers, authorization: `Bearer ${token}` },
      ...(hasBody && { body }),
      redirect: "manual",
      signal: AbortSignal.timeout(MAX_DURATION),
    });
    const text = await response.text();
    return response.status < 500 ? response.status : `${response.status} ${text.slice(0, SHOWN_BYTES)}`;
  } catch (error) {
    return error instanceof DOMException && error.name === "TimeoutError" ? "No response" : `No response: ${error}`;
  }
}

/** Checks that all cases can be read, and that an open case has an assignment, a closed one has none. */
async function checkCases(caller: ApiCaller): Promise<string[]> {
  const faults: string[] = [];
  const body = { query: { select: [{ field: "pyID" }] }, paging: { maxResultsToFetch: 5000 } };
  const { status, body: found } = await caller.call("POST", "/data_views/D_Permits", { body });
  const rows = valueAt(found, "data");
  if (!Array.isArray(rows) || rows.length === 0) {
    return [`The cases cannot be listed: ${status} ${JSON.stringify(found)}`];
  }
  await forEachConcurrently(rows, CONCURRENCY, async (row) => {
    const id = `CITY-PERMIT-WORK ${textAt(row, "pyID")}`;
    const { status, body } = await caller.call("GET", `/cases/${encodeURIComponent(id)}`);
    if (status !== 200) return void faults.push(`${id} cannot be read: ${status} ${JSON.stringify(body)}`);
    const assignments = valueAt(body, "data.caseInfo.assignments");
    const isClosed = textAt(body, "status").startsWith("Resolved-");
    if (!Array.isArray(assignments) || (assignments.length === 0) !== isClosed) {
      faults.push(`${id} is ${textAt(body, "status")} and has ${JSON.stringify(assignments)}`);
    }
    const content = objectAt(body, "data.caseInfo.content");
    const documents = Array.isArray(content.Documents) ? content.Documents : [];
    const costs = documents.reduce<number>((sum, one) => sum + Number(valueAt(one, "Pages")) * 0.5, 0);
    const fee = 50 + Number(content.Area ?? 0) * 2.5 + (content.Urgent === true ? 100 : 0) + costs;
    if (Math.abs(Number(content.Fee) - fee) > 0.01) faults.push(`${id} has the fee ${content.Fee} instead of ${fee}`);
  });
  return faults;
}

function describe({ operation, method, path, headers, body }: RecordedCall): string {
  const text = new TextDecoder().decode(body.subarray(0, SHOWN_BYTES));
  return `${operation}: ${method} ${path.slice(0, SHOWN_BYTES)} ${
    JSON.stringify(headers).slice(0, SHOWN_BYTES)
  } ${text}`;
}
