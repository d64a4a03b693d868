/** Lists of embedded data. */
import assert from "node:assert/strict";
import { type Form, type FormList, type JsonObject, readForm } from "../../../lib/forms/mod.ts";
import {
  allowances,
  computedRows,
  dataPageTables,
  emptyTable,
  fixedRows,
  inlineTable,
  legacyModal,
  listInPage,
  listInRows,
  missingRowView,
  modalTable,
  newerComponent,
  referenceColumn,
  repeatingView,
  rowActions,
  separateEdit,
} from "./fixtures/lists.ts";
import { body, declareList, field, group, rawView, reference, region, view } from "./_body.ts";
import { asked, outline, paths } from "./_outline.ts";

const STOP = "ACME-Demo-Data-Stop";

function findList(form: Form, path = "Stops"): FormList {
  const question = form.find(path);
  assert.ok(question?.type === "list", path);
  return question;
}

function instructions(form: Form): JsonObject[] {
  const { content, pageInstructions } = form.toSubmission();
  assert.deepEqual(content, {});
  return pageInstructions;
}

Deno.test("the columns of an inline table are asked in each row, and its list is asked as one question", () => {
  const form = readForm(inlineTable);
  assert.deepEqual(asked(form), ['Purpose: text "Purpose"', 'Stops: list "Stops on the way"']);
  const list = findList(form);
  assert.equal(list.noun, "stop");
  assert.deepEqual(list.columns.map(({ path, label }) => `${path} ${label}`), [
    "City City",
    "Kind Kind",
    "Day Day",
    "Night Night",
    "Fee Fee",
    "Total Total",
  ]);
  assert.deepEqual(list.rows.map(({ heading, cells }) => [heading, ...cells]), [
    ["Row 1", "Oslo", "Air", "2031-04-05", "Yes", "90.00", ""],
    ["Row 2", "Bergen", "Sea", "", "No", "70.00", ""],
    ["Row 3", "Molde", "", "", "No", "", ""],
  ]);
  assert.deepEqual(outline(form).slice(1, 8), [
    'Stops: list "Stops on the way" = [3]',
    "  - Row 1",
    '    Stops[0].City: text "City" = Oslo (required)',
    '    Stops[0].Kind: choice "Kind" = Air',
    '    Stops[0].Day: date "Day" = 2031-04-05',
    '    Stops[0].Night: boolean "Night" = Yes',
    '    Stops[0].Fee: currency "Fee" = 90.00',
  ]);
  assert.deepEqual([list.canAdd, list.canReorder, list.rowView], [true, true, undefined]);
});

Deno.test("rows are added, edited, removed and moved by instructions that count from 1", () => {
  const form = readForm(inlineTable);
  assert.deepEqual(instructions(form), []);
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Voss", Fee: "60", Kind: "Air" })), [
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss", Fee: 60, Kind: "A" } },
  ]);
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Voss" }, 0)), [
    { instruction: "INSERT", target: ".Stops", listIndex: 1, content: { City: "Voss" } },
  ]);
  assert.deepEqual(instructions(form.list("Stops").update(1, { Day: "2031-05-17", Night: true })), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Day: "2031-05-17", Night: true } },
  ]);
  assert.deepEqual(instructions(form.list("Stops").remove(1)), [
    { instruction: "DELETE", target: ".Stops", listIndex: 2 },
  ]);
  assert.deepEqual(instructions(form.list("Stops").move(1, 0)), [
    { instruction: "MOVE", target: ".Stops", listIndex: 2, listMoveToIndex: 1 },
  ]);
});

Deno.test("an edit of a row that a deletion has moved up names its new place", () => {
  const form = readForm(inlineTable).list("Stops").remove(0).list("Stops").update(1, { City: "Voss" });
  const expected = [
    { instruction: "DELETE", target: ".Stops", listIndex: 1 },
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { City: "Voss" } },
  ];
  assert.deepEqual(instructions(form), expected);
  const other = readForm(inlineTable).list("Stops").update(2, { City: "Voss" }).list("Stops").remove(0);
  assert.deepEqual(instructions(other), expected);
});

Deno.test("an added and removed row, and an edit that was taken back, send nothing", () => {
  const form = readForm(inlineTable);
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Voss" }).list("Stops").remove(3)), []);
  assert.deepEqual(instructions(form.set("Stops[0].Fee", 1).set("Stops[0].Fee", "90.0")), []);
  assert.deepEqual(instructions(form.list("Stops").move(0, 2).list("Stops").move(2, 0)), []);
});

Deno.test("computed and hidden columns are never sent", () => {
  const form = readForm(inlineTable);
  assert.throws(() => form.list("Stops").update(0, { Total: 5 }), /Total cannot be changed/);
  assert.throws(() => form.list("Stops").update(0, { Note: "x" }), /'Stops\[0\]\.Note' is not a field of this form/);
});

Deno.test("an empty required list is asked, and takes its first row", () => {
  const form = readForm(emptyTable);
  const list = findList(form);
  assert.deepEqual([list.isRequired, list.rows.length, list.canAdd], [true, 0, true]);
  assert.deepEqual(list.columns.map(({ label }) => label), ["City", "Kind", "Day", "Night", "Fee", "Total"]);
  assert.equal(list.newRow.length, 6);
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Oslo" })), [
    { instruction: "INSERT", target: ".Stops", listIndex: 1, content: { City: "Oslo" } },
  ]);
});

Deno.test("a dialog asks the fields of its row view, and the table shows the columns of the preset", () => {
  const form = readForm(modalTable);
  const list = findList(form);
  assert.equal(list.rowView, "StopForm");
  assert.deepEqual(list.columns.map(({ path }) => path), ["City", "Note"]);
  assert.deepEqual(list.rows.map(({ cells }) => cells), [["Oslo", "a"], ["Bergen", "b"], ["Molde", "c"]]);
  assert.deepEqual(outline(form).slice(2, 5), [
    "  - Row 1",
    '    Stops[0].City: text "City" = Oslo (required)',
    '    Stops[0].Fee: currency "Fee" = NOK 90.00',
  ]);
  assert.throws(() => form.set("Stops[0].Note", "x"), /not a field/);
  const changed = form.list("Stops").update(0, { City: "Drammen" }).list("Stops").insert({ City: "Voss", Fee: 10 });
  assert.deepEqual(instructions(changed), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { City: "Drammen" } },
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss", Fee: 10 } },
  ]);
  assert.deepEqual(findList(changed).rows.map(({ cells }) => cells[0]), ["Drammen", "Bergen", "Molde", "Voss"]);
});

Deno.test("a separate view is used for the stored rows only, by the newer and the older names", () => {
  for (const response of [separateEdit, legacyModal]) {
    const form = readForm(response).list("Stops").insert({ City: "Voss" });
    assert.deepEqual(findList(form).rows.map(({ nodes }) => nodes.map((node) => "path" in node && node.path)), [
      ["Stops[0].Note"],
      ["Stops[1].Note"],
      ["Stops[2].Note"],
      ["Stops[3].City", "Stops[3].Fee"],
    ]);
    assert.deepEqual(instructions(form.set("Stops[1].Note", "x")), [
      { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Note: "x" } },
      { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss" } },
    ]);
  }
});

Deno.test("a dialog without its view in the response asks the columns", () => {
  const form = readForm(missingRowView);
  assert.deepEqual(form.problems, []);
  assert.deepEqual(instructions(form.list("Stops").update(0, { City: "Voss" })), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { City: "Voss" } },
  ]);
});

Deno.test("a row is refreshed with all instructions so far, and only that row is taken from the answer", () => {
  const form = readForm(computedRows).list("Stops").insert({ City: "Voss" });
  const first = form.refreshRow("Stops[3]");
  assert.deepEqual(first, {
    call: "view",
    view: "StopFees",
    body: {
      content: {},
      pageInstructions: [{ instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss" } }],
      contextData: false,
      interestPage: ".Stops(4)",
    },
  });
  const computed = form.apply(rowAnswer(3, { classID: STOP, City: "Voss", Fee: 40, Total: 50 }));
  assert.deepEqual(outline(computed).slice(0, 5), outline(form).slice(0, 5));
  assert.deepEqual(findList(computed).rows.map(({ cells }) => cells[0]), ["Oslo", "Bergen", "Molde", "Voss"]);
  const changed = computed.set("Stops[3].Fee", 45);
  assert.deepEqual(changed.refreshRow("Stops[3]")?.body.pageInstructions, [
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss", Fee: 45 } },
  ]);
  assert.deepEqual(paths(computed), ["Purpose", "Stops"]);
});

Deno.test("a refresh of a row that leaves out the rows after it changes only this row", () => {
  const form = readForm(computedRows).list("Stops").update(0, { Fee: 95 });
  const computed = form.apply(rowAnswer(0, { classID: STOP, City: "Oslo", Fee: 95, Total: 100 }));
  assert.deepEqual(findList(computed).rows.map(({ cells }) => cells[0]), ["Oslo", "Bergen", "Molde"]);
  assert.deepEqual(instructions(computed), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Fee: 95 } },
  ]);
});

Deno.test("the confirmation of a row is a refresh of the action, whose answer has the whole list", () => {
  const form = readForm(computedRows).list("Stops").update(1, { Fee: "71" });
  const call = form.refreshFor("Stops[1]");
  assert.equal(call?.call, "action");
  assert.deepEqual(call?.body.pageInstructions, [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Fee: 71 } },
  ]);
  const stored = [
    { classID: STOP, City: "Oslo", Fee: "90", Total: 95 },
    { classID: STOP, City: "Bergen", Fee: "71", Total: 80 },
    { classID: STOP, City: "Molde", Fee: "", Total: "" },
  ];
  const answer = {
    data: { caseInfo: { content: { Stops: stored } } },
    uiResources: {
      resources: { views: {}, fields: {} },
      root: { type: "reference", config: { type: "view", name: "EditTrip", context: "caseInfo.content" } },
      context_data: {},
    },
  };
  const applied = form.apply(answer);
  assert.equal(applied.find("Stops[1].Total")?.type === "field" && applied.content.Stops !== undefined, true);
  assert.deepEqual(instructions(applied), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Fee: "71" } },
  ]);
  stored.push({ classID: STOP, City: "Voss", Fee: "40", Total: 45 });
  assert.deepEqual(instructions(readForm(computedRows).apply(answer)).slice(1), [
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss", Fee: "40" } },
  ]);
});

Deno.test("a row with an action of its own is opened and confirmed by that action", () => {
  const form = readForm(rowActions).list("Stops").update(1, { City: "Voss" });
  assert.equal(findList(form).rowAction, "StopAction");
  const opened = form.refreshRow("Stops[1]");
  assert.deepEqual([opened?.call, opened?.operation, opened?.body.interestPage, opened?.body.interestPageActionID], [
    "action",
    "showRow",
    ".Stops(2)",
    "StopAction",
  ]);
  const confirmed = form.refreshFor("Stops[1]");
  assert.deepEqual([confirmed?.call, confirmed?.operation], ["action", "submitRow"]);
  assert.deepEqual([confirmed?.body.interestPage, confirmed?.body.interestPageActionID], [".Stops(2)", "StopAction"]);
  const { data, uiResources } = JSON.parse(JSON.stringify(rowActions));
  uiResources.resources.views.EditTrip_Stops[0].config.editModeConfig.editType = "view";
  assert.equal(findList(readForm({ data, uiResources })).rowAction, undefined);
});

Deno.test("the view of a row is that of the class of the list", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [reference("EditTrip_Stops", { authorContext: ".Stops" })]),
      rawView("EditTrip_Stops", [], {
        template: "SimpleTable",
        config: {
          type: "multirecordlist",
          referenceList: "@P .Stops",
          contextClass: STOP,
          renderMode: "Editable",
          editMode: "modal",
          editModeConfig: { defaultView: "StopForm" },
        },
      }),
      view("StopForm", [field("TextInput", ".Wrong")]),
      view("StopForm", [field("TextInput", ".City")], { classID: STOP }),
    ],
    content: { Stops: [{ City: "Oslo" }] },
  }));
  assert.deepEqual(findList(form).rows[0]?.nodes.map((node) => "path" in node && node.path), ["Stops[0].City"]);
});

Deno.test("a repeating view asks its row view in place, and its read-only copy is not asked", () => {
  const form = readForm(repeatingView);
  assert.deepEqual(outline(form).slice(0, 4), [
    'Stops: list "Stops on the way" = [3]',
    "  - stop 1",
    '    Stops[0].City: text "City" = Oslo (required)',
    '    Stops[0].Fee: currency "Fee" = NOK 90.00',
  ]);
  assert.deepEqual(outline(form).slice(10, 13), [
    'Stops: list "Review" = [3] (read-only)',
    "  - Oslo",
    '    Stops[0].City: text "City" = Oslo (required, read-only)',
  ]);
  assert.deepEqual(asked(form), ['Stops: list "Stops on the way"']);
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Voss" }).set("Stops[0].Fee", 91)), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Fee: 91 } },
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Voss" } },
  ]);
});

Deno.test("conditions of the case and of each row decide what is allowed", () => {
  const form = readForm(allowances);
  const list = findList(form);
  assert.deepEqual([list.canAdd, list.canReorder], [true, false]);
  assert.deepEqual(list.rows.map(({ canEdit, canDelete }) => [canEdit, canDelete]), [
    [false, true],
    [true, false],
    [true, true],
  ]);
  assert.throws(() => form.set("Stops[0].Fee", 1), /Fee cannot be changed/);
  assert.throws(() => form.list("Stops").remove(1), /Row 2 of Stops on the way cannot be removed/);
  assert.throws(() => form.list("Stops").move(0, 1), /rows of Stops on the way cannot be moved/);
  const locked = form.set("Locked", true);
  assert.equal(findList(locked).canAdd, false);
  assert.throws(() => locked.list("Stops").insert(), /Rows cannot be added to Stops on the way/);
  const added = form.list("Stops").insert({ City: "Oslo", Fee: 1 });
  assert.equal(findList(added).rows[3]?.canEdit, true);
  assert.deepEqual(instructions(added), [
    { instruction: "INSERT", target: ".Stops", listIndex: 4, content: { City: "Oslo", Fee: 1 } },
  ]);
});

Deno.test("with allowTableEdit false, cells can be edited, but rows cannot be added, moved or removed", () => {
  const form = readForm(fixedRows);
  const list = findList(form);
  assert.deepEqual([list.canAdd, list.canReorder, list.rows[0]?.canDelete, list.rows[0]?.canEdit], [
    false,
    false,
    false,
    true,
  ]);
  assert.equal(instructions(form.set("Stops[0].City", "Voss")).length, 1);
});

Deno.test("a list in a page has the path of the page", () => {
  const form = readForm(listInPage);
  assert.deepEqual(asked(form), ['Home.Stops: list "Stops on the way"']);
  assert.deepEqual(instructions(form.list("Home.Stops").insert({ City: "Voss" })), [
    { instruction: "INSERT", target: ".Home.Stops", listIndex: 2, content: { City: "Voss" } },
  ]);
});

Deno.test("a list in a row has a target with the position of the row, and follows its row", () => {
  const form = readForm(listInRows);
  assert.deepEqual(outline(form).slice(3, 9), [
    '    Stops[0].Guests: list "Guests" = [0]',
    "  - Row 2",
    '    Stops[1].City: text "City" = Bergen',
    '    Stops[1].Guests: list "Guests" = [2]',
    "      - Row 1",
    '        Stops[1].Guests[0].Name: text "Name" = Ada',
  ]);
  assert.deepEqual(
    instructions(
      form.list("Stops[1].Guests").remove(0).set("Stops[1].City", "Voss").list("Stops[0].Guests").insert({
        Name: "Cy",
      }),
    ),
    [
      { instruction: "INSERT", target: ".Stops(1).Guests", listIndex: 1, content: { Name: "Cy" } },
      { instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { City: "Voss" } },
      { instruction: "DELETE", target: ".Stops(2).Guests", listIndex: 1 },
    ],
  );
  assert.deepEqual(instructions(form.list("Stops").insert({ City: "Molde", Guests: [{ Name: "Dora" }] })), [
    { instruction: "INSERT", target: ".Stops", listIndex: 3, content: { City: "Molde" } },
    { instruction: "INSERT", target: ".Stops(3).Guests", listIndex: 1, content: { Name: "Dora" } },
  ]);
});

Deno.test("the rows of a data page are shown by name and not asked", () => {
  const form = readForm(dataPageTables);
  assert.deepEqual(asked(form), ['Purpose: text "Purpose"']);
  const tables = form.shown.flatMap((question) =>
    question.type === "list" ? [[question.label, question.dataView]] : []
  );
  assert.deepEqual(tables, [["Rates", "D_RateList"], ["Prices", "D_PriceList"]]);
});

Deno.test("the list component of newer servers is the same list", () => {
  const form = readForm(newerComponent);
  const list = findList(form);
  assert.deepEqual(asked(form), ['Stops: list "Stops"']);
  assert.deepEqual([list.canAdd, list.rows[0]?.canDelete, list.rowView], [false, false, "StopForm"]);
  assert.deepEqual(list.columns.map(({ label }) => label), ["City", "Fee"]);
  assert.deepEqual(list.rows[0]?.cells, ["Oslo", "90.00"]);
  assert.deepEqual(instructions(form.set("Stops[0].City", "Voss")), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { City: "Voss" } },
  ]);
});

Deno.test("a column may refer to another view of the row", () => {
  const form = readForm(referenceColumn);
  assert.deepEqual(findList(form).columns.map(({ label }) => label), ["City", "Fee"]);
  assert.deepEqual(instructions(form.set("Stops[0].Fee", 5)), [
    { instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { Fee: 5 } },
  ]);
});

Deno.test("every template of a list is a list", () => {
  const templates = ["SimpleTable", "ListView", "FieldGroupTemplate", "FieldGroup", "RepeatingView", "DynamicTabs"];
  for (const template of templates) {
    const { data, uiResources } = JSON.parse(JSON.stringify(repeatingView));
    Object.assign(uiResources.resources.views.EditTrip_Stops[0].config, { template, type: undefined });
    const form = readForm({ data, uiResources });
    assert.deepEqual(asked(form), ['Stops: list "Stops on the way"'], template);
    assert.equal(findList(form).rows[0]?.nodes.length, 2, template);
  }
});

Deno.test("a list whose rows have names instead of positions is shown as one that cannot be filled in", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(inlineTable));
  Object.assign(uiResources.resources.fields.Stops[0], { type: "Page Group" });
  const form = readForm({ data, uiResources });
  assert.deepEqual(paths(form), ["Purpose"]);
  assert.match(form.problems.join(), /Stops on the way cannot be filled in here/);
});

Deno.test("the pages of a page group are shown by their names, and cannot be filled in", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(repeatingView));
  Object.assign(uiResources.resources.fields.Stops[0], { type: "Page Group" });
  Object.assign(data.caseInfo.content, { Stops: { North: { City: "Oslo" }, South: { City: "Rome" }, classID: "x" } });
  const form = readForm({ data, uiResources });
  assert.deepEqual(findList(form).rows.map(({ path, heading }) => [path, heading]), [
    ["Stops.North", "North"],
    ["Stops.South", "South"],
  ]);
  assert.deepEqual(paths(form), []);
});

function rowAnswer(row: number, content: JsonObject): JsonObject {
  const placeholders = Array.from({ length: row }, () => ({}));
  return {
    data: { caseInfo: { content: { Stops: [...placeholders, content] } } },
    uiResources: {
      resources: { views: {}, fields: {} },
      root: {
        type: "reference",
        config: { type: "view", name: "StopFees", context: `caseInfo.content.Stops[${row}]` },
      },
      context_data: { caseInfo: { content: { Stops: [...placeholders, { summary_of_when_conditions__: {} }] } } },
    },
  };
}

Deno.test("a column with the label of another one also names its property", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [reference("EditTrip_Stops", { authorContext: ".Stops" })]),
      rawView("EditTrip_Stops", [], {
        template: "SimpleTable",
        config: {
          type: "multirecordlist",
          referenceList: "@P .Stops",
          contextClass: STOP,
          renderMode: "ReadOnly",
          children: [
            field("TextInput", ".City", { label: "@L Place" }),
            field("TextInput", ".Zip", { label: "@L Place" }),
          ],
        },
      }),
    ],
    fields: { Stops: declareList("Stops", STOP) },
    content: { Stops: [{ City: "Oslo", Zip: "0150" }] },
  }));
  assert.deepEqual(findList(form).columns.map(({ label }) => label), ["Place", "Place (Zip)"]);
});

Deno.test("a table shows neither a hidden column nor a hidden value", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [reference("EditTrip_Stops", { authorContext: ".Stops" })]),
      rawView("EditTrip_Stops", [], {
        template: "SimpleTable",
        config: {
          type: "multirecordlist",
          referenceList: "@P .Stops",
          contextClass: STOP,
          renderMode: "Editable",
          editMode: "tableRows",
          children: [
            field("TextInput", ".City"),
            field("TextInput", ".Secret", { visibility: false }),
            field("TextInput", ".Visa", { visibility: "@E .City == 'Lima'" }),
          ],
        },
      }),
    ],
    fields: { Stops: declareList("Stops", STOP) },
    content: { Stops: [{ City: "Lima", Secret: "x", Visa: "V-1" }, { City: "Oslo", Secret: "y", Visa: "V-2" }] },
  }));
  const { columns, rows } = findList(form);
  assert.deepEqual(columns.map(({ path }) => path), ["City", "Visa"]);
  assert.deepEqual(rows.map(({ cells }) => cells), [["Lima", "V-1"], ["Oslo", ""]]);
});

Deno.test("a list that the service computes is never asked", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(inlineTable));
  uiResources.resources.fields.Stops[0].isDeclarativeTarget = true;
  assert.deepEqual(paths(readForm({ data, uiResources })), ["Purpose"]);
});

Deno.test("a table names the list or the data page of its rows, and its author context names neither", () => {
  const draw = (config: JsonObject) =>
    asked(readForm(body({
      views: [
        view("EditTrip", [reference("Table", { authorContext: ".Stops" })]),
        rawView("Table", [], {
          config: { template: "ListView", renderMode: "Editable", children: [field("TextInput", ".City")], ...config },
        }),
      ],
      fields: { Stops: declareList("Stops", STOP) },
      content: { Stops: [{ City: "Oslo" }] },
    })));
  assert.deepEqual(draw({ referenceList: "D_StopList" }), []);
  assert.deepEqual(draw({ referenceList: "@DATASOURCE D_StopList.pxResults" }), []);
  assert.deepEqual(draw({ referenceList: "@DATASOURCE .Stops" }), ['Stops: list "Stops"']);
  assert.deepEqual(draw({ type: "multirecordlist", referenceList: "D_StopList" }), ['Stops: list "Stops"']);
});

Deno.test("a list of records is never asked as rows, whether its view or its property says so", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(inlineTable));
  uiResources.resources.views.EditTrip_Stops[0].config.dataRetrievalType = "REFER";
  assert.deepEqual(paths(readForm({ data, uiResources })), ["Purpose"]);
});

Deno.test("a row has a position within its list", () => {
  const form = readForm(repeatingView);
  for (const position of [-1, 4, 1.5, NaN]) {
    assert.throws(() => form.list("Stops").insert({}, position), /cannot be inserted at .*: the list has 3 rows/);
    assert.throws(() => form.list("Stops").remove(position), /Stops on the way has no row/);
    assert.throws(() => form.list("Stops").move(0, position), /Stops on the way has no row/);
  }
  assert.equal(findList(form.list("Stops").insert({}, 3)).rows.length, 4);
});

Deno.test("the heading of a row is a property, or the number of the row if it has no text", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(repeatingView));
  data.caseInfo.content.Stops = ["Oslo", "", null, { Name: "Rome" }, 7].map((City) => ({ City }));
  const lines = outline(readForm({ data, uiResources }));
  assert.deepEqual(lines.filter((line) => line.startsWith("  - ")).map((line) => line.slice(4)), [
    ...["stop 1", "stop 2", "stop 3", "stop 4", "stop 5"],
    ...["Oslo", "Row 2", "Row 3", "Row 4", "7"],
  ]);
});

Deno.test("the columns of a table may be nested in regions and views, and in groups of a row", () => {
  const cells = [field("TextInput", ".City"), field("TextInput", ".Zip")];
  const draw = (...children: JsonObject[]) =>
    findList(readForm(body({
      views: [
        view("EditTrip", [reference("EditTrip_Stops", { authorContext: ".Stops" })]),
        rawView("EditTrip_Stops", [], {
          template: "SimpleTable",
          config: {
            type: "multirecordlist",
            referenceList: "@P .Stops",
            contextClass: STOP,
            renderMode: "Editable",
            editMode: "tableRows",
            children,
          },
        }),
      ],
      content: { Stops: [{ City: "Oslo", Zip: "0150" }] },
    })));
  const nested = [
    [region("Columns", ...cells)],
    [rawView("Columns", [region("Inner", ...cells)])],
    [region("Columns", group("Place", {}, ...cells))],
    [region(
      "Columns",
      group("Place", {}, ...cells.slice(0, 1)),
      { type: "TextContent", config: { content: "Note" } },
      ...cells.slice(1),
    )],
  ];
  for (const children of nested) {
    const { columns, rows } = draw(...children);
    assert.deepEqual([columns.map(({ path }) => path), rows[0]?.cells], [["City", "Zip"], ["Oslo", "0150"]]);
  }
});
