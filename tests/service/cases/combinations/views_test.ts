/** Roots, views of one name, one property in several places, and views that only show values. */
import assert from "node:assert/strict";
import { readForm } from "../../../../lib/forms/mod.ts";
import { isJsonObject, type JsonValue } from "../../../../utils/json.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { asked, outline, paths, shown } from "../../../lib/forms/_outline.ts";
import { configWith, pick, viewOf } from "../forms/_forms.ts";
import { Office, TYPE, withoutClasses } from "./_visit.ts";

const office = await Office.openForAll();
const HOME = "Acme-Visits-Data-Home";
const RESOURCES = "uiResources.resources";

Deno.test("the root of a form is its view, whose name is not the ID of the action", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("SameName");
  assert.deepEqual(objectAt(body, "uiResources.root.config"), {
    type: "view",
    name: "Both",
    context: "caseInfo.content",
  });
  const filled = form.set("Purpose", "Fair").set("Home.City", "Oslo");
  assert.deepEqual(filled.toSubmission().content, { Purpose: "Fair", Home: { City: "Oslo" } });
  const stored = await visit.submit("SameName", filled);
  assert.deepEqual([stored.Purpose, valueAt(stored, "Home.City")], ["Fair", "Oslo"]);
});

Deno.test("the chain of views of a page leads to the form", async () => {
  const visit = await office.visit();
  const page = await visit.send("GET", `${visit.path("Simple")}?viewType=page`);
  assert.equal(valueAt(page, "uiResources.root.config.name"), "pyEmbedAssignment");
  assert.deepEqual(pick(objectAt(page, "data.caseInfo.content"), "pyViewName", "pyViewContext"), {
    pyViewName: "Simple",
    pyViewContext: "",
  });
  const form = readForm(page, { action: "Simple" });
  assert.deepEqual(paths(form), ["Purpose", "Days"]);
  assert.equal((await visit.submit("Simple", form.set("Days", "3"))).Days, 3);
});

Deno.test("a form about a page has the page as its context, alone and in a page of the interface", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("AboutHome");
  assert.deepEqual(pick(objectAt(body, "uiResources.root.config"), "name", "context"), {
    name: "EditHome",
    context: "caseInfo.content.Home",
  });
  assert.deepEqual(paths(form), ["Home.City", "Home.Capital"]);
  const page = await visit.send("GET", `${visit.path("AboutHome")}?viewType=page`);
  assert.deepEqual(pick(objectAt(page, "data.caseInfo.content"), "pyViewName", "pyViewContext"), {
    pyViewName: "EditHome",
    pyViewContext: ".Home",
  });
  assert.deepEqual(paths(readForm(page)), ["Home.City", "Home.Capital"]);
  const filled = form.set("Home.City", "Rome");
  assert.deepEqual(filled.toSubmission().content, { Home: { City: "Rome" } });
  assert.equal(valueAt(await visit.submit("AboutHome", filled), "Home.City"), "Rome");
  const refreshed = await visit.refresh("AboutHome", filled.set("Home.Capital", true), "Home.Capital");
  assert.deepEqual(paths(refreshed), ["Home.City", "Home.Capital", "Home.Mayor"]);
});

Deno.test("going back in the create stage returns a page with nothing to walk, and names its form", async () => {
  const visit = await office.visit();
  await visit.send("PATCH", visit.path("Go"), { content: {} });
  const open = await visit.send("GET", `/cases/${visit.caseId}`);
  const id = String(valueAt(open, "data.caseInfo.assignments.0.ID"));
  await visit.send("PATCH", `/assignments/${id}/actions/Big`, { content: { Weight: 2 } });
  const back = await visit.send("PATCH", `/assignments/${id}/navigation_steps/previous?viewType=page`, {});
  assert.equal(valueAt(back, "data.caseInfo.content.pyViewName"), "Big");
  const form = readForm(back, { action: "Big" });
  assert.deepEqual(shown(form), ["Weight: 2"]);
});

Deno.test("the root of a row is its view at the row, and only the row is described", async () => {
  const visit = await office.visit({ Stops: [{ City: "Oslo" }, { City: "Bergen", Fee: 7 }] });
  const row = await visit.send("PATCH", `/cases/${visit.caseId}/views/StopForm/refresh`, {
    content: {},
    pageInstructions: [],
    interestPage: ".Stops(2)",
  });
  assert.deepEqual(pick(objectAt(row, "uiResources.root.config"), "name", "context"), {
    name: "StopForm",
    context: "caseInfo.content.Stops[1]",
  });
  assert.deepEqual(valueAt(row, "data.caseInfo.content.Stops.0"), {});
  assert.deepEqual(shown(readForm(row)), ["City: Bergen", "Fee: NOK 7.00", "Double: NOK 14.00", "Note: "]);
});

Deno.test("after the last step there is no root, but a summary and a note", async () => {
  const visit = await office.visit();
  await visit.send("PATCH", visit.path("Go"), { content: {} });
  const open = await visit.send("GET", `/cases/${visit.caseId}`);
  const id = String(valueAt(open, "data.caseInfo.assignments.0.ID"));
  for (const screen of ["Big", "Small"]) {
    await visit.send("PATCH", `/assignments/${id}/actions/${screen}`, { content: {} });
  }
  const end = await visit.send("PATCH", `/assignments/${id}/actions/Tickets?viewType=page`, { content: {} });
  assert.equal(valueAt(end, "uiResources.root"), undefined);
  assert.deepEqual(Object.keys(objectAt(end, `${RESOURCES}.views`)), ["pyCaseSummary"]);
  const form = readForm(end);
  assert.deepEqual([form.purpose, asked(form)], ["confirmation", []]);
  assert.match(form.confirmation, /^Thank you!/);
});

Deno.test("of two views of one name, the first refers to the second, which is found by its class", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("SameName");
  const views = valueAt(body, `${RESOURCES}.views.Both`);
  assert.deepEqual(Array.isArray(views) && views.map((view) => valueAt(view, "classID")), [TYPE, HOME]);
  assert.equal(configWith(viewOf(body, "Both", TYPE), "context", ".Home").name, "Both");
  assert.deepEqual(outline(form), [
    'Purpose: text "Purpose" = ',
    "# Home",
    '  Home.City: text "City of the home" = ',
    '  Home.Mayor: text "Mayor" = ',
  ]);
  const filled = form.set("Home.Mayor", "Marianne");
  assert.deepEqual(filled.toSubmission(), {
    content: { Home: { Mayor: "Marianne" } },
    pageInstructions: [],
    attachments: [],
  });
  assert.equal(valueAt(await visit.submit("SameName", filled), "Home.Mayor"), "Marianne");
});

Deno.test("pages and rows without views of their own share the name of a view, which an ancestor defines", async () => {
  const visit = await office.visit({ Legs: [{ City: "Rome" }] });
  const { body, form } = await visit.open("Plain");
  const views = valueAt(body, `${RESOURCES}.views.pyEdit`);
  assert.deepEqual(
    Array.isArray(views) && views.map((view) => [valueAt(view, "classID"), valueAt(view, "config.ruleClass")]),
    [[HOME, "@baseclass"], ["Acme-Visits-Data-Stop", "@baseclass"]],
  );
  assert.equal(configWith(viewOf(body, "Plain"), "context", ".Home").ruleClass, "@baseclass");
  assert.deepEqual(paths(form), ["Home.City", "Home.Capital", "Home.Mayor", "Home.Depot", "Home.Rooms", "Stops"]);
  const filled = form.set("Home.Mayor", "Marianne").list("Stops").insert({ City: "Lima" });
  const stored = await visit.submit("Plain", filled);
  assert.deepEqual([valueAt(stored, "Home.Mayor"), valueAt(stored, "Stops.0.City")], ["Marianne", "Lima"]);
});

Deno.test("one property in a group, in the view of its page and in a copy is asked once and sent nested", async () => {
  const visit = await office.visit({ Home: { City: "Oslo" } });
  const { body, form } = await visit.open("ThreeTimes");
  const view = viewOf(body, "ThreeTimes");
  const inGroup = configWith(view, "value", "@P .Home.City");
  assert.deepEqual(pick(inGroup, "label", "required"), { label: "@FL .Home.City", required: true });
  const references = valueAt(view, "children.0.children");
  assert.deepEqual(
    Array.isArray(references) && references.slice(1).map((one) => pick(objectAt(one, "config"), "name", "context")),
    [{ name: "EditHome", context: ".Home" }, { name: "Review", context: ".Home" }],
  );
  assert.equal(valueAt(viewOf(body, "Review"), "config.template"), "Details");
  assert.deepEqual(asked(form), [
    'Home.City: text "City of the home"',
    'Home.Capital: boolean "Capital"',
  ]);
  const filled = form.set("Home.City", "Rome");
  const cities = filled.nodes.map((node) => "children" in node && node.children.find(isCity)).map((node) => {
    return node && "text" in node && node.text;
  });
  assert.deepEqual(cities, ["Rome", "Rome", "Rome"]);
  assert.deepEqual(filled.toSubmission().content, { Home: { City: "Rome" } });
  assert.deepEqual(withoutClasses(pick(await visit.submit("ThreeTimes", filled), "Home")), {
    Home: { City: "Rome", Capital: false, Mayor: "", Depot: { ID: "", City: "", Zip: "", Size: "" }, Rooms: [] },
  });
  const { status, body: answer } = await visit.refused("ThreeTimes", filled.set("Home.City", ""));
  assert.equal(status, 422);
  assert.match(JSON.stringify(answer.errorDetails), /"\.Home\.City"/);
});

Deno.test("a view that only shows values has highlighted fields and nested views, and nothing of it is asked", async () => {
  const visit = await office.visit({ Purpose: "Fair", Kind: "Air", Days: 2, Home: { City: "Oslo" } });
  const { body, form } = await visit.open("Details");
  const config = objectAt(viewOf(body, "Summary"), "config");
  assert.deepEqual(pick(config, "template", "showHighlightedData"), { template: "Details", showHighlightedData: true });
  assert.deepEqual(valuesOf(config.highlightedData), ["@P .Kind"]);
  assert.equal(configWith(viewOf(body, "Details"), "context", ".Home").readOnly, true);
  assert.equal(valueAt(body, `${RESOURCES}.fields.Total.0.isDeclarativeTarget`), true);
  assert.deepEqual(asked(form), ['Days: integer "Days"']);
  assert.deepEqual(shown(form), [
    "Days: 2",
    "Kind: Air",
    "Purpose: Fair",
    "City of the home: Oslo",
    "Capital: No",
    "Total: NOK 0.00",
  ]);
  const filled = form.set("Days", 5);
  assert.deepEqual(filled.toSubmission().content, { Days: 5 });
  assert.equal((await visit.submit("Details", filled)).Days, 5);
});

function isCity(node: object): boolean {
  return "path" in node && node.path === "Home.City";
}

function valuesOf(nodes: JsonValue | undefined): (JsonValue | undefined)[] {
  return Array.isArray(nodes) ? nodes.filter(isJsonObject).map((node) => valueAt(node, "config.value")) : [];
}
