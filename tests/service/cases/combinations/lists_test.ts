/** Lists of every look, and every way to edit their rows. */
import assert from "node:assert/strict";
import type { Form } from "../../../../lib/forms/mod.ts";
import type { JsonObject } from "../../../../utils/json.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { paths } from "../../../lib/forms/_outline.ts";
import { pick, viewOf } from "../forms/_forms.ts";
import { Office, part, type Visit } from "./_visit.ts";

const office = await Office.openForAll();
const ROWS: JsonObject[] = [{ City: "Oslo", Fee: 9 }, { City: "Bergen" }, { City: "Molde" }];

/** Returns the cities of the stored stops. */
async function submit(visit: Visit, action: string, form: Form): Promise<unknown> {
  const { Stops } = await visit.submit(action, form);
  return Array.isArray(Stops) && Stops.map((row) => valueAt(row, "City"));
}

Deno.test("the rows of an inline table are added, changed, moved and deleted in one submission", async () => {
  const visit = await office.visit({ Stops: ROWS });
  const { body, form } = await visit.open("Table");
  const config = objectAt(viewOf(body, "Table_Stops"), "config");
  assert.deepEqual(pick(config, "type", "renderMode", "multiRecordDisplayAs", "editMode", "referenceList"), {
    type: "multirecordlist",
    renderMode: "Editable",
    multiRecordDisplayAs: "table",
    editMode: "tableRows",
    referenceList: "@P .Stops",
  });
  const columns = valueAt(config, "children.0.children");
  assert.deepEqual(Array.isArray(columns) && columns.map((column) => valueAt(column, "type")), [
    "TextInput",
    "Dropdown",
    "Date",
    "Checkbox",
  ]);
  assert.deepEqual(part(form, "Stops", "list").columns.map(({ label }) => label), ["City", "Kind", "Day", "Paid"]);
  const filled = form
    .list("Stops").remove(1)
    .set("Stops[1].City", "Lima").set("Stops[1].Kind", "Night").set("Stops[1].Paid", true)
    .list("Stops").insert({ City: "Rome", Day: "2031-04-05" })
    .list("Stops").move(2, 0)
    .list("Stops").move(2, 1);
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Stops", listIndex: 2 },
    { instruction: "MOVE", target: ".Stops", listIndex: 2, listMoveToIndex: 1 },
    { instruction: "INSERT", target: ".Stops", listIndex: 1, content: { City: "Rome", Day: "2031-04-05" } },
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { City: "Lima", Kind: "Night", Paid: true } },
  ]);
  assert.deepEqual(await submit(visit, "Table", filled), ["Rome", "Lima", "Oslo"]);
});

Deno.test("a required list without rows is refused at the list", async () => {
  const visit = await office.visit();
  const { form } = await visit.open("Table");
  assert.equal(part(form, "Stops", "list").isRequired, true);
  const { status, body } = await visit.refused("Table", form);
  assert.equal(status, 422);
  assert.equal(part(form.applyErrors(body), "Stops", "list").errors.length, 1);
  const filled = form.list("Stops").insert({ City: "Rome" });
  assert.deepEqual(await submit(visit, "Table", filled), ["Rome"]);
});

Deno.test("a row in a dialog has a view to add and another one to edit, and the service computes it", async () => {
  const visit = await office.visit({ Stops: ROWS.slice(0, 1) });
  const { body, form } = await visit.open("Dialog");
  assert.deepEqual(pick(objectAt(viewOf(body, "Dialog_Stops"), "config"), "editMode", "editModeConfig"), {
    editMode: "modal",
    editModeConfig: { defaultView: "StopForm", useSeparateViewForEdit: true, editView: "StopEdit" },
  });
  const list = part(form, "Stops", "list");
  assert.deepEqual([list.rowView, list.rows[0]?.nodes.map((node) => "label" in node && node.label)], [
    "StopForm",
    ["City", "Note"],
  ]);
  const added = form.list("Stops").insert({ City: "Lisbon", Fee: 4 });
  const call = added.refreshRow("Stops[1]");
  assert.deepEqual(call?.body.pageInstructions, [
    { instruction: "INSERT", target: ".Stops", listIndex: 2, content: { City: "Lisbon", Fee: 4 } },
  ]);
  assert.equal(call?.body.interestPage, ".Stops(2)");
  const answer = await visit.send("PATCH", `/cases/${visit.caseId}/views/${call?.view}/refresh`, call?.body);
  const computed = added.apply(answer);
  assert.equal(part(computed, "Stops[1].Double", "field").value, 8);
  assert.equal(part(computed, "Stops[1].Note", "field").isVisible, true);
  const grown = computed.set("Stops[1].Note", "Sea");
  const second = grown.refreshRow("Stops[1]");
  assert.deepEqual(valueAt(second?.body.pageInstructions[0], "content"), { City: "Lisbon", Fee: 4, Note: "Sea" });
  const confirmed = await visit.refresh("Dialog", grown, "Stops[1]");
  const stored = await visit.submit("Dialog", confirmed.set("Stops[0].Note", "Fjord"));
  assert.deepEqual([0, 1].map((row) => valueAt(stored, `Stops.${row}.Note`)), ["Fjord", "Sea"]);
});

Deno.test("a row is opened and confirmed by an action of its own", async () => {
  const visit = await office.visit({ Stops: ROWS.slice(0, 1) });
  const { body, form } = await visit.open("RowAction");
  assert.deepEqual(valueAt(viewOf(body, "RowAction_Stops"), "config.editModeConfig"), {
    editType: "action",
    defaultAction: "StopForm",
  });
  const changed = form.set("Stops[0].Fee", "20");
  const shown = changed.refreshRow("Stops[0]");
  assert.deepEqual([shown?.operation, shown?.body.interestPageActionID], ["showRow", "StopForm"]);
  const opened = await visit.send(
    "PATCH",
    `/cases/${visit.caseId}/views/StopForm/refresh?operation=${shown?.operation}`,
    shown?.body,
  );
  assert.equal(part(changed.apply(opened), "Stops[0].Double", "field").value, 40);
  assert.equal(changed.refreshFor("Stops[0]")?.operation, "submitRow");
  const confirmed = await visit.refresh("RowAction", changed, "Stops[0]");
  assert.equal(valueAt(await visit.submit("RowAction", confirmed), "Stops.0.Fee"), 20);
});

Deno.test("one list is edited below each other and shown again read-only, with headings of its rows", async () => {
  const visit = await office.visit({ Stops: ROWS });
  const { body, form } = await visit.open("Repeating");
  const facts = ["Repeating_Stops", "Repeating_Stops_2"].map((name) =>
    pick(objectAt(viewOf(body, name), "config"), "renderMode", "multiRecordDisplayAs", "fieldHeader", "heading")
  );
  assert.deepEqual(facts, [
    { renderMode: "Editable", multiRecordDisplayAs: "fieldGroup", fieldHeader: undefined, heading: "@L Stop" },
    { renderMode: "ReadOnly", multiRecordDisplayAs: "fieldGroup", fieldHeader: "propertyRef", heading: ".City" },
  ]);
  const lists = form.nodes.flatMap((node) => node.type === "list" ? [node] : []);
  assert.deepEqual(lists.map(({ isReadOnly, rows }) => [isReadOnly, rows.map(({ heading }) => heading)]), [
    [false, ["Stop 1", "Stop 2", "Stop 3"]],
    [true, ["Oslo", "Bergen", "Molde"]],
  ]);
  assert.deepEqual(paths(form), ["Stops"]);
  const filled = form.set("Stops[2].City", "Rome");
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "UPDATE", target: ".Stops", listIndex: 3, content: { City: "Rome" } },
  ]);
  assert.deepEqual(await submit(visit, "Repeating", filled), ["Oslo", "Bergen", "Rome"]);
});

Deno.test("rows are added, edited, moved and deleted as the conditions of the case and of the row allow", async () => {
  const visit = await office.visit({ Stops: ROWS.slice(0, 2) });
  const { body, form } = await visit.open("Allowed");
  assert.deepEqual(
    pick(objectAt(viewOf(body, "Allowed_Stops"), "config"), "allowActions", "allowRowEdit", "allowRowDelete"),
    {
      allowActions: { allowAdd: "@E .Locked == false", allowDragDrop: false },
      allowRowEdit: "@E .City != 'Oslo'",
      allowRowDelete: "@E .City != 'Bergen'",
    },
  );
  const list = part(form, "Stops", "list");
  assert.deepEqual([list.canAdd, list.canReorder], [true, false]);
  assert.deepEqual(list.rows.map(({ canEdit, canDelete }) => [canEdit, canDelete]), [[false, true], [true, false]]);
  assert.equal(part(form.set("Locked", true), "Stops", "list").canAdd, false);
  const filled = form.list("Stops").remove(0).set("Stops[0].Fee", "5").list("Stops").insert({ City: "Rome" });
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Stops", listIndex: 1 },
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Fee: 5 } },
    { instruction: "INSERT", target: ".Stops", listIndex: 2, content: { City: "Rome" } },
  ]);
  assert.deepEqual(await submit(visit, "Allowed", filled), ["Bergen", "Rome"]);
});

Deno.test("the cells of a fixed table are changed, and its rows are neither added, nor deleted, nor moved", async () => {
  const visit = await office.visit({ Stops: ROWS.slice(0, 2) });
  const { body, form } = await visit.open("Fixed");
  const config = objectAt(viewOf(body, "Fixed_Stops"), "config");
  assert.deepEqual(pick(config, "renderMode", "editMode", "allowTableEdit", "allowActions"), {
    renderMode: "Editable",
    editMode: "tableRows",
    allowTableEdit: false,
    allowActions: undefined,
  });
  const list = part(form, "Stops", "list");
  assert.deepEqual([list.canAdd, list.canReorder], [false, false]);
  assert.deepEqual(list.rows.map(({ canEdit, canDelete }) => [canEdit, canDelete]), [[true, false], [true, false]]);
  const instructions: [JsonObject, RegExp][] = [
    [{ instruction: "INSERT", listIndex: 3, content: { City: "Rome" } }, /rows cannot be added to 'Stops' now/],
    [{ instruction: "DELETE", listIndex: 1 }, /rows of 'Stops' cannot be deleted now/],
    [{ instruction: "MOVE", listIndex: 1, listMoveToIndex: 2 }, /rows of 'Stops' cannot be moved now/],
  ];
  for (const [instruction, reason] of instructions) {
    const { status, body } = await office.service.call("PATCH", visit.path("Fixed"), {
      body: { content: {}, pageInstructions: [{ target: ".Stops", ...instruction }] },
      headers: { "if-match": "*" },
    });
    assert.equal(status, 400);
    assert.match(JSON.stringify(body), reason);
  }
  const filled = form.set("Stops[1].City", "Rome").set("Stops[1].Fee", "5");
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { City: "Rome", Fee: 5 } },
  ]);
  assert.deepEqual(await submit(visit, "Fixed", filled), ["Oslo", "Rome"]);
});

Deno.test("a list that is only shown is not asked, although it says how its rows would be edited", async () => {
  const visit = await office.visit({ Stops: ROWS });
  const { body, form } = await visit.open("Shown");
  const config = objectAt(viewOf(body, "Shown_Stops"), "config");
  assert.deepEqual(pick(config, "renderMode", "editMode", "editModeConfig"), {
    renderMode: "ReadOnly",
    editMode: "modal",
    editModeConfig: { defaultView: "StopForm" },
  });
  const [list] = form.shown.filter(({ type }) => type === "list");
  assert.ok(list?.type === "list");
  assert.deepEqual([list.isReadOnly, list.canAdd, list.canReorder, list.rows.length], [true, false, false, 3]);
  assert.ok(list.rows.every(({ canEdit, canDelete }) => !canEdit && !canDelete));
  assert.deepEqual(paths(form), ["Purpose"]);
  const filled = form.set("Purpose", "Fair");
  assert.deepEqual(filled.toSubmission(), { content: { Purpose: "Fair" }, pageInstructions: [], attachments: [] });
  assert.deepEqual(await submit(visit, "Shown", filled), ["Oslo", "Bergen", "Molde"]);
  const { status } = await office.service.call("PATCH", visit.path("Shown"), {
    body: { content: {}, pageInstructions: [{ instruction: "DELETE", target: ".Stops", listIndex: 1 }] },
    headers: { "if-match": "*" },
  });
  assert.equal(status, 400);
});

Deno.test("lists inside a page and inside the rows of a list are changed by their own paths", async () => {
  const visit = await office.visit({ Stops: [{ City: "Oslo" }, { City: "Rome", Guests: [{ Name: "Bo" }] }] });
  const { body, form } = await visit.open("Nested");
  assert.equal(viewOf(body, "Places_Rooms").classID, "Acme-Visits-Data-Home");
  assert.equal(viewOf(body, "StopGuests_Guests").classID, "Acme-Visits-Data-Stop");
  const filled = form
    .list("Home.Rooms").insert({ Name: "Kitchen" })
    .set("Stops[1].Guests[0].Name", "Bea")
    .list("Stops[1].Guests").insert({ Name: "Cy" })
    .list("Stops").insert({ City: "Lima" })
    .list("Stops[2].Guests").insert({ Name: "Di" });
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "INSERT", target: ".Home.Rooms", listIndex: 1, content: { Name: "Kitchen" } },
    { instruction: "UPDATE", target: ".Stops(2).Guests", listIndex: 1, content: { Name: "Bea" } },
    { instruction: "INSERT", target: ".Stops(2).Guests", listIndex: 2, content: { Name: "Cy" } },
    { instruction: "INSERT", target: ".Stops", listIndex: 3, content: { City: "Lima" } },
    { instruction: "INSERT", target: ".Stops(3).Guests", listIndex: 1, content: { Name: "Di" } },
  ]);
  const stored = await visit.submit("Nested", filled);
  const names = ["Home.Rooms.0", "Stops.1.Guests.0", "Stops.1.Guests.1", "Stops.2.Guests.0"];
  assert.deepEqual(names.map((path) => valueAt(stored, `${path}.Name`)), ["Kitchen", "Bea", "Cy", "Di"]);
});
