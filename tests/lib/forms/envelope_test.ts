/** The case, steps, buttons and texts in a response with a form. */
import assert from "node:assert/strict";
import {
  findRoot,
  readActions,
  readButtons,
  readRefreshConditions,
  readRootPath,
  readSteps,
  readTexts,
} from "../../../lib/forms/envelope.ts";
import type { JsonObject } from "../../../lib/forms/mod.ts";

/** Finds the view to draw, in a response with views of these names. */
function find(root: JsonObject | undefined, content: JsonObject, views: JsonObject = {}, ui: JsonObject = {}): string {
  const { purpose, name, path, component } = findRoot({ uiResources: { root, resources: { views }, ...ui }, content });
  return [purpose, name, path.join("."), ...(component === undefined ? [] : ["component"])].join(" ");
}

Deno.test("the view to draw is the root, or the view that the content names", () => {
  const root = (name: string, context?: string) => ({ type: "reference", config: { name, context } });
  const form = { type: "View", config: { template: "DefaultForm" } };
  const page = { type: "View", config: { template: "CaseView" } };
  const views = { Edit: [form], Page: [page] };
  const buttons = { actionButtons: {} };
  const expected: readonly [found: string, root: JsonObject | undefined, content: JsonObject, ui?: JsonObject][] = [
    ["confirmation  ", undefined, {}],
    ["form   component", { type: "View", config: {} }, {}],
    ["form   component", { type: "reference", config: {} }, {}],
    ["form Edit ", root("Edit"), {}],
    ["form Edit ", root("Edit"), { pyViewName: "" }, buttons],
    ["page Edit ", root("Edit"), { pyViewName: "" }],
    ["form Edit Home.Yard", root("Edit", "caseInfo.content.Home.Yard"), {}],
    ["form Edit Home", root("Edit", "@P .Home"), {}],
    ["form Edit Home", root("Page", ".Other"), { pyViewName: "Edit", pyViewContext: ".Home" }],
    ["form Edit ", root("pyCaseWorkarea"), { pyViewName: "Edit" }],
    ["form Edit ", root("Missing"), { pyViewName: "Edit" }],
    ["form Edit ", root("Edit"), { pyViewName: "Page" }],
    ["form Page ", root("Page"), { pyViewName: "Missing" }],
    ["page pyCaseWorkarea ", root("pyCaseWorkarea"), { pyViewName: "" }],
    ["reopen  ", root("pyCaseWorkarea"), {}],
    ["reopen  ", root("Missing"), {}],
  ];
  for (const [found, given, content, ui] of expected) assert.equal(find(given, content, views, ui), found);
  assert.equal(find(undefined, {}, { pyCaseSummary: [] }), "confirmation pyCaseSummary ");
  assert.deepEqual([readRootPath({ root: root("Edit", "content.Stops[1]") }), readRootPath({})], [["Stops", 1], []]);
});

Deno.test("steps are read with those of sub-processes in place, and a single step is left out", () => {
  const link = { allow_jump: true, links: {} };
  const steps = [
    { ID: "A", name: " First ", actionID: "a", visited_status: "success", ...link },
    { ID: "B", steps: [{ ID: "C", visited_status: "current", ...link }, { name: "Last", allow_jump: true }] },
  ];
  assert.deepEqual(readSteps({ navigation: { steps } }), [
    { ID: "A", name: "First", actionID: "a", isCurrent: false, isDone: true, canJump: true },
    { ID: "C", name: "C", actionID: "", isCurrent: true, isDone: false, canJump: false },
    { ID: "", name: "Last", actionID: "", isCurrent: false, isDone: false, canJump: false },
  ]);
  assert.deepEqual(readSteps({ navigation: { steps, template: "Standard" } }), []);
  assert.deepEqual([readSteps({ navigation: { steps: steps.slice(0, 1) } }), readSteps({})], [[], []]);
});

Deno.test("buttons are read with the main ones first", () => {
  const main = [{ name: " Go ", jsAction: "finishAssignment", actionID: "submit" }, { jsAction: "mystery" }];
  const secondary = [{ name: "Yes", jsAction: "approveCase", outcomeID: "Approved" }];
  assert.deepEqual(readButtons({ actionButtons: { secondary, main } }), [
    { name: "Go", kind: "submit", actionID: "submit", outcomeID: "", isMain: true },
    { name: "", kind: "other", actionID: "", outcomeID: "", isMain: true },
    { name: "Yes", kind: "approve", actionID: "", outcomeID: "Approved", isMain: false },
  ]);
  assert.deepEqual(readButtons({}), []);
});

Deno.test("texts and refresh conditions are those of the action", () => {
  const refreshConditions = [{ field: ".Kind" }, { field: "Size" }, { field: "" }, {}];
  const action = { ID: "Edit", name: "Change", refreshConditions };
  const assignment = (ID: string, more: JsonObject) => ({ ID, name: ID, instructions: `<p>${ID}</p>`, ...more });
  const caseInfo = {
    ID: "W P-1",
    name: "Trip",
    content: {},
    availableActions: [{ ID: "Close", name: "Close it" }],
    assignments: [
      assignment("one", { actions: [{ ID: "Other" }] }),
      assignment("two", { actions: [action, { ID: "X" }] }),
    ],
  };
  const read = (target: { action: string; assignmentId?: string }, info: JsonObject = caseInfo) => {
    const { caseTitle, name, assignmentName, instructions } = readTexts({}, info, target);
    return [caseTitle, name, assignmentName, instructions, readRefreshConditions(info, target).join()];
  };
  assert.deepEqual(read({ action: "Edit" }), ["W P-1 Trip", "Change", "two", "two", "Kind,Size"]);
  assert.deepEqual(read({ action: "Edit", assignmentId: "two" }), ["W P-1 Trip", "Change", "two", "two", "Kind,Size"]);
  assert.deepEqual(read({ action: "Edit", assignmentId: "one" }), ["W P-1 Trip", "Edit", "one", "one", ""]);
  assert.deepEqual(read({ action: "Close" }), ["W P-1 Trip", "Close it", "", "", ""]);
  assert.deepEqual(read({ action: "Close", assignmentId: "two" }), ["W P-1 Trip", "Close", "two", "two", ""]);
  const labelled = { ...caseInfo, businessID: "P-1", content: { pyLabel: "Label" } };
  assert.equal(read({ action: "Edit" }, labelled)[0], "P-1 Label");
  assert.deepEqual(readActions(caseInfo, { action: "Edit" }), [{ ID: "X", name: "X" }]);
  const body = { confirmationNote: "<p>Done</p>" };
  assert.equal(readTexts(body, caseInfo, { action: "Edit" }).confirmation, "Done");
  assert.equal(readTexts({}, {}, { action: "Edit" }).confirmation, "");
});
