/** The entries of the request log. */
import assert from "node:assert/strict";
import { Tokens } from "../../../service/access/tokens.ts";
import type { ServiceRequest } from "../../../service/connections/received_request.ts";
import type { ServiceResponse } from "../../../service/connections/service_response.ts";
import { createRequestLog } from "../../../service/http/request_log.ts";
import { openSqliteStore } from "../../../service/store/sqlite/sqlite_store.ts";
import type { LogFormat } from "../../../lib/telemetry/log.ts";

Deno.test("a line has the operator, method, path and status, and JSON has no path", async () => {
  const store = openSqliteStore(":memory:");
  const client = { id: "c", secretHash: "", operator: "clerk@city", createdAt: "" };
  await store.transact((tx) => tx.putClient(client));
  const tokens = new Tokens(store, 60);
  const token = await tokens.issue(client);
  const observe = async (format: LogFormat, authorization: string | undefined, status?: number) => {
    const log: unknown[] = [];
    const request: ServiceRequest = {
      method: "GET",
      target: "/cases/A\n?q=secret",
      header: (name) => name === "authorization" ? authorization : undefined,
      body: null,
      bytes: () => Promise.resolve(new Uint8Array()),
      trust: () => {},
    };
    const respond = (): Promise<ServiceResponse> =>
      status === undefined
        ? Promise.reject(new Error("The connection is lost."))
        : Promise.resolve({ status, headers: { "x-request-id": "R-1" }, body: "" });
    const observer = createRequestLog(tokens, (text, fields) => void log.push(fields ?? text), format);
    await observer({ request, operation: "cases.get" }, respond).catch(() => {});
    return log;
  };
  const [line] = await observe("text", `Bearer ${token}`, 200);
  assert.match(String(line), /^\d{4}-\d\d-\d\dT\S+Z clerk@city GET \/cases\/A\\n 200 \d+ms$/);
  assert.match(String(await observe("text", "Bearer wrong", 401)), / - GET \S+ 401 /);
  assert.match(String(await observe("text", undefined)), / - GET \S+ failed /);
  const expected = { level: "info", operation: "cases.get", method: "GET", status: 499, operator: "clerk@city" };
  const describe = async (status?: number) => {
    const [entry] = await observe("json", `bearer ${token}`, status);
    assert.ok(typeof entry === "object" && entry !== null);
    const { durationMs, ...others } = { durationMs: undefined, ...entry };
    assert.equal(typeof durationMs, "number");
    return others;
  };
  assert.deepEqual(await describe(499), { ...expected, requestId: "R-1", traceId: undefined });
  assert.deepEqual(await describe(500), {
    ...expected,
    level: "error",
    status: 500,
    requestId: "R-1",
    traceId: undefined,
  });
  const failed = { ...expected, level: "error", status: "failed", requestId: undefined, traceId: undefined };
  assert.deepEqual(await describe(), failed);
  await store.close();
});
