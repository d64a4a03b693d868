/** A service whose log nothing reads, such as one in a pipe to a stopped pager. */
import assert from "node:assert/strict";
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
