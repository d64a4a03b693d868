/** Entity tags that a service demands: the client reads them and sends the call once more. */
import assert from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { createCaller } from "../../../lib/client/caller.ts";
import { permissionName } from "../../../lib/operation/operation.ts";
import type { TagMode } from "../../../lib/operation/request_style.ts";
import { loadResources } from "../../../lib/resources/mod.ts";
import { type Client, createClient } from "../../../mod.ts";
import { startService } from "../../../service/mod.ts";
import { CLIENT, clientEnvironment, type FakeService, startFakeService } from "../../harness/fake_service.ts";
import { prepareCommandLines } from "../../harness/command_process.ts";
import { createValues } from "./_operation.ts";
import { inOrder, readHeader, sendJson, startUnrulyServer } from "../../harness/faults.ts";
import { makeFolder, parseErrorRecord, svc } from "../../harness/svc.ts";
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

const runCommandLine = prepareCommandLines();

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
  const { id: participantId = "" } = await svc.participants.add(id, { role: "Applicant", data: APPLICANT });
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
    message: 'cases.stageNext("C-1"): The service demands an entity tag, but reading it failed: Ask your manager.',
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

/** A request and its entity tag. */
type TaggedRequest = readonly [request: string, tag: string | null];

/** Starts a service that answers each request with an entity tag of its own, or as `answer` says. */
function startTagging(answer?: (request: Request) => Response | undefined) {
  const received: TaggedRequest[] = [];
  const service = startFakeService({
    api(request) {
      const call = `${request.method} ${new URL(request.url).pathname.replace("/dx-api/v2", "")}`;
      received.push([call, request.headers.get("if-match")]);
      return answer?.(request) ?? Response.json({}, { headers: { etag: `tag of ${call}` } });
    },
  });
  return { service, received };
}

/** Calls every operation once, and returns the requests of each. */
async function callAll(tags: TagMode): Promise<Map<string, TaggedRequest[]>> {
  const { service, received } = startTagging();
  await using _ = service;
  const caller = createCaller({ ...CLIENT, baseUrl: service.baseUrl, noCache: true, tags });
  const calls = new Map<string, TaggedRequest[]>();
  for (const ref of operations) {
    await caller.call(ref, createValues(ref.operation)).catch(() => {}); // Many answers need more members.
    calls.set(ref.name, received.splice(0));
  }
  return calls;
}

Deno.test("with the tags 'first', every request that may need an entity tag has the one that its read offers", async () => {
  const calls = await callAll("first");
  const untagged = [...calls].filter(([, requests]) => requests.at(-1)?.[1] === null).map(([name]) => name);
  for (const { name, operation: { tagFrom } } of operations) {
    const [read, change, ...others] = calls.get(name) ?? [];
    assert.deepEqual(others, [], name);
    assert.equal(tagFrom === undefined, untagged.includes(name), name);
    if (tagFrom === undefined) continue;
    assert.ok(read && change, name);
    assert.match(read[0], /^GET /, name);
    assert.equal(change[1], `tag of ${read[0]}`, name);
  }
  const demanding = operations.filter(({ operation }) => operation.tagDemand !== undefined).map(({ name }) => name);
  assert.deepEqual(demanding.filter((name) => untagged.includes(name)), []);
  const records = ["data.update", "data.patch", "data.perform-action"];
  assert.deepEqual(records.filter((name) => untagged.includes(name)), []);
});

Deno.test("by default, only 'assignments perform' and changes of records read an entity tag that no service demands", async () => {
  const calls = [...await callAll("on-demand")].filter(([, requests]) => requests.length > 1);
  assert.deepEqual(calls.map(([name]) => name), ["assignments.perform", "data.update", "data.patch"]);
});

Deno.test("with the tags 'never', only 'assignments perform' reads an entity tag, even if a service demands one", async () => {
  const calls = [...await callAll("never")].filter(([, requests]) => requests.length > 1);
  assert.deepEqual(calls.map(([name]) => name), ["assignments.perform"]);
  const { service, received } = startTagging(() => Response.json({}, { status: 428 }));
  await using _ = service;
  const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true, tags: "never" });
  for (let call = 0; call < 2; call++) {
    await assert.rejects(svc.cases.stageNext("C-1"), { code: "PRECONDITION_REQUIRED" });
  }
  assert.deepEqual(received, Array(2).fill(["POST /cases/C-1/stages/next", null]));
});

Deno.test("a repeated request carries the entity tag of the first one, whatever the profile says now", async () => {
  const { service, received } = startTagging();
  await using _ = service;
  const ref = operations.find(({ name }) => name === "data.update");
  assert.ok(ref);
  for (const tags of ["first", "on-demand", "never"] as const) {
    const caller = createCaller({ ...CLIENT, baseUrl: service.baseUrl, noCache: true, tags });
    await caller.call(ref, { dataViewId: "D", data: { ID: "1" } }, { knownTag: "7" });
    assert.deepEqual(received.splice(0), [["PUT /data/D", "7"]]);
  }
});

/** Ways in which services refuse to read the entity tag of a record. */
const TAGLESS_READS: Readonly<Record<string, () => Response>> = {
  "responded with 404": () => Response.json({ localizedValue: "Dataview not found" }, { status: 404 }),
  "responded with 405": () => new Response("", { status: 405 }),
  "responded with 422": () => Response.json({ localizedValue: "It is a list." }, { status: 422 }),
  "has none": () => Response.json({ ID: "1" }),
};

function startTagless(read: () => Response) {
  return startTagging(({ method }) => method === "GET" ? read() : Response.json({ responseData: {} }));
}

Deno.test("svc changes a record without an entity tag if the read offers none, and says so", async () => {
  for (const [reason, read] of Object.entries(TAGLESS_READS)) {
    for (
      const [command, tags, change] of [
        ["update D", "on-demand", "PUT /data/D"],
        ["patch D", "on-demand", "PATCH /data/D"],
        ["perform-action D --action Edit", "first", "PATCH /data/D/actions/Edit"],
      ] as const
    ) {
      const { service, received } = startTagless(read);
      await using _ = service;
      await using folder = await makeFolder();
      await saveProfile("default", { baseUrl: service.baseUrl, ...CLIENT, tags }, folder.path);
      const args = ["data", ...command.split(" "), "--data", '{"ID":"1"}'];
      const { code, stdout, stderr } = await runCommandLine(args, {
        env: { SVC_CONFIG_DIR: folder.path, SVC_NO_CACHE: "true" },
      });
      assert.deepEqual([code, JSON.parse(stdout)], [0, { responseData: {} }], stderr);
      assert.deepEqual(received, [["GET /data_views/D", null], [change, null]]);
      assert.match(stderr, /^Warning: The change is sent without an entity tag, because .*"tags": "never" .*\.\n$/);
      assert.ok(stderr.includes(reason), stderr);
    }
  }
});

Deno.test("a client warns only once of changes without an entity tag, and other failures of the read are final", async () => {
  const warnings: string[] = [];
  const { service } = startTagless(() => Response.json({}));
  await using _ = service;
  const options = { ...CLIENT, noCache: true, warn: (text: string) => void warnings.push(text) };
  const svc = createClient({ ...options, baseUrl: service.baseUrl });
  for (const ID of ["1", "2"]) await svc.data.update("D", { data: { ID } });
  assert.equal(warnings.length, 1);
  const forbidding = startTagless(() => Response.json({ localizedValue: "No." }, { status: 403 }));
  await using _other = forbidding.service;
  const refused = createClient({ ...options, baseUrl: forbidding.service.baseUrl }).data.update("D", { data: {} });
  await assert.rejects(refused, { code: "FORBIDDEN" });
  assert.equal(forbidding.received.length, 1);
});

Deno.test("with the tags 'first', a change is sent without a tag that the read does not offer, unless it is required", async () => {
  const { service, received } = startTagging(() => Response.json({}));
  await using _ = service;
  const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true, tags: "first" });
  await svc.cases.stageNext("C-1").catch(() => {});
  assert.deepEqual(received.splice(0), [["GET /cases/C-1", null], ["POST /cases/C-1/stages/next", null]]);
  await assert.rejects(svc.assignments.perform("A", { action: "B" }), { code: "MISSING_ETAG" });
});

Deno.test("a refusal of a request without an entity tag has one hint, which says how to get one", async () => {
  const hintFor = async (service: FakeService, tags: TagMode, ifMatch?: string) => {
    const svc = createClient({ ...CLIENT, baseUrl: service.baseUrl, noCache: true, autoTag: false, tags });
    return await svc.cases.stageNext("C-1", { ifMatch }).then(() => undefined, ({ hint }) => hint);
  };
  for (const status of [400, 409, 412, 428]) {
    const { service } = startTagging(({ method }) => Response.json({}, { status: method === "GET" ? 200 : status }));
    await using _ = service;
    const pass = "Pass ifMatch to send the entity tag that you last read.";
    for (const tags of ["on-demand", "never"] as const) {
      assert.equal(
        await hintFor(service, tags),
        `The request had no entity tag, which some services require. Set "tags": "first" in the profile to read it first. ${pass}`,
      );
    }
    assert.equal(
      await hintFor(service, "first"),
      `The request had no entity tag, because the service did not provide one. ${pass}`,
    );
    assert.ok(!String(await hintFor(service, "first", "1")).includes("had no entity tag"));
  }
  const { service } = startTagging(() => Response.json({}, { status: 422 }));
  await using _ = service;
  assert.equal(await hintFor(service, "never"), undefined);
});

Deno.test("a dry run shows the entity tags that a profile reads first", async () => {
  await using folder = await makeFolder();
  const profile = { baseUrl: "https://svc.example", clientId: "id", clientSecret: "secret" };
  for (const tags of ["first", "on-demand", "never"] as const) {
    await saveProfile(tags, { ...profile, tags }, folder.path);
  }
  const isShown = async (line: string, profile: TagMode) => {
    const args = [...line.split(" "), "--dry-run", "--profile", profile];
    return (await runCommandLine(args, { env: { SVC_CONFIG_DIR: folder.path } })).stdout.includes("[FETCHED]");
  };
  const lines = ["assignments perform ASSIGN-A --action B", "data update D --data {}", "cases stage-next C"];
  const shown = async (tags: TagMode) => await Promise.all(lines.map((line) => isShown(line, tags)));
  assert.deepEqual(await shown("first"), [true, true, true]);
  assert.deepEqual(await shown("on-demand"), [true, true, false]);
  assert.deepEqual(await shown("never"), [true, false, false]);
});
