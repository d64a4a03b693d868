/** Parameters of the query that other clients send and the command has no flags for. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../lib/json.ts";
import { at, textAt } from "./_support/engine.ts";
import { details, openService, segment, type TestService } from "./_support/service.ts";

/** A case with its assignment: their paths, and their tag. */
async function open(svc: TestService): Promise<{ caseAt: string; workAt: string; headers: Record<string, string> }> {
  const { body } = await svc.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
  return {
    caseAt: `/cases/${segment(textAt(body, "id"))}`,
    workAt: `/assignments/${segment(textAt(body, "nextAssignmentInfo.ID"))}`,
    headers: { "if-match": textAt(body, "etag") },
  };
}

function objectAt(body: JsonValue | undefined, path: string): JsonObject {
  const found = at(body, path);
  return isJsonObject(found) ? found : {};
}

Deno.test("a value that a query parameter does not have is refused, with those that it has", async () => {
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
    ["PATCH", `${register}/refresh?fillFormWithAI=x`, "fillFormWithAI must be true or false, not 'x'"],
  ];
  for (const [method, path, reason] of refused) {
    const { status, body } = await svc.call(method, path, { headers });
    assert.deepEqual([status, details(body)[0]?.message], [400, reason], path);
  }
});

Deno.test("the values that a query parameter has are taken", async () => {
  await using svc = await openService();
  const { caseAt, workAt, headers } = await open(svc);
  const taken: [method: string, path: string][] = [
    ["GET", `${caseAt}?viewType=page`],
    ["GET", `${caseAt}/actions/pyUpdateCaseDetails?viewType=page&excludeAdditionalActions=false`],
    ["GET", `${workAt}/actions/Register?viewType=form`],
    ["PATCH", `${workAt}/actions/Register/refresh?operation=showRow&fillFormWithAI=false`],
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
    const actions = Array.isArray(assignments) ? assignments.map((one) => idsOf(at(one, "actions"))) : [];
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
