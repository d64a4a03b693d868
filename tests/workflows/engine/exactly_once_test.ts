/** Changes are made exactly once, and inputs can continue, when several things fail at the same time. */
import assert from "node:assert/strict";
import { createCaller } from "../../../lib/client/caller.ts";
import { retrying, type RetryOptions } from "../../../lib/client/retry.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/engine/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  CREATE_CASE,
  createCaseBody,
  newRun,
  openScript,
  prepareScriptWorkspaces,
  RUN_SCRIPT,
  scriptText,
  TinyApi,
} from "../../harness/workflow.ts";

const openScriptWorkspace = prepareScriptWorkspaces();

/** A request that the API received. */
interface Received {
  readonly call: string;
  readonly key: string | null;
  readonly tag: string | null;
  readonly request: Request;
}

interface TestRun extends AsyncDisposable {
  /** The profile says that the service supports idempotency keys. */
  keys: boolean;
  /** Runs the input. */
  attempt(): Promise<string>;
  /** Reopens the input if it failed, and runs it. */
  retry(): Promise<string>;
}

async function openRun(
  body: string,
  answer: (received: Received) => Response | Promise<Response>,
  { keys = true, wait = () => Promise.resolve() }: { keys?: boolean; wait?: RetryOptions["wait"] } = {},
): Promise<TestRun> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder({ "script.ts": scriptText(body) }));
  const script = `${folder.path}/script.ts`;
  const api = stack.use(
    new TinyApi((call, request) => {
      const { headers } = request;
      return answer({ call, key: headers.get("idempotency-key"), tag: headers.get("if-match"), request });
    }),
  );
  const journal = stack.use(await openJournal(`${folder.path}/journal.db`));
  await journal.createRun(newRun("r1", script));
  const { baseUrl } = api;
  const attempt = async () => {
    const credentials = { clientId: "id", clientSecret: "secret", noCache: true };
    const caller = retrying(createCaller({ baseUrl, ...credentials, idempotencyKeys: run.keys }), { wait });
    await using workflow = await openScript({ script, allowDeclared: true });
    const live = new GrantedCalls(caller, workflow);
    return describeOutcome(await new Runner({ workflow, live, journal, id: "r1" }).run({ number: 1, place: "input" }));
  };
  const resources = stack.move();
  const run: TestRun = {
    keys,
    attempt,
    async retry() {
      await reopenFailed(journal, "r1");
      return await attempt();
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
  return run;
}

function describeOutcome(outcome: InputOutcome): string {
  return "failure" in outcome ? outcome.failure.code : JSON.stringify(outcome.result);
}

function missing(): Response {
  return Response.json({ localizedValue: "Not found.", errorDetails: [] }, { status: 404 });
}

Deno.test("a run with a reused ID makes its changes again, after delete and in another journal", async () => {
  await using workspace = await openScriptWorkspace(`${CREATE_CASE} return made.id;`);
  await workspace.svc(...RUN_SCRIPT);
  await workspace.svc("delete", "r1");
  await workspace.svc(...RUN_SCRIPT);
  await workspace.svc(...RUN_SCRIPT, "--journal", `${workspace.config}/other.db`);
  assert.equal(await workspace.permits(), 3);
});

Deno.test("a change is not sent again with a key that expired while the machine slept", async () => {
  const now = Date.now;
  let slept = 0;
  let effects = 0;
  Date.now = () => now() + slept;
  try {
    await using run = await openRun(
      `return (await svc.cases.create({ type: "T" })).id;`,
      () => {
        effects++;
        return new Response("", { status: 502 });
      },
      {
        wait: () => {
          slept += 23.5 * 60 * 60 * 1000; // Keys expire after 24 hours, and clocks differ.
          return Promise.resolve();
        },
      },
    );
    assert.equal(await run.attempt(), "OUTCOME_UNKNOWN");
    assert.equal(effects, 1);
  } finally {
    Date.now = now;
  }
});

Deno.test("with keys, a change with a lost response fails as its call did, and is sent again with its key", async () => {
  const keys: (string | null)[] = [];
  let isDown = true;
  await using run = await openRun(`return (await svc.cases.create({ type: "T" })).id;`, ({ key }) => {
    keys.push(key);
    return isDown ? new Response("", { status: 502 }) : Response.json(createCaseBody("C-1"), { status: 201 });
  });
  assert.equal(await run.attempt(), "SERVER_ERROR");
  isDown = false;
  assert.equal(await run.retry(), `"C-1"`);
  assert.ok(keys[0]);
  assert.equal(new Set(keys).size, 1);
});

Deno.test("without keys, a change with a lost response is settled by its entity tag, even after further failures", async () => {
  let version = 1;
  let isDown = false;
  await using run = await openRun(
    `return await svc.assignments.perform("A", { action: "b" });`,
    ({ call, tag }) => {
      if (call.startsWith("GET")) return Response.json({ id: "A" }, { headers: { etag: `v${version}` } });
      if (isDown) return new Response("", { status: 429 });
      if (tag !== `v${version}`) return new Response("", { status: 412 });
      version++;
      isDown = true;
      return new Response("", { status: 502 });
    },
    { keys: false },
  );
  assert.equal(await run.attempt(), "OUTCOME_UNKNOWN");
  isDown = false;
  assert.equal(await run.attempt(), `{"settled":"arrived"}`);
  assert.equal(version, 2);
});

Deno.test("without keys, a change whose demanded entity tag cannot be read was not applied, and fails as the read did", async () => {
  let changes = 0;
  await using run = await openRun(
    `return await svc.cases.stageNext("C-1");`,
    ({ call }) => {
      if (call.startsWith("GET")) return Response.json({ localizedValue: "Not allowed." }, { status: 403 });
      changes++;
      return Response.json({ localizedValue: "Send If-Match." }, { status: 428 });
    },
    { keys: false },
  );
  assert.equal(await run.attempt(), "FORBIDDEN");
  assert.equal(changes, 1);
});

Deno.test("a change that was sent without a key is not sent again with one after the profile changes", async () => {
  let effects = 0;
  const lost = () => {
    effects++;
    return new Response("", { status: 502 });
  };
  await using run = await openRun(`return (await svc.cases.create({ type: "T" })).id;`, lost, { keys: false });
  assert.equal(await run.attempt(), "OUTCOME_UNKNOWN");
  run.keys = true;
  assert.equal(await run.attempt(), "OUTCOME_UNKNOWN");
  assert.equal(effects, 1);
});

Deno.test("without keys, a change in flight completes when its script fails, and a read is aborted", async () => {
  const started = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  let changes = 0;
  let isRefused = true;
  await using run = await openRun(
    `const change = svc.cases.create({ type: "T" });
    const [made] = await Promise.all([change, svc.cases.get("C-1"), svc.cases.get("C-2")]);
    return made.id;`,
    async ({ call, request }) => {
      if (call.startsWith("POST")) {
        changes++;
        started.resolve();
        await aborted.promise;
      }
      if (isRefused && call === "GET /cases/C-1") {
        await started.promise;
        return missing();
      }
      if (isRefused && call === "GET /cases/C-2") {
        request.signal.addEventListener("abort", () => aborted.resolve());
        await aborted.promise;
      }
      return Response.json(createCaseBody("C-3"));
    },
    { keys: false },
  );
  assert.equal(await run.attempt(), "NOT_FOUND");
  isRefused = false;
  assert.equal(await run.retry(), `"C-3"`);
  assert.equal(changes, 1);
});

Deno.test("a change is not retried automatically after its script has failed, only by retry", async () => {
  const refused = Promise.withResolvers<void>();
  const keys: (string | null)[] = [];
  let isMissing = true;
  await using run = await openRun(
    `const change = svc.cases.create({ type: "T" });
    const [made] = await Promise.all([change, svc.cases.get("C-1")]);
    return made.id;`,
    async ({ call, key }) => {
      if (call.startsWith("GET")) {
        await refused.promise;
        return isMissing ? missing() : Response.json(createCaseBody("C-1"));
      }
      keys.push(key);
      return keys.length === 1 ? new Response("", { status: 503 }) : Response.json(createCaseBody("C-3"));
    },
    {
      wait: (_, signal) => {
        refused.resolve();
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    },
  );
  assert.equal(await run.attempt(), "NOT_FOUND");
  isMissing = false;
  assert.equal(await run.retry(), `"C-3"`);
  assert.deepEqual([keys.length, new Set(keys).size], [2, 1]);
});

const BRANCHES = `const post = (n) => svc.cases.create({ type: "T", data: { n, at: AT } });
  const both = await Promise.allSettled([
    svc.cases.get("missing"),
    (async () => { for (const n of [1, 2, 3]) await post(n); })(),
  ]);
  for (const { reason } of both) if (reason) throw reason;
  return "done";`;

for (const at of [`"noon"`, "Date.now()", "crypto.randomUUID()"]) {
  Deno.test(`retry does not repeat the changes of another branch with the value ${at}`, async () => {
    const keys = new Set<string | null>();
    let isMissing = true;
    const refused = Promise.withResolvers<void>();
    await using run = await openRun(BRANCHES.replace("AT", at), async ({ call, key }) => {
      if (call.startsWith("GET")) {
        setTimeout(refused.resolve); // The response of the other branch comes later.
        return isMissing ? missing() : Response.json(createCaseBody("C-1"));
      }
      keys.add(key);
      await refused.promise;
      return Response.json(createCaseBody("C-2"));
    });
    assert.equal(await run.attempt(), "NOT_FOUND");
    isMissing = false;
    assert.match(await run.retry(), /^"done"$|^WORKFLOW_DIVERGED$/);
    assert.equal(keys.size, 3);
  });
}

Deno.test("a call that failed before an earlier retry is made again", async () => {
  const gone = new Set(["/cases/C-1", "/cases/C-2"]);
  await using run = await openRun(
    `let first, one;
    try { one = await svc.cases.get("C-1"); } catch (error) { first = error; }
    const two = await svc.cases.get("C-2");
    if (first) throw first;
    return [one.id, two.id];`,
    ({ call }) => gone.has(call.slice(4)) ? missing() : Response.json(createCaseBody(call.slice(-3))),
  );
  assert.equal(await run.attempt(), "NOT_FOUND");
  gone.delete("/cases/C-2");
  assert.equal(await run.retry(), "NOT_FOUND");
  gone.clear();
  assert.equal(await run.retry(), `["C-1","C-2"]`);
});

Deno.test("an input whose script aborts a call fails and can be retried", async () => {
  const slow = Promise.withResolvers<void>();
  await using run = await openRun(
    `return (await svc.cases.get("C-1", { signal: AbortSignal.timeout(1500) })).id;`,
    async () => {
      await slow.promise;
      return Response.json(createCaseBody("C-1"));
    },
  );
  assert.equal(await run.attempt(), "INTERRUPTED");
  slow.resolve();
  assert.equal(await run.retry(), `"C-1"`);
});

Deno.test("an input whose script aborts a call after a change that followed a sleep can be retried", async () => {
  const slow = Promise.withResolvers<void>();
  const keys: (string | null)[] = [];
  await using run = await openRun(
    `const controller = new AbortController();
    const watch = async () => {
      await sleep(50);
      await svc.cases.create({ type: "T" });
      controller.abort();
    };
    await Promise.all([svc.cases.get("C-1", { signal: controller.signal }), watch()]);
    return "done";`,
    async ({ call, key }) => {
      if (call.startsWith("GET")) await slow.promise;
      else keys.push(key);
      return Response.json(createCaseBody("C-1"));
    },
  );
  assert.equal(await run.attempt(), "INTERRUPTED");
  slow.resolve();
  assert.equal(await run.retry(), `"done"`);
  assert.equal(keys.length, 1);
});

Deno.test("a text with a NUL is the same in a replay", async () => {
  const text = "a\0b\nc";
  let isDown = true;
  await using run = await openRun(
    `const text = await svc.attachments.patch("A", { name: "x" });
    await svc.cases.get("C-1");
    return text;`,
    ({ call }) => {
      if (!call.includes("/cases/")) {
        return new Response(text, { headers: { "content-type": "text/plain", etag: "v1" } });
      }
      return isDown ? missing() : Response.json(createCaseBody("C-1"));
    },
  );
  assert.equal(await run.attempt(), "NOT_FOUND");
  isDown = false;
  assert.equal(await run.retry(), JSON.stringify(text));
});

Deno.test("retry keeps the steps after a timer that the script cleared", async () => {
  let creates = 0;
  await using run = await openRun(
    `const timer = setTimeout(() => {}, 60_000);
    await svc.cases.get("C-1");
    clearTimeout(timer);
    await sleep(20);
    await svc.cases.create({ type: "T", data: { at: new Date().toISOString() } });
    await svc.cases.get("C-2");
    throw new Error("oops");`,
    ({ call }) => {
      if (call.startsWith("POST")) creates++;
      return Response.json(createCaseBody("C-1"));
    },
  );
  assert.equal(await run.attempt(), "WORKFLOW_FAILED");
  assert.equal(await run.retry(), "WORKFLOW_FAILED");
  assert.equal(creates, 1);
});

const ENDS = {
  "a timeout of waitFor": `await waitFor(() => svc.cases.get("C-2"), ({ status }) => status === "Ready", {
      everySeconds: 0.05,
      timeoutSeconds: 0.1,
    });`,
  "an error of the script": `if ((await svc.cases.get("C-2")).status !== "Ready") throw new Error("not ready");`,
};

for (const [end, script] of Object.entries(ENDS)) {
  Deno.test(`a call that failed before the last change still fails when the input is retried after ${end}`, async () => {
    let creates = 0;
    let isReady = false;
    await using run = await openRun(
      `try { await svc.cases.get("C-1"); } catch {
        await svc.cases.create({ type: "T" });
        ${script}
        await svc.cases.create({ type: "U" });
      }
      return "done";`,
      ({ call }) => {
        if (call.startsWith("POST")) creates++;
        if (call === "GET /cases/C-1" && !isReady) return missing();
        return Response.json({ ...createCaseBody("C-2"), status: isReady ? "Ready" : "New" });
      },
    );
    assert.match(await run.attempt(), /^TIMEOUT$|^WORKFLOW_FAILED$/);
    isReady = true;
    assert.equal(await run.retry(), `"done"`);
    assert.equal(creates, 2);
  });
}

for (const thrown of [`new Error("none")`, `new SvcError("CONFLICT", "none")`]) {
  Deno.test(`retry repeats a failed call whose error the script replaced by ${thrown}`, async () => {
    let isRefused = true;
    await using run = await openRun(
      `try { await svc.cases.create({ type: "T" }); } catch { await svc.cases.get("C-1"); throw ${thrown}; }
      return "done";`,
      ({ call }) => isRefused && call.startsWith("POST") ? missing() : Response.json(createCaseBody("C-1")),
    );
    assert.match(await run.attempt(), /^CONFLICT$|^WORKFLOW_FAILED$/);
    isRefused = false;
    assert.equal(await run.retry(), `"done"`);
  });
}

for (const get of [`svc.cases.get("C-1")`, `svc.cases.get("C-1").catch(() => ({}))`]) {
  Deno.test(`retry after a timeout of waitFor waits again: ${get}`, async () => {
    let left = Infinity;
    await using run = await openRun(
      `await svc.cases.create({ type: "T" });
      const until = ({ status }) => status === "Ready";
      return (await waitFor(() => ${get}, until, { everySeconds: 0.05, timeoutSeconds: 0.1 })).status;`,
      ({ call }) => {
        if (call.startsWith("POST")) return Response.json(createCaseBody("C-1"));
        if (left-- > 0) return get.includes("catch") ? missing() : Response.json(createCaseBody("C-1"));
        return Response.json({ ...createCaseBody("C-1"), status: "Ready" });
      },
    );
    assert.equal(await run.attempt(), "TIMEOUT");
    left = 1;
    assert.equal(await run.retry(), `"Ready"`);
  });
}

Deno.test("retry of an input that abandoned a sleep takes the same path", async () => {
  let isRefused = true;
  await using run = await openRun(
    `const first = await Promise.race([svc.cases.create({ type: "T" }), sleep(60_000)]);
      await svc.cases.get(first.id);
      return first.id;`,
    ({ call }) => call.startsWith("GET") && isRefused ? missing() : Response.json(createCaseBody("C-1")),
  );
  assert.equal(await run.attempt(), "NOT_FOUND");
  isRefused = false;
  assert.equal(await run.retry(), `"C-1"`);
});
