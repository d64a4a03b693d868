/** A service that continues with the data of an earlier version of its definition. */
import assert from "node:assert/strict";
import { openService, readErrorDetails, type TestService } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";

const SHOP = `
application: { id: Shop, name: Shop, organisation: Org }
operators: { "ada@shop": { name: Ada } }
caseTypes:
  Org-Shop-Work-Order:
    name: Order
    prefix: O
    workPool: SHOP-WORK
    fields: { Note: { type: Text } }
    stages:
      PRIM0:
        name: Order
        processes: { Order: { steps: { Enter: { fields: [Note], urgency: 50 } } } }
      PRIM1:
        name: Delivery
        processes: { Deliver: { steps: { Send: { fields: [Note], urgency: 50 } } } }
`;
const OTHER = SHOP.split("  Org-Shop-Work-Order:")[1]
  ?.replace("prefix: O", "prefix: C").replaceAll("urgency: 50", "urgency: 5");

const BOTH = `${SHOP}  Org-Shop-Work-Complaint:${OTHER}`;

/** The shop with orders that wait for a part. */
const WITH_PARTS = `${SHOP}  Org-Shop-Work-Part:
    name: Part
    prefix: P
    workPool: SHOP-WORK
    fields: {}
    stages: { PRIM0: { name: Part, transition: resolution, processes: { Make: { steps: { Make: {} } } } } }
`.replace(
  "{ Enter: { fields: [Note], urgency: 50 }",
  "{ Wait: { type: child, caseType: Org-Shop-Work-Part, wait: true }",
);

/** Creates a case of each type, then serves its data with a changed definition. */
async function afterChange(
  change: (yaml: string) => string,
  work: (svc: TestService) => Promise<void>,
  yaml = BOTH,
  types = ["Org-Shop-Work-Order", "Org-Shop-Work-Complaint"],
): Promise<void> {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  {
    await using svc = await openService({ yaml, data });
    for (const caseTypeID of types) {
      assert.equal((await svc.call("POST", "/cases", { body: { caseTypeID } })).status, 201);
    }
  }
  {
    await using svc = await openService({ yaml: change(yaml), data, acceptMismatch: true });
    await work(svc);
  }
}

for (
  const [lost, change] of [
    ["case type", (yaml) => yaml.replace("Org-Shop-Work-Order:", "Org-Shop-Work-Purchase:")],
    ["process", (yaml) => yaml.replace("Order: { steps", "Ordering: { steps")],
    ["step", (yaml) => yaml.replace("{ Enter:", "{ Begin:")],
    ["stage", (yaml) => yaml.replace("PRIM0:", "Other:")],
  ] satisfies [string, (yaml: string) => string][]
) {
  Deno.test(`get-next skips assignments whose ${lost} is no longer defined`, () =>
    afterChange(change, async (svc) => {
      const next = await svc.call("GET", "/assignments/next");
      assert.equal(valueAt(next.body, "id"), "ASSIGN-WORKLIST SHOP-WORK C-1!ORDER", JSON.stringify(next.body));
    }));
}

Deno.test("a case whose process, step or stage is no longer defined reports it and can be moved to a stage", async () => {
  const changes: [string, string, string][] = [
    ["Order", "Order: { steps", "Ordering: { steps"],
    ["Enter", "{ Enter:", "{ Begin:"],
    ["PRIM0", "PRIM0:", "Other:"],
  ];
  for (const [lost, before, after] of changes) {
    await afterChange((yaml) => yaml.replace(before, after), async (svc) => {
      const path = `/cases/${encodeURIComponent("SHOP-WORK O-1")}`;
      const refused = await svc.call("GET", path);
      assert.equal(refused.status, 409);
      assert.match(
        textAt(readErrorDetails(refused.body)[0], "message"),
        new RegExp(`no longer has '${lost}'.*move the case`),
      );
      assert.equal((await svc.call("PUT", `${path}/stages/Delivery`)).status, 200);
      const { body } = await svc.call("GET", path);
      assert.equal(valueAt(body, "data.caseInfo.assignments.0.name"), "Send");
      assert.equal(valueAt(body, "data.caseInfo.assignments.1"), undefined);
    });
  }
});

Deno.test("a case whose parent or child type is no longer defined can be read and finished", async () => {
  const part = `/cases/${encodeURIComponent("SHOP-WORK P-1")}`;
  const changes: [lost: string, work: (svc: TestService) => Promise<void>][] = [
    ["Org-Shop-Work-Order", async (svc) => {
      const { status, body } = await svc.call("GET", `${part}/ancestors`);
      assert.deepEqual([status, body], [200, {}]);
      const { headers } = await svc.call("GET", part);
      const done = await svc.call(
        "PATCH",
        `/assignments/${encodeURIComponent("ASSIGN-WORKLIST SHOP-WORK P-1!MAKE")}/actions/Make`,
        {
          headers: { "if-match": String(headers.get("etag")) },
          body: {},
        },
      );
      assert.deepEqual([done.status, valueAt(done.body, "status")], [200, "Resolved-Completed"]);
    }],
    ["Org-Shop-Work-Part", async (svc) => {
      const { status, body } = await svc.call("GET", `/cases/${encodeURIComponent("SHOP-WORK O-1")}/descendants`);
      assert.deepEqual([status, body], [200, {}]);
    }],
  ];
  for (const [lost, work] of changes) {
    await afterChange((yaml) => yaml.replaceAll(lost, `${lost}2`), work, WITH_PARTS, ["Org-Shop-Work-Order"]);
  }
});

Deno.test("a participant whose role is no longer defined is listed under its ID and can be removed", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const yaml = SHOP.replace(
    "    stages:",
    "    participantRoles: { Buyer: { name: The buyer }, Payer: {} }\n    stages:",
  );
  const path = `/cases/${encodeURIComponent("SHOP-WORK O-1")}/participants`;
  const ada = { content: { pyFirstName: "Ada" }, participantRoleID: "Buyer" };
  {
    await using svc = await openService({ yaml, data });
    await svc.call("POST", "/cases", { body: { caseTypeID: "Org-Shop-Work-Order" } });
    assert.equal((await svc.call("POST", path, { body: ada })).status, 201);
  }
  await using svc = await openService({ yaml: yaml.replace("Buyer:", "Orderer:"), data, acceptMismatch: true });
  assert.equal((await svc.call("POST", path, { body: { ...ada, participantRoleID: "Payer" } })).status, 201);
  const { body } = await svc.call("GET", path);
  const shown = ["participantRoleID", "roleName", "content.pyFirstName"].map((name) =>
    valueAt(body, `participants.0.${name}`)
  );
  assert.deepEqual(shown, ["Buyer", "Buyer", "Ada"]);
  const form = await svc.call("GET", `${path}/PARTY-1`);
  const [refusal] = readErrorDetails(form.body);
  const reason =
    "'Buyer' is not a participant role of the case type Order any more: delete PARTY-1, or define 'Buyer' again";
  assert.deepEqual([form.status, refusal?.message], [409, reason]);
  assert.equal((await svc.call("GET", `${path}/PARTY-1?viewType=none`)).status, 200);
  assert.equal((await svc.call("PATCH", `${path}/PARTY-1`, { body: { content: {} } })).status, 409);
  assert.equal((await svc.call("DELETE", `${path}/PARTY-1`)).status, 200);
  assert.equal(valueAt((await svc.call("GET", path)).body, "participants.0.participantRoleID"), "Payer");
});

Deno.test("an attachment whose category is not defined is hidden until the category is back", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const yaml = SHOP.replace("    stages:", "    attachmentCategories: { Bill: { type: URL } }\n    stages:");
  const path = `/cases/${encodeURIComponent("SHOP-WORK O-1")}/attachments`;
  const bill = { type: "URL", category: "Bill", name: "Bill", url: "https://shop.example/bill" };
  let id = "";
  for (const [definition, listed, status] of [[yaml, 1, 200], [SHOP, 0, 403], [yaml, 1, 200]] as const) {
    await using svc = await openService({ yaml: definition, data, acceptMismatch: true });
    if (id === "") {
      await svc.call("POST", "/cases", { body: { caseTypeID: "Org-Shop-Work-Order" } });
      await svc.call("POST", path, { body: { attachments: [bill] } });
    }
    const { body } = await svc.call("GET", path);
    assert.equal(Object(valueAt(body, "attachments")).length, listed);
    if (listed === 1) id = textAt(body, "attachments.0.ID");
    const read = await fetch(`${svc.api}/attachments/${encodeURIComponent(id)}`, {
      headers: { authorization: `Bearer ${svc.token}` },
    });
    assert.equal(read.status, status);
    assert.equal((await read.text()).includes(bill.url), status === 200);
  }
});

Deno.test("an operator who is no longer defined is refused, and messages to the operator are hidden", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const yaml = SHOP.replace('"ada@shop": { name: Ada }', '"bob@shop": { name: Bob }, "ada@shop": { name: Ada }');
  const before = await openService({ yaml, data });
  const posted = await before.call("POST", "/messages", { body: { context: "bob@shop", message: "Hello" } });
  const path = `/messages/${encodeURIComponent(textAt(posted.body, "id"))}`;
  await before.service.close();

  await using after = await openService({ yaml: SHOP, data, acceptMismatch: true });
  assert.equal((await after.call("GET", path)).status, 404);
  const authorization = `Bearer ${before.token}`;
  const { status, body } = await after.call("GET", "/casetypes", { headers: { authorization } });
  assert.deepEqual([status, readErrorDetails(body)[0]?.message], [403, "The application has no operator bob@shop."]);
});
