/** Metrics of a service, as Prometheus reads them. */
import assert from "node:assert/strict";
import { openService, ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { readMetrics } from "../../harness/metrics.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";

Deno.test("metrics count requests by operation and status, and have no path and no operator", async () => {
  await using service = await openService({ metrics: "0" });
  await service.call("GET", "/cases/CITY-PERMIT-WORK%20P-9?secret=42");
  await service.call("GET", "/casetypes");
  await service.call("GET", "/casetypes", { headers: { authorization: "Bearer wrong" } });
  await service.call("PUT", "/no/such/path");
  const { text, value } = await readMetrics(service.service.metricsUrl);
  const requests = (operation: string, status: string) => value("svc_requests_total", { operation, status });
  assert.equal(requests("token", "200"), 1);
  assert.equal(requests("cases.get", "404"), 1);
  assert.equal(requests("case-types.list", "200"), 1);
  assert.equal(requests("case-types.list", "401"), 1);
  assert.equal(requests("none", "404"), 1);
  assert.equal(value("svc_request_seconds_count", { operation: "case-types.list" }), 2);
  assert.equal(value("svc_requests_open", {}), 0);
  assert.ok(Number(value("svc_store_seconds_count", { kind: "read" })) > 0);
  assert.ok(Number(value("process_resident_memory_bytes", {})) > 1e6);
  assert.ok(Number(value("process_cpu_seconds_total", {})) > 0);
  assert.match(text, /^svc_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  assert.doesNotMatch(text, /P-9|clerk@city|casetypes|secret/);
});

Deno.test("metrics count the queries and the jobs of a data directory", async () => {
  await using folder = await makeFolder();
  await using service = await openService({ data: `${folder.path}/data`, store: "sqlite", metrics: "0" });
  await service.rows("D_pyMyWorkList", {}).catch(() => []);
  const { value } = await readMetrics(service.service.metricsUrl);
  assert.equal(value("svc_queries", { state: "waiting" }), 0);
  assert.equal(value("svc_jobs_running", {}), 0);
  assert.equal(value("svc_job_failures_total", {}), 0);
});

Deno.test("metrics count the connections to PostgreSQL", async () => {
  await using schema = useTestSchema();
  await using service = await openService({ store: schema.location, metrics: "0" });
  await service.call("GET", "/casetypes");
  const { value } = await eventually("the connections are not in use", async () => {
    const metrics = await readMetrics(service.service.metricsUrl);
    return metrics.value("svc_database_connections", { pool: "changes", state: "used" }) === 0 && metrics;
  });
  assert.ok(Number(value("svc_database_connections", { pool: "changes", state: "idle" })) > 0);
  assert.equal(value("svc_database_connections", { pool: "reads", state: "waiting" }), 0);
  assert.equal(value("svc_database_errors_total", {}), 0);
});

Deno.test("the address of the metrics serves nothing else, and no other host name", async () => {
  await using service = await openService({ metrics: "[::1]:0" });
  const url = String(service.service.metricsUrl);
  const other = await fetch(url.replace("/metrics", "/dx-api/v2/casetypes"));
  assert.deepEqual([other.status, await other.text()], [404, "The metrics are at /metrics.\n"]);
  const changed = await fetch(url, { method: "POST" });
  assert.deepEqual([changed.status, await changed.text()], [405, "Use GET.\n"]);
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname: hostname.slice(1, -1), port: Number(port) });
  await connection.write(
    new TextEncoder().encode("GET /metrics HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n"),
  );
  assert.match(await new Response(connection.readable).text(), /^HTTP\/1\.1 403 /);
  const ofService = await service.call("GET", "/metrics");
  assert.equal(ofService.status, 404);
});

for (const address of ["", "abc", "70000", "127.0.0.1", "::1:9464", "a b:1"]) {
  Deno.test(`metrics cannot be served at ${JSON.stringify(address)}`, async () => {
    await assert.rejects(openService({ metrics: address }), { code: "INVALID_ARGS", message: /^--metrics: / });
  });
}

Deno.test("a start says that the address of the metrics is in use", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  await assert.rejects(openService({ metrics: String(port) }), {
    code: "INVALID_ARGS",
    message: `--metrics: 127.0.0.1:${port} cannot be used: another program listens there.`,
  });
});

Deno.test("a detached service prints the address of its metrics, and status shows it", async () => {
  await using home = await ServiceHome.open();
  const { out } = await home.svc(...START_ARGUMENTS, "--metrics", "0");
  const { value } = await readMetrics(String(out.metrics));
  assert.ok(Number(value("svc_requests_total", { operation: "health", status: "200" }) ?? 0) >= 0);
  assert.equal((await home.svc("service", "status")).out.metrics, out.metrics);
});
