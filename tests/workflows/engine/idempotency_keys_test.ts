/** The keys of changes when an input runs again: the same key, as long as the change may have been applied. */
import assert from "node:assert/strict";
import type { SessionOptions } from "../../../lib/auth/settings.ts";
import { type Caller, createCaller } from "../../../lib/client/caller.ts";
import { RetryBudget, retrying } from "../../../lib/client/retry.ts";
import { SvcError, type SvcErrorOptions } from "../../../lib/errors.ts";
import { GrantedCalls, type LiveCallOptions, type LiveCalls, StopInput } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/engine/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import type { OpenWorkflow } from "../../../workflows/scripts/open_workflow.ts";
import type { CallRequest } from "../../../workflows/sandbox/protocol/messages.ts";
import {
  cutConnection,
  inOrder,
  listIdempotencyKeys,
  readHeader,
  sendJson,
  sendNoBackend,
  startUnrulyServer,
  type UnrulyServer,
  type WireMessage,
} from "../../harness/faults.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, newRun, noCaller, openScript, scriptText } from "../../harness/workflow.ts";

const POSTING = `return (await svc.social.postMessage({ context: "clerk@city", message: "Here." })).id;`;
const PERFORMING = `return await svc.assignments.perform("A", { action: "B" });`;
const RUN = "r1";

/** A run with one input. For the journal, each attempt is another process. */
interface Run extends AsyncDisposable {
  readonly journal: Journal;
  /** Runs the input. */
  attempt(createLive: (workflow: OpenWorkflow) => LiveCalls): Promise<InputOutcome>;
}

async function openRun(body: string = POSTING): Promise<Run> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder({ "script.ts": scriptText(body) }));
  const script = `${folder.path}/script.ts`;
  const journal = stack.use(await openJournal(`${folder.path}/journal.db`));
  await journal.createRun(newRun(RUN, script));
  const resources = stack.move();
  return {
    journal,
    async attempt(createLive) {
      await using workflow = await openScript({ script, allowDeclared: true });
      const runner = new Runner({ workflow, live: createLive(workflow), journal, id: RUN });
      return await runner.run({ number: 1, place: "input" });
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Creates calls that end the process after they sent a change. */
function killAfterSending(keys: string[]): (workflow: OpenWorkflow) => LiveCalls {
  return () => ({
    async call(_request, { sent, commit }: LiveCallOptions) {
      keys.push(sent.key);
      await commit(undefined, true);
      throw new StopInput(new SvcError("INTERRUPTED", "The process has ended."));
    },
  });
}

function failing(keys: string[], options: SvcErrorOptions): () => LiveCalls {
  return () => ({
    async call(_request, { sent, commit }: LiveCallOptions) {
      keys.push(sent.key);
      await commit(undefined, true);
      throw new SvcError("NETWORK_ERROR", "The connection broke.", options);
    },
  });
}

function expectFailure(outcome: InputOutcome): SvcError {
  assert.ok("failure" in outcome);
  return outcome.failure;
}

Deno.test("a change that may be applied keeps its key, even after an attempt that was not applied", async () => {
  await using run = await openRun();
  const keys: string[] = [];
  await run.attempt(killAfterSending(keys));
  expectFailure(await run.attempt(failing(keys, {})));
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  expectFailure(await run.attempt(failing(keys, { outcomeUnknown: true })));
  assert.equal(await reopenFailed(run.journal, RUN), 1);
  expectFailure(await run.attempt(failing(keys, {})));
  assert.deepEqual(keys, Array(4).fill("r1.1.1"));
});

Deno.test("a change that the service rejected or that was not sent gets a new key", async () => {
  await using run = await openRun();
  const keys: string[] = [];
  await run.attempt(killAfterSending(keys));
  expectFailure(await run.attempt(failing(keys, { rejectedByService: true })));
  await reopenFailed(run.journal, RUN);
  expectFailure(await run.attempt(failing(keys, {})));
  await reopenFailed(run.journal, RUN);
  expectFailure(await run.attempt(failing(keys, {})));
  assert.deepEqual(keys, ["r1.1.1", "r1.1.1", "r1.1.1.1", "r1.1.1.2"]);
});

Deno.test("of concurrent changes, only the one that was not applied gets a new key", async () => {
  await using run = await openRun(`const make = (n) => svc.cases.create({ type: "T", data: { n } });
    const both = await Promise.allSettled([make("one"), make("two")]);
    for (const { reason } of both) if (reason) throw reason;
    return "done";`);
  const sendings: [text: string, key: string][] = [];
  const trying = (isDown: boolean) => () => ({
    async call(request: CallRequest, { sent, commit }: LiveCallOptions) {
      const text = JSON.stringify(request.values).includes("one") ? "one" : "two";
      sendings.push([text, sent.key]);
      await commit(undefined, true);
      if (!isDown) return { head: {}, text: JSON.stringify(createCaseBody(text)) };
      throw new SvcError(
        "NETWORK_ERROR",
        "The connection broke.",
        text === "one" ? { rejectedByService: true } : { outcomeUnknown: true },
      );
    },
  });
  expectFailure(await run.attempt(trying(true)));
  await reopenFailed(run.journal, RUN);
  assert.deepEqual(await run.attempt(trying(false)), { result: "done" });
  assert.deepEqual(sendings, [["one", "r1.1.1"], ["two", "r1.1.2"], ["one", "r1.1.1.1"], ["two", "r1.1.2"]]);
});

Deno.test("a skipped change without a key is not sent by retry, except with --on-unknown repeat", async () => {
  await using run = await openRun();
  let sends = 0;
  const send = () => {
    sends++;
    return Promise.reject(new SvcError("NETWORK_ERROR", "The connection broke.", { outcomeUnknown: true }));
  };
  const caller: Caller = {
    ...noCaller,
    supportsIdempotencyKeys: () => false,
    call: send,
    prepare: () => Promise.resolve({ ifMatch: undefined, send, addDemandedTag: () => Promise.resolve(undefined) }),
  };
  const skipping = (workflow: OpenWorkflow) => new GrantedCalls(caller, workflow, "skip");
  assert.equal(expectFailure(await run.attempt(skipping)).code, "OUTCOME_UNKNOWN");
  assert.equal(await reopenFailed(run.journal, RUN), 1, "the script failed because of the skipped change");
  assert.equal(expectFailure(await run.attempt(skipping)).code, "OUTCOME_UNKNOWN");
  assert.equal(sends, 1);
  await reopenFailed(run.journal, RUN);
  await run.attempt((workflow) => new GrantedCalls(caller, workflow, "repeat"));
  assert.equal(sends, 2);
});

/** Creates calls to a server, with immediate attempts. */
function callServer(server: UnrulyServer, options: SessionOptions = {}): (workflow: OpenWorkflow) => LiveCalls {
  const once = createCaller({ ...server.options, ...options });
  const caller = retrying(once, { budget: new RetryBudget(), wait: () => Promise.resolve() });
  return (workflow) => new GrantedCalls(caller, workflow);
}

function changes({ received }: UnrulyServer): readonly WireMessage[] {
  return received.filter(({ head }) => !head.startsWith("GET "));
}

Deno.test("a change with a lost response keeps its key if a gateway rejects the next attempt", async () => {
  for (const refusal of [sendNoBackend, sendJson(423, {}), sendJson(499, {})]) {
    using server = startUnrulyServer(inOrder(cutConnection, refusal, sendJson(201, { ID: "M-1" })));
    await using run = await openRun();
    expectFailure(await run.attempt(callServer(server)));
    await reopenFailed(run.journal, RUN);
    await run.attempt(callServer(server));
    assert.deepEqual(listIdempotencyKeys(server), ["r1.1.1", "r1.1.1", "r1.1.1"]);
  }
});

Deno.test("a change that was started keeps its key, because only a part of it may have failed", async () => {
  using server = startUnrulyServer(inOrder(sendJson(424, {}), sendJson(201, { ID: "M-1" })));
  await using run = await openRun();
  expectFailure(await run.attempt(callServer(server)));
  await reopenFailed(run.journal, RUN);
  await run.attempt(callServer(server));
  assert.deepEqual(listIdempotencyKeys(server), ["r1.1.1", "r1.1.1"]);
});

Deno.test("an applied change keeps its key if its entity tag can no longer be read", async () => {
  using server = startUnrulyServer(sendJson(200, {}, { etag: '"1"' }));
  await using run = await openRun(PERFORMING);
  await run.attempt((workflow) => ({
    async call(request, how) {
      await callServer(server)(workflow).call(request, how);
      throw new StopInput(new SvcError("INTERRUPTED", "The process has ended."));
    },
  }));
  server.behave = sendJson(409, {});
  expectFailure(await run.attempt(callServer(server)));
  await reopenFailed(run.journal, RUN);
  server.behave = sendJson(200, {}, { etag: '"2"' });
  await run.attempt(callServer(server));
  assert.deepEqual(changes(server).map(({ head }) => readHeader(head, "idempotency-key")), ["r1.1.1", "r1.1.1"]);
});

Deno.test("without keys, the outcome is unknown if the second attempt is rejected", async () => {
  using server = startUnrulyServer(inOrder(sendJson(200, {}, { etag: '"1"' }), cutConnection, sendJson(409, {})));
  await using run = await openRun(PERFORMING);
  const error = expectFailure(await run.attempt(callServer(server, { idempotencyKeys: false })));
  assert.equal(error.code, "OUTCOME_UNKNOWN");
  assert.deepEqual(changes(server).map(({ head }) => readHeader(head, "if-match")), ['"1"', '"1"']);
});
