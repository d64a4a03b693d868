/** Views, groups and conditions of a form. */
import assert from "node:assert/strict";
import { type JsonObject, type JsonValue, readForm } from "../../../lib/forms/mod.ts";
import {
  body,
  declare,
  declarePage,
  field,
  HOME,
  inherit,
  rawView,
  reference,
  refreshed,
  region,
  view,
} from "./_body.ts";
import { asked, outline, paths, shown } from "./_outline.ts";
import {
  ancestors,
  conditions,
  FORM_TEMPLATES,
  labels,
  READ_ONLY_TEMPLATES,
  readOnlyParts,
  sameNames,
  threeTimes,
  unknownParts,
  withTemplate,
} from "./fixtures/views.ts";

Deno.test("of two views with one name, the class of the page decides, and a view never contains itself", () => {
  const form = readForm(sameNames);
  assert.deepEqual(asked(form), ['Purpose: text "Purpose"', 'Home.City: text "City"']);
  assert.deepEqual(form.problems, []);
  assert.deepEqual(form.set("Home.City", "Bergen").set("Purpose", "Fair").toSubmission().content, {
    Home: { City: "Bergen" },
    Purpose: "Fair",
  });
});

Deno.test("views that are declared for an ancestor of the class are found", () => {
  const form = readForm(ancestors);
  assert.deepEqual(asked(form), [
    'Purpose: text "Purpose"',
    'Home.City: text "City"',
    'Remark: lines "Remark"',
  ]);
  assert.deepEqual(form.problems, []);
});

Deno.test("an unknown template shows its children, and what cannot be shown is named", () => {
  const form = readForm(unknownParts);
  assert.deepEqual(outline(form), [
    'Purpose: text "Purpose" = ',
    'Days: integer "Days" = 3',
    'Consent: boolean "Consent" = No',
    "# More",
    '  StartDate: date "Start date" = ',
    "problem: The part 'Map of the trip' of this form cannot be shown here.",
    "problem: The part 'Hologram' of this form cannot be shown here.",
    "problem: The view 'NotSent' of this form is missing in the response.",
  ]);
  assert.equal(form.problems.length, 3);
  assert.deepEqual(form.set("Days", "4").set("Consent", "yes").toSubmission().content, { Days: 4, Consent: true });
});

Deno.test("a property that is drawn three times is asked once, shown everywhere and sent once, nested", () => {
  const form = readForm(threeTimes);
  assert.deepEqual(paths(form), ["Home.City", "Home.Zip"]);
  const changed = form.set("Home.City", "Bergen");
  assert.deepEqual(outline(changed), [
    "# Home",
    '  Home.City: text "City" = Bergen',
    "# Address",
    '  Home.City: text "City" = Bergen (required)',
    '  Home.Zip: text "Zip" = 0150',
    "# As stored",
    '  Home.City: text "City" = Bergen (read-only)',
  ]);
  assert.deepEqual(changed.toSubmission(), {
    content: { Home: { City: "Bergen" } },
    pageInstructions: [],
    attachments: [],
  });
});

Deno.test("conditions are evaluated on the page or row in which they stand", () => {
  const form = readForm(conditions);
  assert.deepEqual(asked(form), [
    'Kind: choice "Kind"',
    'Purpose: text "Purpose"',
    'Unknown: text "Unknown"',
    'Broken: text "Broken"',
    'Needed: text "Needed"',
    'Reason: text "Reason"',
    'Stops: list "Stops"',
  ]);
  const stops = form.find("Stops");
  assert.ok(stops?.type === "list");
  const visible = stops.rows.map(({ nodes }) => nodes.filter((node) => node.isVisible).length);
  assert.deepEqual(visible, [2, 1]);
  assert.deepEqual(form.problems, ["A condition of this form cannot be evaluated: .Kind === 'Air'"]);
});

Deno.test("the parts that a condition hides or shows follow each entry, without a call", () => {
  const form = readForm(conditions).set("Kind", "Air");
  assert.equal(form.find("Flight")?.isVisible, true);
  assert.equal(form.find("Needed")?.isRequired, true);
  assert.equal(form.find("Reason")?.isRequired, true);
  const filled = form.set("Flight", "SK1");
  assert.deepEqual(filled.toSubmission().content, { Kind: "Air", Flight: "SK1" });
  const hidden = filled.set("Kind", "A");
  assert.deepEqual(hidden.toSubmission().content, { Kind: "A" });
  assert.equal(hidden.find("Reason")?.isRequired, false);
  assert.deepEqual(hidden.set("Kind", "Air").toSubmission().content, { Kind: "Air", Flight: "SK1" });
});

Deno.test("a new row has the conditions of the template row", () => {
  const form = readForm(conditions).list("Stops").insert({ City: "Molde" });
  assert.equal(form.find("Stops[2].Visa")?.isVisible, false);
});

Deno.test("a refresh shows what its conditions show, and only the page of a condition has it", () => {
  const answer = refreshed({
    views: [view("EditTrip", [])],
    content: { Fee: 5 },
    context: {
      summary_of_when_conditions__: { HasFee: true, ShowHome: true },
      Home: { summary_of_when_conditions__: {} },
    },
  });
  const { actionButtons: _, ...ui } = answer.uiResources as JsonObject;
  const resources = { views: {}, fields: {} };
  const form = readForm(conditions).apply({ ...answer, uiResources: { ...ui, resources } });
  assert.deepEqual(paths(form), [
    "Kind",
    "Fee",
    "Purpose",
    "Unknown",
    "Authored",
    "Broken",
    "Reason",
    "Home.City",
    "Home.Zip",
    "Stops",
  ]);
  assert.equal(form.find("Needed")?.isReadOnly, true);
  assert.deepEqual(form.toSubmission().content, { Fee: 5 });
});

Deno.test("Details views, read-only references and computed fields are shown and never asked", () => {
  const form = readForm(readOnlyParts);
  assert.deepEqual(outline(form), [
    'Purpose: text "Purpose" = ',
    "# Review",
    '  pyStatusWork: text "Work status" = Open (read-only)',
    '  pyID: text "Case ID" = T-7 (read-only)',
    '  StartDate: date "Start date" = 2031-04-05 (read-only)',
    '  Home.City: text "City" = Oslo (read-only)',
    'Home.City: text "City" = Oslo (read-only)',
    'Total: currency "Total" = NOK 1,234.50 (read-only)',
    'Locked: text "Locked" = x (read-only)',
    'Disabled: text "Disabled" = y (read-only)',
    'Display: text "Display" = z (read-only)',
    'Large: decimal "Large" = 1000 (read-only)',
    'Special: text "Special" = ',
  ]);
  assert.deepEqual(paths(form), ["Purpose", "Special"]);
  assert.throws(() => form.set("Total", 1), /Total cannot be changed in this form/);
  assert.deepEqual(paths(form.set("Purpose", "Fair")), ["Purpose", "Disabled", "Special"]);
});

Deno.test("highlighted data is shown only where it is switched on", () => {
  const response = body({
    views: [view("Review", [field("TextInput", ".Purpose")], {
      template: "Details",
      config: { showHighlightedData: false, highlightedData: [field("TextInput", ".pyID")] },
    })],
    fields: { Purpose: declare("Text", "Purpose") },
    content: { Purpose: "Fair" },
  });
  assert.deepEqual(shown(readForm(response)), ["Purpose: Fair"]);
});

Deno.test("templates of forms are asked and templates of details are not", () => {
  for (const template of FORM_TEMPLATES) {
    assert.deepEqual(paths(readForm(withTemplate(template))), ["Purpose", "StartDate"]);
  }
  for (const template of READ_ONLY_TEMPLATES) {
    const form = readForm(withTemplate(template));
    assert.deepEqual(paths(form), [], template);
    assert.deepEqual(form.shown.map(({ path }) => path), ["Purpose", "StartDate"], template);
  }
});

Deno.test("an inherited label wins, and an own label is shown only if it is switched on", () => {
  assert.deepEqual(outline(readForm(labels)), [
    'Purpose: text "Purpose" = ',
    "# Shown",
    '  Purpose: text "Purpose" = ',
    "# Inherited",
    '  Purpose: text "Purpose" = ',
    'Purpose: text "Purpose" = ',
    'Purpose: text "Purpose" = ',
    "# Own",
    '  Purpose: text "Purpose" = ',
    "# Notes",
    "  > Write briefly.",
    '  Note: text "Note" = ',
    'Silent: text "Silent" = ',
    "note: Read this first.",
    "# ",
    "  > Take care.",
    '  Told: text "Told" = ',
  ]);
  assert.equal(readForm(labels).find("Told")?.help, "As it was told.");
});

Deno.test("the instructions of a form are those of its assignment, unless its view has others", () => {
  const assignments = [{ ID: "A", instructions: "<p>Fill it in.</p>", actions: [{ ID: "EditTrip", name: "Edit" }] }];
  const read = (instructions?: string) =>
    readForm(body({
      views: [view("EditTrip", [field("TextInput", ".Purpose")], { config: { instructions } })],
      paragraphs: { Help: "<p>Other.</p>" },
      caseInfo: { assignments },
    }));
  assert.equal(read().instructions, "Fill it in.");
  assert.equal(read("casestep").instructions, "Fill it in.");
  assert.equal(read("none").instructions, "");
  assert.equal(read("@PARAGRAPH Help").instructions, "");
  assert.deepEqual(outline(read("@PARAGRAPH Help"))[1], "  > Other.");
});

Deno.test("an inherited property and a display mode make a view or a field read-only", () => {
  const modes = ["DISPLAY_ONLY", "STACKED_LARGE_VAL", "LABELS_LEFT"];
  const response = body({
    views: [
      view("EditTrip", [
        reference("Part", inherit({ readOnly: true })),
        reference("Part", { mode: "readonly" }),
        reference("Part", { mode: "editable", context: ".Home" }),
        ...modes.map((displayMode) => field("TextInput", `.${displayMode}`, { displayMode })),
      ]),
      view("Part", [field("TextInput", ".City")]),
    ],
    content: { City: "Oslo", Home: { City: "Bergen" } },
  });
  assert.deepEqual(paths(readForm(response)), ["Home.City"]);
});

Deno.test("an embedded page without a choice of rows is drawn as its children", () => {
  const response = body({
    views: [
      view("EditTrip", [{
        type: "EmbeddedData",
        config: { displayAs: "Form", value: "@P .Home", label: "@L Home" },
        children: [reference("EditHome", { context: ".Home" })],
      }]),
      view("EditHome", [field("TextInput", ".City")]),
    ],
    content: { Home: { City: "Oslo" } },
  });
  assert.deepEqual(outline(readForm(response)), ["# Home", '  Home.City: text "City" = Oslo']);
});

Deno.test("references of an unknown kind show nothing, and the rest of the form is drawn", () => {
  const unknown = [
    "FIELD",
    "PROPS",
    "FILTERED_LIST",
    "SHARED",
    "CASE",
    "ENV",
    "DATATYPE",
    "ADDRESS",
    "FIELD_META",
    "ACTIVE_CASES",
    "CA",
    "LR",
    "ROUTING_INFO",
  ];
  const response = body({
    views: [
      view("EditTrip", [
        ...unknown.map((prefix) => ({ type: "TextInput", config: { value: `@${prefix} .City`, label: "@L Other" } })),
        ...unknown.map((prefix, i) => field("TextInput", `.F${i}`, { label: `@${prefix} .City`, helperText: "@L" })),
        field("TextInput", ".Last", { label: "@home or away", placeholder: ".net", helperText: "@ME" }),
      ]),
    ],
    content: { City: "Oslo" },
  });
  const form = readForm(response);
  assert.deepEqual(asked(form), [
    ...unknown.map((_, i) => `F${i}: text "F${i}"`),
    'Last: text "@home or away"',
  ]);
  const last = form.find("Last");
  assert.deepEqual(last?.type === "field" && [last.placeholder, last.help], [".net", "@ME"]);
  assert.deepEqual(form.problems, []);
});

Deno.test("the view of a single page is a form, also with the template of a list", () => {
  const form = readForm(body({
    views: [
      view("EditTrip", [reference("EditTrip_Home", { authorContext: ".Home", ...inherit({ label: "@L Home" }) })]),
      rawView("EditTrip_Home", [region("Fields", reference("EditHome", { context: ".Home", ruleClass: HOME }))], {
        template: "FieldGroupTemplate",
        config: { type: "page", name: "Home", contextClass: HOME, renderMode: "Editable" },
      }),
      view("EditHome", [field("TextInput", ".City")], { classID: HOME }),
    ],
    fields: { Home: declarePage("Home", HOME), City: declare("Text", "City", { classID: HOME }) },
    content: { Home: { classID: HOME, City: "Oslo" } },
  }));
  assert.deepEqual(outline(form), ["# Home", '  Home.City: text "City" = Oslo']);
});

Deno.test("the form of a record has the conditions of the record", () => {
  const { uiResources } = body({
    views: [
      view("EditStop", [field("TextInput", ".City"), field("TextInput", ".Visa", { visibility: "@W NeedsVisa" })]),
    ],
    root: { name: "EditStop", context: "dataInfo.content" },
    ui: { context_data: { dataInfo: { content: { summary_of_when_conditions__: { NeedsVisa: false } } } } },
  });
  assert.deepEqual(paths(readForm({ data: { dataInfo: { content: { City: "" } } }, uiResources })), ["City"]);
});

Deno.test("a condition is a value, a property, an expression, or a result of the service", () => {
  const visibility: readonly [condition: JsonValue, isVisible: boolean][] = [
    [true, true],
    [false, false],
    [0, false],
    [null, true],
    ["", true],
    ["true", true],
    ["false", false],
    ["@P .Yes", true],
    ["@P .No", false],
    ["@E .Yes", true],
    ["@E .No", false],
    ["@FIELD .No", false],
    [".Yes", true],
    ["!.Yes", false],
    ["@W Met", true],
    ["@W Unmet", false],
    ["@W Unknown", true],
    ["Unmet", false],
    ["@E .Yes && @W Met", true],
    ["@E .Yes && @W Unmet", false],
    ["@E .No && @W Met", false],
    ["@E .Yes &&", true],
    ["@OTHER .No", true],
  ];
  const form = readForm(body({
    views: [
      view("EditTrip", visibility.map(([condition], i) => field("TextInput", `.F${i}`, { visibility: condition }))),
    ],
    content: { Yes: true, No: false },
    context: { summary_of_when_conditions__: { Met: true, Unmet: false } },
  }));
  const visible = new Set(paths(form));
  for (const [i, [condition, isVisible]] of visibility.entries()) {
    assert.equal(visible.has(`F${i}`), isVisible, JSON.stringify(condition));
  }
  assert.match(form.problems.join(), /A condition of this form cannot be evaluated: \.Yes &&/);
});

Deno.test("a view and a list may stand in a view without a reference", () => {
  const list = {
    type: "SimpleTable",
    config: {
      type: "multirecordlist",
      referenceList: "@P .Stops",
      renderMode: "Editable",
      editMode: "tableRows",
      children: [field("TextInput", ".City")],
    },
  };
  const form = readForm(body({
    views: [view("EditTrip", [view("Inner", [field("TextInput", ".Purpose")]), list])],
    content: { Purpose: "", Stops: [{ City: "Oslo" }] },
  }));
  assert.deepEqual(asked(form), ['Purpose: text "Purpose"', 'Stops: list "Stops"']);
});
