/** `svc ai-agents`: conversations with an agent that answers by a script. */
import assert from "node:assert/strict";
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { textAt, valueAt } from "../../harness/service_engine.ts";

const live = await openLiveForAll();
const REVIEWER = "reviewer@city";
const GUIDE = "'@baseclass!PermitGuide'";

/** Starts a conversation and returns it. */
async function start(contextId: string, flags = ""): Promise<JsonObject> {
  return await live.object(`ai-agents start-conversation ${GUIDE} --context-id '${contextId}' ${flags}`);
}

/** Sends a message in a conversation and returns the reply. */
async function say(conversation: JsonValue | undefined, text: string, flags = ""): Promise<JsonObject> {
  const line = `ai-agents send-message ${GUIDE} --conversation ${conversation} --request '${text}' ${flags}`;
  return await live.object(line);
}

async function read(conversation: JsonValue | undefined): Promise<JsonObject> {
  return await live.object(`ai-agents get-conversation ${GUIDE} --conversation ${conversation}`);
}

function messages(conversation: JsonObject): (JsonValue | undefined)[][] {
  const list = conversation.messages;
  assert.ok(Array.isArray(list));
  return list.map((message) => [valueAt(message, "role"), valueAt(message, "message"), valueAt(message, "inReplyTo")]);
}

Deno.test("list shows the agents with the parts of their IDs", async () => {
  const guide = { id: "@baseclass!PermitGuide", agentClass: "@baseclass", name: "PermitGuide", label: "Permit guide" };
  assert.deepEqual(await live.json("ai-agents list"), [guide]);
});

Deno.test("start-conversation asks the starter question unless the caller declines it", async () => {
  const caseId = await live.createPermit();
  const number = caseId.split(" ")[1];
  const flags = "--interaction-id I-1 --active-channel Web --active-channel-id W-1 --execute-starter";
  const started = await start(caseId, flags);
  assert.match(textAt(started, "id"), /^PXCONV-\d+$/);
  const { ID, contextID, interactionID, agentID, activeChannel, activeChannelID, status } = started;
  assert.deepEqual([ID, contextID, interactionID, agentID], [started.id, caseId, "I-1", "@baseclass!PermitGuide"]);
  assert.deepEqual([activeChannel, activeChannelID, status], ["Web", "W-1", "Open"]);
  assert.equal(started.response, `${number} is New.`);
  assert.match(textAt(started, "initialInstruction"), /^Ask about the state/);
  assert.deepEqual(started.suggestedPrompts, ["What is missing?", "What does it cost?"]);
  const question = valueAt(await read(started.id), "messages.0.ID");
  assert.deepEqual(messages(await read(started.id)), [
    ["user", "What is the state of this application?", undefined],
    ["assistant", `${number} is New.`, question],
  ]);

  const quiet = await start(caseId, "--no-execute-starter");
  assert.deepEqual([quiet.response, quiet.messageID], ["", ""]);
  assert.deepEqual((await read(quiet.id)).messages, []);
});

Deno.test("a conversation needs no case; an unknown case or agent is refused", async () => {
  const started = await live.object(`ai-agents start-conversation ${GUIDE}`);
  assert.deepEqual([started.contextID, started.response], ["", "Please ask about a permit."]);
  const refusals = [[`${GUIDE} --context-id 'CITY-PERMIT-WORK P-0'`, "contextID"], [
    "'@baseclass!PermitGuid'",
    "Agent '@baseclass!PermitGuid' not found; did you mean '@baseclass!PermitGuide'?",
  ]] as const;
  for (const [line, end] of refusals) {
    const { code, message } = await live.refused(`ai-agents start-conversation ${line}`);
    assert.deepEqual([code, String(message).slice(-end.length)], ["NOT_FOUND", end]);
  }
});

Deno.test("send-message answers by the script from the current case and stores both messages", async () => {
  const caseId = await live.createPermit({ Applicant: "Ada", Area: 10 });
  const { id } = await start(caseId, "--no-execute-starter");
  const reply = await say(id, "What exactly is MISSING?");
  assert.deepEqual([reply.id, reply.response], [reply.messageID, "Missing: the address, the documents."]);
  assert.deepEqual(reply.aiGuidedQuestions, ["What does it cost?"]);
  assert.equal((await say(id, "the fee?")).response, "The fee is 75.");
  await live.object(`cases perform-action '${caseId}' --action Expedite`);
  const flags = `--attachments '[{"type":"File","name":"plan.pdf"}]' --active-channel Email --active-channel-id E-1`;
  assert.equal((await say(id, "the fee?", flags)).response, "The fee is 175, including 100 because it is urgent.");
  assert.match(textAt(await say(id, "Hm"), "response"), /^I do not know what to say to 'Hm'\./);
  const conversation = await read(id);
  assert.deepEqual([conversation.activeChannel, conversation.activeChannelID], ["Email", "E-1"]);
  assert.deepEqual(messages(conversation).map(([role, text]) => `${role}: ${text}`).slice(0, 4), [
    "user: What exactly is MISSING?",
    "assistant: Missing: the address, the documents.",
    "user: the fee?",
    "assistant: The fee is 75.",
  ]);
  assert.deepEqual(valueAt(conversation, "messages.4.attachments"), [{ type: "File", name: "plan.pdf" }]);
});

Deno.test("send-message refuses empty and long texts, invalid attachments and a stale tag", async () => {
  const started = await start(await live.createPermit());
  const line = `ai-agents send-message ${GUIDE} --conversation ${started.id}`;
  const tag = (await read(started.id)).etag;
  for (const flags of ["--request ' '", `--request '${"x".repeat(10_001)}'`, "--request hi --attachments '[1]'"]) {
    assert.equal((await live.refused(`${line} ${flags}`)).code, "BAD_REQUEST");
  }
  await live.object(`${line} --request fee --if-match '${tag}'`);
  assert.equal((await live.refused(`${line} --request fee --if-match '${tag}'`)).code, "PRECONDITION_FAILED");
  assert.equal(messages(await read(started.id)).length, 4);
});

Deno.test("the length of a message counts characters, and an emoji is one", async () => {
  const { id } = await start(await live.createPermit());
  const line = `ai-agents send-message ${GUIDE} --conversation ${id}`;
  await live.object(`${line} --request '${"😀".repeat(10_000)}'`);
  const { message } = await live.refused(`${line} --request '${"😀".repeat(10_001)}'`);
  assert.match(String(message), /Request must have at most 10000 characters/);
});

Deno.test("list-conversations pages through the caller's conversations in a context, newest first", async () => {
  const caseId = await live.createPermit();
  const ids = [];
  for (const _ of [1, 2, 3]) ids.unshift((await start(caseId, "--no-execute-starter")).id);
  const line = `ai-agents list-conversations ${GUIDE} --context-id '${caseId}'`;
  const page = async (flags: string, operator?: string) => {
    const { conversations } = await live.object(`${line} ${flags}`, operator);
    assert.ok(Array.isArray(conversations));
    return conversations.map((conversation) => valueAt(conversation, "id"));
  };
  assert.deepEqual(await page(""), ids);
  assert.deepEqual(await page("--page-size 2 --page-index 0"), ids.slice(0, 2));
  assert.deepEqual(await page("--page-size 2 --page-index 1"), ids.slice(2));
  assert.deepEqual(await page("--page-size 2 --page-index 2"), []);
  assert.deepEqual(await page("", REVIEWER), []);
  for (const size of [0, 101]) {
    assert.equal((await live.refused(`${line} --page-size ${size}`)).code, "BAD_REQUEST");
  }
  const unknown = "ai-agents list-conversations '@baseclass!Unknown' --context-id x";
  assert.equal((await live.refused(unknown)).code, "NOT_FOUND");
});

Deno.test("the last like or dislike of an answer applies, with its feedback", async () => {
  const { id, messageID } = await start(await live.createPermit());
  const line = `${GUIDE} --conversation ${id} --message ${messageID}`;
  const opinion = async () => {
    const { liked, disliked, feedbackText } = Object(valueAt(await read(id), "messages.1"));
    return [liked, disliked, feedbackText];
  };
  assert.deepEqual(await opinion(), [false, false, ""]);
  assert.deepEqual(await live.run(`ai-agents like ${line}`), { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await opinion(), [true, false, ""]);
  const disliked = await live.run(`ai-agents dislike ${line} --feedback 'Which state?'`);
  assert.deepEqual(disliked, { code: 0, stdout: "", stderr: "" });
  assert.deepEqual(await opinion(), [false, true, "Which state?"]);
  assert.equal((await live.refused(`ai-agents dislike ${line} --feedback ' '`)).code, "BAD_REQUEST");
});

Deno.test("only answers of the conversation can be liked and disliked", async () => {
  const { id, messageID } = await start(await live.createPermit());
  const other = await start(await live.createPermit());
  const question = valueAt(await read(id), "messages.0.ID");
  for (const command of ["like", "dislike --feedback no"]) {
    const refused = async (conversation: JsonValue | undefined, message: JsonValue | undefined) => {
      const [name, ...flags] = command.split(" ");
      const place = `--conversation ${conversation} --message ${message}`;
      return (await live.refused(`ai-agents ${name} ${GUIDE} ${place} ${flags.join(" ")}`)).code;
    };
    assert.equal(await refused(id, question), "BAD_REQUEST");
    assert.equal(await refused(other.id, messageID), "NOT_FOUND");
    assert.equal(await refused(id, "MSG-0"), "NOT_FOUND");
  }
});

Deno.test("a closed conversation can be read and rated, but not continued", async () => {
  const { id, messageID } = await start(await live.createPermit());
  const line = `ai-agents close-conversation ${GUIDE} --conversation ${id}`;
  assert.deepEqual(await live.run(line), { code: 0, stdout: "", stderr: "" });
  const closed = await read(id);
  assert.equal(closed.status, "Closed");
  assert.match(textAt(closed, "closeTime"), /^\d{4}-/);
  const again = await live.refused(line);
  assert.deepEqual([again.code, again.status], ["CONFLICT", 409]);
  const more = `ai-agents send-message ${GUIDE} --conversation ${id} --request 'One more'`;
  assert.equal((await live.refused(more)).code, "CONFLICT");
  assert.equal(messages(await read(id)).length, 2);
  assert.equal((await live.run(`ai-agents like ${GUIDE} --conversation ${id} --message ${messageID}`)).code, 0);
});

Deno.test("a conversation is visible only to its operator and with its agent", async () => {
  const { id, messageID } = await start(await live.createPermit());
  const place = `${GUIDE} --conversation ${id}`;
  for (
    const line of [
      `get-conversation ${place}`,
      `send-message ${place} --request hi`,
      `close-conversation ${place}`,
      `like ${place} --message ${messageID}`,
      `dislike ${place} --message ${messageID} --feedback no`,
    ]
  ) assert.equal((await live.refused(`ai-agents ${line}`, REVIEWER)).code, "NOT_FOUND");
  const desk = `assistants get-conversation '@baseclass!Desk' --conversation ${id}`;
  assert.equal((await live.refused(desk)).code, "NOT_FOUND");
});

Deno.test("deleting a case deletes its conversations", async () => {
  const caseId = await live.createPermit();
  const { id } = await start(caseId);
  assert.equal((await live.run(`cases delete '${caseId}'`)).code, 0);
  const gone = await live.refused(`ai-agents get-conversation ${GUIDE} --conversation ${id}`);
  assert.equal(gone.code, "NOT_FOUND");
});
