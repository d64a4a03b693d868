/** Buttons, steps, errors and refreshes of a form. */
import assert from "node:assert/strict";
import { type JsonObject, readForm } from "../../../lib/forms/mod.ts";
import {
  approval,
  caseWideAction,
  noTriggers,
  refreshConditions,
  screenFlow,
  standardFlow,
  triggers,
} from "./fixtures/work.ts";
import { ASSIGNMENT, body, declare, field, refreshed, STOP, view } from "./_body.ts";
import { paths } from "./_outline.ts";

Deno.test("buttons have their kind, and names without spaces at the end", () => {
  const form = readForm(screenFlow);
  assert.deepEqual(form.buttons.map(({ name, kind, actionID, isMain }) => [name, kind, actionID, isMain]), [
    ["Next", "submit", "next", true],
    ["Cancel", "cancel", "cancel", false],
    ["Save for later", "save", "save", false],
    ["Previous", "back", "back", false],
    ["Fill form with AI", "other", "fillFormWithAI", false],
  ]);
  assert.deepEqual(readForm(approval).buttons.map(({ kind, outcomeID }) => [kind, outcomeID]), [
    ["approve", "Approved"],
    ["reject", "Rejected"],
  ]);
  assert.deepEqual(readForm(approval).problems, [
    "The button 'Approve' cannot be used here: a submission has no place for its outcome.",
    "The button 'Reject' cannot be used here: a submission has no place for its outcome.",
  ]);
  assert.deepEqual(form.problems, []);
});

Deno.test("the steps of sub-processes stand in place, and those with a link can be jumped to", () => {
  const form = readForm(screenFlow);
  assert.deepEqual(
    form.steps.map(({ ID, name, isCurrent, isDone, canJump }) => [ID, name, isCurrent, isDone, canJump]),
    [
      ["S1", "Who", false, true, true],
      ["S2", "Where", true, false, false],
      ["S3A", "Card", false, false, true],
      ["S3B", "Bill", false, false, false],
    ],
  );
  assert.match(form.title, /\(screen 2 of 4\)$/);
  assert.deepEqual(readForm(standardFlow).steps, []);
});

Deno.test("entries of a form are in the body of every call that leaves it", () => {
  const form = readForm(screenFlow).set("Purpose", "Fair").list("Stops").insert({ City: "Bergen" });
  const submission = {
    content: { Purpose: "Fair" },
    pageInstructions: [{ instruction: "INSERT", target: ".Stops", listIndex: 2, content: { City: "Bergen" } }],
    attachments: [],
  };
  assert.deepEqual(form.toSubmission(), submission);
  const { form: again } = form.reopen(readForm(screenFlow));
  assert.deepEqual(again.toSubmission(), submission);
  assert.deepEqual(form.changes().map(({ label, kind, after }) => `${label} ${kind} ${after}`), [
    "Purpose changed Fair",
    "Stops added Bergen",
  ]);
});

Deno.test("actions of the case, the stage and the assignment are named", () => {
  const name = (action: string) => readForm(caseWideAction, { action }).name;
  assert.deepEqual(["Book", "EditTrip", "Postpone", "pyUpdateCaseDetails", "Unknown"].map(name), [
    "Book trip",
    "Change trip",
    "Postpone",
    "Edit details",
    "Unknown",
  ]);
  const form = readForm(caseWideAction, { action: "Book" });
  assert.deepEqual(form.actions, [{ ID: "EditTrip", name: "Change trip" }]);
  const listActions = (action: string, assignmentId: string) =>
    readForm(caseWideAction, { action, assignmentId }).actions.map(({ ID }) => ID);
  assert.deepEqual(listActions("Postpone", ASSIGNMENT), ["Book", "EditTrip"]);
  assert.deepEqual(listActions("Book", "another assignment"), []);
  assert.deepEqual(form.list("Stops").remove(0).toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Stops", listIndex: 1 },
  ]);
});

Deno.test("errors are shown at their field or row, and a generic one only if it is alone", () => {
  const generic = { message: "Error_Validation_Fail", localizedValue: "Validation failed: fix the errors." };
  const form = readForm(screenFlow).applyErrors({
    errorDetails: [
      generic,
      {
        message: "Error_Validation_Fail",
        erroneousInputOutputFieldInPage: ".Purpose",
        erroneousInputOutputIdentifier: "",
        localizedValue: "Purpose is too short.",
      },
      { erroneousInputOutputFieldInPage: ".Stops(1).City", localizedValue: "There is no such city." },
      { erroneousInputOutputFieldInPage: ".Elsewhere", localizedValue: "Something else is wrong." },
    ],
  });
  assert.deepEqual(form.find("Purpose")?.errors, ["Purpose is too short."]);
  assert.deepEqual(form.find("Stops[0].City")?.errors, ["There is no such city."]);
  assert.deepEqual(form.messages, ["Something else is wrong."]);
  assert.deepEqual(form.set("Purpose", "Fair").find("Purpose")?.errors, []);
  assert.deepEqual(readForm(screenFlow).applyErrors({ errorDetails: [generic] }).messages, [
    "Validation failed: fix the errors.",
  ]);
});

Deno.test("an error about no field is a message, and entries stay", () => {
  const locked = { localizedValue: "The case is locked by Rita Rep.", errorDetails: [{ message: "Error_Locked" }] };
  const form = readForm(screenFlow).set("Purpose", "Fair").applyErrors(locked);
  assert.deepEqual(form.messages, ["The case is locked by Rita Rep."]);
  assert.deepEqual(form.toSubmission().content, { Purpose: "Fair" });
  const robot = {
    localizedValue: "The robot is not available.",
    displayButtonsOnErrors: { skipRoboticAutomation: true },
  };
  assert.deepEqual(form.applyErrors(robot).messages, ["The robot is not available."]);
});

Deno.test("a form without a trigger needs no call for any change", () => {
  const form = readForm(noTriggers);
  for (const path of [undefined, "Kind", "Purpose", "Stops", "Stops[0].City", "Stops[0]"]) {
    assert.equal(form.refreshFor(path), undefined, path);
  }
  assert.equal(form.refreshRow("Stops[0]"), undefined);
  assert.deepEqual(paths(form.set("Kind", "S")), ["Kind", "Stops"]);
});

Deno.test("each trigger needs one call with all entries so far", () => {
  for (const [name, response] of Object.entries(triggers)) {
    const form = readForm(response).set("Kind", "S");
    assert.deepEqual(form.refreshFor("Kind"), {
      call: "action",
      body: { content: { Kind: "S" }, pageInstructions: [], contextData: false },
    }, name);
  }
});

Deno.test("a refresh condition names the field, and other fields need no call", () => {
  const form = readForm(refreshConditions, { action: "EditTrip" }).set("Kind", "S");
  assert.equal(form.refreshFor("Kind")?.refreshFor, ".Kind");
  assert.equal(form.refreshFor("Purpose"), undefined);
  assert.equal(form.refreshFor()?.refreshFor, ".Kind");
});

Deno.test("values of the server win over those that were sent, and members that it leaves out stay", () => {
  const form = readForm(refreshConditions).set("Kind", "S").set("Purpose", "fair");
  const answer = refreshed({ views: [view("EditTrip", [])], content: { Kind: "A" } });
  const ui = answer.uiResources as JsonObject;
  const applied = form.apply({ ...answer, uiResources: { ...ui, resources: {} } });
  assert.deepEqual(applied.toSubmission().content, { Purpose: "fair" });
});

Deno.test("a refresh may bring a new version of a view", () => {
  const form = readForm(refreshConditions);
  const answer = refreshed({ views: [view("EditTrip", [{ type: "TextInput", config: { value: "@P .Purpose" } }])] });
  assert.deepEqual(paths(form.apply(answer)), ["Purpose"]);
});

Deno.test("a refresh may bring declarations of other classes, and keeps those that it leaves out", () => {
  const views = [view("EditTrip", [field("TextInput", ".City")])];
  const form = readForm(body({ views, fields: { City: declare("Text", "City of the trip") } }));
  const answer = refreshed({ views, fields: { City: declare("Text", "City of the stop", { classID: STOP }) } });
  assert.deepEqual(form.apply(answer).questions.map(({ label }) => label), ["City of the trip"]);
  const renamed = refreshed({ views, fields: { City: declare("Text", "Town") } });
  assert.deepEqual(form.apply(answer).apply(renamed).questions.map(({ label }) => label), ["Town"]);
});

Deno.test("a refresh condition on the key of a record follows the choice of the record", () => {
  const form = readForm(
    body({
      views: [
        view("EditTrip", [
          field("Dropdown", ".Depot.ID", {
            contextPage: "@P .Depot",
            mode: "singleselect",
            listType: "datapage",
            datasource: "D_DepotList",
          }),
          field("TextInput", ".Purpose"),
        ], { template: "DataReference", config: { name: "Depot", classKeys: [{ name: "ID" }] } }),
      ],
      content: { Depot: { ID: 4 } },
      action: { refreshConditions: [{ field: ".Depot.ID", event: "Changes" }] },
    }),
    { action: "EditTrip" },
  );
  assert.equal(form.set("Depot.ID", 5).refreshFor("Depot")?.refreshFor, ".Depot.ID");
});
