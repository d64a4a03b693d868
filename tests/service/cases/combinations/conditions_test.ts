/** Conditions of every kind, checkboxes, and the calls that forms need. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../../utils/json.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { paths } from "../../../lib/forms/_outline.ts";
import { configWith, pick, viewOf } from "../forms/_forms.ts";
import { Office, part } from "./_visit.ts";

const office = await Office.openForAll();
const CONTEXT = "uiResources.context_data.caseInfo.content";

Deno.test("groups and fields are shown by expressions, by results of the service, and always", async () => {
  const visit = await office.visit({ Purpose: "Fair", Stops: [{ City: "Oslo" }, { City: "Bergen" }] });
  const { body, form } = await visit.open("Conditions");
  const view = viewOf(body, "Conditions");
  const visibilities = ["Flight", "Long", "Always"].map((id) => configWith(view, "id", `Conditions_${id}`).visibility);
  assert.deepEqual(visibilities, ["@E .Kind == 'Air'", "@W Conditions_Long_visible", true]);
  assert.equal(configWith(view, "value", "@P .Home.City").visibility, "@E .Urgent == true");
  assert.deepEqual(valueAt(body, `${CONTEXT}.summary_of_when_conditions__`), { Conditions_Long_visible: true });
  assert.deepEqual(valueAt(body, `${CONTEXT}.Home.summary_of_when_conditions__`), { EditHome_Mayor_visible: false });
  assert.deepEqual(
    [0, 1].map((row) => valueAt(body, `${CONTEXT}.Stops.${row}.summary_of_when_conditions__.StopForm_Note_visible`)),
    [false, true],
  );
  assert.deepEqual(paths(form), ["Kind", "Urgent", "Notes", "Purpose", "Home.City", "Home.Capital", "Stops"]);
  assert.equal(part(form, "Stops[0].Note", "field").isVisible, false);
  assert.equal(part(form, "Stops[1].Note", "field").isVisible, true);

  const flying = form.set("Kind", "Air").set("Price", "90").set("Home.City", "Oslo").set("Home.Capital", true);
  const refreshed = await visit.refresh("Conditions", flying.set("Purpose", "Go"));
  assert.deepEqual(paths(refreshed), [
    "Kind",
    "Urgent",
    "Price",
    "Purpose",
    "Home.City",
    "Home.Capital",
    "Home.Mayor",
    "Stops",
  ]);
  const filled = refreshed.set("Home.Mayor", "Marianne");
  assert.deepEqual(filled.toSubmission().content, {
    Kind: "Air",
    Price: 90,
    Purpose: "Go",
    Home: { City: "Oslo", Capital: true, Mayor: "Marianne" },
  });
  const stored = await visit.submit("Conditions", filled);
  assert.deepEqual([stored.Price, valueAt(stored, "Home.Mayor")], [90, "Marianne"]);
});

Deno.test("a result that the service cannot compute is missing, and its part is shown", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Unknown");
  assert.equal(configWith(viewOf(body, "Unknown"), "value", "@P .Notes").visibility, "@W Unknown_Notes_visible");
  assert.deepEqual(valueAt(body, `${CONTEXT}.summary_of_when_conditions__`), {});
  assert.deepEqual(paths(form), ["Purpose", "Notes"]);
  const other = await office.visit({ Stops: [{ City: "Rome" }] });
  const { form: hidden } = await other.open("Unknown");
  assert.deepEqual(paths(hidden), ["Purpose"]);
  assert.equal((await other.submit("Unknown", hidden.set("Purpose", "Fair"))).Purpose, "Fair");
});

Deno.test("a value of a part that is hidden now is not sent, and the service refuses it", async () => {
  const visit = await office.visit({ Kind: "Air" });
  const { form } = await visit.open("Conditions");
  const hidden = form.set("Price", "90").set("Kind", "Rail");
  assert.deepEqual(hidden.toSubmission().content, { Kind: "Rail" });
  assert.equal((await visit.submit("Conditions", hidden)).Price, "");
  const headers = { "if-match": "*" };
  const body = { content: { Price: 3 } };
  assert.equal((await office.service.call("PATCH", visit.path("Conditions"), { body, headers })).status, 400);
});

Deno.test("a refresh that fails leaves the form as it is, and the submission decides", async () => {
  const visit = await office.visit({ Kind: "Air", Stops: [{ City: "Oslo" }] });
  const { form } = await visit.open("Conditions");
  const filled = form.set("Purpose", "Go").set("Stops[0].City", "");
  const call = filled.refreshFor("Purpose");
  assert.equal(call?.call, "action");
  const headers = { "if-match": "*" };
  const failed = await office.service.call("PATCH", "/assignments/NONE/actions/Conditions/refresh", {
    body: call?.body,
    headers,
  });
  assert.equal(failed.status, 404);
  const { status, body } = await visit.refused("Conditions", filled);
  assert.equal(status, 422);
  assert.equal(part(filled.applyErrors(body), "Stops[0].City", "field").errors.length, 1);
  assert.equal((await visit.submit("Conditions", filled.set("Stops[0].City", "Rome"))).Purpose, "Go");
});

Deno.test("expressions combine comparisons by && || ! and brackets, with texts, Booleans and negative numbers", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Grammar");
  const view = viewOf(body, "Grammar");
  assert.equal(
    configWith(view, "value", "@P .Zip").visibility,
    "@E (.Kind == 'Air' || .Kind == 'Sea') && .Urgent == false",
  );
  assert.equal(
    configWith(view, "value", "@P .Mail").required,
    "@E .Kind STARTS_WITH 'A' || .Kind ENDS_WITH 'l' || .Kind NOT_CONTAINS 'e'",
  );
  const sees = (values: Record<string, string | number | boolean>) => {
    const changed = Object.entries(values).reduce((one, [path, value]) => one.set(path, value), form);
    return [paths(changed).includes("Zip"), part(changed, "Mail", "field").isRequired];
  };
  assert.deepEqual(sees({ Kind: "Air" }), [true, true]);
  assert.deepEqual(sees({ Kind: "Air", Urgent: true }), [false, true]);
  assert.deepEqual(sees({ Kind: "Sea" }), [true, false]);
  assert.deepEqual(sees({ Kind: "Rail" }), [false, true]);
  const filled = form.set("Kind", "Sea").set("Zip", "0150").set("Days", -3);
  assert.deepEqual(filled.toSubmission().content, { Kind: "Sea", Zip: "0150", Days: -3 });
  assert.equal((await visit.submit("Grammar", filled)).Zip, "0150");
});

/** The condition of each field, and a value for it. */
const OPERATORS: Readonly<Record<string, readonly [visibility: string, value: JsonValue]>> = {
  Zip: ["@E .Days == 5", "0150"],
  FeeCode: ["@E .Days != -3", "NOK"],
  Notes: ["@E (.Days < 5 || .Days IS_NULL)", "Go"],
  Story: ["@E (.Days <= 5 || .Days IS_NULL)", "<p>Go</p>"],
  Mail: ["@E .Days > 5", "ada@acme.example"],
  Site: ["@E .Days >= 5", "https://acme.example/"],
  Weight: ["@E .Purpose == 'To the  fair (&&)'", 2],
  Share: ["@E .Purpose != 'Fair'", 3],
  Fee: ["@E .Purpose CONTAINS ' the '", 4],
  Price: ["@E .Purpose NOT_CONTAINS 'fair'", 5],
  Day: ["@E .Purpose STARTS_WITH 'To'", "2031-04-05"],
  Start: ["@E .Purpose NOT_STARTS_WITH 'To'", "06:30:00"],
  Size: ["@E .Purpose ENDS_WITH ')'", "Large"],
  Class: ["@E .Purpose NOT_ENDS_WITH ')'", "First"],
  Kind: ["@E !(.Days > 5 && .Urgent == true) || .Purpose == 'Fair'", "Air"],
  Locked: ["@E .Purpose == .Zip", true],
  Phone: ["@W Operators_Phone_visible", "+4722000000"],
};

Deno.test("the client and the service agree on each operator, also about empty values", async () => {
  const opened = await (await office.visit()).open("Operators");
  const view = viewOf(opened.body, "Operators");
  for (const [name, [visibility]] of Object.entries(OPERATORS)) {
    assert.equal(configWith(view, "value", `@P .${name}`).visibility, visibility);
  }
  const states: JsonObject[] = [
    {},
    { Days: 5, Purpose: "Fair" },
    { Days: 4, Purpose: "To the  fair (&&)" },
    { Days: -3, Purpose: "To the fair", Urgent: true },
    { Days: 6, Purpose: "To", Urgent: true },
    { Days: 0, Purpose: "Ada's fair" },
  ];
  for (const state of states) {
    const visit = await office.visit(state);
    const { form } = await visit.open("Operators");
    for (const [name, [, value]] of Object.entries(OPERATORS)) {
      const { status } = await office.service.call("PATCH", visit.path("Operators"), {
        body: { content: { [name]: value } },
        headers: { "if-match": "*" },
      });
      const seen = form.find(name)?.isVisible === true;
      assert.equal(status, seen ? 200 : 400, `${name} of ${JSON.stringify(state)}`);
    }
  }
});

Deno.test("a checkbox has its question as its caption, and a label only if the form has another text", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Checkboxes");
  const view = viewOf(body, "Checkboxes");
  assert.deepEqual(pick(configWith(view, "value", "@P .Urgent"), "caption", "label", "hideLabel"), {
    caption: "@FL .Urgent",
    label: "@L ",
    hideLabel: undefined,
  });
  const names = ["caption", "captionOption", "hideLabel", "trueLabel", "falseLabel"];
  assert.deepEqual(pick(configWith(view, "value", "@P .Locked"), ...names), {
    caption: "@L The dates are final",
    captionOption: "custom",
    hideLabel: true,
    trueLabel: "@L Yes",
    falseLabel: "@L No",
  });
  assert.deepEqual(form.questions.map(({ label }) => label), ["Urgent", "The dates are final"]);
  const filled = form.set("Locked", "yes");
  assert.deepEqual(filled.toSubmission().content, { Locked: true });
  assert.equal((await visit.submit("Checkboxes", filled)).Locked, true);
  const { form: again } = await visit.open("Checkboxes");
  assert.deepEqual(again.set("Locked", false).toSubmission().content, { Locked: false });
});

Deno.test("a form that depends on nothing needs no call, and one that does needs one after each change", async () => {
  const visit = await office.visit();
  const { form } = await visit.open("Simple");
  assert.equal(form.set("Days", 3).refreshFor("Days"), undefined);
  assert.equal(form.set("Days", 3).refreshFor(), undefined);
  const { body, form: computed } = await visit.open("Details");
  assert.equal(valueAt(objectAt(body, "uiResources.resources.fields.Total.0"), "isDeclarativeTarget"), true);
  let calls = 0;
  for (const path of ["Days"]) if (computed.set(path, 4).refreshFor(path) !== undefined) calls += 1;
  assert.equal(calls, 1);
  assert.equal((await visit.refresh("Details", computed.set("Days", 4), "Days")).content.Days, 4);
});
