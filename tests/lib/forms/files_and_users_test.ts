/** Attachment fields, users, and parts that have no place in a form. */
import assert from "node:assert/strict";
import { readForm } from "../../../lib/forms/mod.ts";
import {
  attachments,
  confirmationView,
  heldPhotos,
  shownAttachments,
  storedPhotos,
  users,
  usersById,
  widgets,
} from "./fixtures/files_and_users.ts";
import { asked, outline, shown } from "./_outline.ts";

Deno.test("attachment fields show the names of their files, and never a page as text", () => {
  const form = readForm(attachments);
  assert.deepEqual(outline(form), [
    'Doc: attachment "Document" =  (required)',
    'Contract: attachment "Contract" = contract.pdf',
    'Photos: attachment "Photos" = ',
    'Home.Doc: attachment "Document" = ',
  ]);
  const [doc, , photos] = form.questions;
  assert.ok(doc?.type === "attachment" && photos?.type === "attachment");
  assert.deepEqual([doc.extensions, doc.isMultiple], [["pdf", "docx"], false]);
  assert.deepEqual([photos.extensions, photos.isMultiple], [[], true]);
  assert.deepEqual(shown(readForm(shownAttachments)), ["Document: ", "Contract: contract.pdf"]);
  assert.deepEqual(asked(readForm(shownAttachments)), []);
});

Deno.test("an uploaded file replaces the page of its field, and is deleted with it", () => {
  const form = readForm(attachments);
  assert.deepEqual(form.attach("Doc", { ID: "tmp-1", name: "plan.pdf" }).toSubmission(), {
    content: {},
    pageInstructions: [{ instruction: "REPLACE", target: ".Doc", content: { ID: "tmp-1" } }],
    attachments: [],
  });
  assert.deepEqual(form.attach("Contract", { ID: "tmp-2", name: "new.pdf" }).toSubmission().pageInstructions, [
    { instruction: "REPLACE", target: ".Contract", content: { ID: "tmp-2" } },
  ]);
  assert.deepEqual(form.attach("Contract", null).toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Contract" },
  ]);
  assert.deepEqual(form.attach("Doc", { ID: "tmp-1" }).attach("Doc", null).toSubmission().pageInstructions, []);
  assert.deepEqual(form.attach("Home.Doc", { ID: "tmp-3" }).toSubmission().pageInstructions, [
    { instruction: "REPLACE", target: ".Home.Doc", content: { ID: "tmp-3" } },
  ]);
  assert.deepEqual(form.attach("Photos", [{ ID: "a" }, { ID: "b" }]).toSubmission().pageInstructions, [
    { instruction: "INSERT", target: ".Photos", listIndex: 1, content: { ID: "a" } },
    { instruction: "INSERT", target: ".Photos", listIndex: 2, content: { ID: "b" } },
  ]);
});

Deno.test("older servers take the files beside the content", () => {
  const form = readForm(attachments).attach("Doc", { ID: "tmp-1", name: "plan.pdf" }).attach("Contract", null);
  assert.deepEqual(
    form.attach("Contract", { ID: "tmp-2" }).toSubmission({ files: "attachments" }).attachments.slice(1),
    [
      { type: "File", attachmentFieldName: "Contract", delete: true },
      { type: "File", attachmentFieldName: "Contract", ID: "tmp-2" },
    ],
  );
  assert.deepEqual(form.toSubmission({ files: "attachments" }), {
    content: {},
    pageInstructions: [],
    attachments: [
      { type: "File", attachmentFieldName: "Doc", ID: "tmp-1" },
      { type: "File", attachmentFieldName: "Contract", delete: true },
    ],
  });
});

Deno.test("one of several files is removed by its position, and the others stay", () => {
  const form = readForm(storedPhotos);
  const names = (changed: typeof form) => {
    const field = changed.find("Photos");
    return field?.type === "attachment" ? field.files : [];
  };
  assert.deepEqual(names(form), ["front.jpg", "back.jpg", "roof.jpg"]);
  const removed = form.detach("Photos", 1);
  assert.deepEqual(names(removed), ["front.jpg", "roof.jpg"]);
  const added = removed.attach("Photos", [{ ID: "tmp-1", name: "door.jpg" }, { ID: "tmp-2", name: "yard.jpg" }]);
  const changed = added.detach("Photos", 0).detach("Photos", 1);
  assert.deepEqual(names(changed), ["roof.jpg", "yard.jpg"]);
  assert.deepEqual(changed.toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Photos", listIndex: 2 },
    { instruction: "DELETE", target: ".Photos", listIndex: 1 },
    { instruction: "INSERT", target: ".Photos", listIndex: 2, content: { ID: "tmp-2" } },
  ]);
  assert.deepEqual(changed.toSubmission({ files: "attachments" }).attachments, [
    { type: "File", attachmentFieldName: "Photos", ID: "LINK-1", delete: true },
    { type: "File", attachmentFieldName: "Photos", ID: "LINK-2", delete: true },
    { type: "File", attachmentFieldName: "Photos", ID: "tmp-2" },
  ]);
  const replaced = form.attach("Photos", null).attach("Photos", { ID: "tmp-3" });
  assert.deepEqual(replaced.toSubmission().pageInstructions, [
    { instruction: "DELETE ALL", target: ".Photos" },
    { instruction: "INSERT", target: ".Photos", listIndex: 1, content: { ID: "tmp-3" } },
  ]);
  assert.deepEqual(form.detach("Photos", 2).attach("Photos", []).toSubmission().pageInstructions, []);
  assert.deepEqual(readForm(attachments).detach("Contract", 0).toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Contract" },
  ]);
  assert.throws(() => form.detach("Photos", 3), /Photos has no file 4/);
});

Deno.test("several files may be held by one page, and stay when another is added", () => {
  const form = readForm(heldPhotos).attach("Photos", { ID: "tmp-1", name: "door.jpg" });
  const field = form.find("Photos");
  assert.deepEqual(field?.type === "attachment" && field.files, ["front.jpg", "back.jpg", "door.jpg"]);
  assert.deepEqual(form.detach("Photos", 0).toSubmission().pageInstructions, [
    { instruction: "DELETE", target: ".Photos", listIndex: 1 },
    { instruction: "INSERT", target: ".Photos", listIndex: 2, content: { ID: "tmp-1" } },
  ]);
});

Deno.test("a file with another extension and a text for a file are refused", () => {
  const form = readForm(attachments);
  assert.throws(() => form.attach("Doc", { ID: "tmp-1", name: "plan.exe" }), {
    code: "INVALID_ARGS",
    message: /Document takes files of the types pdf, docx, not 'plan.exe'/,
  });
  assert.throws(() => form.attach("Doc", [{ ID: "a" }, { ID: "b" }]), /Document holds one file/);
  assert.throws(() => form.set("Doc", "plan.pdf"), /Document is a file/);
});

Deno.test("users are shown by name and sent by ID", () => {
  const form = readForm(users);
  assert.deepEqual(outline(form), [
    'Lead: user "Lead" = Rita Rep',
    'Deputy: user "Deputy" = Bob',
    'Owner: user "Owner" = gone@acme (read-only)',
  ]);
  assert.deepEqual(form.toSubmission().content, {});
  const [lead] = form.questions;
  assert.ok(lead?.type === "field");
  assert.deepEqual([lead.query?.dataView, lead.query?.key, lead.query?.text], [
    "D_pyC11nOperatorsList",
    "pyUserIdentifier",
    "pyUserName",
  ]);
  const row = { pyUserIdentifier: "ada@acme", pyUserName: "Ada" };
  assert.deepEqual(form.choose("Lead", { key: "ada@acme", text: "Ada", row }).toSubmission().content, {
    Lead: "ada@acme",
  });
  assert.deepEqual(form.set("Deputy", "").toSubmission().content, { Deputy: "" });
  assert.deepEqual(shown(readForm(usersById)), ["Lead: Rita Rep", "Deputy: Bob"]);
});

Deno.test("widgets of pages are left out silently, and a link is shown", () => {
  const form = readForm(widgets);
  assert.deepEqual(outline(form), [
    'Deputy: text "Deputy" = Bob',
    'Deputy: text "Link" = Bob (read-only)',
  ]);
  assert.deepEqual(form.problems, []);
});

Deno.test("a confirmation is only shown", () => {
  const form = readForm(confirmationView);
  assert.deepEqual(outline(form), ["# All done", '  Deputy: text "Deputy" = Bob (read-only)']);
  assert.deepEqual(asked(form), []);
});

Deno.test("a call that computes a form of an older server has no instructions for files", () => {
  const { data, uiResources } = JSON.parse(JSON.stringify(attachments));
  data.caseInfo.assignments[0].actions[0].refreshConditions = [{ field: ".Doc", event: "Changes" }];
  const form = readForm({ data, uiResources }, { action: "EditTrip" }).attach("Doc", { ID: "tmp-1", name: "plan.pdf" });
  assert.equal(form.refreshFor("Doc")?.body.pageInstructions.length, 1);
  assert.deepEqual(form.refreshFor("Doc", { files: "attachments" })?.body.pageInstructions, []);
});
