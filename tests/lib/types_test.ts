/** What the compiler knows of the library, in programs and in workflows. */
import assert from "node:assert/strict";
import { compiled } from "../harness/compiled.ts";
import { programOfAll } from "../harness/readme.ts";
import { scriptText } from "../harness/workflow.ts";

const CLIENT = `
  import { createClient } from "@svc/lib";
  const svc = createClient();
`;

const TAGS = `${CLIENT}
  const { id, etag: ifMatch } = await svc.data.create("D", { data: {} });
  const patched = await svc.data.patch("D", { data: { id } }, { ifMatch });
  const updated = await svc.data.update("D", { data: {} }, { ifMatch: patched.etag });
  await svc.data.performAction("D", { action: "A" }, { ifMatch: updated.etag });
  await svc.data.patch("D", { data: {} }, { ifMatch: (await svc.data.get("D")).etag });
  await svc.data.patch("D", { data: {} }, { ifMatch: (await svc.data.getAction("D", { action: "A" })).etag });
  const form = await svc.cases.getAction("C", { action: "A" });
  await svc.cases.performAction("C", { action: "A" }, { ifMatch: form.etag });
  const { results = [] } = await svc.cases.bulkPerform({ action: "A", cases: ["C"] });
  for (const { ID, status } of results) if (Number(status) >= 400) await svc.cases.get(ID ?? "");
`;

const LISTED = `${CLIENT}
  const { attachment_categories: categories = [] } = await svc.cases.listAttachmentCategories("C");
  const { bulkActions = [] } = await svc.cases.bulkActions({ cases: ["C"] });
  const { bulkActions: ofType = [] } = await svc.caseTypes.listBulkActions("T");
  const { dataObjects = [] } = await svc.data.listObjects();
  const { dataPages = [] } = await svc.data.listPages();
  const { actions = [] } = await svc.data.listActions("D");
  const { data, uiResources = {} } = await svc.data.queryView("D", { view: "V" });
  const ids: string[] = [...categories, ...bulkActions, ...ofType, ...actions].map(({ ID }) => ID);
  const names: (string | undefined)[] = [...dataObjects, ...dataPages].map(({ name }) => name);
  console.log(ids, names, Array.isArray(data) && data.map((row) => row.Name), Object.keys(uiResources));
`;

const errorsOf = (part: string) => `
  import { type ErrorAttempt, type ErrorDetail, SvcError } from "${part}";
  export function sentences({ details = [], attempts = [] }: SvcError): (string | undefined)[] {
    const said = details.map(({ localizedValue, message }: ErrorDetail) => localizedValue ?? message);
    return [...said, ...attempts.map(({ code, afterMilliseconds = 0 }: ErrorAttempt) => code?.at(afterMilliseconds))];
  }
`;

const creating = (option: string) => scriptText(`await svc.cases.create({ type: "T" }, { ${option} });`);

Deno.test("the compiler knows the library", async (t) => {
  const said = await compiled({
    misspelt: CLIENT + `await svc.data.query("D", { pageSize: 3 });`,
    tags: TAGS,
    listed: LISTED,
    errors: errorsOf("@svc/lib"),
    errorsOfWorkflow: errorsOf("@svc/lib/workflow"),
    timeout: creating("timeoutSeconds: 5"),
    key: creating(`idempotencyKey: "k"`),
    all: programOfAll(),
  });
  await t.step("it takes every part of it with Deno's own options", () => assert.equal(said.all, ""));
  await t.step("of a misspelt option it says which there are", () => {
    const options =
      /'pageSize' does not exist in type '\{ params\?: [^;]+; max\?: [^;]+; page\?: [^;]+; includeTotal\?: /;
    assert.match(said.misspelt, options);
  });
  await t.step("it knows the entity tags that the next call takes, and what became of each case of a bulk call", () => {
    assert.equal(said.tags, "");
  });
  await t.step("it knows the members of what is listed", () => assert.equal(said.listed, ""));
  await t.step("it knows the members of an error's details and attempts, in a workflow too", () => {
    assert.deepEqual([said.errors, said.errorsOfWorkflow], ["", ""]);
  });
  await t.step("it lets a script limit the time of a call, and refuses one that names a key of its own", () => {
    assert.equal(said.timeout, "");
    assert.match(said.key, /'idempotencyKey' does not exist in type '\{ ifMatch\?: [^']*timeoutSeconds\?: /);
  });
});
