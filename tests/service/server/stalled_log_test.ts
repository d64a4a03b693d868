/** A service whose log nothing reads, such as one in a pipe to a stopped pager. */
import assert from "node:assert/strict";
import { FailureLog } from "../../../service/http/failure_log.ts";
import { parseJsonObject } from "../../../utils/json.ts";
import { readLines } from "../../../workflows/inputs/lines.ts";
import { sendRequest, ServiceHome } from "../../harness/service.ts";
import { within } from "../../harness/wait.ts";

/** More requests than lines fit into a pipe. */
const REQUESTS = 3000;

Deno.test("a service whose log is not read serves requests, and ends with SIGTERM", async () => {
  await using home = await ServiceHome.open();
  const start = ["service", "start", "--port", "0", "--data", ":memory:", "--log-requests", "--format", "json"];
  const process = home.command(start).spawn();
  const lines = readLines(process.stdout);
  let report = "";
  while (parseJsonObject(report) === undefined) {
    const { value } = await within("the service reports its address", lines.next());
    report += value?.text ?? "";
  }
  const url = `${parseJsonObject(report)?.url}/health`;
  const ask = async () => (await within("the service responds", sendRequest("GET", url), { seconds: 20 })).status;
  for (let n = 0; n < REQUESTS; n += 10) {
    const statuses = await Promise.all(Array.from({ length: 10 }, ask));
    assert.deepEqual(new Set(statuses), new Set([200]), `after ${n} requests`);
  }
  process.kill("SIGTERM");
  const { code } = await within("the service ends", process.status, { seconds: 20 });
  assert.notEqual(code, 1);
  await process.stderr.cancel();
  await lines.return(undefined);
});

Deno.test("the log has the stack of a failure once, and a line for each further request that fails like it", () => {
  const log: string[] = [];
  const failures = new FailureLog((text) => void log.push(text));
  const fail = (message: string) => new TypeError(message);
  for (const id of ["R-1", "R-2", "R-3"]) failures.reportError(fail(`broken for ${id}`), id);
  assert.match(log[0] ?? "", /^Request R-1 failed: TypeError: broken for R-1\n +at fail /);
  assert.deepEqual(log.slice(1), [
    "Request R-2 failed like request R-1: broken for R-2",
    "Request R-3 failed like request R-1: broken for R-3",
  ]);
  failures.reportError(new TypeError("elsewhere"), "R-4");
  assert.match(log[3] ?? "", /^Request R-4 failed: TypeError: elsewhere\n/);
});

Deno.test("a full disk is one line of the log, not a line for each refused change", () => {
  const log: string[] = [];
  const failures = new FailureLog((text) => void log.push(text));
  for (let n = 1; n <= 1000; n++) failures.reportCondition("The disk of the service is full.", `R-${n}`);
  failures.reportCondition("The service has too many open files.", "R-1001");
  assert.deepEqual(log, [
    "Requests fail, the first one is R-1: The disk of the service is full.",
    "Requests fail, the first one is R-1001: The service has too many open files.",
  ]);
});
