/** The log of a service as JSON. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { locateFiles } from "../../../service/server/directory.ts";
import { runService } from "../../../service/server/run.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { openService, ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { textAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { parseJsonObject } from "../../../utils/json.ts";

Deno.test("a log in JSON has an object for each request, without secrets and content of cases", async () => {
  await using service = await openService({ logRequests: true, logFormat: "json" });
  const content = { Applicant: "Ada Lovelace" };
  const created = await service.call("POST", "/cases", {
    body: { caseTypeID: "City-Permit-Work-Permit", content },
  });
  const id = encodeURIComponent(textAt(created.body, "id"));
  await service.call("POST", `/cases/${id}/tags`, { body: { tags: [{ Name: "divorced" }] } });
  await service.call("DELETE", `/cases/${id}/tags/divorced`);
  await service.call("GET", `/cases/${id}?secret=Ada`, { headers: { authorization: "Bearer wrong-token" } });
  await service.call("GET", "/no/such/Ada");
  const entries = service.log.map((line) => parseJsonObject(line) ?? {});
  assert.deepEqual(
    entries.map(({ operation, method, status }) => [operation, method, status]),
    [
      ["token", "POST", 200],
      ["cases.create", "POST", 201],
      ["tags.add", "POST", 207],
      ["tags.delete", "DELETE", entries[3]?.status],
      ["cases.get", "GET", 401],
      [undefined, "GET", 404],
    ],
  );
  const [, entry] = entries;
  assert.match(String(entry?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(entry?.level, "info");
  assert.equal(entry?.operator, "clerk@city");
  assert.equal(entry?.requestId, created.headers.get("x-request-id"));
  assert.equal(typeof entry?.durationMs, "number");
  const text = service.log.join("\n");
  assert.doesNotMatch(text, /Ada|divorced|wrong-token|secret/);
  assert.ok(!text.includes(service.token));
});

Deno.test("an unexpected error in JSON has its name, code and calls, but not its message", async () => {
  await using folder = await makeFolder();
  await using service = await openService({ data: folder.path, logFormat: "json" });
  using db = new DatabaseSync(locateFiles(folder.path).database);
  db.exec("CREATE TRIGGER t BEFORE INSERT ON cases BEGIN SELECT RAISE(ABORT, 'Ada Lovelace\n    at her desk'); END");
  const { status, headers } = await service.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  assert.equal(status, 500);
  const [line = "", ...others] = service.log;
  assert.deepEqual(others, []);
  assert.doesNotMatch(line, /Ada|desk/);
  const requestId = headers.get("x-request-id");
  const { time: _, calls, ...entry } = parseJsonObject(line) ?? {};
  assert.deepEqual(entry, {
    level: "error",
    message: `Request ${requestId} failed.`,
    requestId,
    error: "Error",
    code: "ERR_SQLITE_ERROR",
  });
  assert.match(String(calls), /^at SqliteTransaction\.putCase .*transaction\.ts.*\nat /);
});

Deno.test("the progress of an upgrade is in the log in JSON, not among its lines as text", async () => {
  await using schema = useTestSchema();
  const [log, notes]: [string[], string[]] = [[], []];
  const options = { store: schema.location, logFormat: "json", log: (line: string) => void log.push(line) } as const;
  await using _service = await runService(options, { note: (line) => void notes.push(line) });
  assert.deepEqual(notes, []);
  assert.equal(parseJsonObject(log[0] ?? "")?.message, "Preparing the database: creating the tables");
});

Deno.test("the log file of a detached service contains only JSON", async () => {
  await using home = await ServiceHome.open();
  assert.equal((await home.svc(...START_ARGUMENTS, "--log-requests", "--log-format", "json")).code, 0);
  await home.svc("case-types", "list");
  const log = await Deno.readTextFile(`${home.directory}/service/service.log`);
  const entries = log.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.ok(entries.some(({ operation, status }) => operation === "case-types.list" && status === 200));
});

Deno.test("an unknown format of the log is refused", async () => {
  await using home = await ServiceHome.open();
  const { code, error } = await home.svc(...START_ARGUMENTS, "--log-format", "xml");
  assert.deepEqual([code, error.code], [2, "INVALID_ARGS"]);
});
