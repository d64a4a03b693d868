/** Fields whose values are chosen. */
import assert from "node:assert/strict";
import {
  ChoiceLoader,
  type ChoiceQuery,
  type ChoiceSource,
  createChoiceSource,
  type Form,
  type JsonObject,
  readForm,
} from "../../../lib/forms/mod.ts";
import { body, declare, field, view } from "./_body.ts";
import { cascade, cascadeInRows, copyRow, sources } from "./fixtures/choices.ts";
import { asked, outline, paths } from "./_outline.ts";

function findField(form: Form, path: string) {
  const question = form.find(path);
  assert.ok(question?.type === "field", path);
  return question;
}

function findQuery(form: Form, path: string): ChoiceQuery {
  const { query } = findField(form, path);
  assert.ok(query, path);
  return query;
}

Deno.test("choices are read from every place in which a response has them", () => {
  const form = readForm(sources);
  assert.deepEqual(outline(form), [
    'Kind: choice "Kind" = Sea',
    'Class: choice "Class" = ',
    'Depot: choice "Depot" = 9',
    'Number: choice "Number" = ',
    'Zip: text "Zip" = ',
    'Shared: choice "Shared" = Oslo',
    'Inline: choice "Inline" = ',
    'Listed: choice "Listed" = Ex',
    'Agreed: boolean "Agreed" = No',
    'Bare: choice "Bare" = raw',
  ]);
  const list = (path: string) => findField(form, path).choices?.map(({ key, text }) => [key, text]);
  assert.deepEqual(list("Kind"), [["A", "Air"], ["S", "Sea"]]);
  assert.deepEqual(list("Class"), [["1", "First"], ["2", "Second"]]);
  assert.deepEqual(list("Shared"), [[5, "Oslo"], [6, "6"]]);
  assert.deepEqual(list("Inline"), [["a", "Bergen"]]);
  assert.deepEqual(list("Listed"), [["x", "Ex"], ["y", "Why"]]);
  assert.equal(list("Bare"), undefined);
  assert.equal(findField(form, "Kind").placeholder, "Select...");
});

Deno.test("a data page is queried with its key, its text, its columns and its default parameters", () => {
  const form = readForm(sources);
  assert.deepEqual(findQuery(form, "Depot"), {
    dataView: "D_DepotList",
    parameters: { country: "NO" },
    dependsOn: [],
    key: "ID",
    text: "City",
    columns: [{ path: "City", label: "City" }],
    isQueryable: true,
    setters: [],
  });
  assert.deepEqual(findQuery(form, "Number"), {
    dataView: "D_DepotList",
    parameters: { country: "NO" },
    dependsOn: [],
    key: "ID",
    text: "City",
    columns: [{ path: "City", label: "City" }, { path: "Zip", label: "Zip" }],
    isQueryable: true,
    setters: [{ column: "Zip", property: "Zip" }],
  });
});

Deno.test("a key is sent with the type that it has in its list", () => {
  const form = readForm(sources);
  assert.deepEqual(form.set("Shared", "6").toSubmission().content, { Shared: 6 });
  assert.deepEqual(form.set("Shared", "oslo").toSubmission().content, {});
  assert.deepEqual(form.set("Kind", "Air").toSubmission().content, { Kind: "A" });
  assert.deepEqual(form.set("Kind", "").toSubmission().content, { Kind: "" });
  const row = { classID: "ACME-Demo-Data-Depot", ID: 5, City: "Oslo", Zip: "0150" };
  assert.deepEqual(form.choose("Number", { key: 5, text: "Oslo", row }).toSubmission().content, {
    Number: 5,
    Zip: "0150",
  });
});

Deno.test("a key that is not in the list can be typed, and a number stays a number", () => {
  const form = readForm(sources).set("Number", "42").set("Depot", "elsewhere").set("Kind", "R");
  assert.deepEqual(form.toSubmission().content, { Kind: "R", Depot: "elsewhere", Number: 42 });
  assert.equal(findField(form, "Kind").text, "R");
});

Deno.test("a change resets what depends on it, and what depends on that", () => {
  const form = readForm(cascade);
  assert.deepEqual(findQuery(form, "Region").parameters, { country: "NO" });
  assert.deepEqual(findQuery(form, "Region").dependsOn, ["Country"]);
  assert.deepEqual(findQuery(form, "Town").parameters, { region: "OS", size: "small" });
  const changed = form.set("Country", "SE");
  assert.deepEqual(changed.toSubmission().content, { Country: "SE", Region: "", Town: "" });
  assert.deepEqual(findQuery(changed, "Region").parameters, { country: "SE" });
  assert.deepEqual(findQuery(changed, "Town").parameters, { region: "", size: "small" });
  assert.deepEqual(changed.set("Region", "ST").toSubmission().content, { Country: "SE", Region: "ST", Town: "" });
  assert.deepEqual(form.set("Region", "BE").toSubmission().content, { Region: "BE", Town: "" });
  assert.deepEqual(form.set("Country", "NO").toSubmission().content, {});
  assert.deepEqual(form.set("Note", "x").toSubmission().content, { Note: "x" });
});

Deno.test("in a list, a change resets only its own row, and each row has its own choices", () => {
  const form = readForm(cascadeInRows);
  assert.deepEqual(findQuery(form, "Stops[0].Region").parameters, { country: "NO" });
  assert.deepEqual(findQuery(form, "Stops[1].Region").parameters, { country: "SE" });
  assert.equal(findQuery(form, "Stops[1].Country").dataView, "D_Countries");
  assert.deepEqual(form.set("Stops[1].Country", "DK").toSubmission().pageInstructions, [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Country: "DK", Region: "" } },
  ]);
});

Deno.test("choices are loaded once for the same parameters, and a failure leaves the value to be typed", async () => {
  const calls: string[] = [];
  const source: ChoiceSource = {
    load({ dataView, parameters, select }) {
      calls.push(`${dataView} ${JSON.stringify(parameters)} ${select?.join(",") ?? "-"}`);
      if (dataView === "D_Towns") return Promise.reject(new Error("The service failed."));
      return Promise.resolve({
        rows: [{ Code: "OS", Name: "Oslo" }, { Code: "X" }, { Name: "No key" }],
        hasMore: false,
      });
    },
  };
  const loader = new ChoiceLoader(source);
  const form = readForm(cascade);
  const regions = await loader.load(findField(form, "Region"));
  assert.deepEqual(regions.choices.map(({ key, text }) => [key, text]), [["OS", "Oslo"], ["X", "X"]]);
  await loader.load(findField(form.set("Note", "x"), "Region"));
  await loader.load(findField(form.set("Country", "SE"), "Region"));
  const failed = await loader.load(findField(form, "Town"));
  assert.deepEqual([failed.choices, String(failed.error)], [[], "Error: The service failed."]);
  await loader.load(findField(form, "Town"));
  assert.deepEqual(calls, [
    'D_Regions {"country":"NO"} -',
    'D_Regions {"country":"SE"} -',
    'D_Towns {"region":"OS","size":"small"} -',
    'D_Towns {"region":"OS","size":"small"} -',
  ]);
  assert.deepEqual(form.set("Town", "Drammen").toSubmission().content, { Town: "Drammen" });
  await loader.load(findField(readForm(sources), "Number"));
  assert.equal(calls.at(-1), 'D_DepotList {"country":"NO"} ID,City,Zip');
});

Deno.test("all choices of a data view are sorted as people expect, and a part keeps its order", async () => {
  const names = ["Zürich", "Ärö", "Area 10", "oslo", "Area 9", "Bergen"];
  const sorted = ["Area 9", "Area 10", "Ärö", "Bergen", "oslo", "Zürich"];
  for (const hasMore of [false, true]) {
    const rows = names.map((Name) => ({ Code: Name, Name }));
    const loader = new ChoiceLoader({ load: () => Promise.resolve({ rows, hasMore }) });
    const { choices } = await loader.load(findField(readForm(cascade), "Region"));
    assert.deepEqual(choices.map(({ text }) => text), hasMore ? names : sorted);
  }
});

Deno.test("a row of a list of the case is copied into a page, and cleared again", () => {
  const form = readForm(copyRow);
  assert.deepEqual(asked(form), ['Main: copy reference "Main stop"']);
  const reference = form.find("Main");
  assert.ok(reference?.type === "reference");
  assert.deepEqual(reference.choices?.map(({ key, text }) => [key, text]), [["Bergen", "Bergen"], ["Molde", "Molde"]]);
  const chosen = form.reference("Main").choose("Bergen");
  assert.deepEqual(chosen.toSubmission().content, { Main: { City: "Bergen", Fee: 90, pyLabel: "Bergen" } });
  assert.deepEqual(outline(chosen), [
    'Main: copy reference "Main stop" = Bergen',
    'Main.City: text "City" = Bergen (read-only)',
    'Main.Fee: currency "Fee" = 90.00 (read-only)',
  ]);
  const { data, uiResources } = JSON.parse(JSON.stringify(copyRow));
  uiResources.resources.views.pyReview[0].config.template = "DefaultForm";
  assert.deepEqual(outline(readForm({ data, uiResources }).reference("Main").choose("Bergen")), outline(chosen));
  const other = chosen.reference("Main").choose("Molde");
  assert.deepEqual(other.toSubmission().content, { Main: { City: "Molde", Fee: 70, pyLabel: "Molde" } });
  assert.deepEqual(other.reference("Main").clear().toSubmission().content, {});
});

Deno.test("the pages of a copied row are copied without the bookkeeping of the platform", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(copyRow));
  Object.assign(data.caseInfo.content.Stops[0], {
    Hall: { classID: "ACME-Demo-Data-Hall", pxObjClass: "X", Name: "A" },
  });
  const form = readForm({ data, uiResources }).reference("Main").choose("Bergen");
  assert.deepEqual(form.toSubmission().content, {
    Main: { City: "Bergen", Fee: 90, Hall: { Name: "A" }, pyLabel: "Bergen" },
  });
});

Deno.test("clearing a stored copy clears all of its members", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(copyRow));
  data.caseInfo.content.Main = { classID: "ACME-Demo-Data-Stop", pyLabel: "Bergen", City: "Bergen", Fee: 90 };
  const form = readForm({ data, uiResources });
  assert.deepEqual(form.reference("Main").clear().toSubmission().content, { Main: { pyLabel: "", City: "", Fee: "" } });
});

Deno.test("rows of a data page are found under the name of its parameters, and by the name of their list", () => {
  const pick = (path: string, source: string) =>
    field("Dropdown", path, { datasource: { source, fields: { key: "@P .ID", text: "@P .City" } } });
  const response = body({
    views: [
      view("EditTrip", [
        pick(".A", "@DATASOURCE D_List.pxResults"),
        pick(".B", "@DATASOURCE D_Page.Depots"),
        pick(".C", "@DATASOURCE .Stops"),
        field("Dropdown", ".D", { datasource: { source: "@ASSOCIATED .Kind" } }),
        field("Dropdown", ".E", { datasource: { source: "@ASSOCIATED .E" } }),
      ]),
    ],
    fields: {
      Kind: declare("Text", "Kind", { datasource: { tableType: "PromptList", records: [{ key: "A", value: "Air" }] } }),
      E: declare("Text", "E", { datasource: { source: "@ASSOCIATED .E" } }),
    },
    data: {
      shared: { D_List: { "D_List_country_NO": { pxResults: [{ ID: 1, City: "Oslo" }] } } },
      D_Page: { Depots: [{ ID: 2, City: "Voss" }] },
    },
    content: { Stops: [{ ID: 3, City: "Molde" }] },
  });
  const form = readForm(response);
  const texts = form.questions.map((question) =>
    question.type === "field" && question.choices?.map(({ text }) => text)
  );
  assert.deepEqual(texts, [["Oslo"], ["Voss"], ["Molde"], ["Air"], undefined]);
});

Deno.test("rows of a data page that the response lacks are queried", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [
        field("Dropdown", ".Depot", {
          listType: "datapage",
          datasource: {
            source: "@DATASOURCE D_DepotList.pxResults",
            fields: { key: "@P .ID", text: "@P .City", value: "@P .ID" },
          },
          parameters: { country: "@P .Country" },
        }),
      ]),
    ],
    content: { Country: "NO", Depot: "" },
  }));
  const depot = form.find("Depot");
  assert.ok(depot?.type === "field");
  const { dataView, parameters, key, text } = depot.query ?? {};
  assert.deepEqual({ dataView, parameters, key, text }, {
    dataView: "D_DepotList",
    parameters: { country: "NO" },
    key: "ID",
    text: "City",
  });
});

Deno.test("the texts of a data page are its keys if the response names no key", () => {
  const form = readForm(body({
    views: [view("EditTrip", [field("Dropdown", ".Town", { datasource: "@ASSOCIATED .Town" })])],
    fields: {
      Town: declare("Text", "Town", {
        datasource: { tableType: "DataPage", name: "D_Towns", propertyForDisplayText: "@P .City" },
      }),
    },
  }));
  const town = form.find("Town");
  assert.equal(town?.type === "field" && town.query?.key, "City");
});

Deno.test("values that depend on each other are filled in, in any order", () => {
  const { form, rest } = readForm(cascade).fill({ Town: "GB", Region: "VG", Country: "SE" });
  assert.deepEqual([form.toSubmission().content, rest], [{ Country: "SE", Region: "VG", Town: "GB" }, {}]);
});

Deno.test("a checkbox that is unchecked for the first time clears the choices that depend on it", () => {
  const parameters = [{ name: "urgent", value: "@P .Urgent" }];
  const form = readForm(body({
    views: [
      view("EditTrip", [field("Checkbox", ".Urgent"), field("Dropdown", ".Town", { datasource: "@ASSOCIATED .Town" })]),
    ],
    fields: {
      Urgent: declare("True-False", "Urgent"),
      Town: declare("Text", "Town", { datasource: { tableType: "DataPage", name: "D_Towns", parameters } }),
    },
    content: { Town: "Oslo" },
  }));
  assert.deepEqual(form.set("Urgent", false).toSubmission().content, { Town: "" });
  assert.deepEqual(form.set("Urgent", false).set("Town", "Rome").set("Urgent", false).toSubmission().content, {
    Town: "Rome",
  });
});

Deno.test("a client reads the rows of a data view, with the columns of a queryable one", async () => {
  const requests: JsonObject[] = [];
  const read = (answer: object, parameters: JsonObject, select?: readonly string[]) =>
    createChoiceSource({
      data: {
        query(_dataView, { data }) {
          requests.push(data);
          return Promise.resolve(answer);
        },
      },
    }).load({ dataView: "D_Towns", parameters, select });
  const rows = [{ Code: "OS" }];
  assert.deepEqual(await read({ data: [...rows, null] }, {}), { rows, hasMore: false });
  assert.deepEqual(await read({ data: rows, hasMoreResults: true }, { country: "NO" }, ["Code"]), {
    rows,
    hasMore: true,
  });
  assert.deepEqual(await read([rows], {}), { rows: [], hasMore: false });
  const paging = { maxResultsToFetch: 5000 };
  assert.deepEqual(requests, [
    { paging },
    { dataViewParameters: { country: "NO" }, query: { select: [{ field: "Code" }] }, paging },
    { paging },
  ]);
});

Deno.test("a choice also sets properties, whether or not the form asks them", () => {
  const columns = [
    { value: ".Code", key: "true" },
    { value: ".Zip", setProperty: ".Zip" },
    { value: ".Land", setProperty: ".Home.Country" },
    { value: ".Other", setProperty: "Associated property" },
  ];
  const form = readForm(body({
    views: [
      view("EditTrip", [
        field("Dropdown", ".Town", { datasource: "D_Towns", columns }),
        field("TextInput", ".Zip"),
        field("TextInput", ".Note", { visibility: "@E .Home.Country == 'NO'" }),
      ]),
    ],
    content: { Town: "", Zip: "", Note: "", Home: { Country: "" } },
  }));
  assert.deepEqual(paths(form), ["Town", "Zip"]);
  const row = { Code: "OS", Zip: "0150", Land: "NO", Other: "x" };
  const chosen = form.choose("Town", { key: "OS", text: "Oslo", row });
  assert.deepEqual(chosen.toSubmission().content, { Town: "OS", Zip: "0150" });
  assert.deepEqual(paths(chosen), ["Town", "Zip", "Note"]);
});
