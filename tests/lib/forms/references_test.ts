/** References to records and cases. */
import assert from "node:assert/strict";
import { ChoiceLoader, type Form, type FormReference, type JsonObject, readForm } from "../../../lib/forms/mod.ts";
import { body, declare, declarePage, field, rawView, reference, view } from "./_body.ts";
import {
  autoComplete,
  caseReference,
  compositeKeys,
  dropdownWithDetails,
  everyPlace,
  keysOfType,
  newerReferences,
  parameterTable,
  recordLink,
  scalarReference,
  sentRecords,
  severalLooks,
  severalReadOnly,
  severalStored,
  storedDropdown,
  tableReference,
} from "./fixtures/references.ts";
import { asked, outline } from "./_outline.ts";

const DEPOT = "ACME-Demo-Data-Depot";

/** A row of the list of depots. */
const BERGEN = { classID: DEPOT, ID: 5, City: "Bergen", Zip: "5003", Region: "W" };

function findReference(form: Form, path: string): FormReference {
  const question = form.find(path);
  assert.ok(question?.type === "reference", path);
  return question;
}

function sent(form: Form): JsonObject {
  const { content, pageInstructions } = form.toSubmission();
  assert.deepEqual(pageInstructions, []);
  return content;
}

Deno.test("a dropdown is asked under the label of its reference, and its key is sent with its type", () => {
  const form = readForm(dropdownWithDetails);
  assert.deepEqual(outline(form), [
    'Country: text "Country" = NO',
    'Depot: single reference "Nearest depot" = ',
    '  Depot.City: text "City" =  (read-only)',
    '  Depot.Zip: text "Zip" =  (read-only)',
  ]);
  assert.deepEqual(asked(form), ['Country: text "Country"', 'Depot: single reference "Nearest depot"']);
  const { keys, query } = findReference(form, "Depot");
  assert.deepEqual(keys, ["ID"]);
  assert.deepEqual([query?.dataView, query?.parameters, query?.key, query?.text], [
    "D_DepotList",
    { country: "NO" },
    "ID",
    "City",
  ]);
  assert.deepEqual(query?.columns, [{ path: "City", label: "City" }, { path: "Zip", label: "Zip" }]);
  const chosen = form.reference("Depot").choose({ key: 5, text: "Bergen", row: BERGEN });
  assert.deepEqual(sent(chosen), { Depot: { ID: 5 } });
  assert.equal(outline(chosen)[1], 'Depot: single reference "Nearest depot" = Bergen');
  assert.deepEqual(sent(form.reference("Depot").choose("5")), { Depot: { ID: 5 } });
  assert.deepEqual(sent(form.set("Depot", 5)), { Depot: { ID: 5 } });
  assert.deepEqual(sent(form.set("Depot.ID", 5)), { Depot: { ID: 5 } });
});

Deno.test("a stored record is shown by its text, cleared with empty keys, and chosen again sends nothing", () => {
  const form = readForm(storedDropdown);
  assert.deepEqual(findReference(form, "Depot").chosen.map(({ key, text }) => [key, text]), [[4, "Oslo"]]);
  const cleared = form.reference("Depot").clear();
  assert.deepEqual(sent(cleared), { Depot: { ID: "" } });
  assert.deepEqual(findReference(cleared, "Depot").chosen, []);
  assert.deepEqual(sent(cleared.reference("Depot").choose("4")), {});
  assert.deepEqual(sent(form.set("Depot", null)), { Depot: { ID: "" } });
});

Deno.test("a change of a parameter clears the record", () => {
  const form = readForm(storedDropdown).set("Country", "SE");
  assert.deepEqual(sent(form), { Country: "SE", Depot: { ID: "" } });
  assert.deepEqual(findReference(form, "Depot").query?.parameters, { country: "SE" });
});

Deno.test("details of the record call for a refresh, which fills them", () => {
  const form = readForm(dropdownWithDetails).reference("Depot").choose("5");
  const call = form.refreshFor("Depot");
  assert.deepEqual(call?.body, { content: { Depot: { ID: 5 } }, pageInstructions: [], contextData: false });
  const refreshed = form.apply({
    data: { caseInfo: { content: { Country: "NO", Depot: BERGEN } } },
    uiResources: { resources: {}, root: { type: "reference", config: { type: "view", name: "EditTrip" } } },
  });
  assert.deepEqual(outline(refreshed).slice(1), [
    'Depot: single reference "Nearest depot" = Bergen',
    '  Depot.City: text "City" = Bergen (read-only)',
    '  Depot.Zip: text "Zip" = 5003 (read-only)',
  ]);
  assert.deepEqual(sent(refreshed), { Depot: { ID: 5 } });
  assert.equal(readForm(tableReference).reference("Depot").choose("5").refreshFor("Depot"), undefined);
});

Deno.test("an autocomplete is asked like a dropdown, also in a view of the class of the record", () => {
  const form = readForm(autoComplete);
  assert.deepEqual(asked(form)[1], 'Depot: single reference "Nearest depot"');
  assert.deepEqual(sent(form.reference("Depot").choose(BERGEN)), { Depot: { ID: 5 } });
});

Deno.test("a table is asked although its cells are read-only, and is labeled by the class of the record", async () => {
  const form = readForm(tableReference);
  const reference = findReference(form, "Depot");
  assert.equal(reference.isReadOnly, false);
  assert.deepEqual(reference.columns, [
    { path: "City", label: "City" },
    { path: "Kind", label: "Kind of depot" },
    { path: "ID", label: "Depot number" },
  ]);
  const selected: (readonly string[] | undefined)[] = [];
  const loader = new ChoiceLoader({
    load({ select }) {
      selected.push(select);
      return Promise.resolve({ rows: [BERGEN], hasMore: false });
    },
  });
  const { choices } = await loader.load(reference);
  assert.deepEqual(choices.map(({ key, text }) => [key, text]), [[5, "Bergen"]]);
  assert.deepEqual(selected, [["ID", "City", "Kind"]]);
  const [choice] = choices;
  assert.ok(choice);
  assert.deepEqual(sent(form.choose("Depot", choice)), { Depot: { ID: 5 } });
});

Deno.test("the parameters of the view replace those of the picker, and follow a choice of the form", () => {
  const form = readForm(parameterTable).reference("Depot").choose("5");
  assert.deepEqual(findReference(form, "Depot").query?.parameters, { size: "S" });
  const changed = form.set("Size", "Large");
  assert.deepEqual(findReference(changed, "Depot").query?.parameters, { size: "L" });
  assert.deepEqual(sent(changed), { Size: "L" });
});

Deno.test("all keys of a record are sent", () => {
  const form = readForm(compositeKeys);
  assert.deepEqual(findReference(form, "Depot").keys, ["ID", "Region"]);
  assert.deepEqual(sent(form.reference("Depot").choose(BERGEN)), { Depot: { ID: 5, Region: "W" } });
  assert.deepEqual(sent(form.reference("Depot").clear()), { Depot: { ID: "", Region: "" } });
  assert.throws(() => form.reference("Depot").choose(5), /needs the keys ID, Region/);
});

Deno.test("the data type knows the keys if the view does not", () => {
  const form = readForm(keysOfType);
  assert.deepEqual(findReference(form, "Depot").keys, ["ID"]);
  assert.deepEqual(sent(form.reference("Depot").choose("7")), { Depot: { ID: 7 } });
});

Deno.test("records in the response are chosen without a query", () => {
  const form = readForm(sentRecords);
  const reference = findReference(form, "Depot");
  assert.deepEqual(reference.choices?.map(({ key, text }) => [key, text]), [[4, "Oslo"], [5, "Voss"]]);
  assert.deepEqual([reference.query, reference.cannotFill], [undefined, undefined]);
  assert.deepEqual(reference.chosen.map(({ text }) => text), ["Oslo"]);
  assert.deepEqual(sent(form.reference("Depot").choose("5")), { Depot: { ID: 5 } });
});

Deno.test("several records are chosen by one insertion each, in every look", () => {
  for (const response of severalLooks) {
    const form = readForm(response);
    assert.deepEqual(asked(form), ['Skills: multiple reference "Skills needed"']);
    const reference = findReference(form, "Skills");
    assert.deepEqual([reference.isRequired, reference.keys, reference.query?.dataView, reference.query?.key], [
      true,
      ["ID"],
      "D_SkillList",
      "ID",
    ]);
    assert.equal(reference.query?.text, "Text");
    const row = { classID: "ACME-Demo-Data-Skill", ID: "s1", Text: "Driving", Level: 1 };
    const chosen = form.reference("Skills").add({ key: "s1", text: "Driving", row }).reference("Skills").add("s2");
    assert.deepEqual(chosen.toSubmission(), {
      content: {},
      pageInstructions: [
        { instruction: "INSERT", target: ".Skills", listIndex: 1, content: { ID: "s1" } },
        { instruction: "INSERT", target: ".Skills", listIndex: 2, content: { ID: "s2" } },
      ],
      attachments: [],
    });
    assert.deepEqual(findReference(chosen, "Skills").chosen.map(({ text }) => text), ["Driving", "s2"]);
    assert.deepEqual(chosen.reference("Skills").clear().toSubmission().pageInstructions, []);
  }
});

Deno.test("records are removed by position, and all of them at once", () => {
  for (const response of severalStored) {
    const form = readForm(response);
    assert.deepEqual(findReference(form, "Skills").chosen.map(({ key, text }) => [key, text]), [
      ["s1", "Driving"],
      ["s2", "Cooking"],
    ]);
    const changes = (changed: Form) => changed.toSubmission().pageInstructions;
    assert.deepEqual(changes(form), []);
    assert.deepEqual(changes(form.reference("Skills").add("s1")), []);
    assert.deepEqual(changes(form.reference("Skills").remove(0)), [
      { instruction: "DELETE", target: ".Skills", listIndex: 1 },
    ]);
    assert.deepEqual(changes(form.reference("Skills").remove(0).reference("Skills").add("s3")), [
      { instruction: "DELETE", target: ".Skills", listIndex: 1 },
      { instruction: "INSERT", target: ".Skills", listIndex: 2, content: { ID: "s3" } },
    ]);
    assert.deepEqual(changes(form.reference("Skills").clear()), [{ instruction: "DELETE ALL", target: ".Skills" }]);
  }
});

Deno.test("records that are only shown are never asked, and come from the case", () => {
  for (const response of severalReadOnly) {
    const form = readForm(response);
    assert.deepEqual(asked(form), []);
    const reference = findReference(form, "Skills");
    assert.deepEqual(reference.chosen.map(({ text }) => text), ["Driving", "Cooking"]);
    assert.deepEqual([reference.label, reference.query, reference.isReadOnly], ["Skills needed", undefined, true]);
    assert.deepEqual(form.problems, []);
  }
});

Deno.test("a link to a record shows its text", () => {
  const form = readForm(recordLink);
  assert.deepEqual(asked(form), ['Country: text "Country"']);
  assert.equal(outline(form)[1], 'Depot: single reference "Nearest depot" = Oslo (read-only)');
});

Deno.test("a case is referred to by its ID", () => {
  const form = readForm(caseReference);
  assert.deepEqual(asked(form), ['Parent: single reference "Parent"']);
  assert.deepEqual(findReference(form, "Parent").keys, ["pyID"]);
  const row = { pyID: "T-2", pyLabel: "Second trip", pzInsKey: "ACME-DEMO-WORK T-2" };
  const chosen = form.reference("Parent").choose(row);
  assert.deepEqual(sent(chosen), { Parent: { pyID: "T-2" } });
  assert.deepEqual(findReference(chosen, "Parent").chosen.map(({ text }) => text), ["Second trip"]);
});

Deno.test("a reference has the path and the parameters of the place in which it is drawn", () => {
  const form = readForm(everyPlace);
  assert.deepEqual(asked(form), [
    'Country: text "Country"',
    'Home.Depot: single reference "Nearest depot"',
    'Stops: list "Stops"',
  ]);
  assert.deepEqual(findReference(form, "Stops[0].Depot").query?.parameters, { country: "DK" });
  const chosen = form.reference("Home.Depot").choose("5").reference("Stops[0].Depot").choose("6")
    .reference("Stops[1].Depot").choose("7");
  assert.deepEqual(chosen.toSubmission(), {
    content: { Home: { Depot: { ID: 5 } } },
    pageInstructions: [
      { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Depot: { ID: 6 } } },
      { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Depot: { ID: 7 } } },
    ],
    attachments: [],
  });
  const shown = form.set("Country", "NO").reference("Depot").choose("8");
  assert.deepEqual(sent(shown), { Country: "NO", Depot: { ID: 8 } });
  assert.deepEqual(sent(shown.set("Country", "SE")), {});
});

Deno.test("the reference component of newer servers is the same reference", () => {
  const form = readForm(newerReferences);
  assert.deepEqual(outline(form), [
    'Depot: single reference "Depot" = ',
    'Skills: multiple reference "Skills" = ',
    'Parent: single reference "Parent" = First trip (read-only)',
  ]);
  const chosen = form.reference("Depot").choose("5").reference("Skills").add("s1");
  assert.deepEqual(chosen.toSubmission(), {
    content: { Depot: { ID: 5 } },
    pageInstructions: [{ instruction: "INSERT", target: ".Skills", listIndex: 1, content: { ID: "s1" } }],
    attachments: [],
  });
});

Deno.test("a reference that fills a plain property is a field", () => {
  const form = readForm(scalarReference);
  assert.deepEqual(asked(form), ['DepotID: choice "Depot"']);
  const [field] = form.questions;
  assert.ok(field?.type === "field");
  assert.deepEqual([field.isRequired, field.query?.dataView, field.query?.key], [true, "D_DepotList", "ID"]);
  assert.deepEqual(sent(form.set("DepotID", "5")), { DepotID: 5 });
});

Deno.test("members of a record can only be changed by choosing another record", () => {
  const refer = { dataRetrievalType: "refer" };
  const response = body({
    views: [
      view("EditTrip", [
        field("TextInput", ".Depot.City"),
        field("Dropdown", ".Depot.ID", { contextPage: "@P .Depot", datasource: "D_DepotList", columns: [] }),
        reference("EditDepot", { context: ".Depot" }),
      ]),
      view("EditDepot", [field("TextInput", ".Zip")], { classID: DEPOT }),
    ],
    fields: { Depot: declarePage("Depot", DEPOT, refer), City: declare("Text", "City", { classID: DEPOT }) },
    content: { Depot: { classID: DEPOT, ID: 4, City: "Oslo", Zip: "0150" } },
  });
  const form = readForm(response);
  assert.deepEqual(form.questions.map(({ path }) => path), ["Depot.ID"]);
  assert.deepEqual(sent(form.set("Depot.ID", "5")), { Depot: { ID: "5" } });
});

Deno.test("a table of records is a reference, also where it is called a list of records", () => {
  const [table] = severalLooks;
  const { data, uiResources } = JSON.parse(JSON.stringify(table));
  const [skills] = uiResources.resources.views.EditTrip_Skills;
  Object.assign(skills.config, { type: "multirecordlist", renderMode: "Editable", selectionMode: undefined, mode: "" });
  const form = readForm({ data, uiResources });
  assert.deepEqual(asked(form), ['Skills: multiple reference "Skills needed"']);
});

Deno.test("a picker is found in a region, and its key has the type that its class declares", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(dropdownWithDetails));
  const [depot] = uiResources.resources.views.EditTrip_Depot;
  const [picker, details] = depot.children;
  depot.children = [{ name: "Picker", type: "Region", children: [picker] }, details];
  const form = readForm({ data, uiResources });
  assert.deepEqual(outline(form), outline(readForm(dropdownWithDetails)));
  assert.deepEqual(sent(form.reference("Depot").choose("5")), { Depot: { ID: 5 } });
});

Deno.test("cards, searches and unknown pickers are asked like a table", () => {
  for (const type of ["Cards", "AdvancedSearch", "SearchForm", "SearchAndSelect", "RadioButtons", "Wheel"]) {
    const { data, uiResources } = JSON.parse(JSON.stringify(tableReference));
    const [depot] = uiResources.resources.views.EditTrip_Depot;
    Object.assign(depot.children[0], { type });
    Object.assign(depot.config, { displayAs: type.toLowerCase() });
    const form = readForm({ data, uiResources });
    assert.deepEqual(asked(form)[1], 'Depot: single reference "Nearest depot"', type);
    assert.deepEqual(sent(form.reference("Depot").choose("5")), { Depot: { ID: 5 } }, type);
    assert.deepEqual(form.problems, [], type);
  }
});

Deno.test("pickers of several records also stand outside the view of a reference", () => {
  for (const type of ["Multiselect", "Checkbox", "SimpleTableSelect"]) {
    const config = {
      label: "@L Skills",
      selectionMode: "multi",
      selectionList: ".Skills",
      selectionKey: ".ID",
      primaryField: ".Text",
      referenceList: "D_SkillList",
    };
    const form = readForm(body({ views: [view("EditTrip", [{ type, config }])], content: { Skills: [] } }));
    assert.deepEqual(asked(form), ['Skills: multiple reference "Skills"'], type);
    assert.deepEqual(form.reference("Skills").add("s1").toSubmission().pageInstructions, [
      { instruction: "INSERT", target: ".Skills", listIndex: 1, content: { ID: "s1" } },
    ]);
  }
});

Deno.test("a column may stand for the primary fields of a record", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(dropdownWithDetails));
  const { views } = uiResources.resources;
  views.pyPrimaryFields = [view("pyPrimaryFields", [field("TextInput", ".City"), field("Dropdown", ".Kind")], {
    classID: DEPOT,
  })];
  const [id] = views.EditTrip_Depot[0].children[0].config.columns;
  views.EditTrip_Depot[0].children[0].config.columns = [id, { value: "pyPrimaryFields" }];
  const { columns } = findReference(readForm({ data, uiResources }), "Depot");
  assert.deepEqual(columns.map(({ path, label }) => `${path} ${label}`), ["City City", "Kind Kind of depot"]);
});

Deno.test("keys of several records have the type of their class", () => {
  const [, , combobox] = severalLooks;
  const { data, uiResources } = JSON.parse(JSON.stringify(combobox));
  Object.assign(uiResources.resources.fields.ID[0], { type: "Integer" });
  const form = readForm({ data, uiResources }).reference("Skills").add("7");
  assert.deepEqual(form.toSubmission().pageInstructions, [
    { instruction: "INSERT", target: ".Skills", listIndex: 1, content: { ID: 7 } },
  ]);
});

Deno.test("a reference that the service computes is never asked", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(dropdownWithDetails));
  uiResources.resources.fields.Depot[0].isDeclarativeTarget = true;
  assert.deepEqual(asked(readForm({ data, uiResources })), ['Country: text "Country"']);
});

Deno.test("the condition of a picker hides its reference", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(dropdownWithDetails));
  uiResources.resources.views.EditTrip_Depot[0].children[0].config.visibility = "@E .Country == 'SE'";
  const form = readForm({ data, uiResources });
  assert.deepEqual(asked(form), ['Country: text "Country"']);
  assert.equal(asked(form.set("Country", "SE")).length, 2);
});

Deno.test("all keys of a record are columns of its query", async () => {
  let selected: readonly string[] = [];
  const loader = new ChoiceLoader({
    load({ select = [] }) {
      selected = select;
      return Promise.resolve({ rows: [{ ID: 5, Region: "W", City: "Bergen" }], hasMore: false });
    },
  });
  const form = readForm(compositeKeys);
  const { choices: [choice] } = await loader.load(findReference(form, "Depot"));
  assert.ok(selected.includes("ID") && selected.includes("Region"), selected.join());
  assert.ok(choice !== undefined);
  assert.deepEqual(sent(form.choose("Depot", choice)), { Depot: { ID: 5, Region: "W" } });
});

Deno.test("a choice that depends on a record is cleared with the record, and stays if the same one is chosen", () => {
  const picker = field("Dropdown", ".Depot.ID", {
    contextPage: "@P .Depot",
    listType: "datapage",
    datasource: "D_DepotList",
    columns: [{ value: ".ID", key: "true" }, { value: ".City", primary: "true", display: "true" }],
  });
  const gate = field("Dropdown", ".Gate", {
    listType: "datapage",
    datasource: "D_Gates",
    columns: [{ value: ".Name", key: "true" }],
    parameters: { city: "@P .Depot.City" },
  });
  const depot = view("EditTrip_Depot", [picker], {
    template: "DataReference",
    config: { name: "Depot", referenceList: "D_DepotList", contextClass: DEPOT, classKeys: [{ name: "ID" }] },
  });
  const form = readForm(body({
    views: [view("EditTrip", [reference("EditTrip_Depot"), gate]), depot],
    fields: {
      Depot: declarePage("Depot", DEPOT, { dataRetrievalType: "refer" }),
      Gate: declare("Text", "Gate"),
      ID: declare("Integer", "ID", { classID: DEPOT }),
    },
    content: { Depot: { classID: DEPOT, ID: 4, City: "Oslo" }, Gate: "North" },
  }));
  assert.deepEqual(sent(form.reference("Depot").choose({ ID: 4, City: "Oslo" })), {});
  assert.deepEqual(sent(form.reference("Depot").choose({ ID: 5, City: "Bergen" })), { Depot: { ID: 5 }, Gate: "" });
  assert.deepEqual(sent(form.fill({ Gate: "West", Depot: { ID: 5, City: "Bergen" } }).form), {
    Depot: { ID: 5 },
    Gate: "West",
  });
});

Deno.test("the page of a record is named by its picker, by the reference, or by the view", () => {
  const picked = (picker: JsonObject, call: JsonObject, config: JsonObject) => {
    const form = readForm(body({
      views: [
        view("EditTrip", [reference("EditTrip_Depot", call)]),
        rawView("EditTrip_Depot", [{ type: "Dropdown", config: { datasource: "D_DepotList", ...picker } }], {
          template: "DataReference",
          config: { referenceList: "D_DepotList", contextClass: DEPOT, classKeys: [{ name: "ID" }], ...config },
        }),
      ],
      content: { Depot: { ID: 4 }, Other: { ID: 5 }, Text: "x" },
    }));
    return form.questions.map(({ type, path }) => `${type} ${path}`).join();
  };
  assert.equal(picked({ contextPage: "@P .Depot", value: "@P .Other.ID" }, {}, {}), "reference Depot");
  assert.equal(picked({ value: "@P .Depot.ID" }, { authorContext: ".Other" }, {}), "reference Depot");
  assert.equal(picked({ selectionKey: "@P .Depot.ID" }, {}, {}), "reference Depot");
  assert.equal(picked({ text: "@P .Depot.ID" }, {}, {}), "reference Depot");
  assert.equal(picked({}, {}, { value: "@P .Depot.ID" }), "reference Depot");
  assert.equal(picked({}, { authorContext: ".Depot" }, { name: "Other" }), "reference Depot");
  assert.equal(picked({}, {}, { name: "Depot" }), "reference Depot");
  assert.equal(picked({}, {}, { name: ".Depot" }), "reference Depot");
  assert.equal(picked({ value: "@P .Text" }, {}, { name: "Depot" }), "reference Depot");
  assert.match(picked({ value: "@P .Text" }, {}, { name: "Text" }), /^field Text$/);
  assert.equal(picked({}, {}, {}), "");
});

Deno.test("the columns of a picker go before those of its view, and its parameters after them", () => {
  const query = (picker: JsonObject, config: JsonObject) => {
    const form = readForm(body({
      views: [
        view("EditTrip", [reference("EditTrip_Depot")]),
        rawView("EditTrip_Depot", [{ type: "Dropdown", config: { value: "@P .Depot.ID", ...picker } }], {
          template: "DataReference",
          config: { referenceList: "D_DepotList", contextClass: DEPOT, classKeys: [{ name: "ID" }], ...config },
        }),
      ],
      content: { Depot: { ID: 4 } },
    }));
    const found = findReference(form, "Depot").query;
    return [found?.dataView, found?.key, found?.text, found?.columns.map(({ path }) => path).join(), found?.parameters];
  };
  const columns = (name: string) => [{ value: `.${name}`, primary: "true" }];
  assert.deepEqual(query({ columns: columns("City") }, { columns: columns("Zip") }), [
    ...["D_DepotList", "ID", "City", "City", {}],
  ]);
  assert.deepEqual(query({}, { columns: columns("Zip") }), ["D_DepotList", "ID", "Zip", "Zip", {}]);
  const presets = [{ children: [rawView("Columns", [field("TextInput", ".City")])] }];
  assert.deepEqual(query({ presets }, {}), ["D_DepotList", "ID", "", "City", {}]);
  assert.deepEqual(query({ primaryField: ".Name", datasource: "D_Other" }, {}), ["D_Other", "ID", "Name", "", {}]);
  assert.deepEqual(query({ parameters: { a: "1", b: "2" } }, { parameters: [{ name: "b", value: "3" }] }).at(-1), {
    a: "1",
    b: "3",
  });
});
