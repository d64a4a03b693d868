/** What a change is sent with when its input is taken up again: the same key, for as long as it may have arrived. */
import assert from "node:assert/strict";
import type { SessionOptions } from "../../../lib/auth/settings.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { RetryBudget, retrying } from "../../../lib/client/retry.ts";
import { SvcError, type SvcErrorOptions } from "../../../lib/errors.ts";
import { GrantedCalls, type LiveCall, type LiveCalls, StopInput } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/runs/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import type { OpenWorkflow } from "../../../workflows/runs/open_workflow.ts";
import type { CallRequest } from "../../../workflows/sandbox/protocol/messages.ts";
import {
  cutConnection as cut,
  inOrder as inTurn,
  listIdempotencyKeys as keysOf,
  readHeader as headerOf,
  sendJson as answer,
  sendNoBackend as noBackend,
  startUnrulyServer as startUnruly,
  type UnrulyServer,
  type WireMessage,
} from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody as caseAnswer, newRun, openScript, scriptText } from "../../harness/workflow.ts";

const POSTING = `return (await svc.social.postMessage({ context: "clerk@city", message: "Here." })).id;`;
const PERFORMING = `return await svc.assignments.perform("A", { action: "B" });`;
const RUN = "r1";

/** Times that `try_` takes the one input of a run up, each in a process of its own as far as the journal knows. */
interface Run extends AsyncDisposable {
  readonly journal: Journal;
  /** Works on the input; it ends without an answer where the live call disposes of the workflow. */
  attempt(liveOf: (workflow: OpenWorkflow) => LiveCalls): Promise<InputOutcome>;
}

async function openRun(body: string = POSTING): Promise<Run> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder({ "script.ts": scriptText(body) }));
  const script = `${folder.path}/script.ts`;
  const journal = stack.use(await openJournal(`${folder.path}/journal.db`));
  await journal.createRun(newRun(RUN, script));
  const kept = stack.move();
  return {
    journal,
    async attempt(liveOf) {
      await using workflow = await openScript({ script, allowDeclared: true });
      const runner = new Runner({ workflow, live: liveOf(workflow), journal, id: RUN });
      return await runner.run({ number: 1, place: "input" });
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Sends a change, then lets its process die. */
function killedAfterSending(keys: string[]): (workflow: OpenWorkflow) => LiveCalls {
  return () => ({
    async call(_request, { sent, commit }: LiveCall) {
      keys.push(sent.key);
      await commit(undefined, true);
      throw new StopInput(new SvcError("INTERRUPTED", "The process is gone."));
    },
  });
}

function failing(keys: string[], options: SvcErrorOptions): () => LiveCalls {
  return () => ({
    async call(_request, { sent, commit }: LiveCall) {
      keys.push(sent.key);
      await commit(undefined, true);
      throw new SvcError("NETWORK_ERROR", "It did not work.", options);
    },
  });
}

function failureOf(outcome: InputOutcome): SvcError {
  assert.ok("failure" in outcome);
  return outcome.failure;
}

Deno.test("a change that may have arrived keeps its key, also after an attempt that surely did not arrive", async () => {
  await using run = await openRun();
  const keys: string[] = [];
  await run.attempt(killedAfterSending(keys));
  failureOf(await run.attempt(failing(keys, {})));
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  failureOf(await run.attempt(failing(keys, { outcomeUnknown: true })));
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  failureOf(await run.attempt(failing(keys, {})));
  assert.deepEqual(keys, Array(4).fill("r1.1.1"));
});

Deno.test("a change that the service has refused, or that never left, gets a new key", async () => {
  await using run = await openRun();
  const keys: string[] = [];
  await run.attempt(killedAfterSending(keys));
  failureOf(await run.attempt(failing(keys, { rejectedByService: true })));
  await reopenFailed(run.journal, RUN);
  failureOf(await run.attempt(failing(keys, {})));
  await reopenFailed(run.journal, RUN);
  failureOf(await run.attempt(failing(keys, {})));
  assert.deepEqual(keys, ["r1.1.1", "r1.1.1", "r1.1.1.1", "r1.1.1.2"]);
});

Deno.test("of changes asked for at once, one that surely was not done is not taken for one that may have been", async () => {
  await using run = await openRun(`const make = (n) => svc.cases.create({ type: "T", data: { n } });
    const both = await Promise.allSettled([make("one"), make("two")]);
    for (const { reason } of both) if (reason) throw reason;
    return "done";`);
  const sendings: [text: string, key: string][] = [];
  const trying = (isDown: boolean) => () => ({
    async call(request: CallRequest, { sent, commit }: LiveCall) {
      const text = JSON.stringify(request.values).includes("one") ? "one" : "two";
      sendings.push([text, sent.key]);
      await commit(undefined, true);
      if (!isDown) return { head: {}, text: JSON.stringify(caseAnswer(text)) };
      throw new SvcError(
        "NETWORK_ERROR",
        "It did not work.",
        text === "one" ? { rejectedByService: true } : { outcomeUnknown: true },
      );
    },
  });
  failureOf(await run.attempt(trying(true)));
  await reopenFailed(run.journal, RUN);
  assert.deepEqual(await run.attempt(trying(false)), { result: "done" });
  assert.deepEqual(sendings, [["one", "r1.1.1"], ["two", "r1.1.2"], ["one", "r1.1.1.1"], ["two", "r1.1.2"]]);
});

Deno.test("a change without a key that was skipped is not sent when its input is retried, unless repeating is wanted", async () => {
  await using run = await openRun();
  let sends = 0;
  const send = () => {
    sends++;
    return Promise.reject(new SvcError("NETWORK_ERROR", "The connection broke.", { outcomeUnknown: true }));
  };
  const caller: Caller = {
    supportsIdempotencyKeys: () => false,
    call: send,
    prepare: () => Promise.resolve({ ifMatch: undefined, send }),
    startAttempts: () => ({ succeeded: () => {}, next: (thrown) => Promise.reject(thrown) }),
  };
  const skipping = (workflow: OpenWorkflow) => new GrantedCalls(caller, workflow, "skip");
  assert.equal(failureOf(await run.attempt(skipping)).code, "OUTCOME_UNKNOWN");
  assert.equal(await reopenFailed(run.journal, RUN), 1, "the script has failed because of it");
  assert.equal(failureOf(await run.attempt(skipping)).code, "OUTCOME_UNKNOWN");
  assert.equal(sends, 1);
  await reopenFailed(run.journal, RUN);
  await run.attempt((workflow) => new GrantedCalls(caller, workflow, "repeat"));
  assert.equal(sends, 2);
});

/** Makes calls to a server, at once again where that is allowed. */
function sending(server: UnrulyServer, options: SessionOptions = {}): (workflow: OpenWorkflow) => LiveCalls {
  const once = createCaller({ ...server.options, ...options, timeoutSeconds: 2 });
  const caller = retrying(once, { budget: new RetryBudget(), wait: () => Promise.resolve() });
  return (workflow) => new GrantedCalls(caller, workflow);
}

function changes({ received }: UnrulyServer): readonly WireMessage[] {
  return received.filter(({ head }) => !head.startsWith("GET "));
}

Deno.test("a change keeps its key where its answer is lost and who stands before the service refuses it then", async () => {
  for (const refusal of [noBackend, answer(423, {}), answer(499, {})]) {
    using server = startUnruly(inTurn(cut, refusal, answer(201, { ID: "M-1" })));
    await using run = await openRun();
    failureOf(await run.attempt(sending(server)));
    await reopenFailed(run.journal, RUN);
    await run.attempt(sending(server));
    assert.deepEqual(keysOf(server), ["r1.1.1", "r1.1.1", "r1.1.1"]);
  }
});

Deno.test("a change that was begun keeps its key: what has failed after it may have been the smaller part", async () => {
  using server = startUnruly(inTurn(answer(424, {}), answer(201, { ID: "M-1" })));
  await using run = await openRun();
  failureOf(await run.attempt(sending(server)));
  await reopenFailed(run.journal, RUN);
  await run.attempt(sending(server));
  assert.deepEqual(keysOf(server), ["r1.1.1", "r1.1.1"]);
});

Deno.test("a change that has arrived keeps its key where the entity tag can no more be read", async () => {
  using server = startUnruly(answer(200, {}, { etag: '"1"' }));
  await using run = await openRun(PERFORMING);
  await run.attempt((workflow) => ({
    async call(request, how) {
      await sending(server)(workflow).call(request, how);
      throw new StopInput(new SvcError("INTERRUPTED", "The process is gone."));
    },
  }));
  server.behave = answer(409, {});
  failureOf(await run.attempt(sending(server)));
  await reopenFailed(run.journal, RUN);
  server.behave = answer(200, {}, { etag: '"2"' });
  await run.attempt(sending(server));
  assert.deepEqual(changes(server).map(({ head }) => headerOf(head, "idempotency-key")), ["r1.1.1", "r1.1.1"]);
});

Deno.test("without keys, a refusal of the repetition does not say that a change is not done", async () => {
  using server = startUnruly(inTurn(answer(200, {}, { etag: '"1"' }), cut, answer(409, {})));
  await using run = await openRun(PERFORMING);
  const error = failureOf(await run.attempt(sending(server, { idempotencyKeys: false })));
  assert.equal(error.code, "OUTCOME_UNKNOWN");
  assert.deepEqual(changes(server).map(({ head }) => headerOf(head, "if-match")), ['"1"', '"1"']);
});
