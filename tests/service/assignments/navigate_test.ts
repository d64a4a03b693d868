/** Moving between the screens of a form: entries, buttons and errors. */
import assert from "node:assert/strict";
import type { JsonValue } from "../../../utils/json.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { openTrip } from "../cases/_trip.ts";

/** Returns the buttons of a form: what each does, and its action. */
function buttonsOf(body: JsonValue): unknown[] {
  const groups = ["main", "secondary"].map((group) => valueAt(body, `uiResources.actionButtons.${group}`));
  return groups.flat().map((button) => [valueAt(button, "jsAction"), valueAt(button, "actionID")]);
}

Deno.test("going back and jumping keep the entries of the screen, also rows and numbers as text", async () => {
  await using trip = await openTrip({ Days: 2, Stops: [{ City: "Oslo" }] });
  const { engine, form, caseId } = trip;
  const { assignmentId } = form;
  await engine.call("assignments.perform", { ...form, ifMatch: "*" });
  await engine.call("assignments.navigateBack", { assignmentId, data: { Kind: "Sea" } });
  const kept = await engine.body("assignments.navigateToStep", {
    assignmentId,
    step: "AssignmentSF2",
    data: { Fee: "45", Days: "" },
    pageInstructions: [{ instruction: "APPEND", target: ".Stops", content: { City: "Molde", Fee: "5" } }],
  });
  assert.equal(valueAt(kept, "data.caseInfo.content.Kind"), "Sea");
  const back = await engine.body("assignments.navigateBack", { assignmentId });
  const found = ["Fee", "Stops.1.City", "Stops.1.Twice", "Total", "Days"].map((path) => {
    return valueAt(back, `data.caseInfo.content.${path}`);
  });
  assert.deepEqual(found, [45, "Molde", 10, 50, ""]);
  const stored = await engine.body("cases.get", { caseId });
  assert.equal(valueAt(stored, "data.caseInfo.content.Fee"), "", "a draft until the flow ends");
});

Deno.test("the buttons and steps of a form follow the screen, and a refresh has neither", async () => {
  await using trip = await openTrip({ Days: 2 });
  const { engine, form } = trip;
  const { assignmentId } = form;
  const cancelAndSave = [["cancelAssignment", "cancel"], ["saveAssignment", "save"]];
  const first = await engine.body("assignments.getAction", form);
  assert.deepEqual(buttonsOf(first), [["finishAssignment", "next"], ...cancelAndSave]);
  await engine.call("assignments.perform", { ...form, ifMatch: "*" });
  const last = await engine.body("assignments.get", { assignmentId });
  assert.deepEqual(buttonsOf(last), [["finishAssignment", "submit"], ...cancelAndSave, ["navigateToStep", "back"]]);
  const back = await engine.body("assignments.navigateBack", { assignmentId });
  assert.deepEqual(buttonsOf(back), buttonsOf(first));
  const steps = [0, 1].map((index) => valueAt(back, `uiResources.navigation.steps.${index}.visited_status`));
  assert.deepEqual(steps, ["current", "success"]);
  const refreshed = await engine.body("assignments.refreshAction", form);
  for (const member of ["actionButtons", "navigation"]) {
    assert.equal(valueAt(refreshed, `uiResources.${member}`), undefined, member);
  }
});

Deno.test("a form of another operator's draft is locked with a name, and a stale tag is refused", async () => {
  await using trip = await openTrip({ Days: 2 });
  const { engine, form, caseId } = trip;
  await engine.call("assignments.save", { ...form, data: { Fee: 3 } });
  const edit = { caseId, action: "pyUpdateCaseDetails", data: { Fee: 4 } };
  const locked = await engine.refused("cases.performAction", edit, { as: "bob@org" });
  assert.equal(locked.status, 423);
  assert.match(locked.message, /^Resource is locked by Ada since \d{4}-\d\d-\d\dT[\d:.]+Z$/);

  const ifMatch = "20200101T000000.000 GMT";
  const moves: [name: string, values: object][] = [
    ["assignments.perform", form],
    ["assignments.save", form],
    ["assignments.refreshAction", form],
    ["assignments.navigateBack", { assignmentId: form.assignmentId }],
    ["cases.performAction", edit],
  ];
  for (const [name, values] of moves) {
    const stale = await engine.refused(name, { ...values, ifMatch });
    assert.equal(stale.status, 412, name);
  }
});
