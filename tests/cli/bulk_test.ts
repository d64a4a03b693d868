/** Bulk commands: the error lists the failed cases, in every form of the response. */
import assert from "node:assert/strict";
import { createClient } from "../../lib/client/client.ts";
import { callFakeService, CLIENT, startAnswering } from "../harness/fake_service.ts";
import { runOnFullDisk, runWithUnreadPipe } from "../harness/faults.ts";
import { parseErrorRecord } from "../harness/svc.ts";

Deno.test("a bulk call with failed cases prints its response and ends with 1", async () => {
  const failed = { ID: "C-2", status: "409", errorDetails: [{ message: "Error" }] };
  const body = { results: [{ ID: "C-1", status: 200 }, failed] };
  await using service = startAnswering(body, { status: 207 });
  const result = await callFakeService(service, "cases bulk-perform --action a --cases C-1,C-2 --format compact");
  assert.equal(result.code, 1);
  assert.equal(result.stdout, JSON.stringify(body) + "\n");
  const { code, message, details } = parseErrorRecord(result);
  assert.deepEqual([code, message, details], ["BULK_PARTIAL_FAILURE", "1 of 2 cases failed.", [failed]]);
});

Deno.test("a bulk response that is only a list ends with 1 if a case failed, and becomes results in the library", async () => {
  const failed = { ID: "C-2", status: 423 };
  const body = [{ ID: "C-1", status: "200" }, failed];
  await using service = startAnswering(body, { status: 207 });
  const result = await callFakeService(service, "cases bulk-perform --action a --cases C-1,C-2 --format compact");
  assert.deepEqual([result.code, result.stdout], [1, JSON.stringify(body) + "\n"]);
  const { code, message, details } = parseErrorRecord(result);
  assert.deepEqual([code, message, details], ["BULK_PARTIAL_FAILURE", "1 of 2 cases failed.", [failed]]);
  const library = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true });
  assert.deepEqual(await library.cases.bulkPerform({ action: "a", cases: ["C-1", "C-2"] }), { results: body });
});

Deno.test("a bulk response that only counts the failures ends with 1", async () => {
  for (const body of [{ failureCount: 2 }, { summary: { total: 3, failed: 2 } }, { results: [], failureCount: "2" }]) {
    await using service = startAnswering(body, { status: 207 });
    const result = await callFakeService(service, "cases bulk-perform --action a --cases C-1,C-2");
    const { code, message } = parseErrorRecord(result);
    assert.deepEqual([result.code, code, message], [1, "BULK_PARTIAL_FAILURE", "2 cases failed."]);
  }
});

Deno.test("a bulk call without failures, or in the background, ends with 0", async () => {
  const bodies = [
    [{ results: [{ ID: "C-1", status: "200" }] }, 207],
    [{ jobID: "J-1" }, 202],
    [{ failureCount: 0, summary: { failed: 0 } }, 207],
  ] as const;
  for (const [body, status] of bodies) {
    await using service = startAnswering(body, { status });
    const { code, stderr } = await callFakeService(service, "cases bulk-perform --action a --cases C-1");
    assert.deepEqual([code, stderr], [0, ""]);
  }
});

Deno.test("a failed bulk call is an error even if the output is closed", async () => {
  await using service = startAnswering({ results: [{ ID: "C", status: "404" }] }, { status: 207 });
  const [stderr, code] = await runWithUnreadPipe(service, "stdout", "cases bulk-perform --action a --cases C");
  assert.deepEqual([JSON.parse(stderr).error.code, code], ["BULK_PARTIAL_FAILURE", 1]);
});

Deno.test({
  name: "if the output cannot be written, the error of a bulk call lists the failed cases and says why",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const failed = { ID: "C", status: "404" };
    await using service = startAnswering({ results: [failed] }, { status: 207 });
    const { code, details, hint } = parseErrorRecord(
      await runOnFullDisk(service, "cases bulk-perform --action a --cases C"),
    );
    assert.deepEqual([code, details], ["BULK_PARTIAL_FAILURE", [failed]]);
    const full = "Standard output cannot be written: No space left on device.";
    assert.equal(
      hint,
      `${full} The details list each failure with its reason. Fix the causes and retry only the failed ones.`,
    );
  },
});
