/** References to one and to several records, and to cases, in every look. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../../utils/json.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { outline, paths } from "../../../lib/forms/_outline.ts";
import { pick, viewOf } from "../forms/_forms.ts";
import { Office, part, withoutClasses } from "./_visit.ts";

const office = await Office.openForAll();
const VISIT = "Acme-Visits-Work-Visit";

/** Returns how a view of a reference is described: its look, its mode and its picker. */
function look(body: JsonObject, name: string): unknown[] {
  const view = viewOf(body, name);
  return [valueAt(view, "config.displayAs"), valueAt(view, "config.mode"), valueAt(view, "children.0.type")];
}

Deno.test("one record is chosen in every look, and the service fills in its details", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Single");
  assert.deepEqual(["Depot", "Nearby", "Hub", "Store", "Camp"].map((name) => look(body, `Single_${name}`)), [
    ["dropdown", "singleselect", "Dropdown"],
    ["autocomplete", "singleselect", "AutoComplete"],
    ["table", "singleselect", "SimpleTableSelect"],
    ["simpleTable", "singleselect", "SimpleTableSelect"],
    ["card", "singleselect", "RadioButtons"],
  ]);
  assert.equal(valueAt(viewOf(body, "Single_Camp"), "children.0.config.variant"), "card");
  const columns = valueAt(viewOf(body, "Single_Hub"), "children.0.config.presets.0.children.0.children");
  assert.deepEqual(Array.isArray(columns) && columns.map((column) => valueAt(column, "type")), [
    "TextInput",
    "Dropdown",
  ]);

  const { choices } = await office.loader.load(part(form, "Depot", "reference"));
  const bergen = choices.find(({ text }) => text === "Bergen");
  assert.ok(bergen);
  const chosen = form.reference("Depot").choose(bergen);
  assert.deepEqual(chosen.toSubmission().content, { Depot: { ID: 2 } });
  const refreshed = await visit.refresh("Single", chosen, "Depot");
  assert.equal(part(refreshed, "Depot.Zip", "field").text, "5003");
  const filled = ["Nearby", "Hub", "Camp"].reduce((one, path) => one.reference(path).choose(1), refreshed);
  const sent = filled.toSubmission().content;
  assert.deepEqual(sent, { Depot: { ID: 2 }, Nearby: { ID: 1 }, Hub: { ID: 1 }, Camp: { ID: 1 } });
  const stored = await visit.submit("Single", filled);
  assert.deepEqual(["Depot", "Nearby", "Hub", "Camp"].map((name) => valueAt(stored, `${name}.City`)), [
    "Bergen",
    "Oslo",
    "Oslo",
    "Oslo",
  ]);
  const cleared = (await visit.open("Single")).form.reference("Depot").clear();
  assert.deepEqual(cleared.toSubmission().content, { Depot: { ID: "" } });
  assert.deepEqual(withoutClasses((await visit.submit("Single", cleared)).Depot), {
    ID: "",
    City: "",
    Zip: "",
    Size: "",
  });
});

Deno.test("a parameter of a table comes from another field, whose change clears the choice", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Single");
  assert.deepEqual(valueAt(viewOf(body, "Single_Store"), "config.parameters"), { Size: "@P .Size" });
  const large = form.set("Size", "Large");
  const { choices } = await office.loader.load(part(large, "Store", "reference"));
  assert.deepEqual(choices.map(({ text }) => text), ["Oslo"]);
  const chosen = large.reference("Store").choose(1);
  const changed = chosen.set("Size", "Small");
  assert.deepEqual(changed.toSubmission().content, { Size: "Small" });
  const stored = await visit.submit("Single", chosen);
  assert.deepEqual([stored.Size, valueAt(stored, "Store.City")], ["Large", "Oslo"]);
});

Deno.test("a record with two keys is chosen and cleared by both, typed as they are stored", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Single");
  const view = viewOf(body, "Single_Area");
  assert.deepEqual(valueAt(view, "config.classKeys"), [{ name: "Country" }, { name: "Code" }]);
  const columns = valueAt(view, "children.0.config.columns");
  assert.deepEqual(Array.isArray(columns) && columns.map((column) => valueAt(column, "value")), [
    ".Country",
    ".Name",
    ".Code",
  ]);
  const { choices } = await office.loader.load(part(form, "Area", "reference"));
  const east = choices.find(({ text }) => text === "East");
  assert.ok(east);
  const filled = form.reference("Area").choose(east);
  assert.deepEqual(filled.toSubmission().content, { Area: { Country: "NO", Code: "E" } });
  assert.equal(valueAt(await visit.submit("Single", filled), "Area.Name"), "East");
  const cleared = (await visit.open("Single")).form.reference("Area").clear();
  assert.deepEqual(cleared.toSubmission().content, { Area: { Country: "", Code: "" } });
  assert.equal(valueAt(await visit.submit("Single", cleared), "Area.Name"), "");
});

Deno.test("a case is chosen by its number, and shown as a link to its handle", async () => {
  const earlier = await office.visit({ Purpose: "Fair" });
  const [, number = ""] = earlier.caseId.split(" ");
  const visit = await office.visit();
  const { body, form } = await visit.open("Single");
  const config = objectAt(viewOf(body, "Single_Earlier"), "config");
  assert.deepEqual(pick(config, "referenceType", "classKeys", "contextClass", "referenceList"), {
    referenceType: "Case",
    classKeys: [{ name: "pyID" }],
    contextClass: VISIT,
    referenceList: "D_Visits",
  });
  const { choices } = await office.loader.load(part(form, "Earlier", "reference"));
  const chosen = choices.find(({ key }) => key === number);
  assert.equal(chosen?.text, "Visit of Fair");
  assert.ok(chosen);
  const filled = form.reference("Earlier").choose(chosen);
  assert.deepEqual(filled.toSubmission().content, { Earlier: { pyID: number } });
  const stored = await visit.submit("Single", filled);
  assert.deepEqual(pick(objectAt(stored, "Earlier"), "pyID", "pyLabel", "pzInsKey"), {
    pyID: number,
    pyLabel: "Visit of Fair",
    pzInsKey: earlier.caseId,
  });
  const { body: shown } = await visit.open("ReadOnly");
  const link = objectAt(viewOf(shown, "ReadOnly_Earlier"), "children.0");
  assert.equal(link.type, "SemanticLink");
  assert.deepEqual(pick(objectAt(link, "config"), "text", "previewKey", "caseClass", "referenceType"), {
    text: "@P .Earlier.pyLabel",
    previewKey: "@P .Earlier.pzInsKey",
    caseClass: VISIT,
    referenceType: "Case",
  });
  const unknown = await visit.refused("Single", form.reference("Earlier").choose("V-99999"));
  assert.equal(unknown.status, 422);
});

Deno.test("several records are chosen, removed and left as they are, in every look", async () => {
  const visit = await office.visit({ Checks: [{ ID: 3 }] });
  const { body, form } = await visit.open("Multiple");
  assert.deepEqual(["Skills", "Tools", "Checks"].map((name) => look(body, `Multiple_${name}`)), [
    ["combobox", "multiselect", "Multiselect"],
    ["table", "multiselect", "SimpleTableSelect"],
    ["checkboxgroup", "multiselect", "Checkbox"],
  ]);
  assert.equal(valueAt(viewOf(body, "Multiple_Checks"), "children.0.config.selectionMode"), "multi");
  const filled = ["Skills", "Tools"].reduce((one, path) => one.reference(path).add(1).reference(path).add(2), form);
  const insert = (target: string, listIndex: number, ID: number) => {
    return { instruction: "INSERT", target, listIndex, content: { ID } };
  };
  assert.deepEqual(filled.toSubmission(), {
    content: {},
    pageInstructions: [
      insert(".Skills", 1, 1),
      insert(".Skills", 2, 2),
      insert(".Tools", 1, 1),
      insert(".Tools", 2, 2),
    ],
    attachments: [],
  });
  const texts = (stored: JsonObject) =>
    ["Skills", "Tools", "Checks"].map((name) => {
      const rows = stored[name];
      return Array.isArray(rows) && rows.map((row) => valueAt(row, "Text"));
    });
  assert.deepEqual(texts(await visit.submit("Multiple", filled)), [
    ["Driving", "Cooking"],
    ["Driving", "Cooking"],
    ["Singing"],
  ]);
  const changed = (await visit.open("Multiple")).form.reference("Skills").remove(0).reference("Tools").clear();
  assert.deepEqual(changed.toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Skills", listIndex: 1 },
    { instruction: "DELETE ALL", target: ".Tools" },
  ]);
  assert.deepEqual(texts(await visit.submit("Multiple", changed)), [["Cooking"], [], ["Singing"]]);
});

Deno.test("references that are only shown have their own looks, and nothing of them is asked", async () => {
  const rows = [{ ID: 1 }, { ID: 2 }];
  const visit = await office.visit({ Kind: "Rail", Depot: { ID: 1 }, Tools: rows, Plans: rows, Skills: rows });
  const { body, form } = await visit.open("ReadOnly");
  assert.deepEqual(["Depot", "Tools", "Plans", "Skills"].map((name) => look(body, `ReadOnly_${name}`)), [
    ["readonly", "readonly", "SemanticLink"],
    ["table", "readonly", "SimpleTableSelect"],
    ["simpleTable", "readonly", "SimpleTableSelect"],
    ["readonlyMulti", "readonly", "SimpleTableSelect"],
  ]);
  const picker = objectAt(viewOf(body, "ReadOnly_Skills"), "children.0.config");
  assert.deepEqual(pick(picker, "referenceList", "presets", "primaryField"), {
    referenceList: "@P .Skills",
    presets: [],
    primaryField: ".Text",
  });
  assert.deepEqual(paths(form), ["Kind"]);
  assert.deepEqual(outline(form).slice(0, 5), [
    'Depot: single reference "Depot" = Oslo (read-only)',
    'Earlier: single reference "Earlier visit" =  (read-only)',
    'Tools: multiple reference "Tools" = Driving, Cooking (read-only)',
    'Plans: multiple reference "Plans" = Driving, Cooking (read-only)',
    'Skills: multiple reference "Skills" = Driving, Cooking (read-only)',
  ]);
});

Deno.test("a reference inside a hidden group, a page and a row is sent where it stands, and only if it is shown", async () => {
  const visit = await office.visit({ Kind: "Air", Stops: [{ City: "Rome" }] });
  const hidden = (await visit.open("ReadOnly")).form.reference("Hub").choose(1);
  assert.deepEqual(hidden.toSubmission().content, { Hub: { ID: 1 } });
  assert.deepEqual(hidden.set("Kind", "Sea").toSubmission().content, { Kind: "Sea" });
  const { form } = await visit.open("Nested");
  const filled = form.reference("Home.Depot").choose(1).reference("Stops[0].Depot").choose(2);
  assert.deepEqual(filled.toSubmission(), {
    content: { Home: { Depot: { ID: 1 } } },
    pageInstructions: [{ instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Depot: { ID: 2 } } }],
    attachments: [],
  });
  const stored = await visit.submit("Nested", filled);
  assert.deepEqual([valueAt(stored, "Home.Depot.City"), valueAt(stored, "Stops.0.Depot.City")], ["Oslo", "Bergen"]);
});
