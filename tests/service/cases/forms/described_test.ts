/** Forms are described in the shapes that real servers use. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../utils/json.ts";
import { objectAt, openEngine, valueAt } from "../../../harness/service_engine.ts";
import { configWith, pick, Trip, viewOf } from "./_forms.ts";
import { TRIPS } from "./_trips.ts";

const TRIP = "Acme-Trips-Work-Trip";

Deno.test("each type of field has its component and its declaration", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("EnterTrip");
  const view = viewOf(form, "Trip");
  assert.deepEqual(pick(view, "classID", "name", "type"), { classID: TRIP, name: "Trip", type: "View" });
  const described = ["Kind", "Fee", "Rebate", "Start", "Story", "Street", "Origin"].map((name) => {
    const declared = objectAt(form, `uiResources.resources.fields.${name}.0`);
    return [typeWith(view, `@P .${name}`), declared.classID, declared.type, declared.displayAs];
  });
  assert.deepEqual(described, [
    ["RadioButtons", TRIP, "Text", "pxRadioButtons"],
    ["Currency", TRIP, "Decimal", "pxCurrency"],
    ["Percentage", TRIP, "Decimal", "pxNumber"],
    ["Time", TRIP, "TimeOfDay", "pxDateTime"],
    ["RichText", TRIP, "Text", "pxRichTextEditor"],
    ["Dropdown", TRIP, "Text", "pxDropdown"],
    ["AutoComplete", TRIP, "Text", "pxAutoComplete"],
  ]);
  assert.deepEqual(configWith(view, "value", "@P .Fee"), {
    value: "@P .Fee",
    label: "@FL .Fee",
    labelOption: "default",
    isoCodeSelection: "constant",
    currencyISOCode: "NOK",
    allowDecimals: true,
    alwaysShowISOCode: false,
    required: "@E .Urgent == true",
  });
  assert.deepEqual(pick(configWith(view, "value", "@P .Urgent"), "caption", "label", "trueLabel", "falseLabel"), {
    caption: "@FL .Urgent",
    label: "@L ",
    trueLabel: "@L Yes",
    falseLabel: "@L No",
  });
  assert.equal(configWith(view, "value", "@USER .Lead").referenceList, "D_pyC11nOperatorsList");
});

Deno.test("a form has no member that real servers lack", async () => {
  await using trip = await Trip.open();
  for (const action of ["EnterTrip", "References", "EditTrip", "Stops", "Rows"]) {
    const form = await trip.form(action);
    const declarations = Object.values(objectAt(form, "uiResources.resources.fields")).flat().filter(isJsonObject);
    const known = [
      "classID",
      "type",
      "displayAs",
      "label",
      "maxLength",
      "isClassKey",
      "isDeclarativeTarget",
      "validateAs",
      "datasource",
      "pageClass",
      "dataRetrievalType",
    ];
    const others = declarations.flatMap((one) => Object.keys(one)).filter((name) => !known.includes(name));
    assert.deepEqual(others, [], action);
    assert.deepEqual(listOpenReferences(form), [], action);
  }
});

Deno.test("every property of a form is in its content, empty without a value", async () => {
  await using trip = await Trip.open();
  const content = (form: JsonObject) => objectAt(form, "data.caseInfo.content");
  assert.deepEqual(pick(content(await trip.form("EnterTrip")), "Fee", "Urgent", "Start", "Street"), {
    Fee: "",
    Urgent: false,
    Start: "",
    Street: "",
  });
  const { Depot, Skills } = content(await trip.form("References"));
  assert.deepEqual([Depot, Skills], [
    { classID: "Acme-Trips-Data-Depot", ID: "", City: "", Country: "", Open: false },
    [],
  ]);
});

Deno.test("a group has a heading, instructions and a condition", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("EnterTrip");
  assert.deepEqual(configWith(viewOf(form, "Trip"), "id", "Trip_Money"), {
    id: "Trip_Money",
    type: "any",
    heading: "@L What it costs",
    showHeading: true,
    collapsible: true,
    instructions: "@PARAGRAPH Trip_Money",
    visibility: "@E .Kind == 'Air'",
  });
  assert.deepEqual(valueAt(form, "uiResources.resources.paragraphs.Trip_Money"), [
    { content: "<p>Only for air.</p>", name: "Trip_Money", classID: TRIP },
  ]);
});

Deno.test("choices come from the declaration of the field, or from a data view in the form", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("EnterTrip");
  const view = viewOf(form, "Trip");
  const street = configWith(view, "value", "@P .Street");
  assert.deepEqual(pick(street, "listType", "datasource", "deferDatasource", "placeholder"), {
    listType: "associated",
    datasource: "@ASSOCIATED .Street",
    deferDatasource: true,
    placeholder: "@L Select...",
  });
  assert.deepEqual(valueAt(form, "uiResources.resources.fields.Street.0.datasource"), {
    tableType: "DataPage",
    tableClass: "Acme-Trips-Data-Street",
    name: "D_Streets",
    propertyForDisplayText: "@P .Name",
    propertyForValue: "@P .Code",
    parameters: [{ name: "Country", value: "@P .Country" }],
  });
  assert.deepEqual(pick(configWith(view, "value", "@P .Origin"), "listType", "datasource", "columns"), {
    listType: "datapage",
    datasource: "D_Skills",
    columns: [
      { value: ".ID", key: "true", setProperty: "Associated property" },
      { value: ".Text", display: "true", primary: "true", useForSearch: true },
    ],
  });
  assert.deepEqual(valueAt(form, "uiResources.resources.datapages.D_Streets"), {
    classID: "Acme-Trips-Data-Street",
    mode: "readonly",
    structure: "list",
    isQueryable: true,
    isSearchable: false,
    isDataObject: true,
    parameters: [{ name: "Country", defaultValue: "" }],
  });
});

Deno.test("a reference to one record has a picker, its parameters and the details of the record", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("References");
  const caller = configWith(viewOf(form, "References"), "name", "References_Depot");
  assert.deepEqual(caller, {
    type: "view",
    name: "References_Depot",
    authorContext: ".Depot",
    referenceType: "Data",
    ruleClass: TRIP,
    inheritedProps: [{ prop: "label", value: "@FL .Depot" }, { prop: "showLabel", value: true }],
  });
  const view = viewOf(form, "References_Depot");
  const shown = pick(
    objectAt(view, "config"),
    "template",
    "referenceList",
    "contextClass",
    "classKeys",
    "mode",
    "displayAs",
    "parameters",
  );
  assert.deepEqual(shown, {
    template: "DataReference",
    referenceList: "D_Depots",
    contextClass: "Acme-Trips-Data-Depot",
    classKeys: [{ name: "ID" }],
    mode: "singleselect",
    displayAs: "dropdown",
    parameters: { Country: "@P .Country" },
  });
  assert.equal(valueAt(view, "children.0.type"), "Dropdown");
  assert.deepEqual(pick(objectAt(view, "children.0.config"), "value", "contextPage", "primaryField", "label"), {
    value: "@P .Depot.ID",
    contextPage: "@P .Depot",
    primaryField: "@P .Depot.City",
    label: "@L ",
  });
  assert.deepEqual(valueAt(view, "children.1"), {
    name: "Views",
    type: "Region",
    children: [{
      type: "reference",
      config: {
        type: "view",
        name: "Card",
        context: ".Depot",
        readOnly: true,
        ruleClass: "Acme-Trips-Data-Depot",
      },
    }],
  });
  assert.equal(valueAt(viewOf(form, "Card"), "config.template"), "Details");
  const { type, dataRetrievalType, datasource } = objectAt(form, "uiResources.resources.fields.Depot.0");
  assert.deepEqual([type, dataRetrievalType, datasource], [
    "Page",
    "refer",
    { name: "D_DepotRecords", parameters: { ID: "@P .Depot.ID" } },
  ]);
  assert.deepEqual(valueAt(form, "uiResources.resources.dataTypes.Acme-Trips-Data-Depot.classKeys"), ["ID"]);
});

Deno.test("records are chosen in a table, a combobox or checkboxes", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("References");
  const pickers = ["Hub", "Skills", "Helpers", "Checks"].map((name) => {
    const view = viewOf(form, `References_${name}`);
    return [valueAt(view, "config.mode"), valueAt(view, "config.displayAs"), valueAt(view, "children.0.type")];
  });
  assert.deepEqual(pickers, [
    ["singleselect", "table", "SimpleTableSelect"],
    ["multiselect", "combobox", "Multiselect"],
    ["multiselect", "table", "SimpleTableSelect"],
    ["multiselect", "checkboxgroup", "Checkbox"],
  ]);
  const hub = objectAt(viewOf(form, "References_Hub"), "children.0.config");
  assert.deepEqual([hub.selectionKey, hub.value, hub.label], ["@P .Hub.ID", "@P .Hub.ID", "@L "]);
  assert.deepEqual(valueAt(hub, "presets.0.children.0.children.1"), {
    type: "TextInput",
    config: { value: "@P .Country", label: "@FL .Country", labelOption: "default", readOnly: true },
  });
  const skills = objectAt(viewOf(form, "References_Skills"), "children.0.config");
  assert.deepEqual(pick(skills, "selectionMode", "selectionList", "selectionKey", "primaryField", "referenceList"), {
    selectionMode: "multi",
    selectionList: ".Skills",
    selectionKey: ".ID",
    primaryField: ".Text",
    referenceList: "D_Skills",
  });
});

Deno.test("a page has a view of its own class, which may have the name of the form", async () => {
  await using trip = await Trip.open({ Home: { City: "Oslo", Capital: true } });
  const form = await trip.form("EditTrip");
  const views = valueAt(form, "uiResources.resources.views.EditTrip");
  assert.deepEqual(Array.isArray(views) && views.map((view) => valueAt(view, "classID")), [
    TRIP,
    "Acme-Trips-Data-Home",
  ]);
  const caller = configWith(viewOf(form, "EditTrip", TRIP), "context", ".Home");
  assert.deepEqual(pick(caller, "name", "displayAs", "ruleClass"), {
    name: "EditTrip",
    displayAs: "Form",
    ruleClass: "Acme-Trips-Data-Home",
  });
  const mayor = configWith(viewOf(form, "EditTrip", "Acme-Trips-Data-Home"), "value", "@P .Mayor");
  assert.deepEqual(pick(mayor, "visibility", "required"), {
    visibility: "@W EditTrip_Mayor_visible",
    required: "@E .Capital == true",
  });
  assert.deepEqual(valueAt(form, "uiResources.context_data"), {
    caseInfo: {
      content: {
        Home: {
          summary_of_when_conditions__: { EditTrip_Mayor_visible: true },
          summary_of_associated_lists__: {},
        },
      },
    },
  });
  const refreshed = await trip.refresh("EditTrip", { Home: { Capital: false } });
  const path = "uiResources.context_data.caseInfo.content.Home.summary_of_when_conditions__.EditTrip_Mayor_visible";
  assert.equal(valueAt(refreshed, path), false);
});

Deno.test("a list has columns, row views and conditions", async () => {
  await using trip = await Trip.open();
  const form = await trip.form("Stops");
  const { children, ...config } = objectAt(viewOf(form, "Stops_Stops"), "config");
  assert.deepEqual(config, {
    type: "multirecordlist",
    template: "SimpleTable",
    name: "Stops",
    ruleClass: TRIP,
    referenceList: "@P .Stops",
    contextClass: "Acme-Trips-Data-Stop",
    parentClass: TRIP,
    renderMode: "Editable",
    multiRecordDisplayAs: "table",
    dataRetrievalType: "MANUAL",
    targetClassLabel: "@L stop",
    heading: "@L stop",
    editMode: "modal",
    editModeConfig: { defaultView: "StopForm", useSeparateViewForEdit: true, editView: "StopEdit" },
    allowActions: { allowAdd: "@E .Urgent == false", allowDragDrop: false },
    allowRowDelete: "@E .City != 'Oslo'",
    localeReference: "@LR ACME-TRIPS-WORK-TRIP!VIEW!STOPS_STOPS",
  });
  assert.deepEqual(Array.isArray(children) && valueAt(children[0], "name"), "Columns");
  assert.equal(viewOf(form, "StopForm").classID, "Acme-Trips-Data-Stop");
  assert.equal(valueAt(viewOf(form, "Stops_Bags"), "config.editMode"), "tableRows");
  assert.deepEqual(valueAt(form, "uiResources.context_data.caseInfo.content.BagsTemp"), [
    { summary_of_associated_lists__: {} },
  ]);
});

Deno.test("a form calls a row by the name in the definition, or by the label in the singular", async () => {
  const noun = async (label: string) => {
    await using trip = await Trip.open({}, TRIPS.replace("Bags:\n        type: List\n", `$&        ${label}\n`));
    return objectAt(viewOf(await trip.form("Stops"), "Stops_Bags"), "config").targetClassLabel;
  };
  const labels = [
    "Stands",
    "Categories",
    "Home addresses",
    "Boxes",
    "Watches",
    "Status",
    "Access",
    "Analysis",
    "Staff",
  ];
  const nouns = await Promise.all(labels.map((label) => noun(`label: ${label}`)));
  assert.deepEqual(
    nouns.map((text) => String(text).replace("@L ", "")),
    ["stand", "category", "home address", "box", "watch", "status", "access", "analysis", "staff"],
  );
  assert.equal(await noun("rowLabel: piece of luggage"), "@L piece of luggage");
});

Deno.test("rows below each other have a view in a region and a heading from a field", async () => {
  await using trip = await Trip.open();
  const view = viewOf(await trip.form("Rows"), "Rows_Stops");
  assert.deepEqual(pick(objectAt(view, "config"), "multiRecordDisplayAs", "fieldHeader", "heading", "editMode"), {
    multiRecordDisplayAs: "fieldGroup",
    fieldHeader: "propertyRef",
    heading: ".City",
    editMode: undefined,
  });
  assert.deepEqual(valueAt(view, "children.0"), {
    name: "view",
    type: "Region",
    children: [{
      type: "reference",
      config: {
        type: "view",
        name: "StopForm",
        context: "@CLASS Acme-Trips-Data-Stop",
        ruleClass: "Acme-Trips-Data-Stop",
      },
    }],
  });
});

Deno.test("a page around a form leads to it, and its content names the form", async () => {
  await using trip = await Trip.open();
  const { engine, assignmentId, caseId } = trip;
  const page = await engine.body("assignments.get", { assignmentId }, { query: { viewType: "page" } });
  assert.equal(valueAt(page, "uiResources.root.config.name"), "pyEmbedAssignment");
  assert.equal(valueAt(viewOf(page, "pyEmbedAssignment"), "children.0.children.0.config.name"), "pyCaseWorkarea");
  assert.equal(valueAt(viewOf(page, "pyCaseWorkarea"), "children.0.children.0.config.name"), "pzFlowContainer");
  assert.deepEqual(valueAt(viewOf(page, "pzFlowContainer"), "children.0"), {
    type: "FlowContainer",
    config: { name: "workarea", routingInfo: "@ROUTING_INFO" },
    children: [{ type: "reference", config: { type: "view", name: "@P .pyViewName", context: "@P .pyViewContext" } }],
  });
  assert.deepEqual(pick(objectAt(page, "data.caseInfo.content"), "pyViewName", "pyViewContext"), {
    pyViewName: "Trip",
    pyViewContext: "",
  });
  assert.ok(viewOf(page, "Trip"));
  const form = await trip.form("EnterTrip");
  assert.equal(valueAt(form, "uiResources.root.config.name"), "Trip", "the root is the view, not the action");
  assert.equal(valueAt(form, "data.caseInfo.content.pyViewName"), undefined);

  const own = await engine.body("cases.get", { caseId }, { query: { viewType: "page" } });
  assert.deepEqual([valueAt(own, "uiResources.root.config.name"), valueAt(own, "data.caseInfo.content.pyViewName")], [
    "pyDetails",
    "",
  ]);
  assert.equal(valueAt(own, "uiResources.actionButtons"), undefined);
});

Deno.test("pageName selects the view of a case, and needs a page for an assignment", async () => {
  await using trip = await Trip.open();
  const { engine, assignmentId, caseId } = trip;
  const narrow = await engine.body("cases.get", { caseId }, { query: { pageName: "Trip" } });
  assert.equal(valueAt(narrow, "data.caseInfo.content.Depot"), undefined);
  const query = { viewType: "page", pageName: "Trip" };
  const page = await engine.body("cases.get", { caseId }, { query });
  assert.equal(valueAt(page, "uiResources.root.config.name"), "Trip");
  assert.equal((await engine.refused("cases.get", { caseId }, { query: { pageName: "Tripp" } })).status, 404);
  const open = await engine.body("assignments.get", { assignmentId }, { query });
  assert.deepEqual([valueAt(open, "uiResources.root.config.name"), valueAt(open, "data.caseInfo.content.pyViewName")], [
    "Trip",
    "",
  ]);
  const wrong = await engine.refused("assignments.get", { assignmentId }, { query: { ...query, viewType: "form" } });
  assert.deepEqual([wrong.status, wrong.message], [400, "pageName needs viewType=page"]);
});

Deno.test("after the last step there is no root, only a summary", async () => {
  await using trip = await Trip.open();
  const { engine, assignmentId } = trip;
  await engine.call("assignments.perform", { assignmentId, action: "EnterTrip", ifMatch: "*" });
  const { assignments } = objectAt(await engine.body("cases.get", { caseId: trip.caseId }), "data.caseInfo");
  const next = valueAt(assignments, "0.ID");
  const query = { viewType: "page" };
  const values = { assignmentId: next, ifMatch: "*" };
  await engine.call("assignments.perform", { ...values, action: "One" }, { query });
  const end = await engine.body("assignments.perform", { ...values, action: "Two" }, { query });
  assert.equal(valueAt(end, "uiResources.root"), undefined);
  assert.deepEqual(Object.keys(objectAt(end, "uiResources.resources.views")), ["pyCaseSummary"]);
  const regions = viewOf(end, "pyCaseSummary").children;
  assert.deepEqual(Array.isArray(regions) && regions.map((region) => valueAt(region, "name")), [
    "Primary fields",
    "Secondary fields",
  ]);
  assert.deepEqual(valueAt(end, "data.referencedUsers"), [{ UserID: "ada@acme", UserName: "Ada" }]);
});

Deno.test("going back in the create stage returns a page without a chain to the form", async () => {
  const yaml = TRIPS.replace(
    "              Enter:\n",
    "              Enter:\n                type: screens\n                screens: { One: { fields: [Country] }, Two: { fields: [Kind] } }\n" +
      "              Later:\n",
  );
  await using trip = await Trip.open({}, yaml);
  const { engine, assignmentId } = trip;
  await engine.call("assignments.perform", { assignmentId, action: "One", ifMatch: "*" });
  const query = { viewType: "page" };
  const back = await engine.body("assignments.navigateBack", { assignmentId, ifMatch: "*" }, { query });
  assert.equal(valueAt(back, "uiResources.root.config.name"), "pzCreateDetails");
  assert.equal(valueAt(viewOf(back, "pzCreateDetails"), "config.template"), "OneColumn");
  assert.deepEqual(viewOf(back, "pzCreateDetails").children, [{ name: "A", type: "Region", children: [] }]);
  assert.equal(valueAt(back, "data.caseInfo.content.pyViewName"), "One");
  assert.equal(valueAt(viewOf(back, "One"), "classID"), TRIP);
});

Deno.test("the forms of case types, of participants and of records have the same shapes", async () => {
  await using engine = await openEngine();
  const create = await engine.body("caseTypes.getAction", { caseTypeId: "City-Permit-Work-Permit", action: "Create" });
  assert.equal(valueAt(viewOf(create, "Create_Documents"), "config.type"), "multirecordlist");
  assert.equal(valueAt(create, "data.caseInfo.content.Contact.classID"), "City-Permit-Data-Contact");
  const { ID: caseId } = await engine.body("cases.create", { type: "City-Permit-Work-Permit" });
  const role = await engine.body("participants.getRole", { caseId, roleId: "Adviser" });
  assert.equal(valueAt(role, "uiResources.resources.fields.pyEmail1.0.classID"), "Data-Party");
  const record = { ID: "i1", Name: "Ines" };
  await engine.call("data.create", { dataViewId: "D_Inspectors", data: record });
  const edit = await engine.body("data.getAction", { dataViewId: "D_Inspectors", action: "Edit", data: record });
  assert.equal(valueAt(edit, "uiResources.resources.fields.ID.0.isClassKey"), true);
});

/** Returns the type of the component with a value. */
function typeWith(node: JsonValue | undefined, value: string): JsonValue | undefined {
  if (Array.isArray(node)) return node.map((part) => typeWith(part, value)).find((one) => one !== undefined);
  if (!isJsonObject(node)) return undefined;
  if (isJsonObject(node.config) && node.config.value === value) return node.type;
  return Object.values(node).map((part) => typeWith(part, value)).find((one) => one !== undefined);
}

/** Lists the views and data views to which a form refers and which its response lacks. */
function listOpenReferences(form: JsonObject): string[] {
  const { views, datapages } = objectAt(form, "uiResources.resources");
  const missing: string[] = [];
  const visit = (node: JsonValue | undefined): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (!isJsonObject(node)) return;
    const { type, name, referenceList, defaultView, editView } = node;
    for (const view of [type === "view" ? name : undefined, defaultView, editView]) {
      if (typeof view === "string" && valueAt(views, view) === undefined) missing.push(view);
    }
    const isDataView = typeof referenceList === "string" && referenceList.startsWith("D_");
    if (isDataView && referenceList !== "D_pyC11nOperatorsList" && valueAt(datapages, referenceList) === undefined) {
      missing.push(referenceList);
    }
    Object.values(node).forEach(visit);
  };
  visit(form.uiResources);
  return missing;
}
