/** The requests that prompts send for the forms of other servers. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { KEYS } from "../../harness/terminal.ts";
import { cascade } from "../../lib/forms/fixtures/choices.ts";
import { storedPhotos } from "../../lib/forms/fixtures/files_and_users.ts";
import { body, declare, declarePage, field, HOME, view } from "../../lib/forms/_body.ts";
import { rowActions } from "../../lib/forms/fixtures/lists.ts";
import { compositeKeys } from "../../lib/forms/fixtures/references.ts";
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

Deno.test("a record with two keys is typed key by key if its choices cannot be read", async () => {
  const fails = ({ call }: { call: string }) =>
    call.startsWith("POST") ? new Response(null, { status: 403 }) : undefined;
  await using form = await openForm(compositeKeys, fails);
  const { terminal } = form;
  await terminal.converse([
    ["◆  Country", enter],
    ["Type a value instead.", KEYS.ctrlU, "5", enter],
    ["◆  Nearest depot: Region", "W", enter],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), [{ content: { Depot: { ID: 5, Region: "W" } } }]);
});

Deno.test("a choice that a change has cleared is prompted for again", async () => {
  const rows: Readonly<Record<string, JsonObject[]>> = {
    "POST D_Countries": [{ Code: "NO", Name: "Norway" }, { Code: "SE", Name: "Sweden" }],
    "POST D_Regions": [{ Code: "VG", Name: "Gotland" }],
    "POST D_Towns": [{ Code: "V", Name: "Visby" }],
  };
  await using form = await openForm(
    cascade,
    ({ call }) => rows[call] === undefined ? undefined : Response.json({ data: rows[call] }),
  );
  const { terminal } = form;
  await terminal.converse([
    ["◆  Country", enter],
    ["◆  Region", "got", enter],
    ["◆  Town", "vis", enter],
    ["◆  Note", enter],
    ["◆  Submit 'Book trip'?", down, enter],
    ["◆  Which field?", "country", enter],
    ["◆  Country", "swe", enter],
    ["◆  Region", "got", enter],
    ["◆  Town", "vis", enter],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH EditTrip"), [{ content: { Country: "SE", Region: "VG", Town: "V" } }]);
});

Deno.test("a row with an action is opened and confirmed by this action", async () => {
  await using form = await openForm(rowActions);
  const { terminal } = form;
  await terminal.converse([
    ["◆  Purpose", enter],
    ["◆  Stops on the way: 3 rows", down, down, enter],
    ["● Edit the row", enter],
    ["◆  Stops on the way 1: City", KEYS.ctrlU, "Voss", enter],
    ["◆  Stops on the way: 3 rows", enter],
    ["◆  Submit 'Book trip'?", enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  const calls = form.requests.filter(({ call }) => call === "PATCH refresh").map(({ query, body }) =>
    [query.get("operation"), body?.interestPage, body?.interestPageActionID].join(" ")
  );
  const opened = "showRow .Stops(1) StopAction";
  assert.deepEqual(calls, [opened, opened, "submitRow .Stops(1) StopAction"]);
});

Deno.test("going to another step of a screen flow sends the entries", async () => {
  await using form = await openForm(screenFlow);
  const { terminal } = form;
  await terminal.converse([
    ["◆  Purpose", "Fair", enter],
    ["◆  Stops: 1 row", enter],
    [/Go back to 'Who'\n.*Go to another step/, down, down, down, enter],
    [/◆ {2}Which step\?\n.*● Card\n.*○ Stay here/, enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  assert.deepEqual(form.sent("PATCH S3A"), [{ content: { Purpose: "Fair" } }]);
  assert.deepEqual(form.sent("PATCH EditTrip"), []);
});

Deno.test("after status 424, a form can be submitted without robotic automation", async () => {
  await using form = await openForm(screenFlow, ({ call, query }) => {
    if (call !== "PATCH EditTrip" || query.get("skipRoboticAutomation") === "true") return undefined;
    const displayButtonsOnErrors = { skipRoboticAutomation: true };
    return Response.json({ localizedValue: "The robot is not available.", displayButtonsOnErrors }, { status: 424 });
  });
  const { terminal } = form;
  await terminal.converse([
    ["◆  Purpose", "Fair", enter],
    ["◆  Stops: 1 row", enter],
    ["◆  Submit 'Book trip'?", enter],
    ["The robot is not available.", ""],
    [/Your entries are kept. What now\?\n.*● Submit without robotic automation/, enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  const queries = form.requests.filter(({ call }) => call === "PATCH EditTrip").map(({ query }) => query.toString());
  assert.deepEqual(queries, ["", "skipRoboticAutomation=true"]);
  assert.deepEqual(form.sent("PATCH EditTrip").at(-1), { content: { Purpose: "Fair" } });
});
