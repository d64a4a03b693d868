/** The forms of events in the sample application. */
import assert from "node:assert/strict";
import { objectAt, openEngine, textAt, valueAt } from "../../../harness/service_engine.ts";
import { configWith, pick, viewOf } from "./_forms.ts";

Deno.test("an event is applied for, prepared and decided through the forms of the sample", async () => {
  await using engine = await openEngine();
  for (
    const [dataViewId, data] of [
      ["D_Districts", { Name: "Harbour" }],
      ["D_AllStreets", { District: "Harbour", Name: "Quay" }],
      ["D_Inspectors", { ID: "i1", Name: "Ines", Phone: "+31 20 555 0100" }],
      ["D_Advisers", { ID: 1, Name: "Ada", Subject: "Traffic" }],
    ]
  ) await engine.call("data.create", { dataViewId, data });

  const type = "City-Permit-Work-Event";
  const created = await engine.body("cases.create", { type, data: { Title: "Fair", Kind: "Market" } });
  const caseId = textAt(created, "id");
  const assignmentId = textAt(created, "nextAssignmentInfo.ID");
  const form = await engine.body("assignments.getAction", { assignmentId, action: "Apply" });
  const view = viewOf(form, "Event");
  assert.equal(configWith(view, "value", "@P .Street").visibility, "@E .District != ''");
  assert.equal(configWith(view, "name", "Event_Stands").visibility, "@E .Kind == 'Market'");
  assert.equal(valueAt(viewOf(form, "Event_Stands"), "config.editMode"), "modal");
  await engine.call("assignments.perform", {
    assignmentId,
    action: "Apply",
    data: {
      District: "Harbour",
      Street: "Quay",
      Opens: "09:30",
      Visitors: 200,
      Charity: true,
      Discount: 50,
      Organiser: { Name: "Olga", Company: true, Number: "77" },
    },
    pageInstructions: [{
      instruction: "APPEND",
      target: ".Stands",
      content: { Title: "Cheese", Power: true, Watts: 90 },
    }],
    ifMatch: "*",
  });

  const as = { as: "inspector@city" };
  const next = textAt(await engine.body("assignments.getNext", {}, as), "id");
  const place = await engine.body("assignments.getAction", { assignmentId: next, action: "Place" }, as);
  assert.deepEqual(pick(objectAt(viewOf(place, "Place_Stands"), "config"), "renderMode", "multiRecordDisplayAs"), {
    renderMode: "ReadOnly",
    multiRecordDisplayAs: "fieldGroup",
  });
  assert.equal(valueAt(viewOf(place, "Place_SiteInspector"), "children.0.type"), "AdvancedSearch");
  assert.equal(configWith(viewOf(place, "Place"), "targetPage", "@P .Entrance").displayAs, "Combobox");
  assert.equal(valueAt(viewOf(place, "Place_SitePermit"), "config.referenceType"), "Case");
  const screen = (action: string, values: object) =>
    engine.call("assignments.perform", { assignmentId: next, action, ifMatch: "*", ...values }, as);
  await screen("Place", { data: { SiteInspector: { ID: "i1" } } });
  const content = { ID: 1 };
  await screen("Advice", { pageInstructions: [{ instruction: "INSERT", target: ".Advisers", listIndex: 1, content }] });

  const shown = objectAt(await engine.body("cases.get", { caseId }), "data.caseInfo.content");
  assert.deepEqual(
    [shown.Fee, shown.Opens, valueAt(shown, "SiteInspector.Phone"), valueAt(shown, "Advisers.0.Name")],
    [50, "09:30:00", "+31 20 555 0100", "Ada"],
  );
});
