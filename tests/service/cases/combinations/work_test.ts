/** Buttons, steps, actions, and the errors of submissions. */
import assert from "node:assert/strict";
import { readForm } from "../../../../lib/forms/mod.ts";
import { objectAt, valueAt } from "../../../harness/service_engine.ts";
import { asked, shown } from "../../../lib/forms/_outline.ts";
import { Office, part, type Visit } from "./_visit.ts";

const office = await Office.openForAll();

/** Performs the first step and returns the ID of the assignment with the screens. */
async function pack(visit: Visit): Promise<string> {
  await visit.send("PATCH", visit.path("Go"), { content: {} });
  const shown = await visit.send("GET", `/cases/${visit.caseId}`);
  return String(valueAt(shown, "data.caseInfo.assignments.0.ID"));
}

Deno.test("the steps of a part of a screen flow are nested in it, and are counted in order", async () => {
  const visit = await office.visit();
  const id = await pack(visit);
  const body = await visit.send("GET", `/assignments/${id}/actions/Big?viewType=form`);
  const steps = valueAt(body, "uiResources.navigation.steps");
  assert.deepEqual(
    Array.isArray(steps) && steps.map((step) => [valueAt(step, "name"), valueAt(step, "steps.1.name")]),
    [["Bags", "Small"], ["Tickets", undefined]],
  );
  assert.equal(valueAt(steps, "0.steps.1.ID"), "AssignmentSF2");
  const form = readForm(body, { action: "Big" });
  assert.deepEqual(form.steps.map(({ name, isCurrent }) => [name, isCurrent]), [
    ["Big", true],
    ["Small", false],
    ["Tickets", false],
  ]);
  assert.match(form.title, /\(screen 1 of 3\)$/);
});

Deno.test("Next continues, Previous keeps the entries, a visited step can be opened, and Submit ends", async () => {
  const visit = await office.visit();
  const id = await pack(visit);
  const open = async (action: string) => {
    return readForm(await visit.send("GET", `/assignments/${id}/actions/${action}?viewType=form`), { action });
  };
  const big = await open("Big");
  assert.deepEqual(big.buttons.map(({ name }) => name), ["Next", "Cancel", "Save for later"]);
  const { content } = big.set("Weight", "2.5").toSubmission();
  await visit.send("PATCH", `/assignments/${id}/actions/Big`, { content });
  const small = await open("Small");
  assert.deepEqual(small.buttons.map(({ name }) => name), ["Next", "Cancel", "Save for later", "Previous"]);
  const entries = small.set("Days", 4).toSubmission();
  const back = await visit.send("PATCH", `/assignments/${id}/navigation_steps/previous?viewType=form`, {
    content: entries.content,
  });
  assert.deepEqual(shown(readForm(back)), ["Weight: 2.5"]);
  const jump = await visit.send("PATCH", `/assignments/${id}/navigation_steps/AssignmentSF2?viewType=form`, {});
  assert.deepEqual(shown(readForm(jump)), ["Days: 4"]);
  await visit.send("PATCH", `/assignments/${id}/actions/Small`, { content: {} });
  const last = await open("Tickets");
  assert.deepEqual(last.buttons[0]?.name, "Submit");
  await visit.send("PATCH", `/assignments/${id}/actions/Tickets`, {
    content: last.set("Kind", "Sea").toSubmission().content,
  });
  const stored = await visit.content();
  assert.deepEqual([stored.Weight, stored.Days, stored.Kind], [2.5, 4, "Sea"]);
});

Deno.test("entries are saved as a draft, which the next form shows and a cancellation discards", async () => {
  const visit = await office.visit();
  const { form } = await visit.open("Simple");
  const { content } = form.set("Days", 6).toSubmission();
  await visit.send("PATCH", `${visit.path("Simple")}/save`, { content });
  assert.equal((await visit.open("Simple")).form.content.Days, 6);
  assert.equal((await visit.content()).Days, "");
  await visit.send("DELETE", `/cases/${visit.caseId}/updates`);
  assert.equal((await visit.open("Simple")).form.content.Days, "");
});

Deno.test("an action of the case has a form of its own, with a list", async () => {
  const visit = await office.visit({ Stops: [{ City: "Oslo" }] });
  const path = `/cases/${visit.caseId}/actions/Note`;
  const form = readForm(await visit.send("GET", path), { action: "Note" });
  assert.deepEqual(asked(form), ['Notes: lines "Notes"', 'Stops: list "Stops"']);
  const filled = form.set("Notes", "Late").list("Stops").insert({ City: "Rome" });
  const { content, pageInstructions } = filled.toSubmission();
  assert.deepEqual([content, pageInstructions], [
    { Notes: "Late" },
    [{ instruction: "INSERT", target: ".Stops", listIndex: 2, content: { City: "Rome" } }],
  ]);
  await visit.send("PATCH", path, { content, pageInstructions });
  const stored = await visit.content();
  assert.deepEqual([stored.Notes, valueAt(stored, "Stops.1.City")], ["Late", "Rome"]);
});

Deno.test("errors are reported at the field, also in rows, and entries are kept for the next attempt", async () => {
  const visit = await office.visit({ Stops: [{ City: "Oslo" }] });
  const { form } = await visit.open("Table");
  const filled = form.set("Stops[0].City", "").list("Stops").insert({ City: "Rome" });
  const { status, body } = await visit.refused("Table", filled);
  assert.equal(status, 422);
  const rejected = filled.applyErrors(body);
  assert.deepEqual(part(rejected, "Stops[0].City", "field").errors, ["City is required"]);
  assert.deepEqual(rejected.messages, [], "the general message is left out, because another one says more");
  const stored = await visit.submit("Table", rejected.set("Stops[0].City", "Lima"));
  assert.deepEqual([0, 1].map((row) => valueAt(stored, `Stops.${row}.City`)), ["Lima", "Rome"]);
});

Deno.test("a stale entity tag is refused, and the entries fit the form that is read again", async () => {
  const visit = await office.visit();
  const { body, form } = await visit.open("Simple");
  await visit.send("PATCH", visit.path("Simple"), { content: { Days: 1 } });
  const filled = form.set("Purpose", "Fair");
  const headers = { "if-match": String(body.etag) };
  const { content } = filled.toSubmission();
  const stale = await office.service.call("PATCH", visit.path("Simple"), { body: { content }, headers });
  assert.equal(stale.status, 412);
  const { form: fresh } = await visit.open("Simple");
  const { form: reopened, lost } = filled.reopen(fresh);
  assert.deepEqual([reopened.toSubmission().content, lost], [{ Purpose: "Fair" }, []]);
  const stored = await visit.submit("Simple", reopened);
  assert.deepEqual([stored.Purpose, stored.Days], ["Fair", 1]);
});

Deno.test("a case that another operator edits is locked, and the error names the operator", async () => {
  const visit = await office.visit();
  await visit.send("PATCH", `${visit.path("Simple")}/save`, { content: { Days: 6 } });
  const { service } = office.service;
  const other = await service.addClient("ben@acme");
  const { createClient } = await import("../../../../mod.ts");
  const ben = createClient({ baseUrl: service.url, ...other, noCache: true });
  const action = { action: "pyUpdateCaseDetails", data: { Days: 1 } };
  await assert.rejects(
    async () => await ben.cases.performAction(visit.caseId, action, { ifMatch: "*" }),
    /Ada|ada@acme/,
  );
  assert.equal(objectAt(await visit.content(), "Home").City, "");
});
