/** The records that a definition contains. */
import assert from "node:assert/strict";
import { openService } from "../../harness/service.ts";
import { catchDefinitionError, PERMIT_FILE } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";

const SAMPLE = await Deno.readTextFile(PERMIT_FILE);
const RECORDS = "records: [{ Name: Centre }, { Name: Harbour }, { Name: North }]";

/** Returns the sample application with other records of districts. */
function withDistricts(records: string): string {
  assert.ok(SAMPLE.includes(RECORDS));
  return SAMPLE.replace(RECORDS, `records: ${records}`);
}

Deno.test("a service creates the records of its definition once, and changes of people stay", async () => {
  await using folder = await makeFolder({ "app.yaml": SAMPLE });
  const options = { app: `${folder.path}/app.yaml`, data: `${folder.path}/data` };
  const list = async (service: Awaited<ReturnType<typeof openService>>) =>
    (await service.rows("D_Districts", { query: { select: [{ field: "Name" }] } })).map(({ Name }) => Name).sort();
  {
    await using first = await openService(options);
    assert.deepEqual(await list(first), ["Centre", "Harbour", "North"]);
    const { status } = await first.call("DELETE", "/data/D_Districts?Name=Centre", { headers: { "If-Match": "*" } });
    assert.equal(status, 200);
  }
  await Deno.writeTextFile(options.app, withDistricts("[{ Name: Centre }, { Name: South }]"));
  await using second = await openService(options);
  assert.deepEqual(await list(second), ["Harbour", "North"]);
});

Deno.test("a service creates no records of a type that has some", async () => {
  await using folder = await makeFolder({ "app.yaml": withDistricts("[]") });
  const options = { app: `${folder.path}/app.yaml`, data: `${folder.path}/data` };
  {
    await using first = await openService(options);
    assert.equal((await first.call("POST", "/data/D_Districts", { body: { data: { Name: "South" } } })).status, 200);
  }
  await Deno.writeTextFile(options.app, SAMPLE);
  await using second = await openService(options);
  assert.deepEqual((await second.rows("D_Districts", {})).map(({ Name }) => Name), ["South"]);
});

for (
  const [mistake, records, message] of [
    ["an unknown field", "[{ Name: A, Size: 1 }]", /'Size'/],
    ["a wrong value", "[{ Name: 1 }]", /'Name': /],
    ["no key", "[{}]", /'Name' is missing in this record/],
    ["the key of another record", "[{ Name: A }, { Name: A }]", /Another record has the same key: \["A"\]/],
  ] as const
) {
  Deno.test(`a record of a definition with ${mistake} is reported with its place`, () => {
    const error = catchDefinitionError(withDistricts(records));
    const text = JSON.stringify([error.message, error.details]);
    assert.match(text.replaceAll('\\"', '"'), message);
    assert.match(text, /:\d+:\d+/);
  });
}
