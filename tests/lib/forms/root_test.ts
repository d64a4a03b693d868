/** The view that a response shows as its form. */
import assert from "node:assert/strict";
import { readForm } from "../../../lib/forms/mod.ts";
import {
  casePage,
  createRoot,
  formRoot,
  missingView,
  noRoot,
  pageContextRoot,
  pageRoot,
  pageWithForm,
  rowRoot,
} from "./fixtures/root.ts";
import { asked, outline, shown } from "./_outline.ts";

const TRIP_FORM = [
  'Purpose: text "Purpose" = Fair (required)',
  'StartDate: date "Start date" = 2031-04-05',
];

Deno.test("the root of a form is drawn, whatever the action is called", () => {
  const form = readForm(formRoot, { action: "Book" });
  assert.equal(form.purpose, "form");
  assert.equal(form.action, "Book");
  assert.equal(form.name, "Book trip");
  assert.equal(form.title, "T-7 Trip to Oslo: Book, Book trip");
  assert.deepEqual(outline(form), TRIP_FORM);
  assert.deepEqual(form.set("Purpose", "Holiday").toSubmission(), {
    content: { Purpose: "Holiday" },
    pageInstructions: [],
    attachments: [],
  });
});

Deno.test("a page, the page of a create stage and a case page show the view that the content names", () => {
  for (const response of [pageRoot, createRoot, pageWithForm]) {
    const form = readForm(response);
    assert.equal(form.purpose, "form");
    assert.deepEqual(outline(form), TRIP_FORM);
    assert.deepEqual(form.problems, []);
    assert.deepEqual(form.set("StartDate", "2031-04-06").toSubmission().content, { StartDate: "2031-04-06" });
  }
});

Deno.test("the context of a page form is the page at which it is drawn", () => {
  const form = readForm(pageContextRoot);
  assert.deepEqual(asked(form), ['Home.City: text "City of the home"']);
  assert.deepEqual(form.set("Home.City", "Bergen").toSubmission().content, { Home: { City: "Bergen" } });
});

Deno.test("a case page shows the fields of the case and asks nothing", () => {
  const form = readForm(casePage);
  assert.equal(form.purpose, "page");
  assert.deepEqual(asked(form), []);
  assert.deepEqual(shown(form), ["Case ID: T-7", "Work status: Open", "Start date: 2031-04-05"]);
  assert.deepEqual(form.problems, []);
  assert.deepEqual(form.buttons, []);
});

Deno.test("a response without a root shows the summary and the confirmation", () => {
  const form = readForm(noRoot);
  assert.equal(form.purpose, "confirmation");
  assert.equal(form.confirmation, "Thank you!");
  assert.deepEqual(asked(form), []);
  assert.deepEqual(shown(form), ["Case ID: T-7", "Work status: Resolved", "Start date: 2031-04-05"]);
});

Deno.test("the root of a row is drawn at the row, and submitted as a change of the row", () => {
  const form = readForm(rowRoot);
  assert.deepEqual(outline(form), [
    'Stops[1].City: text "City" = Bergen',
    'Stops[1].Fee: currency "Fee" = 90.00',
  ]);
  assert.deepEqual(form.toSubmission().pageInstructions, []);
  assert.deepEqual(form.set("Stops[1].Fee", "120").toSubmission(), {
    content: {},
    pageInstructions: [{ instruction: "UPDATE", target: ".Stops", listIndex: 2, content: { Fee: 120 } }],
    attachments: [],
  });
});

Deno.test("a page without the view of its form must be opened again", () => {
  const form = readForm(missingView);
  assert.equal(form.purpose, "reopen");
  assert.deepEqual(asked(form), []);
  assert.deepEqual(form.problems, ["The response has no view of this form."]);
});

Deno.test("a root that is not in the response gives way to the view that the content names", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(pageRoot));
  uiResources.root.config.name = "CustomPage";
  assert.deepEqual(outline(readForm({ data, uiResources })), TRIP_FORM);
});
