/** The history of a case, as the API tells it. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../../utils/json.ts";
import { loadServedApplication } from "../../../service/sample/served_application.ts";
import { locateFiles } from "../../../service/server/directory.ts";
import { openService } from "../../harness/service.ts";
import { type Engine, openEngine, textAt, valueAt } from "../../harness/service_engine.ts";
import { makeFolder } from "../../harness/svc.ts";

const TYPE = "City-Permit-Work-Receipt";
const FIRST = "Confirmation of receipt";

const app = await loadServedApplication(undefined);
const handle = app.caseTypes.get(TYPE)?.processes.get("Handling")?.steps.get("Handle");
const activities = handle?.kind === "assignment" ? [...handle.actions.keys()] : [];

async function performAll(engine: Engine, trace: readonly string[]): Promise<JsonObject> {
  let answer = await engine.body("cases.create", { type: TYPE, data: { Reference: "case-1" } });
  for (const [index, action] of trace.entries()) {
    const next = await engine.body("assignments.getNext", {});
    assert.equal(valueAt(next, "id"), valueAt(answer, "nextAssignmentInfo.ID"));
    const PerformedAt = `2011-10-11 13:45:${String(index).padStart(2, "0")}.276000+02:00`;
    const data = { Resource: `Resource${index}`, PerformedAt, Last: index === trace.length - 1 };
    const values = { assignmentId: valueAt(next, "id"), action, data, ifMatch: valueAt(next, "etag") };
    answer = await engine.body("assignments.perform", values);
  }
  return answer;
}

Deno.test("a receipt takes its activities in any order, and its history read through the API is that order", async () => {
  await using engine = await openEngine();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...activities), { maxLength: 12 }), async (rest) => {
      const trace = [FIRST, ...rest];
      const answer = await performAll(engine, trace);
      assert.equal(valueAt(answer, "status"), "Resolved-Completed");
      const history = await engine.history(textAt(answer, "id"));
      const performed = history.filter((line) => line.pyHistoryType === "performed");
      assert.deepEqual(performed.map((line) => line.pyActionID), trace);
      assert.deepEqual(
        performed.map((line) => valueAt(line, "pyContent.Resource")),
        trace.map((_, index) => `Resource${index}`),
      );
      assert.equal(valueAt(performed[0], "pyContent.PerformedAt"), "2011-10-11 13:45:00.276000+02:00");
      assert.equal(valueAt(performed[0], "pyPerformer"), "clerk@city");
    }),
    { numRuns: 20 },
  );
});

Deno.test("the history records a link of a submission, and a file that was not uploaded is refused", async () => {
  await using engine = await openEngine();
  const created = await engine.body("cases.create", { type: "City-Permit-Work-Permit" });
  const perform = (attachments: JsonObject[]) => ({
    caseId: valueAt(created, "id"),
    action: "pyUpdateCaseDetails",
    attachments,
  });
  const link = { type: "URL", category: "URL", name: "Map", url: "https://maps.example/1" };
  await engine.call("cases.performAction", perform([link]));
  const history = await engine.history(textAt(created, "id"));
  assert.ok(history.some(({ pyMessageKey }) => pyMessageKey === "Attached Map"));
  const file = await engine.refused("cases.performAction", perform([{ type: "File", category: "File", ID: "x" }]));
  assert.equal(file.status, 400);
  const category = await engine.refused("cases.performAction", perform([{ ...link, category: "File" }]));
  assert.match(category.message, /'File' is not a category of links/);
});

Deno.test("the history records page instructions of assignment actions and case actions", async () => {
  await using folder = await makeFolder();
  const data = `${folder.path}/data`;
  const append = (Title: string) => [{ instruction: "APPEND", target: ".Documents", content: { Title } }];
  await using svc = await openService({ data });
  const body = { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } };
  const created = await svc.call("POST", "/cases", { body });
  const path = `/cases/${encodeURIComponent(textAt(created.body, "id"))}/actions/pyUpdateCaseDetails`;
  const changed = await svc.call("PATCH", path, {
    body: { pageInstructions: append("Map") },
    headers: { "if-match": String(created.headers.get("etag")) },
  });
  const assignment = encodeURIComponent("ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE");
  const performed = await svc.call("PATCH", `/assignments/${assignment}/actions/Register`, {
    body: { pageInstructions: append("Plan") },
    headers: { "if-match": String(changed.headers.get("etag")) },
  });
  assert.deepEqual([changed.status, performed.status], [200, 200]);
  await svc.service.close();
  using database = new DatabaseSync(locateFiles(data).database);
  const facts = database.prepare("SELECT facts FROM events WHERE kind = 'performed' ORDER BY rowid").all();
  const kept = facts.map((row) => parseJsonObject(String(row.facts))?.pageInstructions);
  assert.deepEqual(kept, [append("Map"), append("Plan")]);
});

Deno.test("links that are added while the clock is set back have different IDs", async () => {
  await using engine = await openEngine();
  const caseId = textAt(await engine.body("cases.create", { type: "City-Permit-Work-Permit" }), "id");
  for (const [index, wait] of [1000, -60_000, 1, 1, 0].entries()) {
    const link = { type: "URL", category: "URL", name: `Map ${index}`, url: `https://maps.example/${index}` };
    await engine.call("attachments.add", { caseId, attachments: [link] }, { wait });
  }
  const { attachments } = await engine.body("attachments.list", { caseId });
  const links = Array.isArray(attachments) ? attachments.filter(isJsonObject) : [];
  assert.deepEqual(links.map(({ name }) => name).sort(), ["Map 0", "Map 1", "Map 2", "Map 3", "Map 4"]);
  assert.equal(new Set(links.map(({ ID }) => ID)).size, 5);
});

Deno.test("the messages of a conversation stay in their order while the clock is set back", async () => {
  await using engine = await openEngine();
  const agentId = "@baseclass!PermitGuide";
  const started = await engine.body("aiAgents.startConversation", { agentId, executeStarter: false });
  const place = { agentId, conversation: textAt(started, "id") };
  for (const [index, wait] of [1000, -60_000, 1, 30_000, 0].entries()) {
    await engine.call("aiAgents.sendMessage", { ...place, request: `Question ${index}` }, { wait });
  }
  const { messages } = await engine.body("aiAgents.getConversation", place);
  const said = Array.isArray(messages) ? messages.filter(isJsonObject) : [];
  const questions = said.filter(({ role }) => role === "user").map(({ message }) => message);
  assert.deepEqual(questions, [0, 1, 2, 3, 4].map((index) => `Question ${index}`));
  assert.deepEqual(said.map(({ role }) => role), questions.flatMap(() => ["user", "assistant"]));
  const times = said.map(({ createTime }) => String(createTime));
  assert.deepEqual(times, [...times].sort());
});
