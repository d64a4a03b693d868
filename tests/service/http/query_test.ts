/** Parameters of the query that other clients send and the command has no flags for. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { openService, readErrorDetails, type TestService } from "../../harness/service.ts";
import { objectAt, PERMIT_FILE, textAt, valueAt } from "../../harness/service_engine.ts";

/** A case with its assignment: their paths, and their tag. */
async function open(svc: TestService): Promise<{ caseAt: string; workAt: string; headers: Record<string, string> }> {
  const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  return {
    caseAt: `/cases/${encodeURIComponent(textAt(body, "id"))}`,
    workAt: `/assignments/${encodeURIComponent(textAt(body, "nextAssignmentInfo.ID"))}`,
    headers: { "if-match": textAt(body, "etag") },
  };
}

Deno.test("an unknown value of a query parameter is refused with the available values", async () => {
  await using svc = await openService();
  const { caseAt, workAt, headers } = await open(svc);
  const edit = `${caseAt}/actions/pyUpdateCaseDetails`;
  const register = `${workAt}/actions/Register`;
  const refused: [method: string, path: string, reason: string][] = [
    ["GET", `${caseAt}?viewType=form`, "viewType must be none or page, not 'form'"],
    ["DELETE", `${caseAt}/updates?viewType=form`, "viewType must be none or page, not 'form'"],
    ["GET", `${edit}?viewType=none`, "viewType must be form or page, not 'none'"],
    ["GET", `${register}?viewType=none`, "viewType must be form or page, not 'none'"],
    ["GET", `${workAt}?viewType=x`, "viewType must be none, form or page, not 'x'"],
    ["GET", `${caseAt}/participant_roles/Adviser?viewType=page`, "viewType must be none or form, not 'page'"],
    ["GET", `${edit}?excludeAdditionalActions=1`, "excludeAdditionalActions must be true or false, not '1'"],
    ["GET", `${register}?excludeAdditionalActions=1`, "excludeAdditionalActions must be true or false, not '1'"],
    ["PATCH", `${edit}/refresh?operation=x`, "operation must be showRow or submitRow, not 'x'"],
    ["PATCH", `${register}/refresh?operation=x`, "operation must be showRow or submitRow, not 'x'"],
    ["PATCH", `${register}/refresh?fillFormWithAI=x`, "fillFormWithAI: must be true or false."],
  ];
  for (const [method, path, reason] of refused) {
    const { status, body } = await svc.call(method, path, { headers });
    assert.deepEqual([status, readErrorDetails(body)[0]?.message], [400, reason], path);
  }
});

Deno.test("each value of a query parameter is accepted", async () => {
  await using svc = await openService();
  const { caseAt, workAt, headers } = await open(svc);
  const taken: [method: string, path: string][] = [
    ["GET", `${caseAt}?viewType=page`],
    ["GET", `${caseAt}/actions/pyUpdateCaseDetails?viewType=page&excludeAdditionalActions=false`],
    ["GET", `${workAt}/actions/Register?viewType=form`],
    ["PATCH", `${workAt}/actions/Register/refresh?refreshFor=.Channel&fillFormWithAI=false`],
    ["GET", `${caseAt}/participant_roles/Adviser?viewType=none`],
  ];
  for (const [method, path] of taken) assert.equal((await svc.call(method, path, { headers })).status, 200, path);
});

Deno.test("a form without additional actions and assignments names its own action alone", async () => {
  await using svc = await openService();
  const { caseAt, workAt } = await open(svc);
  const read = async (path: string) => {
    const { body } = await svc.call("GET", path);
    const { availableActions, assignments } = objectAt(body, "data.caseInfo");
    const idsOf = (list: JsonValue | undefined) => Array.isArray(list) ? list.map((one) => textAt(one, "ID")) : [];
    const actions = Array.isArray(assignments) ? assignments.map((one) => idsOf(valueAt(one, "actions"))) : [];
    return { caseWide: idsOf(availableActions), actions };
  };
  const all = await read(`${workAt}/actions/Register`);
  assert.ok(all.caseWide.length > 1 && (all.actions[0]?.length ?? 0) > 1, JSON.stringify(all));
  const only = "?excludeAdditionalActions=true";
  assert.deepEqual(await read(`${workAt}/actions/Register${only}`), { caseWide: [], actions: [["Register"]] });
  const edit = `${caseAt}/actions/pyUpdateCaseDetails`;
  assert.deepEqual(await read(edit), all);
  assert.deepEqual(await read(edit + only), { caseWide: ["pyUpdateCaseDetails"], actions: [] });
});

for (const viewType of ["form", "page"]) {
  Deno.test(`a call that moves a case shows the next form as a ${viewType}, as reading the assignment does`, async () => {
    await using svc = await openService();
    const asked = `?viewType=${viewType}`;
    const headers = { "if-match": "*" };
    const body = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada", Address: "Quay 1" } };
    let moved = (await svc.call("POST", `/cases${asked}`, { body })).body;
    const caseAt = `/cases/${encodeURIComponent(textAt(moved, "id"))}`;
    const workAt = () => `/assignments/${encodeURIComponent(textAt(moved, "nextAssignmentInfo.ID"))}`;
    const showsNext = async (view: string, isMultiStep: boolean) => {
      const { body: read } = await svc.call("GET", workAt() + asked);
      const shown = viewType === "form" ? "uiResources.root.config.name" : "data.caseInfo.content.pyViewName";
      assert.equal(valueAt(read, shown), view);
      assert.deepEqual(valueAt(moved, "uiResources"), valueAt(read, "uiResources"));
      assert.deepEqual(valueAt(moved, "data.caseInfo.content"), valueAt(read, "data.caseInfo.content"));
      assert.equal("navigation" in objectAt(moved, "uiResources"), isMultiStep, view);
    };
    const move = async (method: string, path: string) => {
      const answer = await svc.call(method, path + asked, { headers });
      assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
      moved = answer.body;
    };

    await showsNext("Application", false);
    await move("POST", `${caseAt}/processes/Site_Visit`);
    await showsNext("Application", false);
    await move("PATCH", `${workAt()}/actions/Register`);
    await showsNext("CheckApplication", true);
    await move("PATCH", `${workAt()}/actions/CheckApplication`);
    await showsNext("CheckDocuments", true);
    const draft = { content: { Area: 7 } };
    await svc.call("PATCH", `${workAt()}/actions/CheckDocuments/save`, { headers, body: draft });
    await move("PATCH", `${caseAt}/actions/Expedite`);
    await showsNext("CheckDocuments", true);
    assert.equal(valueAt(moved, "data.caseInfo.content.Area"), 7, "the caller's draft is shown");
    await move("PUT", `${caseAt}/stages/PRIM0`);
    await showsNext("Application", false);
    await move("POST", `${caseAt}/stages/next`);
    await showsNext("CheckApplication", true);
  });
}

/** Makes a call after which nothing is next for the caller: what its answer shows instead. */
async function summedUp(svc: TestService, method: string, path: string, body?: JsonValue): Promise<JsonObject> {
  const answer = await svc.call(method, `${path}?viewType=form`, { headers: { "if-match": "*" }, body });
  assert.equal(typeof valueAt(answer.body, "confirmationNote"), "string", JSON.stringify(answer.body));
  const ui = objectAt(answer.body, "uiResources");
  assert.deepEqual(Object.keys(ui), ["resources", "components", "localeReferences", "context_data"]);
  assert.deepEqual(Object.keys(objectAt(ui, "resources.views")), ["pyCaseSummary"]);
  assert.equal(
    valueAt(ui, "resources.views.pyCaseSummary.0.classID"),
    valueAt(answer.body, "data.caseInfo.caseTypeID"),
  );
  return objectAt(answer.body, "data.caseInfo.content");
}

Deno.test("a call that requests a view shows a summary of the case if the caller has no next assignment", async () => {
  await using svc = await openService();
  const { caseAt, workAt } = await open(svc);
  const routed = await summedUp(svc, "PUT", `${caseAt}/stages/PRIM2`);
  assert.equal(routed.pyStatusWork, "Pending-Decision");
  assert.equal("Applicant" in routed, false, "only the fields of the view are shown");
  await svc.call("PUT", `${caseAt}/stages/PRIM0`, { headers: { "if-match": "*" } });
  const withdrawn = await summedUp(svc, "PATCH", `${workAt}/actions/Withdraw`);
  assert.equal(withdrawn.pyStatusWork, "Resolved-Withdrawn");

  const receipt = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Receipt" } });
  const receiptAt = `/assignments/${encodeURIComponent(textAt(receipt.body, "nextAssignmentInfo.ID"))}`;
  const content = { Resource: "Ada", PerformedAt: "2026-01-02T03:04:05Z", Last: true };
  await summedUp(svc, "PATCH", `${receiptAt}/actions/Confirmation of receipt`, { content });
});

Deno.test("the summary of a case shows the fields of the summary view of its type", async () => {
  const sample = await Deno.readTextFile(PERMIT_FILE);
  const yaml = sample.replace("\n    views:\n", "\n    views:\n      pyCaseSummary: { fields: [Channel] }\n");
  await using svc = await openService({ yaml });
  const { workAt } = await open(svc);
  assert.equal((await summedUp(svc, "PATCH", `${workAt}/actions/Withdraw`)).Channel, "Internet");
});

Deno.test("a case that is read, or whose drafts are discarded, shows its details", async () => {
  await using svc = await openService();
  const { caseAt } = await open(svc);
  for (const [method, path] of [["GET", caseAt], ["DELETE", `${caseAt}/updates`]] as const) {
    const { body } = await svc.call(method, `${path}?viewType=page`);
    assert.equal(valueAt(body, "uiResources.root.config.name"), "pyDetails", path);
    assert.equal(valueAt(body, "data.caseInfo.content.Channel"), "Internet", path);
  }
});

Deno.test("a call that moves a case shows its details without a view by default", async () => {
  await using svc = await openService();
  const { workAt, headers } = await open(svc);
  const { body } = await svc.call("PATCH", `${workAt}/actions/Withdraw`, { headers });
  assert.equal(valueAt(body, "uiResources"), undefined);
  assert.equal(valueAt(body, "data.caseInfo.content.Channel"), "Internet");
});

Deno.test("a participant is returned with the form of its role unless declined, and with a tag after a change", async () => {
  await using svc = await openService();
  const { caseAt } = await open(svc);
  const role = await svc.call("GET", `${caseAt}/participant_roles/Applicant`);
  const content = { pyFirstName: "Ada", pyLastName: "Lovelace" };
  const add = { body: { participantRoleID: "Applicant", content } };
  const added = await svc.call("POST", `${caseAt}/participants`, add);
  const participantAt = `${caseAt}/participants/${textAt(added.body, "id")}`;
  const change = { body: { content: { pyFirstName: "Grace" } } };
  const changed = await svc.call("PATCH", participantAt, change);
  const read = await svc.call("GET", participantAt);
  for (const { body } of [role, added, changed, read]) {
    assert.equal(valueAt(body, "uiResources.root.config.name"), "Applicant", JSON.stringify(body));
  }
  const tags = [role, added, changed, read].map(({ headers }) => headers.get("etag"));
  assert.deepEqual(tags, [null, valueAt(added.body, "etag"), valueAt(changed.body, "etag"), null]);

  const unseen = await svc.call("PATCH", `${participantAt}?viewType=none`, change);
  assert.deepEqual([unseen.status, valueAt(unseen.body, "uiResources")], [200, undefined]);
});
