/** The kinds, values and labels of fields. */
import assert from "node:assert/strict";
import { type Form, type JsonValue, readForm } from "../../../lib/forms/mod.ts";
import { body, declare, declarePage, DEPOT, field, HOME, STOP, view } from "./_body.ts";
import { checkboxes, decorated, emptyFields, filledFields, numericTexts, oddDeclarations } from "./fixtures/fields.ts";
import { asked, outline, paths, shown } from "./_outline.ts";

const OPTIONS = { timeZone: "Europe/Oslo" };

/** A typed text, the value that is sent, and the text that is shown then. */
const TYPED: readonly [path: string, typed: JsonValue, sent: JsonValue, text: string][] = [
  ["Line", "Two", "Two", "Two"],
  ["Ident", "A-2", "A-2", "A-2"],
  ["Lines", "Three\nfour", "Three\nfour", "Three\nfour"],
  ["Rich", "One\n2 < 3", "<p>One</p><p>2 &lt; 3</p>", "One\n2 < 3"],
  ["Count", "12", 12, "12"],
  ["Rate", "-0.25", -0.25, "-0.25"],
  ["Share", "7.5", 7.5, "7.5 %"],
  ["Fee", "1250", 1250, "NOK 1,250.00"],
  ["Tip", "5", 5, "SEK 5.00"],
  ["Urgent", "not at all", false, "Not at all"],
  ["Start", "2031-05-17", "2031-05-17", "2031-05-17"],
  ["Departure", "2031-04-06 01:15", "2031-04-05T23:15:00.000Z", "2031-04-06 01:15"],
  ["Alarm", "7:05", "07:05:00", "07:05"],
  ["Mobile", "+47 23 00 00 00", "+4723000000", "+4723000000"],
  ["Mail", "bob@acme.example", "bob@acme.example", "bob@acme.example"],
  ["Site", "https://acme.example/2", "https://acme.example/2", "https://acme.example/2"],
  ["Place", "Bergen", "Bergen", "Bergen"],
  ["Position", "60.4, 5.3", "60.4, 5.3", "60.4, 5.3"],
];

Deno.test("every type of field is shown as a person reads it", () => {
  const form = readForm(filledFields, OPTIONS);
  assert.deepEqual(outline(form), [
    'Line: text "Line" = One line',
    'Ident: text "Ident" = A-1',
    'Lines: lines "Lines" = One\ntwo',
    'Rich: richText "Rich" = Hello you',
    'Count: integer "Count" = 7',
    'Rate: decimal "Rate" = 2.5',
    'Share: percentage "Share" = 12.5 %',
    'Fee: currency "Fee" = NOK 4,500.00',
    'Tip: currency "Tip" = SEK 4.50',
    'Urgent: boolean "Is it urgent?" = Yes, very',
    'Start: date "Start" = 2031-04-05',
    'Departure: dateTime "Departure" = 2031-04-06 00:30',
    'Alarm: time "Alarm" = 06:30',
    'Mobile: phone "Mobile" = +4722000000',
    'Mail: email "Mail" = ada@acme.example',
    'Site: url "Site" = https://acme.example',
    'Place: text "Place" = Oslo',
    'Position: text "Place (coordinates)" = 59.9, 10.7',
    'Tags: text "Tags" = a, b (read-only)',
    "note: That is all.",
  ]);
  assert.deepEqual(form.toSubmission().content, {});
});

Deno.test("typed text is sent in the format of the server", () => {
  for (const response of [filledFields, emptyFields]) {
    let form: Form = readForm(response, OPTIONS);
    for (const [path, typed] of TYPED) form = form.set(path, typed);
    const unchanged = response === emptyFields ? ["Urgent"] : [];
    const sent = TYPED.filter(([path]) => !unchanged.includes(path)).map(([path, , value]) => [path, value]);
    assert.deepEqual(form.toSubmission(), { content: Object.fromEntries(sent), pageInstructions: [], attachments: [] });
    for (const [path, , , text] of TYPED) {
      const question = form.find(path);
      const expected = response === emptyFields ? text.replace("SEK ", "") : text;
      assert.equal(question?.type === "field" && question.text, expected);
    }
  }
});

Deno.test("the text of a value, typed again, changes nothing", () => {
  for (const response of [filledFields, numericTexts]) {
    let form: Form = readForm(response, OPTIONS);
    for (const question of form.questions) {
      if (question.type !== "field" || question.value === undefined || question.kind === "richText") continue;
      const typed = ["currency", "percentage"].includes(question.kind) ? String(question.value) : question.text;
      form = form.set(question.path, typed);
    }
    assert.deepEqual(form.toSubmission().content, {});
  }
});

Deno.test("empty values of every type are equal, and clearing a field sends an empty text", () => {
  const empty = readForm(emptyFields, OPTIONS);
  let form: Form = empty;
  for (const path of paths(empty)) form = form.set(path, "");
  assert.deepEqual(form.toSubmission().content, {});
  assert.deepEqual(form.changes(), []);
  let cleared: Form = readForm(filledFields, OPTIONS);
  for (const path of paths(cleared)) cleared = cleared.set(path, null);
  const sent = Object.fromEntries(TYPED.map(([path]) => [path, path === "Urgent" ? false : ""]));
  assert.deepEqual(cleared.toSubmission().content, sent);
});

Deno.test("numbers and booleans are read from texts", () => {
  assert.deepEqual(shown(readForm(numericTexts, OPTIONS)).filter((line) => !line.endsWith(": ")), [
    "Count: 7",
    "Rate: 2.50",
    "Share: 12.5 %",
    "Fee: NOK 4,500.00",
    "Is it urgent?: Yes, very",
  ]);
});

Deno.test("a value of another type is refused with the format", () => {
  const form = readForm(filledFields, OPTIONS);
  const refused: readonly [path: string, typed: JsonValue, message: RegExp][] = [
    ["Count", "1.5", /Count: Enter a whole number/],
    ["Fee", "much", /Fee: Enter a number/],
    ["Urgent", "perhaps", /Is it urgent\?: Enter yes or no/],
    ["Start", "2031-02-30", /Start: Enter a date/],
    ["Departure", "tomorrow", /Departure: Enter a date and time/],
    ["Alarm", "25:00", /Alarm: Enter a time/],
    ["Mobile", "call me", /Mobile: Enter a phone number/],
    ["Mobile", "1".repeat(21), /Mobile: Enter at most 20 characters/],
    ["Line", "x".repeat(257), /Line: Enter at most 256 characters/],
    ["Line", { a: 1 }, /Line: .* is not a value for this field/],
  ];
  for (const [path, typed, message] of refused) {
    assert.throws(() => form.set(path, typed), { code: "INVALID_ARGS", message }, path);
  }
});

Deno.test("the caption of a checkbox is its question, and an inherited label wins", () => {
  const form = readForm(checkboxes);
  assert.deepEqual(outline(form), [
    'A: boolean "First" = No',
    'B: boolean "Custom caption" = Yes',
    'C: boolean "Third" = Off',
    'D: boolean "Fourth" = No',
    'E: boolean "Inherited" = No',
    'F: text "Sixth" =  (required)',
  ]);
  assert.deepEqual(form.set("C", "on").set("B", false).toSubmission().content, { B: false, C: true });
});

Deno.test("a declaration decides about the value, and without one the component does", () => {
  const form = readForm(oddDeclarations, OPTIONS);
  assert.deepEqual(asked(form), [
    'Undeclared: text "Undeclared"',
    'Untyped: currency "Price"',
    'Missing: dateTime "When"',
    'Typed: integer "Typed"',
    'Wide: text "Wide"',
    'Loose: decimal "Loose"',
    'Stamp: dateTime "Stamp"',
    'City: text "City of the trip"',
    'Line: text "Absolute"',
    'Plain: text "Plain"',
    'Home.City: text "City of the home"',
  ]);
  assert.throws(() => form.set("Home.City", "Trondheim"), /at most 5 characters/);
  assert.deepEqual(
    form.shown.filter(({ isReadOnly }) => isReadOnly).map(({ path, label }) => [path, label]),
    [["caseInfo.lastUpdateTime", "Updated"]],
  );
});

Deno.test("an absent value is not an empty one, and the field is still asked", () => {
  const form = readForm(oddDeclarations);
  const value = (path: string) => {
    const question = form.find(path);
    return question?.type === "field" ? question.value : "not a field";
  };
  assert.equal(value("Undeclared"), undefined);
  assert.equal(value("Untyped"), "");
  assert.deepEqual(form.set("Undeclared", "").toSubmission().content, {});
});

Deno.test("of several fields of a property, the visible one that can be changed is filled in", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [
        field("TextInput", ".City", { readOnly: true }),
        field("TextInput", ".City", { visibility: false }),
        field("TextInput", ".City", { label: "@L Town" }),
        field("TextInput", ".Zip", { readOnly: true }),
        field("TextInput", ".Region", { visibility: false }),
      ]),
    ],
    content: { City: "", Zip: "", Region: "" },
  }));
  assert.equal(form.find("City")?.label, "Town");
  const { form: filled, rest } = form.fill({ City: "Oslo", Zip: "0150", Region: "E" });
  assert.deepEqual([filled.toSubmission().content, rest], [{ City: "Oslo" }, { Zip: "0150", Region: "E" }]);
});

Deno.test("texts around a field are read, and messages of the server are warnings", () => {
  const form = readForm(decorated);
  const [a, b, c, d] = form.questions;
  assert.ok(a?.type === "field" && b?.type === "field");
  assert.deepEqual([a.help, a.placeholder], ["Help", "Type here..."]);
  assert.deepEqual([b.help, b.placeholder], ["", "Bare"]);
  assert.deepEqual([c?.errors, d?.errors], [["Looks wrong"], []]);
  assert.deepEqual(form.set("A", "x").find("D")?.errors, ["Check it"]);
  assert.deepEqual(form.questions.filter(({ isRequired }) => isRequired).map(({ path }) => path), ["F"]);
  assert.deepEqual(form.questions.map(({ label }) => label), [..."ABCDEFGH"].map((name) => `Field ${name}`));
});

Deno.test("a field whose value is an object or a list is never asked as text", () => {
  const form = readForm(body({
    views: [view("EditTrip", ["Doc", "Rows", "Purpose"].map((name) => field("TextInput", `.${name}`)))],
    fields: { Doc: { type: "Unknown" }, Purpose: declare("Text", "Purpose") },
    content: { Doc: { classID: "Embed-Attach-File", pyLabel: "Plan" }, Rows: [{ City: "Oslo" }], Purpose: "" },
  }));
  assert.deepEqual(asked(form), ['Purpose: text "Purpose"']);
  assert.deepEqual(
    form.problems,
    ["Doc", "Rows"].map((name) => `${name} cannot be filled in here. The form does not describe its fields.`),
  );
});

Deno.test("operators are shown by their name, and are the same as text and as an object", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [
        field("UserReference", ".Lead", { value: "@USER .Lead" }),
        field("UserReference", ".Second", { value: "@USER .Second" }),
        field("TextInput", ".Creator", { value: "@USER .Creator", readOnly: true }),
      ]),
    ],
    fields: { Lead: declare("Text", "Lead"), Creator: declare("Text", "Creator") },
    content: {
      Lead: { userId: "ada@acme", userName: "Ada" },
      Second: { pyUserIdentifier: "bob@acme", pyUserName: "Bob" },
      Creator: "rep@acme",
    },
  }));
  assert.deepEqual(outline(form), [
    'Lead: user "Lead" = Ada',
    'Second: user "Second" = Bob',
    'Creator: text "Creator" = Rita Rep (read-only)',
  ]);
  const lead = form.find("Lead");
  assert.equal(lead?.type === "field" && lead.value, "ada@acme");
  assert.deepEqual(form.set("Lead", "ada@acme").toSubmission().content, {});
  assert.deepEqual(form.set("Lead", "rep@acme").toSubmission().content, { Lead: "rep@acme" });
});

Deno.test("a phone number is the same with other separators, and a text with other spaces is not", () => {
  const fields = { Mobile: declare("Text", "Mobile"), Line: declare("Text", "Line") };
  const form = readForm(body({
    views: [view("EditTrip", [field("Phone", ".Mobile"), field("TextInput", ".Line", { label: "@FL .Mobile" })])],
    fields,
    content: { Mobile: "0047 22 00 00 00", Line: "One line" },
  }));
  assert.deepEqual(form.questions.map(({ label }) => label), ["Mobile", "Mobile"]);
  assert.deepEqual(form.set("Mobile", "+47 2200 0000").set("Line", "Oneline").toSubmission().content, {
    Line: "Oneline",
  });
});

Deno.test("a link shows its text, and not the record that it leads to", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [{
        type: "SemanticLink",
        config: { text: "@P .Depot.City", value: "@P .Depot", contextPage: "@P .Depot", label: "@L Depot" },
      }]),
    ],
    fields: { Depot: declarePage("Depot", DEPOT, { dataRetrievalType: "refer" }) },
    content: { Depot: { classID: DEPOT, ID: 4, City: "Oslo" } },
  }));
  assert.deepEqual(shown(form), ["Depot: Oslo"]);
});

Deno.test("of several declarations of an inherited property, that of a platform class comes before that of another class", () => {
  const form = readForm(body({
    views: [view("EditTrip", [".pyLabel", ".pyNote", ".Home.pyLabel"].map((path) => field("TextInput", path)))],
    fields: {
      Home: declarePage("Home", HOME),
      pyLabel: [
        declare("Text", "Label of the stop", { classID: STOP }),
        declare("Text", "Label of the data", { classID: "Data-" }),
        declare("Text", "Short description", { classID: "@baseclass" }),
      ],
      pyNote: [
        declare("Text", "Note of the party", { classID: "Data-Party" }),
        declare("Text", "Note of the work", { classID: "Work-Cover-" }),
      ],
    },
    content: { Home: { classID: HOME } },
  }));
  assert.deepEqual(form.questions.map(({ label }) => label), [
    "Short description",
    "Note of the work",
    "Label of the data",
  ]);
});
