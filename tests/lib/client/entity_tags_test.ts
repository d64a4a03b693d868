/** Entity tags that a service demands: the client reads them and sends the call once more. */
import assert from "node:assert/strict";
import { permissionName } from "../../../lib/operation/operation.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { type Client, createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { inOrder, readHeader, sendJson, startUnrulyServer } from "../../harness/faults.ts";
import { parseErrorRecord, svc } from "../../harness/svc.ts";
import { within } from "../../harness/wait.ts";

/** The operations for which the published API requires an entity tag. */
const REQUIRED = [
  "PATCH /assignments/{assignmentID}/actions/{actionID}",
  "PATCH /assignments/{assignmentID}/actions/{actionID}/recalculate",
  "PATCH /assignments/{assignmentID}/actions/{actionID}/refresh",
  "PATCH /assignments/{assignmentID}/actions/{actionID}/save",
  "PATCH /assignments/{assignmentID}/navigation_steps/previous",
  "PATCH /assignments/{assignmentID}/navigation_steps/{stepID}",
  "PATCH /cases/{caseID}/actions/{actionID}",
  "PATCH /cases/{caseID}/actions/{actionID}/recalculate",
  "PATCH /cases/{caseID}/actions/{actionID}/refresh",
  "POST /cases/{caseID}/stages/next",
  "PUT /cases/{caseID}/stages/{stageID}",
  "POST /cases/{caseID}/participants",
  "PATCH /cases/{caseID}/participants/{participantID}",
  "DELETE /cases/{caseID}/participants/{participantID}",
];

const type = "City-Permit-Work-Permit";

const APPLICANT = { pyFirstName: "Ada", pyLastName: "Lovelace" };

/** Creates a permit, and returns its handle and its first assignment. */
async function createPermit(svc: Client): Promise<{ id: string; intake: string }> {
  const { id, nextAssignmentInfo } = await svc.cases.create({ type, data: { Applicant: "Ada", Address: "Dam 1" } });
  return { id, intake: nextAssignmentInfo?.ID ?? "" };
}

/** Creates a permit in review, and returns its assignment, whose second step is the current one. */
async function createReview(svc: Client): Promise<string> {
  const { id } = await createPermit(svc);
  const { nextAssignmentInfo } = await svc.cases.stageGo(id, { stage: "Review" });
  const review = nextAssignmentInfo?.ID ?? "";
  await svc.assignments.perform(review, { action: "CheckApplication", data: { Address: "Main Street 1" } });
  return review;
}

async function addParticipant(svc: Client): Promise<{ id: string; participantId: string }> {
  const { id } = await createPermit(svc);
  const { id: participantId } = await svc.participants.add(id, { role: "Applicant", data: APPLICANT });
  return { id, participantId };
}

const calculation = { calculations: { fields: [{ name: ".Fee", context: "content" }] } };

/** Prepares a call of each operation. The client that makes the call may differ from the one that prepares it. */
const CALLS: Readonly<Record<string, (svc: Client) => Promise<(svc: Client) => Promise<unknown>>>> = {
  "assignments.perform": async (svc) => {
    const { intake } = await createPermit(svc);
    return (svc) => svc.assignments.perform(intake, { action: "Register" });
  },
  "assignments.recalculate": async (svc) => {
    const { intake } = await createPermit(svc);
    return (svc) => svc.assignments.recalculate(intake, { action: "Register", data: calculation });
  },
  "assignments.refresh-action": async (svc) => {
    const { intake } = await createPermit(svc);
    return (svc) => svc.assignments.refreshAction(intake, { action: "Register", data: { Applicant: "Grace" } });
  },
  "assignments.save": async (svc) => {
    const { intake } = await createPermit(svc);
    return (svc) => svc.assignments.save(intake, { action: "Register", data: { Applicant: "Grace" } });
  },
  "assignments.navigate-back": async (svc) => {
    const review = await createReview(svc);
    return (svc) => svc.assignments.navigateBack(review);
  },
  "assignments.navigate-to-step": async (svc) => {
    const review = await createReview(svc);
    return (svc) => svc.assignments.navigateToStep(review, { step: "AssignmentSF1" });
  },
  "cases.perform-action": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.cases.performAction(id, { action: "pyUpdateCaseDetails", data: { Applicant: "Grace" } });
  },
  "cases.recalculate": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.cases.recalculate(id, { action: "pyUpdateCaseDetails", data: calculation });
  },
  "cases.refresh-action": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.cases.refreshAction(id, { action: "pyUpdateCaseDetails", data: { Applicant: "Grace" } });
  },
  "cases.stage-next": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.cases.stageNext(id);
  },
  "cases.stage-go": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.cases.stageGo(id, { stage: "Decision" });
  },
  "participants.add": async (svc) => {
    const { id } = await createPermit(svc);
    return (svc) => svc.participants.add(id, { role: "Applicant", data: APPLICANT });
  },
  "participants.update": async (svc) => {
    const { id, participantId } = await addParticipant(svc);
    return (svc) => svc.participants.update(id, { participantId, data: { pyFirstName: "Grace" } });
  },
  "participants.delete": async (svc) => {
    const { id, participantId } = await addParticipant(svc);
    return (svc) => svc.participants.delete(id, { participantId });
  },
};

const operations = Object.entries(await loadResources()).flatMap(([group, operations]) =>
  Object.entries(operations).map(([name, operation]) => ({ name: permissionName(group, name), operation }))
);

Deno.test("the descriptions demand an entity tag for the operations of the published API, and name its source", () => {
  const demanding = operations.filter(({ operation }) => operation.tagDemand !== undefined);
  const requests = demanding.map(({ operation: { method, path } }) => `${method} ${path}`);
  assert.deepEqual(requests.sort(), [...REQUIRED].sort());
  for (const { name, operation } of demanding) assert.ok(operation.tagFrom, name);
  assert.deepEqual(demanding.map(({ name }) => name).sort(), Object.keys(CALLS).sort());
});

Deno.test("a strict service demands entity tags, and the client reads each and sends the call once more", async (test) => {
  await using service = await startService({ strict: true });
  const options = { baseUrl: service.url, ...await service.addClient("clerk@city"), noCache: true };
  const preparing = createClient(options);
  for (const [name, prepare] of Object.entries(CALLS)) {
    await test.step(name, async () => {
      const call = await prepare(preparing);
      const isReadFirst = name === "assignments.perform";
      if (!isReadFirst) {
        await assert.rejects(call(createClient({ ...options, autoTag: false })), {
          code: "PRECONDITION_REQUIRED",
          operation: name,
        });
      }
      const statuses: number[] = [];
      await call(createClient({ ...options, onReply: ({ status }) => void statuses.push(status) }));
      const success = name === "participants.add" ? 201 : 200;
      assert.deepEqual(statuses, isReadFirst ? [200, success] : [428, 200, success]);
    });
  }
});

Deno.test("a client that knows that an operation needs an entity tag reads it first", async () => {
  await using service = await startService({ strict: true });
  const statuses: number[] = [];
  const svc = createClient({
    baseUrl: service.url,
    ...await service.addClient("clerk@city"),
    noCache: true,
    retries: 1,
    onReply: ({ status }) => void statuses.push(status),
  });
  const { id } = await createPermit(svc);
  statuses.length = 0;
  await svc.cases.stageGo(id, { stage: "Review" });
  await svc.cases.stageGo(id, { stage: "Decision" });
  assert.deepEqual(statuses, [428, 200, 200, 200, 200]);
});

Deno.test("a service that is not strict gets no entity tag that it does not demand", async () => {
  await using service = await startService();
  const statuses: number[] = [];
  const svc = createClient({
    baseUrl: service.url,
    ...await service.addClient("clerk@city"),
    noCache: true,
    onReply: ({ status }) => void statuses.push(status),
  });
  const { id } = await createPermit(svc);
  statuses.length = 0;
  await svc.cases.stageNext(id);
  assert.deepEqual(statuses, [200]);
});

Deno.test("a call is sent at most twice, with the tag that was read or the one that was passed", async () => {
  const demand = sendJson(428, { localizedValue: "Send If-Match." });
  using server = startUnrulyServer(inOrder(demand, sendJson(200, {}, { etag: '"7"' }), demand));
  const svc = createClient(server.options);
  await assert.rejects(svc.cases.stageNext("C-1"), { code: "PRECONDITION_REQUIRED" });
  const sent = server.received.map(({ head }) => [head.slice(0, head.indexOf(" HTTP")), readHeader(head, "if-match")]);
  assert.deepEqual(sent, [
    ["POST /dx-api/v2/cases/C-1/stages/next", undefined],
    ["GET /dx-api/v2/cases/C-1", undefined],
    ["POST /dx-api/v2/cases/C-1/stages/next", '"7"'],
  ]);
  server.received.length = 0;
  await assert.rejects(svc.cases.stageNext("C-1", { ifMatch: '"6"' }), { code: "PRECONDITION_REQUIRED" });
  assert.equal(server.received.length, 1);
  server.behave = inOrder(demand, sendJson(200, {}));
  await assert.rejects(createClient(server.options).cases.stageNext("C-1"), { code: "MISSING_ETAG" });
  server.behave = inOrder(demand, sendJson(403, { localizedValue: "Ask your manager." }));
  await assert.rejects(createClient(server.options).cases.stageNext("C-1"), {
    code: "FORBIDDEN",
    message: "The service demands an entity tag, but reading it failed: Ask your manager.",
  });
});

Deno.test("svc reads the entity tag that a service demands, unless --no-auto-tag is set", async () => {
  await using service = await startService({ strict: true });
  const client = await service.addClient("clerk@city");
  const preparing = createClient({ baseUrl: service.url, ...client, noCache: true });
  const { id } = await createPermit(preparing);
  const env = {
    ...clientEnvironment({ baseUrl: service.url }),
    SVC_CLIENT_ID: client.clientId,
    SVC_CLIENT_SECRET: client.clientSecret,
    SVC_NO_CACHE: "true",
  };
  const refused = await within("svc ends", svc(["cases", "stage-next", id, "--no-auto-tag"], { env }));
  const { code, hint } = parseErrorRecord(refused);
  assert.deepEqual([refused.code, code], [1, "PRECONDITION_REQUIRED"]);
  assert.match(String(hint), /--if-match/);
  const done = await within("svc ends", svc(["cases", "stage-next", id, "--fields", "id"], { env }));
  assert.deepEqual([done.code, done.stderr], [0, ""]);
});
