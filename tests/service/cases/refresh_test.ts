/** Refreshing forms and rows, and computing fields and conditions, of forms that are not complete. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { type CallContext, objectAt, valueAt } from "../../harness/service_engine.ts";
import { openTrip, type Trip } from "./_trip.ts";

const STOPS = [{ City: "Oslo" }, { City: "Bergen", Fee: 5, Guests: [{ Name: "Bo" }, { Name: "Al", Age: 9 }] }];

/** Refreshes the form of a trip. */
async function refresh({ engine, form }: Trip, values: object, context?: CallContext): Promise<JsonObject> {
  return await engine.body("assignments.refreshAction", { ...form, ...values }, context);
}

/** Returns the members of a page without its class. */
function membersOf(page: JsonValue | undefined): JsonObject {
  const { classID: _, ...members } = isJsonObject(page) ? page : {};
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

Deno.test("a refresh accepts a form that is not complete, keeps its entries, and computes what it can", async () => {
  await using trip = await openTrip({ Fee: 5, Start: "2026-01-31", Stops: [{ City: "Oslo", Fee: 3 }] });
  const data = { Kind: "Road", Days: "soon", Fee: "45,00", Abroad: "maybe", Start: "tomorrow", Home: { Floor: "top" } };
  const row = { instruction: "UPDATE", target: ".Stops(1)", content: { City: "", Fee: "-7" } };
  const added = { instruction: "APPEND", target: ".Stops", content: { City: "", Fee: "much" } };
  const body = await refresh(trip, { data, pageInstructions: [row, added] });
  const content = valueAt(body, "data.caseInfo.content");
  for (const [name, value] of Object.entries({ ...data, Home: undefined })) {
    if (value !== undefined) assert.equal(valueAt(content, name), value, name);
  }
  assert.equal(valueAt(content, "Home.Floor"), "top");
  assert.deepEqual(membersOf(valueAt(content, "Stops.0")), { City: "", Note: "", Fee: -7, Twice: -14, Guests: [] });
  assert.deepEqual(membersOf(valueAt(content, "Stops.1")), { City: "", Note: "", Fee: "much", Twice: 0, Guests: [] });
  assert.deepEqual([valueAt(content, "Total"), valueAt(content, "PerDay")], [-7, 0]);

  const submitted = { ...trip.form, data, pageInstructions: [row, added], ifMatch: "*" };
  const { status, details } = await trip.engine.refused("assignments.perform", submitted);
  assert.equal(status, 422, "only a submission is checked");
  assert.deepEqual(details.slice(1).map((issue) => issue.erroneousInputOutputFieldInPage), [
    ".Kind",
    ".Days",
    ".Fee",
    ".Abroad",
    ".Start",
    ".Home.Floor",
    ".Stops(1).Fee",
    ".Stops(2).Fee",
    ".Stops(1).City",
    ".Stops(2).City",
  ]);
});

Deno.test("a calculated field that cannot be computed has no value in a refresh, and numbers may be texts", async () => {
  await using trip = await openTrip();
  const endless = await refresh(trip, { data: { Abroad: true, Fee: "7", Days: "0" } });
  assert.equal(valueAt(endless, "data.caseInfo.content.PerDay"), "");
  assert.equal(valueAt(endless, "data.caseInfo.content.Total"), 7);
  const computed = await refresh(trip, { data: { Abroad: true, Fee: "7", Days: "2" } });
  const found = ["PerDay", "Total", "Fee"].map((name) => valueAt(computed, `data.caseInfo.content.${name}`));
  assert.deepEqual(found, [3.5, 7, 7]);
});

Deno.test("no value of a field, a page or a row makes a refresh fail", async () => {
  await using trip = await openTrip({ Days: 1, Fee: 2, Home: { Floor: 1 }, Stops: STOPS });
  const scalar = fc.oneof(fc.constantFrom("", "1e400", "-1", " 7 ", "2026-02-30", "Air"), fc.double(), fc.boolean());
  const value = fc.oneof(scalar, fc.constantFrom(null, {}), fc.array(scalar, { maxLength: 2 }));
  const pageOf = (...names: string[]) => fc.dictionary(fc.constantFrom(...names), value);
  const Home = fc.oneof(value, pageOf("City", "Floor"));
  const Stops = fc.oneof(value, fc.array(pageOf("City", "Fee", "Note", "Guests"), { maxLength: 3 }));
  const data = fc.tuple(pageOf("Kind", "Days", "Fee", "Abroad", "Start", "Hint"), fc.record({ Home, Stops }))
    .map(([fields, pages]) => ({ ...fields, ...pages }));
  const fits = fc.asyncProperty(data, pageOf("City", "Fee", "Note"), async (data, content) => {
    await refresh(trip, { data, pageInstructions: [{ instruction: "APPEND", target: ".Stops", content }] });
  });
  await fc.assert(fits, { numRuns: 200 });
});

Deno.test("a refresh refuses instructions that cannot be applied and fields that the form does not offer", async () => {
  await using trip = await openTrip({ Stops: STOPS });
  const refused = async (values: object) => {
    const { status, message } = await trip.engine.refused("assignments.refreshAction", { ...trip.form, ...values });
    return [status, message];
  };
  const away = { instruction: "DELETE", target: ".Stops", listIndex: 3 };
  assert.deepEqual(await refused({ pageInstructions: [away] }), [
    400,
    "Page instruction 1: 'listIndex' 3 is not between 1 and 2.",
  ]);
  assert.deepEqual(await refused({ data: { Total: 3 } }), [400, "'Total' is not editable in this form"]);
});

Deno.test("a refresh answers with data, views and context, or without views on request", async () => {
  await using trip = await openTrip();
  const query = { refreshFor: ".Kind" };
  const whole = await refresh(trip, { data: { Kind: "Air" } }, { query });
  assert.deepEqual(Object.keys(whole), ["data", "uiResources"]);
  assert.deepEqual(Object.keys(objectAt(whole, "data.caseInfo")), ["content"]);
  const all = ["components", "context_data", "localeReferences", "resources", "root"];
  assert.deepEqual(Object.keys(objectAt(whole, "uiResources")).sort(), all);
  const context = await refresh(trip, { data: { Kind: "Air" }, contextData: true }, { query });
  assert.deepEqual(Object.keys(objectAt(context, "uiResources")), ["context_data"]);
  assert.deepEqual(context.data, whole.data);
  const ai = await trip.engine.refused("assignments.refreshAction", { ...trip.form, fillFormWithAi: true });
  assert.deepEqual([ai.status, ai.message], [
    503,
    "This service has no AI to fill in forms. Leave out fillFormWithAI.",
  ]);
});

Deno.test("the refresh of a row shows it among empty rows, and starts at the row, also of a list in a row", async () => {
  await using trip = await openTrip({ Days: 2, Stops: [...STOPS, { City: "Molde" }] });
  for (const interestPage of [".Stops(2)", "Stops(2)", "caseInfo.content.Stops[1]"]) {
    const row = await refresh(trip, { data: { Days: 3 }, interestPage });
    assert.equal(valueAt(row, "uiResources.root.config.context"), "caseInfo.content.Stops[1]");
    assert.equal(valueAt(row, "data.caseInfo.content.Days"), 3);
    const [first, second, third, ...others] = [valueAt(row, "data.caseInfo.content.Stops")].flat();
    assert.deepEqual([first, valueAt(second, "City"), valueAt(second, "Guests.1.Age"), third, others], [
      {},
      "Bergen",
      9,
      {},
      [],
    ]);
    const [one, two, three] = [valueAt(row, "uiResources.context_data.caseInfo.content.Stops")].flat();
    assert.deepEqual([one, three], [{}, {}]);
    assert.deepEqual(valueAt(two, "GuestsTemp"), [{ summary_of_associated_lists__: {} }]);
  }
  const guest = await refresh(trip, { interestPage: ".Stops(2).Guests(1)" });
  assert.equal(valueAt(guest, "uiResources.root.config.context"), "caseInfo.content.Stops[1].Guests[0]");
  const [first, second] = [valueAt(guest, "data.caseInfo.content.Stops")].flat();
  assert.deepEqual(first, {});
  assert.deepEqual([valueAt(second, "Guests.0.Name"), valueAt(second, "Guests.1")], ["Bo", {}]);
  assert.deepEqual(valueAt(guest, "uiResources.context_data.caseInfo.content.Stops.1.Guests"), [{}, {}]);
});

Deno.test("a view of a row is refreshed with the instructions so far, and keeps numbers as they were typed", async () => {
  await using trip = await openTrip({ Days: 2, Stops: STOPS });
  const insert = { instruction: "INSERT", target: ".Stops", listIndex: 3, content: {} };
  const show = async (...pageInstructions: object[]) => {
    const values = { caseId: trip.caseId, view: "StopForm", interestPage: ".Stops(3)", pageInstructions };
    return await trip.engine.body("cases.refreshView", values);
  };
  const opened = await show(insert);
  assert.deepEqual(valueAt(opened, "uiResources.root.config"), {
    type: "view",
    name: "StopForm",
    context: "caseInfo.content.Stops[2]",
  });
  const rows = [valueAt(opened, "data.caseInfo.content.Stops")].flat();
  assert.deepEqual(rows.slice(0, 2), [{}, {}]);
  assert.deepEqual(
    membersOf(rows[2] ?? null),
    { City: "Oslo", Fee: "", Note: "", Twice: 0 },
    "the defaults of a new row",
  );
  assert.equal(valueAt(opened, "data.caseInfo.content.Days"), undefined, "only the row is shown");
  assert.equal(valueAt(opened, "uiResources.resources.views.StopForm.0.classID"), "Org-Trips-Data-Stop");

  const condition =
    "uiResources.context_data.caseInfo.content.Stops.2.summary_of_when_conditions__.StopForm_Note_visible";
  assert.equal(valueAt(opened, condition), false);
  const content = { City: "Molde", Fee: "4500" };
  const typed = await show(insert, { instruction: "UPDATE", target: ".Stops(3)", content });
  assert.equal(valueAt(typed, condition), true);
  const found = ["Fee", "Twice"].map((name) => valueAt(typed, `data.caseInfo.content.Stops.2.${name}`));
  assert.deepEqual(found, ["4500", 9000]);

  const missing = { caseId: trip.caseId, view: "StopForm", interestPage: ".Stops(3)" };
  assert.equal((await trip.engine.refused("cases.refreshView", missing)).status, 400, "there is no third row yet");
  const unknown = { ...missing, view: "StopFrom" };
  assert.equal((await trip.engine.refused("cases.refreshView", unknown)).status, 404);
});

Deno.test("an action of a row opens the row with its view, and confirms it with all rows as they are stored", async () => {
  await using trip = await openTrip({ Days: 2, Stops: STOPS });
  const pageInstructions = [{ instruction: "UPDATE", target: ".Stops(2)", content: { Fee: "70" } }];
  const row = { pageInstructions, interestPage: ".Stops(2)", interestPageActionId: "StopForm" };
  const { caseId } = trip;
  const whole = await trip.engine.body("cases.getAction", { caseId, action: "pyUpdateCaseDetails" });
  const calls: [name: string, values: object][] = [
    ["assignments.refreshAction", trip.form],
    ["cases.refreshAction", { caseId, action: "pyUpdateCaseDetails" }],
    ["cases.refreshView", { caseId, view: "Everything" }],
  ];
  for (const [name, form] of calls) {
    const call = async (operation?: string) => {
      return await trip.engine.body(name, { ...form, ...row }, operation ? { query: { operation } } : {});
    };
    for (const opened of [await call("showRow"), await call()]) {
      assert.deepEqual(valueAt(opened, "uiResources.root.config"), {
        type: "view",
        name: "StopForm",
        context: "caseInfo.content.Stops[1]",
      }, name);
      assert.deepEqual(valueAt(opened, "data.caseInfo.content.Stops.0"), {});
      assert.equal(valueAt(opened, "data.caseInfo.content.Stops.1.Fee"), "70");
    }
    const closed = await call("submitRow");
    assert.equal(valueAt(closed, "uiResources.root.config.context"), "caseInfo.content");
    assert.notEqual(valueAt(closed, "uiResources.root.config.name"), "StopForm");
    const [first, second] = [valueAt(closed, "data.caseInfo.content.Stops")].flat();
    assert.deepEqual([valueAt(first, "City"), valueAt(second, "Fee"), valueAt(second, "Twice")], ["Oslo", 70, 140]);
  }
  const left = await trip.engine.body("cases.getAction", { caseId, action: "pyUpdateCaseDetails" });
  assert.deepEqual(left, whole, "nothing is saved");
});

Deno.test("an action of a row needs the row and its action, which the class of the row must have", async () => {
  await using trip = await openTrip({ Stops: STOPS });
  const interestPage = ".Stops(1)";
  const refusals: [values: object, operation: string | undefined, status: number, reason: string][] = [
    [
      { interestPageActionId: "StopForm" },
      "showRow",
      400,
      "operation=showRow needs interestPage, the row of an embedded list, such as .Stops(1)",
    ],
    [{ interestPage }, "submitRow", 400, "operation=submitRow needs interestPageActionID, the action of the row"],
    [
      { interestPageActionId: "StopForm" },
      undefined,
      400,
      "interestPageActionID needs interestPage, the row of an embedded list, such as .Stops(1)",
    ],
    [
      { interestPage, interestPageActionId: "StopFrom" },
      "showRow",
      409,
      "StopFrom is not a valid action to use on the row .Stops(1); did you mean 'StopForm'?",
    ],
    [{ interestPage: ".Home" }, undefined, 400, "interestPage '.Home' is not a row of an embedded list"],
    [{ interestPage: ".Stops(3)" }, undefined, 400, "interestPage '.Stops(3)' is not a row of an embedded list"],
  ];
  for (const [values, operation, status, reason] of refusals) {
    const context = operation === undefined ? {} : { query: { operation } };
    const refused = await trip.engine.refused("assignments.refreshAction", { ...trip.form, ...values }, context);
    assert.deepEqual([refused.status, refused.message], [status, reason]);
  }
});

Deno.test("conditions of a form are evaluated at their page, and unknown names are left out", async () => {
  await using trip = await openTrip({ Days: 2, Stops: STOPS });
  const context = "content";
  const hint = { name: "Everything_Hint_visible", context };
  const note = "StopForm_Note_visible";
  const data = {
    calculations: {
      whens: [
        hint,
        { name: ".IsLarge", context },
        { name: `.${note}`, context: "content.Stops(1)" },
        { name: note, context: "caseInfo.content.Stops[1]" },
        { name: "Other", context: "content.Home" },
      ],
    },
  };
  const { engine, form, caseId } = trip;
  const body = { content: { Fee: "much" } };
  for (
    const result of [
      await engine.body("assignments.recalculate", { ...form, data }, { body }),
      await engine.body("cases.calcFields", { caseId, view: "Everything", data }),
    ]
  ) {
    assert.deepEqual(valueAt(result, "data.caseInfo.content"), {});
    assert.deepEqual(valueAt(result, "uiResources.context_data"), {
      caseInfo: {
        content: {
          summary_of_when_conditions__: { Everything_Hint_visible: true },
          Stops: [
            { summary_of_when_conditions__: { [note]: false } },
            { summary_of_when_conditions__: { [note]: true } },
          ],
        },
      },
    });
  }
  const removal = { pageInstructions: [{ instruction: "DELETE", target: ".Stops(1)" }] };
  const fields = [{ name: ".Total", context }, { name: "Nope", context }];
  const both = { calculations: { fields, whens: [hint] } };
  const changed = await engine.body("assignments.recalculate", { ...form, data: both }, { body: removal });
  assert.deepEqual(valueAt(changed, "data.caseInfo.content"), { Total: 5 });
  const [when] = Object.values(objectAt(changed, "uiResources.context_data.caseInfo.content"));
  assert.deepEqual(when, { Everything_Hint_visible: false });
});

Deno.test("a calculation names its place with round or square brackets, and may name a page without values", async () => {
  await using trip = await openTrip({ Days: 2, Stops: STOPS });
  const calculate = async (name: string, context: string) => {
    const data = { calculations: { fields: [{ name, context }] } };
    const body = await trip.engine.body("cases.calcFields", { caseId: trip.caseId, view: "Everything", data });
    return valueAt(body, "data.caseInfo.content");
  };
  const second = { Stops: [{}, { Twice: 10 }] };
  assert.deepEqual(await calculate(".Twice", "content.Stops(2)"), second);
  assert.deepEqual(await calculate("Twice", "content.Stops[1]"), second);
  assert.deepEqual(await calculate("Twice", "caseInfo.content.Stops[1]"), second);
  assert.deepEqual(await calculate(".Stops(2).Twice", "content"), second);
  assert.deepEqual(await calculate("Age", "content.Stops(2).Guests(2)"), { Stops: [{}, { Guests: [{}, { Age: 9 }] }] });
  assert.deepEqual(await calculate(".City", "content.Home"), {}, "the case has no such page yet");
});
