/** Changes that do not fit the part of a form to which they are made. */
import assert from "node:assert/strict";
import { type Form, readForm } from "../../../lib/forms/mod.ts";
import { body, declare, field, view } from "./_body.ts";
import { attachments } from "./fixtures/files_and_users.ts";
import { inlineTable } from "./fixtures/lists.ts";
import { compositeKeys, dropdownWithDetails, severalLooks } from "./fixtures/references.ts";

/** Checks that a change is refused with a sentence. */
function refuses(change: () => Form, message: RegExp): void {
  assert.throws(change, { code: "INVALID_ARGS", message });
}

Deno.test("a change of another kind of part is refused", () => {
  const table = readForm(inlineTable);
  const files = readForm(attachments);
  const choice = { key: 1, text: "One", row: {} };
  refuses(() => table.choose("Stops", choice), /^Stops on the way is not chosen from a list\.$/);
  refuses(() => table.list("Purpose").insert({}), /^Purpose is not a list\.$/);
  refuses(() => table.reference("Purpose").clear(), /^Purpose is not a reference\.$/);
  refuses(() => table.attach("Purpose", { ID: "x" }), /^Purpose is not an attachment field\.$/);
  refuses(() => table.detach("Purpose", 0), /^Purpose is not an attachment field\.$/);
  refuses(() => table.set("Stops", "Oslo"), /^Stops on the way takes a list of rows\.$/);
  refuses(() => files.set("Doc", "plan.pdf"), /^Document is a file\. Attach an uploaded file to it\.$/);
  refuses(() => files.attach("Doc", [{ ID: "a" }, { ID: "b" }]), /^Document holds one file\.$/);
  refuses(() => files.detach("Photos", 0), /^Photos has no file 1\.$/);
  refuses(() => files.attach("Doc", { ID: "a", name: "plan.exe" }), /^Document takes files of the types pdf, docx/);
  assert.ok(files.attach("Doc", { ID: "a", name: "PLAN.PDF" }).isChanged && !files.isChanged);
  assert.ok(table.list("Stops").remove(0).isChanged);
});

Deno.test("a record without all of its keys is refused", () => {
  const form = readForm(compositeKeys);
  refuses(() => form.set("Depot", 4), /^Nearest depot needs the keys ID, Region\.$/);
  refuses(() => form.set("Depot", { ID: 4 }), /^Nearest depot needs the key Region\.$/);
  refuses(() => form.set("Depot", { ID: 4, Region: null }), /^Nearest depot needs the key Region\.$/);
  refuses(() => form.set("Depot", [4]), /^Nearest depot takes the key of a record\.$/);
  refuses(() => form.reference("Depot").remove(1), /^Nearest depot has no record 2\.$/);
  assert.deepEqual(form.reference("Depot").remove(0).toSubmission().content, { Depot: { ID: "", Region: "" } });
  for (const response of severalLooks) {
    refuses(() => readForm(response).set("Skills", { ID: 1 }), /^Skills needed takes a list of records\.$/);
  }
  const single = readForm(dropdownWithDetails);
  assert.deepEqual(single.reference("Depot").add(5).toSubmission().content, { Depot: { ID: 5 } });
  assert.deepEqual(single.set("Depot", 5).set("Depot", "").toSubmission().content, {});
});

Deno.test("a part that cannot be filled in or is hidden is refused, unless it is a field of the page", () => {
  const form = readForm(body({
    views: [view("EditTrip", [field("TextInput", ".Rows"), field("TextInput", ".City", { visibility: false })])],
    fields: { City: declare("Text", "City") },
    content: { Rows: [{ City: "Oslo" }], City: "" },
  }));
  refuses(() => form.set("Rows", "x"), /^Rows cannot be filled in here\. The form does not describe its fields\.$/);
  assert.deepEqual(form.set("City", "Oslo").toSubmission().content, {});
  refuses(() => form.set("Cities", "x"), /^'Cities' is not a field of this form/);
  const { data, uiResources } = JSON.parse(JSON.stringify(inlineTable));
  uiResources.resources.views.EditTrip_Stops[0].config.visibility = false;
  refuses(() => readForm({ data, uiResources }).list("Stops").insert({}), /^Stops on the way is hidden\.$/);
});

Deno.test("values of pages are filled in, and what does not fit is returned", () => {
  const form = readForm(body({
    views: [view("EditTrip", [field("TextInput", ".Home.City"), field("TextInput", ".Home.Yard.Size")])],
    content: { Home: { City: "", Yard: { Size: "" } } },
  }));
  const { form: filled, rest } = form.fill({
    Home: { City: "Oslo", Yard: { Size: "4", Trees: 2 }, Zip: undefined },
    Depot: { ID: 1 },
  });
  assert.deepEqual(filled.toSubmission().content, { Home: { City: "Oslo", Yard: { Size: "4" } } });
  assert.deepEqual(rest, { Home: { Yard: { Trees: 2 } }, Depot: { ID: 1 } });
  assert.equal(form.caseTitle, "T-7 Trip to Oslo");
});

Deno.test("an error about the key of a record is shown at its reference", () => {
  const error = {
    errorDetails: [{ erroneousInputOutputFieldInPage: ".Depot.ID", localizedValue: "There is no such depot." }],
  };
  const form = readForm(dropdownWithDetails).applyErrors(error);
  assert.deepEqual([form.find("Depot")?.errors, form.messages], [["There is no such depot."], []]);
});
