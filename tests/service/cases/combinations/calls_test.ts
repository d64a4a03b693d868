/** The calls that `svc` makes while a form is filled in at a terminal and submitted. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../../utils/json.ts";
import { valueAt } from "../../../harness/service_engine.ts";
import { makeFolder } from "../../../harness/svc.ts";
import { KEYS, openTerminal, type Terminal } from "../../../harness/terminal.ts";
import { Office, type Visit } from "./_visit.ts";

const office = await Office.openForAll();
const folder = await makeFolder();
Deno.test.afterAll(async () => await folder[Symbol.asyncDispose]());
const { enter, left } = KEYS;

/** A prompt, and the keys that answer it. */
type Answer = readonly [prompt: string, ...keys: string[]];

/** Opens a form in a terminal. */
async function openForm(visit: Visit, action: string): Promise<Terminal> {
  const { service } = office.service;
  const { clientId, clientSecret } = await service.addClient("ada@acme");
  return openTerminal(
    ["assignments", "perform", visit.assignmentId, "--action", action, "--interactive", "--fields", "status"],
    {
      env: {
        SVC_BASE_URL: service.url,
        SVC_CLIENT_ID: clientId,
        SVC_CLIENT_SECRET: clientSecret,
        SVC_CONFIG_DIR: folder.path,
      },
    },
  );
}

/** Fills in and submits a form. Returns the operations of the calls, and the content of the case afterwards. */
async function fillIn(
  action: string,
  data: JsonObject,
  answers: readonly Answer[],
): Promise<{ calls: string[]; content: JsonObject }> {
  const visit = await office.visit(data);
  const list = office.watch();
  await using terminal = await openForm(visit, action);
  await terminal.converse([...answers, ["Submit '"]].map(([prompt, ...keys]) => [`◆  ${prompt}`, ...keys, enter]));
  assert.equal(await terminal.exit(), 0, terminal.screen());
  const calls = list();
  return { calls, content: await visit.content() };
}

const READ = "assignments.get-action";
const REFRESH = "assignments.refresh-action";
const SUBMIT = "assignments.perform";

Deno.test("a form that depends on nothing is read and submitted, and nothing else is called", async () => {
  const { calls, content } = await fillIn("Simple", {}, [["Purpose", "Fair"], ["Days", "3"]]);
  assert.deepEqual(calls, [READ, SUBMIT]);
  assert.deepEqual([content.Purpose, content.Days], ["Fair", 3]);
});

Deno.test("expressions that the client evaluates, and choices of the form, need no call", async () => {
  const { calls, content } = await fillIn("Local", {}, [["Kind", "sea"], ["Zip", "0150"], ["Mail"]]);
  assert.deepEqual(calls, [READ, SUBMIT]);
  assert.deepEqual([content.Kind, content.Zip], ["Sea", "0150"]);
});

Deno.test("choices that depend on each other are loaded, and the form is not computed", async () => {
  const { calls, content } = await fillIn("RowChoices", { Stops: [{ City: "Oslo" }] }, [
    ["Stops: 1 row", KEYS.down, KEYS.down],
    ["Oslo"],
    ["Stops 1: City (required)"],
    ["Stops 1: Country", "nor"],
    ["Stops 1: Region", "west"],
    ["Stops: 1 row"],
  ]);
  assert.deepEqual(calls, [READ, "data.query", "data.query", SUBMIT]);
  assert.deepEqual([valueAt(content, "Stops.0.Country"), valueAt(content, "Stops.0.Region")], ["NO", "W"]);
});

Deno.test("a row in a dialog is computed when it is opened, after each answer, and once more when it is complete", async () => {
  const { calls, content } = await fillIn("Dialog", {}, [
    ["Stops: 0 rows", KEYS.down],
    ["Stops 1: City (required)", "Lisbon"],
    ["Stops 1: Fee", "4"],
    ["Stops 1: Note", "Sea"],
    ["Stops: 1 row"],
  ]);
  assert.deepEqual(calls, [READ, ...Array.from({ length: 4 }, () => "cases.refresh-view"), REFRESH, SUBMIT]);
  assert.deepEqual([valueAt(content, "Stops.0.Double"), valueAt(content, "Stops.0.Note")], [8, "Sea"]);
});

Deno.test("a chosen record is computed once if its details are shown, and not otherwise", async () => {
  const { calls, content } = await fillIn("Chosen", {}, [["Depot", "oslo"], ["Nearby", "bergen"]]);
  assert.deepEqual(calls, [READ, "data.query", REFRESH, "data.query", SUBMIT]);
  assert.deepEqual([valueAt(content, "Depot.City"), valueAt(content, "Nearby.City")], ["Oslo", "Bergen"]);
});

Deno.test("a computed field is computed once for each changed answer, and not for an answer that stays", async () => {
  const changed = await fillIn("Details", {}, [["Days", "4"]]);
  assert.deepEqual(changed.calls, [READ, REFRESH, SUBMIT]);
  assert.equal(changed.content.Days, 4);
  const kept = await fillIn("Details", { Days: 4 }, [["Days"]]);
  assert.deepEqual(kept.calls, [READ, SUBMIT]);
});

Deno.test("a condition of the service is asked for after each changed answer, and shows a further question", async () => {
  const { calls, content } = await fillIn("AboutHome", {}, [
    ["City of the home", "Oslo"],
    ["Capital", left],
    ["Mayor", "Marianne"],
  ]);
  assert.deepEqual(calls, [READ, REFRESH, REFRESH, REFRESH, SUBMIT]);
  assert.equal(valueAt(content, "Home.Mayor"), "Marianne");
});

Deno.test("entries outlive a computation and a submission that the service refuses as stale", async () => {
  const visit = await office.visit();
  await using terminal = await openForm(visit, "Details");
  await terminal.waitFor("◆  Days");
  await visit.send("PATCH", visit.path("Simple"), { content: { Purpose: "Fair" } });
  const list = office.watch();
  await terminal.converse([
    ["◆  Days", "4", enter],
    [/The service did not compute the form: [^]*Days: \(empty\) → 4[^]*◆ {2}Submit '/, enter],
    [/The case has changed since the form was opened[^]*Days: \(empty\) → 4[^]*◆ {2}Submit '/, enter],
  ]);
  assert.equal(await terminal.exit(), 0, terminal.screen());
  assert.deepEqual(list(), [REFRESH, SUBMIT, READ, SUBMIT]);
  const stored = await visit.content();
  assert.deepEqual([stored.Purpose, stored.Days], ["Fair", 4]);
});
