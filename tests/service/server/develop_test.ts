/** Development of an application: the service reloads its definition, and logs requests. */
import assert from "node:assert/strict";
import { openService, ServiceHome, START_ARGUMENTS } from "../../harness/service.ts";
import { PERMIT_FILE } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";
import { parseJsonObject } from "../../../utils/json.ts";
import { eventually } from "../../harness/wait.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);

Deno.test("with watch, a changed definition is served, and an invalid one is reported and not served", async () => {
  await using folder = await makeFolder({ "app.yaml": SAMPLE });
  const file = `${folder.path}/app.yaml`;
  await using service = await openService({ app: file, watch: true });
  const create = async () => {
    const body = { caseTypeID: "City-Permit-Work-Permit" };
    const { status, body: created } = await service.call("POST", "/cases", { body });
    assert.equal(status, 201, JSON.stringify(created));
    return JSON.stringify(created);
  };
  assert.match(await create(), /CITY-PERMIT-WORK P-1"/);

  await Deno.writeTextFile(
    file,
    SAMPLE.replace("queue: Review }\n                urgency", "queue: Revue }\n                urgency"),
  );
  await eventually("the invalid definition is reported", () => service.log.length >= 2);
  assert.match(service.log[0] ?? "", /^\S+app\.yaml:\d+:\d+: there is no queue 'Revue'/);
  assert.equal(
    service.log[1],
    `${file} has changed but cannot be used. The service continues with the previous definition.`,
  );
  assert.match(await create(), /CITY-PERMIT-WORK P-2"/);

  await Deno.writeTextFile(`${file}.new`, SAMPLE.replace("prefix: P\n", "prefix: Q\n"));
  await Deno.rename(`${file}.new`, file); // As editors save.
  await eventually("the definition is served", () => service.log.length >= 3);
  assert.equal(service.log[2], `${file} has changed. The service now uses it.`);
  assert.match(await create(), /CITY-PERMIT-WORK Q-1"/);
});

Deno.test("with watch, a definition that does not fit the stored data is not served", async () => {
  await using folder = await makeFolder({ "app.yaml": SAMPLE });
  const file = `${folder.path}/app.yaml`;
  await using service = await openService({ app: file, data: `${folder.path}/data`, watch: true });
  await service.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  await Deno.writeTextFile(file, SAMPLE.replaceAll("PRIM0:", "FIRST:"));
  await eventually("the mismatch is reported", () => service.log.some((line) => line.includes("cannot be used")));
  assert.match(service.log[0] ?? "", /PRIM0/);
});

Deno.test("a definition that cannot be used is an error in a log in JSON", async () => {
  await using folder = await makeFolder({ "app.yaml": SAMPLE });
  const file = `${folder.path}/app.yaml`;
  await using service = await openService({ app: file, watch: true, logFormat: "json" });
  await Deno.writeTextFile(file, "name: [");
  await eventually("the issue is reported", () => service.log.some((line) => line.includes("cannot be used")));
  assert.ok(service.log.every((line) => parseJsonObject(line)?.level === "error"), service.log.join("\n"));
});

Deno.test("--watch without a definition is refused", async () => {
  await using home = await ServiceHome.open();
  const { code, error } = await home.svc(...START_ARGUMENTS, "--watch");
  assert.deepEqual([code, error.code], [2, "INVALID_ARGS"]);
  assert.match(String(error.message), /no definition to watch/);
});

Deno.test("the request log has a line for each request, and no secret", async () => {
  await using service = await openService({ logRequests: true });
  await service.call("GET", "/cases/CITY-PERMIT-WORK%20P-9?secret=42");
  await service.call("GET", "/casetypes", { headers: { authorization: "Bearer wrong" } });
  const lines = service.log.map((line) =>
    line.replace(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z /, "").replace(/ \d+ms$/, "")
  );
  assert.deepEqual(lines, [
    "- POST /oauth2/token 200",
    "clerk@city GET /dx-api/v2/cases/CITY-PERMIT-WORK%20P-9 404",
    "- GET /dx-api/v2/casetypes 401",
  ]);
  assert.ok(!service.log.some((line) => line.includes(service.token)));
});

Deno.test("a detached service writes the request log to its log file", async () => {
  await using home = await ServiceHome.open();
  assert.equal((await home.svc(...START_ARGUMENTS, "--log-requests")).code, 0);
  await home.svc("case-types", "list");
  const log = await Deno.readTextFile(`${home.directory}/service/service.log`);
  assert.match(log, / clerk@city GET \/dx-api\/v2\/casetypes 200 \d+ms\n/);
});
