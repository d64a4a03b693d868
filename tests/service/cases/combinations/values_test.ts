/** Values of every type, help, choices from every source, copies of rows, files, and people. */
import assert from "node:assert/strict";
import { SvcError } from "../../../../lib/errors.ts";
import { readForm } from "../../../../lib/forms/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../utils/json.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { asked } from "../../../lib/forms/_outline.ts";
import { configWith, pick, viewOf } from "../forms/_forms.ts";
import { Office, part, withoutClasses } from "./_visit.ts";

const office = await Office.openForAll();
const RESOURCES = "uiResources.resources";
const CONTEXT = "uiResources.context_data.caseInfo.content";

/** Entered texts, what is sent, and what the service stores if it stores something else. */
const VALUES: Readonly<Record<string, readonly [entered: string, sent: JsonValue, stored?: JsonValue]>> = {
  Purpose: ["Fair", "Fair"],
  Notes: ["one\ntwo", "one\ntwo"],
  Story: ["A <b> c", "<p>A &lt;b&gt; c</p>"],
  Days: ["12", 12],
  Weight: ["2.50", 2.5],
  Share: ["12.5", 12.5],
  FeeCode: ["SEK", "SEK"],
  Fee: ["1000", 1000],
  Price: ["4500.25", 4500.25],
  Urgent: ["yes", true],
  Day: ["2031-04-05", "2031-04-05"],
  At: ["2031-04-06 00:30", "2031-04-05T22:30:00.000Z"],
  Start: ["6:30", "06:30:00"],
  Phone: ["+47 22 00 00 00", "+4722000000"],
  Mail: ["ada@acme.example", "ada@acme.example"],
  Site: ["https://acme.example/", "https://acme.example/"],
  Kind: ["Air", "Air"],
  Class: ["First", "First"],
  Lead: ["ben@acme", "ben@acme"],
};

Deno.test("a value of every type is entered, sent, stored and cleared", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Formats");
  const view = viewOf(body, "Formats");
  assert.deepEqual(pick(configWith(view, "value", "@P .Fee"), "isoCodeSelection", "currencyISOCode"), {
    isoCodeSelection: "propertyRef",
    currencyISOCode: "@P .FeeCode",
  });
  assert.deepEqual(pick(configWith(view, "value", "@P .Price"), "isoCodeSelection", "currencyISOCode"), {
    isoCodeSelection: "constant",
    currencyISOCode: "NOK",
  });
  const content = objectAt(body, "data.caseInfo.content");
  assert.deepEqual(Object.keys(VALUES).filter((name) => content[name] === undefined), []);
  const filled = Object.entries(VALUES).reduce((one, [path, [entered]]) => one.set(path, entered), form);
  const sent = Object.fromEntries(Object.entries(VALUES).map(([path, [, value]]) => [path, value]));
  assert.deepEqual(filled.toSubmission().content, sent);
  assert.deepEqual([part(filled, "Fee", "field").currency, part(filled, "Fee", "field").text], ["SEK", "SEK 1,000.00"]);
  const stored = await visit.submit("Formats", filled);
  assert.deepEqual(pick(stored, ...Object.keys(VALUES)), sent);

  const { form: again } = await visit.open("Formats");
  assert.deepEqual(again.toSubmission().content, {});
  const names = Object.keys(VALUES).filter((name) => name !== "Urgent");
  const cleared = names.reduce((one, path) => one.set(path, ""), again).set("Urgent", false);
  const empty = { ...Object.fromEntries(names.map((name) => [name, ""])), Urgent: false };
  assert.deepEqual(cleared.toSubmission().content, empty);
  assert.deepEqual(pick(await visit.submit("Formats", cleared), ...Object.keys(VALUES)), empty);
});

Deno.test("a number that was entered as text comes back as text until it is stored", async () => {
  const visit = await office.visit();
  const answer = await visit.send("PATCH", `${visit.path("Formats")}/refresh`, {
    content: { Days: "12", Price: "70" },
    contextData: false,
  });
  assert.deepEqual(pick(objectAt(answer, "data.caseInfo.content"), "Days", "Price"), { Days: 12, Price: 70 });
  const { form } = await visit.open("Formats");
  assert.deepEqual(form.apply(answer).content.Days, 12);
  await visit.send("PATCH", visit.path("Formats"), { content: { Days: "12" } });
  assert.equal((await visit.content()).Days, 12);
});

Deno.test("the help of a field is a paragraph, and the text limit and validators are declared", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Formats");
  assert.deepEqual(pick(objectAt(body, `${RESOURCES}.fields.Purpose.0`), "additionalInformation", "maxLength"), {
    additionalInformation: "@PARAGRAPH Purpose_additionalInfo",
    maxLength: 20,
  });
  assert.equal(
    valueAt(body, `${RESOURCES}.paragraphs.Purpose_additionalInfo.0.content`),
    "<p>The reason, e.g. a &amp; b.</p>",
  );
  assert.equal(part(form, "Purpose", "field").help, "The reason, e.g. a & b.");
  assert.equal(part(form, "Purpose", "field").maxLength, 20);
  assert.equal(valueAt(body, `${RESOURCES}.fields.Mail.0.validateAs`), "ValidEmailAddress");
});

Deno.test("choices are in the declaration, in data views, in the response or in the context of the page", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Choices");
  const view = viewOf(body, "Choices");
  const number = configWith(view, "value", "@P .Number");
  assert.deepEqual(number.columns, [
    { value: ".ID", key: "true", setProperty: "Associated property" },
    { value: ".City", display: "true", primary: "true", useForSearch: true },
    { value: ".Zip", secondary: "true", setProperty: ".Zip" },
  ]);
  assert.equal(valueAt(body, `${RESOURCES}.fields.Number.0.type`), "Integer");
  assert.deepEqual(configWith(view, "value", "@P .Shared").datasource, {
    source: "@DATASOURCE D_Skills.pxResults",
    fields: { key: "@P .ID", text: "@P .Text", value: "@P .ID" },
  });
  assert.equal(configWith(view, "value", "@P .Listed").deferDatasource, false);
  assert.deepEqual(valueAt(body, `${CONTEXT}.summary_of_associated_lists__`), {
    Listed: [{ key: "NO", value: "Norway" }, { key: "SE", value: "Sweden" }],
  });
  const read = (path: string) => part(form, path, "field").choices?.map(({ key, text }) => [key, text]);
  assert.deepEqual(read("Shared"), [[1, "Driving"], [2, "Cooking"], [3, "Singing"]]);
  assert.deepEqual(read("Listed"), [["NO", "Norway"], ["SE", "Sweden"]]);

  const { choices } = await office.loader.load(part(form, "Number", "field"));
  const oslo = choices.find(({ text }) => text === "Oslo");
  assert.ok(oslo);
  const filled = form.choose("Number", oslo).set("Shared", "Cooking").set("Listed", "Sweden");
  assert.deepEqual(filled.toSubmission().content, { Number: 1, Zip: "0150", Shared: 2, Listed: "SE" });
  const stored = await visit.submit("Choices", filled);
  assert.deepEqual(pick(stored, "Number", "Zip", "Shared", "Listed"), {
    Number: 1,
    Zip: "0150",
    Shared: 2,
    Listed: "SE",
  });
  const { status } = await visit.refused("Choices", form.set("Number", "99"));
  assert.equal(status, 422, "no depot has the number 99");
});

Deno.test("of three choices each depends on the one before, and a change resets those that follow", async () => {
  const visit = await office.visit({ Country: "NO", Region: "W", Town: "b" });
  const { form } = await visit.open("Choices");
  assert.deepEqual(part(form, "Town", "field").query?.dependsOn, ["Region"]);
  const changed = form.set("Country", "SE");
  assert.deepEqual(changed.toSubmission().content, { Country: "SE", Region: "", Town: "" });
  const { choices } = await office.loader.load(part(changed, "Region", "field"));
  assert.deepEqual(choices.map(({ text }) => text), ["Väst"]);
  const filled = changed.set("Region", "W");
  assert.deepEqual(pick(await visit.submit("Choices", filled), "Country", "Region", "Town"), {
    Country: "SE",
    Region: "W",
    Town: "",
  });
});

Deno.test("choices that the service refuses to list leave the key to be typed, and the service checks it", async () => {
  const visit = await office.visit();
  const { form } = await visit.open("Ports");
  const { choices, error } = await office.loader.load(part(form, "Port", "field"));
  assert.deepEqual(choices, []);
  assert.ok(error instanceof SvcError);
  assert.match(error.message, /D_TownsOfRegion needs the parameter Region/);
  const filled = form.set("Port", "b");
  assert.deepEqual(filled.toSubmission().content, { Port: "b" });
  const { status, body } = await visit.refused("Ports", filled);
  assert.equal(status, 422);
  assert.equal(part(filled.applyErrors(body), "Port", "field").errors.length, 1);
  const complete = filled.set("Region", "W").set("Port", "b");
  const stored = await visit.submit("Ports", complete);
  assert.deepEqual([stored.Region, stored.Port], ["W", "b"]);
});

Deno.test("a dependent choice in the rows of a list uses the values of its row", async () => {
  const visit = await office.visit({ Stops: [{ City: "Oslo", Country: "NO" }, { City: "Lund", Country: "SE" }] });
  const { form } = await visit.open("RowChoices");
  const texts = await Promise.all([0, 1].map(async (row) => {
    const { choices } = await office.loader.load(part(form, `Stops[${row}].Region`, "field"));
    return choices.map(({ text }) => text);
  }));
  assert.deepEqual(texts, [["East", "West"], ["Väst"]]);
  const filled = form.set("Stops[1].Region", "W");
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Region: "W" } },
  ]);
  assert.equal(valueAt(await visit.submit("RowChoices", filled), "Stops.1.Region"), "W");
});

Deno.test("a row of a list is copied into a page, exchanged for another one, and cleared", async () => {
  const visit = await office.visit({ Legs: [{ City: "Rome", Fee: 3 }, { City: "Lima", Fee: 5 }] });
  const { body, form } = await visit.open("Copy");
  const { type, config } = objectAt(viewOf(body, "Copy"), "children.0.children.0");
  assert.equal(type, "EmbeddedData");
  assert.ok(isJsonObject(config));
  assert.deepEqual(pick(config, "displayAs", "datasource", "targetPage", "value", "editable"), {
    displayAs: "Combobox",
    datasource: { source: "@DATASOURCE .Legs", fields: { key: "@P .City", value: "" }, copyAll: true },
    targetPage: "@P .Main",
    value: "@P .Main.pyLabel",
    editable: true,
  });
  assert.deepEqual(asked(form), ['Main: copy reference "Main stop"']);
  const main = part(form, "Main", "reference");
  assert.deepEqual(main.choices?.map(({ text }) => text), ["Rome", "Lima"]);
  const filled = form.reference("Main").choose("Rome");
  assert.deepEqual(filled.toSubmission().content, { Main: { City: "Rome", Fee: 3, pyLabel: "Rome" } });
  const stored = await visit.submit("Copy", filled);
  assert.deepEqual(withoutClasses(stored.Main), { City: "Rome", Fee: 3, pyLabel: "Rome" });

  const changed = (await visit.open("Copy")).form.reference("Main").choose("Lima");
  assert.deepEqual(withoutClasses((await visit.submit("Copy", changed)).Main), {
    City: "Lima",
    Fee: 5,
    pyLabel: "Lima",
  });
  const cleared = (await visit.open("Copy")).form.reference("Main").clear();
  assert.deepEqual(cleared.toSubmission().content, { Main: { City: "", Fee: "", pyLabel: "" } });
  assert.deepEqual(withoutClasses((await visit.submit("Copy", cleared)).Main), { City: "", Fee: "", pyLabel: "" });
});

Deno.test("a file is uploaded, attached, exchanged and removed, and its type is checked", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("People");
  const config = configWith(viewOf(body, "People"), "value", "@P .Plan");
  assert.deepEqual(pick(config, "allowMultiple", "extensions"), { allowMultiple: "false", extensions: "pdf,txt" });
  const upload = async (name: string) => ({
    ID: (await office.client.attachments.upload({ file: new File(["x"], name) })).ID,
    name,
  });
  const plan = await upload("plan.txt");
  assert.throws(() => form.attach("Plan", { ID: plan.ID, name: "plan.exe" }), /pdf/);
  const wrong = await upload("plan.exe");
  const refused = await visit.refused("People", form.attach("Plan", { ID: wrong.ID, name: "plan.pdf" }));
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /Plan: 'plan\.exe' is not a file of the type pdf or txt/);
  const filled = form.attach("Plan", plan);
  assert.deepEqual(filled.toSubmission().pageInstructions, [
    { instruction: "REPLACE", target: ".Plan", content: { ID: plan.ID } },
  ]);
  const stored = await visit.submit("People", filled);
  assert.equal(valueAt(stored, "Plan.pyCount"), "1");
  const present = (await visit.open("People")).form;
  assert.equal(part(present, "Plan", "attachment").files.length, 1);
  const other = await upload("other.pdf");
  const exchanged = await visit.submit("People", present.attach("Plan", other));
  assert.notDeepEqual(valueAt(exchanged, "Plan.ID"), valueAt(stored, "Plan.ID"));
  const removed = (await visit.open("People")).form.attach("Plan", null);
  assert.deepEqual(removed.toSubmission().pageInstructions, [{ instruction: "DELETE", target: ".Plan" }]);
  assert.equal(valueAt(await visit.submit("People", removed), "Plan.pyCount"), "0");
});

Deno.test("an operator is chosen by name, and a phone number has the codes of its country", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("People");
  const view = viewOf(body, "People");
  assert.equal(configWith(view, "value", "@USER .Lead").referenceList, "D_pyC11nOperatorsList");
  assert.deepEqual(pick(configWith(view, "value", "@P .Phone"), "showCountryCode", "datasource"), {
    showCountryCode: true,
    datasource: {
      source: "@DATASOURCE D_pyCountryCallingCodeList.pxResults",
      fields: { value: "@P .pyCallingCode" },
    },
  });
  const { choices } = await office.loader.load(part(form, "Lead", "field"));
  const ben = choices.find(({ text }) => text === "Ben");
  assert.ok(ben);
  const filled = form.choose("Lead", ben).set("Phone", "+47 22 00 00 00").set("Story", "Hi");
  const sent: JsonObject = { Lead: "ben@acme", Phone: "+4722000000", Story: "<p>Hi</p>" };
  assert.deepEqual(filled.toSubmission().content, sent);
  assert.deepEqual(pick(await visit.submit("People", filled), "Lead", "Phone", "Story"), sent);
  const page = await visit.send("GET", `${visit.path("People")}?viewType=form`);
  assert.equal(part(readForm(page), "Lead", "field").text, "Ben");
});
