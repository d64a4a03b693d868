/** `svc assistants`: conversations with an assistant. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../../utils/json.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const REVIEWER = "reviewer@city";
const DESK = "'@baseclass!Desk'";

async function start(contextId: string, flags = ""): Promise<JsonObject> {
  return await live.object(`assistants start-conversation ${DESK} --context-id '${contextId}' ${flags}`);
}

Deno.test("start-conversation asks the starter question unless the caller declines it", async () => {
  const caseId = await live.createPermit();
  const started = await start(caseId, "--interaction-id I-1 --execute-starter");
  const summary = `${caseId.split(" ")[1]}: New, urgency 10, opened by clerk@city.`;
  assert.equal(started.id, started.ID);
  assert.deepEqual([started.contextID, started.interactionID, started.response], [caseId, "I-1", summary]);
  assert.deepEqual([started.assistantID, "activeChannel" in started], ["@baseclass!Desk", false]);
  assert.equal((await start(caseId, "--no-execute-starter")).response, "");
  for (const line of [`${DESK} --context-id 'CITY-PERMIT-WORK P-0'`, "'@baseclass!PermitGuide'"]) {
    assert.equal((await live.refused(`assistants start-conversation ${line}`)).code, "NOT_FOUND");
  }
  const { message } = await live.refused("assistants start-conversation '@baseclass!Des'");
  assert.equal(
    message,
    "The resource cannot be found: Assistant '@baseclass!Des' not found",
    "there is no list of them",
  );
});

Deno.test("send-message answers, and get-conversation has both messages", async () => {
  const { id } = await start(await live.createPermit(), "--no-execute-starter");
  const send = `assistants send-message ${DESK} --conversation ${id}`;
  const reply = await live.object(`${send} --request 'Who opened it?'`);
  assert.match(textAt(reply, "response"), /^clerk@city opened P-\d+\.$/);
  const conversation = await live.object(`assistants get-conversation ${DESK} --conversation ${id}`);
  assert.deepEqual([conversation.id, conversation.status], [id, "Open"]);
  assert.equal(valueAt(conversation, "messages.0.message"), "Who opened it?");
  assert.deepEqual(
    [valueAt(conversation, "messages.1.ID"), valueAt(conversation, "messages.1.message")],
    [reply.messageID, reply.response],
  );
  assert.equal((await live.refused(`${send} --request ''`)).code, "BAD_REQUEST");
});

Deno.test("list-conversations pages through the caller's conversations in a context, newest first", async () => {
  const caseId = await live.createPermit();
  const first = await start(caseId);
  const second = await start(caseId);
  const line = `assistants list-conversations ${DESK} --context-id '${caseId}'`;
  const ids = async (flags: string, operator?: string) => {
    const { conversations } = await live.object(`${line} ${flags}`, operator);
    return Array.isArray(conversations) ? conversations.map((conversation) => valueAt(conversation, "id")) : [];
  };
  assert.deepEqual(await ids(""), [second.id, first.id]);
  assert.deepEqual(await ids("--page-size 1 --page-index 1"), [first.id]);
  assert.deepEqual(await ids("", REVIEWER), []);
  assert.equal((await live.refused(`${line} --page-size 0`)).code, "BAD_REQUEST");
});

Deno.test("close-conversation answers in plain text, and the conversation can only be read", async () => {
  const { id } = await start(await live.createPermit());
  const place = `${DESK} --conversation ${id}`;
  const { code, stdout, stderr } = await live.run(`assistants close-conversation ${place}`);
  assert.deepEqual([code, stdout.includes(`${id} is closed.`), stderr], [0, true, ""]);
  for (const line of [`close-conversation ${place}`, `send-message ${place} --request more`]) {
    assert.equal((await live.refused(`assistants ${line}`)).code, "CONFLICT");
  }
  const closed = await live.object(`assistants get-conversation ${place}`);
  assert.deepEqual([closed.status, valueAt(closed, "messages.2")], ["Closed", undefined]);
});

Deno.test("a conversation is visible only to its operator", async () => {
  const { id } = await start(await live.createPermit());
  const place = `${DESK} --conversation ${id}`;
  for (
    const line of [`get-conversation ${place}`, `send-message ${place} --request hi`, `close-conversation ${place}`]
  ) {
    assert.equal((await live.refused(`assistants ${line}`, REVIEWER)).code, "NOT_FOUND");
  }
});
