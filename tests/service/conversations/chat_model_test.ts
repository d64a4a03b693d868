/** Agents that answer by a model: requests to the server, and failures of it. */
import assert from "node:assert/strict";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { holdResponse } from "../../harness/faults.ts";
import {
  type ApiAnswer,
  type ApiCaller,
  completion,
  openService,
  readErrorDetails,
  requestToken,
  sendRequest,
  startModel,
} from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const KEY = "sk-very-secret";
const ADDRESS_VARIABLE = "SVC_TEST_MODEL_ADDRESS";
const KEY_VARIABLE = "SVC_TEST_MODEL_KEY";
const APPLICATION = `
application: { id: Talk, name: Talk, organisation: Org }
operators: { ada@talk: { name: Ada }, bob@talk: { name: Bob } }
caseTypes:
  Org-Talk-Work-Thing:
    name: Thing
    prefix: T
    workPool: ORG-TALK-WORK
    fields: { Colour: { type: Text }, Count: { type: Integer } }
    stages: { PRIM0: { name: Open, transition: create } }
agents:
  "@baseclass!Oracle":
    name: Oracle
    caseType: Org-Talk-Work-Thing
    starterQuestion: What is it?
    model:
      addressVariable: ${ADDRESS_VARIABLE}
      keyVariable: ${KEY_VARIABLE}
      name: small-1
      maxTokens: 50
      instructions: "{{ caseInfo.ID }} is {{ Colour }}. {{ operator.name }} asks."
  "@baseclass!Hasty":
    name: Hasty
    model: { addressVariable: ${ADDRESS_VARIABLE}, name: small-1, timeoutSeconds: 0.3, instructions: Be quick. }
  "Org-Talk!Patient":
    name: Patient
    model: { addressVariable: ${ADDRESS_VARIABLE}, name: small-1, instructions: Be patient. }
  "@baseclass!Broken":
    name: Broken
    caseType: Org-Talk-Work-Thing
    model: { addressVariable: ${ADDRESS_VARIABLE}, name: small-1, instructions: "{{ [1][int(Count)] }}" }
  "@baseclass!Unset":
    name: Unset
    model: { addressVariable: SVC_TEST_MODEL_UNSET, name: small-1, instructions: Say nothing. }
  "@baseclass!Hidden":
    name: Hidden
    external: false
    script: { fallback: Boo }
`;

const model = startModel();
Deno.env.set(ADDRESS_VARIABLE, model.address);
Deno.env.set(KEY_VARIABLE, KEY);
const service = await openService({ yaml: APPLICATION });

interface Talk {
  /** ID of the conversation. */
  readonly id: string;
  /** Sends a message. */
  say(text: string): Promise<ApiAnswer>;
  /** Reads the messages, as `role: text`. */
  said(): Promise<string[]>;
  /** Closes the conversation. */
  close(): Promise<ApiAnswer>;
}

async function talkTo(agent: string, { call }: ApiCaller = service): Promise<Talk> {
  const path = `/ai-agents/${agent}/conversations`;
  const started = await call("POST", path, { body: { executeStarterQuestion: false } });
  assert.equal(started.status, 201);
  const id = textAt(started.body, "id");
  return {
    id,
    say: (text) => call("PATCH", `${path}/${id}`, { body: { Request: text } }),
    close: () => call("PUT", `${path}/${id}/close`),
    async said() {
      const messages = valueAt((await call("GET", `${path}/${id}`)).body, "messages");
      assert.ok(Array.isArray(messages));
      return messages.map((message) => `${valueAt(message, "role")}: ${valueAt(message, "message")}`);
    },
  };
}

function reason({ status, body }: ApiAnswer): string {
  assert.equal(status, 424);
  assert.equal(isJsonObject(body) && body.errorClassification, "Dependent resource fail");
  return String(readErrorDetails(body)[0]?.message);
}

/** Each test starts with a server that repeats its request. */
function test(name: string, fn: () => Promise<void>): void {
  Deno.test(name, async () => {
    model.asked.length = 0;
    model.answer = (question) => completion(`You said: ${question}`);
    await fn();
    assert.deepEqual(service.log, []);
  });
}

Deno.test.afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

test("a model receives the instructions, all messages, and the key in the header", async () => {
  const created = await service.call("POST", "/cases", {
    body: { caseTypeID: "Org-Talk-Work-Thing", content: { Colour: "green" } },
  });
  const contextID = textAt(created.body, "id");
  const path = "/ai-agents/@baseclass!Oracle/conversations";
  const started = await service.call("POST", path, { body: { contextID } });
  assert.equal(started.status, 201);
  assert.equal(valueAt(started.body, "response"), "You said: What is it?");
  const Attachments = [{ type: "File", name: "photo.png" }];
  const reply = await service.call("PATCH", `${path}/${textAt(started.body, "id")}`, {
    body: { Request: "Why?", Attachments },
  });
  assert.equal(reply.status, 200);
  assert.equal(valueAt(reply.body, "id"), valueAt(reply.body, "messageID"));
  const messages = [
    { role: "system", content: `${contextID} is green. Ada asks.` },
    { role: "user", content: "What is it?" },
    { role: "assistant", content: "You said: What is it?" },
    { role: "user", content: "Why?\n\nAttachments: photo.png" },
  ];
  assert.deepEqual(model.asked.at(-1), {
    path: "/v1/chat/completions",
    authorization: `Bearer ${KEY}`,
    body: { model: "small-1", messages, max_tokens: 50 },
  });
});

const FAILURES: Record<string, [answer: () => Response | Promise<Response>, reason: RegExp]> = {
  "fails": [() => new Response(`bad key ${KEY}`, { status: 500 }), /responded with 500\./],
  "refuses the key": [() => Response.json({ error: { message: KEY } }, { status: 401 }), /responded with 401\./],
  "does not answer JSON": [() => new Response("<html>"), /is not JSON/],
  "answers other JSON": [() => Response.json({ choices: [] }), /is not a chat completion/],
  "answers without text": [() => completion(null), /is not a chat completion/],
  "answers an empty text": [() => completion(""), /is not a chat completion/],
  "never stops answering": [() => new Response(endless()), /has more than 1048576 bytes/],
  "answers a compressed large body": [flood, /has more than 1048576 bytes/],
  "redirects": [
    () => Response.redirect(`${model.address}/elsewhere`, 307),
    /responded with 307, and redirects are not/,
  ],
};

for (const [name, [answer, expected]] of Object.entries(FAILURES)) {
  test(`a model server that ${name} leads to a 424 without its text, and the message stays stored`, async () => {
    const talk = await talkTo("@baseclass!Oracle");
    model.answer = answer;
    const failed = await talk.say("Hello?");
    assert.match(reason(failed), expected);
    assert.equal(JSON.stringify(failed.body).includes(KEY), false);
    assert.deepEqual(await talk.said(), ["user: Hello?"]);
    assert.equal(model.asked.length, 1);
    model.answer = () => completion("Here I am.");
    assert.equal(valueAt((await talk.say("Still there?")).body, "response"), "Here I am.");
    assert.deepEqual(await talk.said(), ["user: Hello?", "user: Still there?", "assistant: Here I am."]);
    assert.equal(service.log.join().includes(KEY), false);
  });
}

test("a slow model server leads to a 424 after the timeout", async () => {
  const talk = await talkTo("@baseclass!Hasty");
  const late = Promise.withResolvers<Response>();
  model.answer = () => late.promise;
  assert.match(reason(await talk.say("Hello?")), /Hasty did not answer MSG-\d+ of PXCONV-\d+: .* than 0\.3 s\./);
  late.resolve(completion("Too late."));
  assert.deepEqual(await talk.said(), ["user: Hello?"]);
});

test("while a model answers, other requests are served, and the conversation accepts no message", async () => {
  const talk = await talkTo("Org-Talk!Patient");
  const held = holdResponse();
  model.answer = held.answer;
  const first = talk.say("One");
  await held.requested();
  assert.deepEqual(await talk.said(), ["user: One"]);
  assert.equal((await service.call("POST", "/cases", { body: { caseTypeID: "Org-Talk-Work-Thing" } })).status, 201);
  assert.equal((await talk.say("Two")).status, 423);
  assert.equal((await talk.close()).status, 423);
  held.release(completion("I see."));
  assert.equal((await first).status, 200);
  assert.deepEqual(await talk.said(), ["user: One", "assistant: I see."]);
  assert.equal((await talk.close()).status, 200);
  assert.equal(model.asked[0]?.authorization, null);
});

test("of many messages at once, each is answered or refused with 423, and each answer follows its message", async () => {
  const talk = await talkTo("Org-Talk!Patient");
  const statuses = await Promise.all([1, 2, 3, 4, 5].map(async (n) => (await talk.say(`No. ${n}`)).status));
  assert.ok(statuses.includes(200), statuses.join());
  assert.ok(statuses.every((status) => status === 200 || status === 423), statuses.join());
  const said = await talk.said();
  assert.equal(said.length, 2 * statuses.filter((status) => status === 200).length);
  for (let index = 0; index < said.length; index += 2) {
    assert.equal(said[index + 1], said[index]?.replace("user: ", "assistant: You said: "));
  }
});

test("the error about an unanswered starter question contains the ID of the conversation", async () => {
  model.answer = () => new Response(null, { status: 503 });
  const path = "/ai-agents/@baseclass!Oracle/conversations";
  const failed = reason(await service.call("POST", path, { body: {} }));
  const [id = ""] = /PXCONV-\d+/.exec(failed) ?? [];
  const read = await service.call("GET", `${path}/${id}`);
  assert.deepEqual([read.status, valueAt(read.body, "messages.0.message")], [200, "What is it?"]);
});

test("a missing or unsafe configuration leads to a 424 that names the variable", async () => {
  assert.match(reason(await (await talkTo("@baseclass!Unset")).say("Hello?")), /SVC_TEST_MODEL_UNSET is not set/);
  const talk = await talkTo("@baseclass!Oracle");
  for (
    const [variable, value, expected] of [
      [ADDRESS_VARIABLE, "http://model.example/v1", /SVC_TEST_MODEL_ADDRESS is an http address of another machine/],
      [ADDRESS_VARIABLE, "file:///etc/passwd", /SVC_TEST_MODEL_ADDRESS is not an http or https address/],
      [ADDRESS_VARIABLE, "https://user:pw@model.example", /SVC_TEST_MODEL_ADDRESS is not an http or https address/],
      [ADDRESS_VARIABLE, "http://127.0.0.1:1/v1", /the call of the model server failed: /],
      [KEY_VARIABLE, "two\nlines", /SVC_TEST_MODEL_KEY is a key that cannot be sent in a header/],
    ] as const
  ) {
    const before = Deno.env.get(variable) ?? "";
    Deno.env.set(variable, value);
    assert.match(reason(await talk.say("Hello?")), expected);
    Deno.env.set(variable, before);
  }
  assert.equal(model.asked.length, 0);
});

test("if the instructions cannot be computed, the message stays stored", async () => {
  const body: JsonValue = { caseTypeID: "Org-Talk-Work-Thing", content: { Count: 7 } };
  const contextID = textAt((await service.call("POST", "/cases", { body })).body, "id");
  const path = "/ai-agents/@baseclass!Broken/conversations";
  const { body: started } = await service.call("POST", path, { body: { contextID } });
  const failed = await service.call("PATCH", `${path}/${textAt(started, "id")}`, { body: { Request: "Hi" } });
  assert.match(reason(failed), /Cannot compute \[1\]\[int\(Count\)\]/);
  const read = await service.call("GET", `${path}/${textAt(started, "id")}`);
  assert.equal(valueAt(read.body, "messages.0.message"), "Hi");
});

test("IDs can be raw or encoded, and an agent that is not external is hidden", async () => {
  const talk = await talkTo("@baseclass!Oracle");
  for (const agent of ["@baseclass!Oracle", encodeURIComponent("@baseclass!Oracle"), "%40baseclass%21Oracle"]) {
    assert.equal((await service.call("GET", `/ai-agents/${agent}/conversations/${talk.id}`)).status, 200);
  }
  const agents = (await service.call("GET", "/ai-agents")).body;
  assert.ok(Array.isArray(agents));
  const names = agents.map((agent: JsonValue) => valueAt(agent, "name"));
  assert.deepEqual(names, ["Oracle", "Hasty", "Patient", "Broken", "Unset"]);
  assert.equal((await service.call("POST", "/ai-agents/@baseclass!Hidden/conversations", { body: {} })).status, 404);
});

test("a conversation is hidden from other operators", async () => {
  const talk = await talkTo("@baseclass!Oracle");
  const token = await requestToken(service.service, await service.service.addClient("bob@talk"));
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await sendRequest("GET", `${service.api}/ai-agents/@baseclass!Oracle/conversations/${talk.id}`, {
    headers,
  });
  assert.equal(status, 404);
});

test("a service that stops answers a waiting call with 424 and stores the message", async () => {
  await using stopped = await openService({ yaml: APPLICATION });
  const talk = await talkTo("Org-Talk!Patient", stopped);
  const held = holdResponse();
  model.answer = held.answer;
  const call = talk.say("Wait");
  await held.requested();
  await stopped.service.close();
  assert.match(reason(await call), /the service is stopping\. The message is stored\./);
  held.release(completion("Too late."));
});

function endless(): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode(" ".repeat(65_536));
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk) });
}

/** A small compressed body that expands to a large one. */
async function flood(): Promise<Response> {
  const much: JsonObject = { choices: [{ message: { content: "x".repeat(4_000_000) } }] };
  const packed = new Blob([JSON.stringify(much)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = await new Response(packed).arrayBuffer();
  return new Response(bytes, { headers: { "content-encoding": "gzip", "content-length": String(bytes.byteLength) } });
}
