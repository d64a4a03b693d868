/** The requests that prompts send for the forms of other servers. */
import assert from "node:assert/strict";
import { KEYS } from "../../harness/terminal.ts";
import { storedPhotos } from "../../lib/forms/fixtures/files_and_users.ts";
import { body, declare, declarePage, field, HOME, view } from "../../lib/forms/_body.ts";
import { approval, screenFlow } from "../../lib/forms/fixtures/work.ts";
import { openForm } from "./_action_server.ts";

const { enter, down } = KEYS;

Deno.test("several files are added one after the other, and one of them is removed alone", async () => {
  await using form = await openForm(storedPhotos, undefined, { "door.txt": "1", "yard.txt": "2" });
  const { terminal } = form;
  await terminal.converse([
    ["◆  Photos: 3 files", down, down, down, enter],
    ["◆  Photos: 2 files", down, enter],
    ["◆  Photos (path of a file)", "door.txt", enter],
    ["◆  Photos: 3 files", down, enter],
    ["◆  Photos (path of a file)", "yard.txt", enter],
    ["Keep front.jpg, roof.jpg, door.txt, yard.txt", enter],
    ["Photos: front.jpg, back.jpg, roof.jpg → front.jpg, roof.jpg, door.txt", ""],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), [{
    content: {},
    pageInstructions: [
      { instruction: "DELETE", target: ".Photos", listIndex: 2 },
      { instruction: "INSERT", target: ".Photos", listIndex: 3, content: { ID: "file-1" } },
      { instruction: "INSERT", target: ".Photos", listIndex: 4, content: { ID: "file-2" } },
    ],
  }]);
});

Deno.test("a form that the service cannot compute can still be filled in and submitted", async () => {
  const response = body({
    views: [view("EditTrip", [field("TextInput", ".Purpose"), field("Currency", ".Total"), attachment])],
    fields: {
      Purpose: declare("Text", "Purpose"),
      Total: declare("Decimal", "Total", { isDeclarativeTarget: true }),
      Doc: declarePage("Document", "Embed-Attach-File", { dataRetrievalType: "refer" }),
    },
    content: { Purpose: "", Total: 1 },
  });
  const fails = ({ call }: { call: string }) =>
    call === "PATCH refresh" ? new Response(null, { status: 500 }) : undefined;
  await using form = await openForm(response, fails, { "plan.txt": "1" });
  const { terminal } = form;
  await terminal.converse([
    ["◆  Purpose", "Fair", enter],
    ["You can continue.", ""],
    ["◆  Document (path of a file)", "plan.txt", enter],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  const bodies = form.sent("PATCH refresh").map((sent) => sent?.pageInstructions ?? []);
  assert.deepEqual(bodies.flat(), [], "a file that is not uploaded yet is not sent");
  assert.deepEqual(form.sent("PATCH EditTrip"), [{
    content: { Purpose: "Fair" },
    pageInstructions: [{ instruction: "REPLACE", target: ".Doc", content: { ID: "file-1" } }],
  }]);
});

const attachment = { type: "Attachment", config: { value: "@P .Doc", label: "@FL .Doc", allowMultiple: "false" } };

Deno.test("an error in a row is shown, and its list is prompted for again", async () => {
  let isRejected = false;
  await using form = await openForm(screenFlow, ({ call }) => {
    if (call !== "PATCH EditTrip" || isRejected) return undefined;
    isRejected = true;
    const errorDetails = [{ erroneousInputOutputFieldInPage: ".Stops(1).City", localizedValue: "No such city." }];
    return Response.json({ localizedValue: "Validation failed.", errorDetails }, { status: 422 });
  });
  const { terminal } = form;
  await terminal.converse([
    ["◆  Purpose", "Fair", enter],
    ["◆  Stops: 1 row", enter],
    ["◆  Submit 'Book trip'?", enter],
    ["Stops 1: City: No such city.", ""],
    ["◆  Stops: 1 row", down, down, enter],
    ["◆  Oslo", enter],
    ["◆  Stops 1: City", KEYS.ctrlU, "Voss", enter],
    ["◆  Stops: 1 row", enter],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip").at(-1), {
    content: { Purpose: "Fair" },
    pageInstructions: [{ instruction: "UPDATE", target: ".Stops", listIndex: 1, content: { City: "Voss" } }],
  });
});

Deno.test("--data for a property that the form leaves out is sent with the others of its page", async () => {
  const response = body({
    views: [view("EditTrip", [field("TextInput", ".Home.City")])],
    fields: { Home: declarePage("Home", HOME), City: declare("Text", "City", { classID: HOME }) },
    content: { Home: { classID: HOME, City: "" } },
  });
  await using form = await openForm(response, undefined, {}, ["--data", '{"Home":{"Zip":"0150"}}']);
  const { terminal } = form;
  await terminal.converse([["◆  City", "Oslo", enter], ["◆  Submit 'Book trip'?", enter]]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), [{ content: { Home: { Zip: "0150", City: "Oslo" } } }]);
});

Deno.test("an approval says that its buttons cannot be sent, and is not submitted by a quick Enter", async () => {
  await using form = await openForm(approval);
  const { terminal } = form;
  await terminal.converse([
    ["The button 'Approve' cannot be used here", ""],
    ["◆  Purpose", enter],
    [/○ Submit without an outcome[^]*● Cancel/, enter],
  ]);
  assert.equal(await terminal.exit(), 130, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), []);
});
