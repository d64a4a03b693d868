/** Changes that must not be done twice, and inputs that must be able to go on, where several things go wrong at a time. */
import assert from "node:assert/strict";
import { createCaller } from "../../../lib/client/caller.ts";
import { retrying, type RetryOptions } from "../../../lib/client/retry.ts";
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { reopenFailed } from "../../../workflows/runs/reopen.ts";
import { type InputOutcome, Runner } from "../../../workflows/runs/runner.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { makeFolder } from "../../harness/svc.ts";
import {
  CREATE_CASE as CREATE,
  createCaseBody as caseAnswer,
  newRun,
  openScript,
  openWorkspace as openOffice,
  RUN_SCRIPT as RUN,
  scriptText,
  TinyApi,
} from "../../harness/workflow.ts";

/** A request that the API of a test got. */
interface Asked {
  readonly call: string;
  readonly key: string | null;
  readonly tag: string | null;
  readonly request: Request;
}

interface Desk extends AsyncDisposable {
  /** Whether the service is said to know idempotency keys. */
  keys: boolean;
  /** Works on the one input. */
  attempt(): Promise<string>;
  /** Opens it anew if it has failed, and works on it. */
  retry(): Promise<string>;
}

async function openDesk(
  body: string,
  answer: (asked: Asked) => Response | Promise<Response>,
  { keys = true, wait = () => Promise.resolve() }: { keys?: boolean; wait?: RetryOptions["wait"] } = {},
): Promise<Desk> {
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
    const caller = retrying(createCaller({ baseUrl, ...credentials, idempotencyKeys: desk.keys }), { wait });
    await using workflow = await openScript({ script, allowDeclared: true });
    const live = new GrantedCalls(caller, workflow);
    return shown(await new Runner({ workflow, live, journal, id: "r1" }).run({ number: 1, place: "input" }));
  };
  const kept = stack.move();
  const desk: Desk = {
    keys,
    attempt,
    async retry() {
      await reopenFailed(journal, "r1");
      return await attempt();
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
  return desk;
}

function shown(outcome: InputOutcome): string {
  return "failure" in outcome ? outcome.failure.code : JSON.stringify(outcome.result);
}

function missing(): Response {
  return Response.json({ localizedValue: "There is none.", errorDetails: [] }, { status: 404 });
}

Deno.test("a run of an identifier that was used before makes its changes, after delete and in another journal", async () => {
  await using office = await openOffice(`${CREATE} return made.id;`);
  await office.svc(...RUN);
  await office.svc("delete", "r1");
  await office.svc(...RUN);
  await office.svc(...RUN, "--journal", `${office.config}/other.db`);
  assert.equal(await office.permits(), 3);
});

Deno.test("a change is not sent again under a key that the service has forgotten while the machine slept", async () => {
  const now = Date.now;
  let slept = 0;
  let effects = 0;
  Date.now = () => now() + slept;
  try {
    await using desk = await openDesk(
      `return (await svc.cases.create({ type: "T" })).id;`,
      () => {
        effects++;
        return new Response("", { status: 502 });
      },
      {
        wait: () => {
          slept += 23.5 * 60 * 60 * 1000; // It is to be forgotten after 24: clocks differ.
          return Promise.resolve();
        },
      },
    );
    assert.equal(await desk.attempt(), "OUTCOME_UNKNOWN");
    assert.equal(effects, 1);
  } finally {
    Date.now = now;
  }
});

Deno.test("without keys, a change whose answer was lost is settled by its tag, whatever fails after it", async () => {
  let version = 1;
  let isDown = false;
  await using desk = await openDesk(
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
  assert.equal(await desk.attempt(), "OUTCOME_UNKNOWN");
  isDown = false;
  assert.equal(await desk.attempt(), `{"settled":"arrived"}`);
  assert.equal(version, 2);
});

Deno.test("a change that was sent without a key is not sent again under one, once the service is said to know keys", async () => {
  let effects = 0;
  const lost = () => {
    effects++;
    return new Response("", { status: 502 });
  };
  await using desk = await openDesk(`return (await svc.cases.create({ type: "T" })).id;`, lost, { keys: false });
  assert.equal(await desk.attempt(), "OUTCOME_UNKNOWN");
  desk.keys = true;
  assert.equal(await desk.attempt(), "OUTCOME_UNKNOWN");
  assert.equal(effects, 1);
});

Deno.test("without keys, a change that is under way when its script fails is still answered, a read is given up", async () => {
  const begun = Promise.withResolvers<void>();
  const givenUp = Promise.withResolvers<void>();
  let changes = 0;
  let isRefused = true;
  await using desk = await openDesk(
    `const change = svc.cases.create({ type: "T" });
    const [made] = await Promise.all([change, svc.cases.get("C-1"), svc.cases.get("C-2")]);
    return made.id;`,
    async ({ call, request }) => {
      if (call.startsWith("POST")) {
        changes++;
        begun.resolve();
        await givenUp.promise;
      }
      if (isRefused && call === "GET /cases/C-1") {
        await begun.promise;
        return missing();
      }
      if (isRefused && call === "GET /cases/C-2") {
        request.signal.addEventListener("abort", () => givenUp.resolve());
        await givenUp.promise;
      }
      return Response.json(caseAnswer("C-3"));
    },
    { keys: false },
  );
  assert.equal(await desk.attempt(), "NOT_FOUND");
  isRefused = false;
  assert.equal(await desk.retry(), `"C-3"`);
  assert.equal(changes, 1);
});

Deno.test("a change is not tried again once its script has failed: retry does that", async () => {
  const refused = Promise.withResolvers<void>();
  const keys: (string | null)[] = [];
  let isMissing = true;
  await using desk = await openDesk(
    `const change = svc.cases.create({ type: "T" });
    const [made] = await Promise.all([change, svc.cases.get("C-1")]);
    return made.id;`,
    async ({ call, key }) => {
      if (call.startsWith("GET")) {
        await refused.promise;
        return isMissing ? missing() : Response.json(caseAnswer("C-1"));
      }
      keys.push(key);
      return keys.length === 1 ? new Response("", { status: 503 }) : Response.json(caseAnswer("C-3"));
    },
    {
      wait: (_, signal) => {
        refused.resolve();
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    },
  );
  assert.equal(await desk.attempt(), "NOT_FOUND");
  isMissing = false;
  assert.equal(await desk.retry(), `"C-3"`);
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
  Deno.test(`retry does not repeat what another branch did, whatever it wrote: ${at}`, async () => {
    const keys = new Set<string | null>();
    let isMissing = true;
    const refused = Promise.withResolvers<void>();
    await using desk = await openDesk(BRANCHES.replace("AT", at), async ({ call, key }) => {
      if (call.startsWith("GET")) {
        setTimeout(refused.resolve); // Only then comes what the other branch is answered.
        return isMissing ? missing() : Response.json(caseAnswer("C-1"));
      }
      keys.add(key);
      await refused.promise;
      return Response.json(caseAnswer("C-2"));
    });
    assert.equal(await desk.attempt(), "NOT_FOUND");
    isMissing = false;
    assert.match(await desk.retry(), /^"done"$|^WORKFLOW_DIVERGED$/);
    assert.equal(keys.size, 3);
  });
}

Deno.test("what a script was refused before an earlier retry is asked again, too", async () => {
  const gone = new Set(["/cases/C-1", "/cases/C-2"]);
  await using desk = await openDesk(
    `let first, one;
    try { one = await svc.cases.get("C-1"); } catch (error) { first = error; }
    const two = await svc.cases.get("C-2");
    if (first) throw first;
    return [one.id, two.id];`,
    ({ call }) => gone.has(call.slice(4)) ? missing() : Response.json(caseAnswer(call.slice(-3))),
  );
  assert.equal(await desk.attempt(), "NOT_FOUND");
  gone.delete("/cases/C-2");
  assert.equal(await desk.retry(), "NOT_FOUND");
  gone.clear();
  assert.equal(await desk.retry(), `["C-1","C-2"]`);
});

Deno.test("an input whose script gave up a call itself has failed, and can be retried", async () => {
  const slow = Promise.withResolvers<void>();
  await using desk = await openDesk(
    `return (await svc.cases.get("C-1", { signal: AbortSignal.timeout(1500) })).id;`,
    async () => {
      await slow.promise;
      return Response.json(caseAnswer("C-1"));
    },
  );
  assert.equal(await desk.attempt(), "INTERRUPTED");
  slow.resolve();
  assert.equal(await desk.retry(), `"C-1"`);
});

Deno.test("an input whose script gave up a call after what it did when a timer had ended can be retried", async () => {
  const slow = Promise.withResolvers<void>();
  const keys: (string | null)[] = [];
  await using desk = await openDesk(
    `const giveUp = new AbortController();
    const watch = async () => {
      await sleep(50);
      await svc.cases.create({ type: "T" });
      giveUp.abort();
    };
    await Promise.all([svc.cases.get("C-1", { signal: giveUp.signal }), watch()]);
    return "done";`,
    async ({ call, key }) => {
      if (call.startsWith("GET")) await slow.promise;
      else keys.push(key);
      return Response.json(caseAnswer("C-1"));
    },
  );
  assert.equal(await desk.attempt(), "INTERRUPTED");
  slow.resolve();
  assert.equal(await desk.retry(), `"done"`);
  assert.equal(keys.length, 1);
});

Deno.test("a text with a NUL is the same when it is told again", async () => {
  const text = "a\0b\nc";
  let isDown = true;
  await using desk = await openDesk(
    `const told = await svc.attachments.patch("A", { name: "x" });
    await svc.cases.get("C-1");
    return told;`,
    ({ call }) => {
      if (!call.includes("/cases/")) {
        return new Response(text, { headers: { "content-type": "text/plain", etag: "v1" } });
      }
      return isDown ? missing() : Response.json(caseAnswer("C-1"));
    },
  );
  assert.equal(await desk.attempt(), "NOT_FOUND");
  isDown = false;
  assert.equal(await desk.retry(), JSON.stringify(text));
});

Deno.test("a timer that a script has cleared is not what it fails with: a retry keeps what followed", async () => {
  let creates = 0;
  await using desk = await openDesk(
    `const timer = setTimeout(() => {}, 60_000);
    await svc.cases.get("C-1");
    clearTimeout(timer);
    await sleep(20);
    await svc.cases.create({ type: "T", data: { at: new Date().toISOString() } });
    await svc.cases.get("C-2");
    throw new Error("oops");`,
    ({ call }) => {
      if (call.startsWith("POST")) creates++;
      return Response.json(caseAnswer("C-1"));
    },
  );
  assert.equal(await desk.attempt(), "WORKFLOW_FAILED");
  assert.equal(await desk.retry(), "WORKFLOW_FAILED");
  assert.equal(creates, 1);
});

const ENDS = {
  "a wait in vain": `await waitFor(() => svc.cases.get("C-2"), ({ status }) => status === "Ready", {
      everySeconds: 0.05,
      timeoutSeconds: 0.1,
    });`,
  "an error of its own": `if ((await svc.cases.get("C-2")).status !== "Ready") throw new Error("not ready");`,
};

for (const [end, script] of Object.entries(ENDS)) {
  Deno.test(`what a script was refused before its last change stays refused when it is retried after ${end}`, async () => {
    let creates = 0;
    let isReady = false;
    await using desk = await openDesk(
      `try { await svc.cases.get("C-1"); } catch {
        await svc.cases.create({ type: "T" });
        ${script}
        await svc.cases.create({ type: "U" });
      }
      return "done";`,
      ({ call }) => {
        if (call.startsWith("POST")) creates++;
        if (call === "GET /cases/C-1" && !isReady) return missing();
        return Response.json({ ...caseAnswer("C-2"), status: isReady ? "Ready" : "New" });
      },
    );
    assert.match(await desk.attempt(), /^TIMEOUT$|^WORKFLOW_FAILED$/);
    isReady = true;
    assert.equal(await desk.retry(), `"done"`);
    assert.equal(creates, 2);
  });
}

for (const thrown of [`new Error("none")`, `new SvcError("CONFLICT", "none")`]) {
  Deno.test(`what a script was refused and wraps into an error of its own is asked again: ${thrown}`, async () => {
    let isRefused = true;
    await using desk = await openDesk(
      `try { await svc.cases.create({ type: "T" }); } catch { await svc.cases.get("C-1"); throw ${thrown}; }
      return "done";`,
      ({ call }) => isRefused && call.startsWith("POST") ? missing() : Response.json(caseAnswer("C-1")),
    );
    assert.match(await desk.attempt(), /^CONFLICT$|^WORKFLOW_FAILED$/);
    isRefused = false;
    assert.equal(await desk.retry(), `"done"`);
  });
}

for (const get of [`svc.cases.get("C-1")`, `svc.cases.get("C-1").catch(() => ({}))`]) {
  Deno.test(`retry of a wait in vain waits again, also long after: ${get}`, async () => {
    let left = Infinity;
    await using desk = await openDesk(
      `await svc.cases.create({ type: "T" });
      const until = ({ status }) => status === "Ready";
      return (await waitFor(() => ${get}, until, { everySeconds: 0.05, timeoutSeconds: 0.1 })).status;`,
      ({ call }) => {
        if (call.startsWith("POST")) return Response.json(caseAnswer("C-1"));
        if (left-- > 0) return get.includes("catch") ? missing() : Response.json(caseAnswer("C-1"));
        return Response.json({ ...caseAnswer("C-1"), status: "Ready" });
      },
    );
    assert.equal(await desk.attempt(), "TIMEOUT");
    left = 1;
    assert.equal(await desk.retry(), `"Ready"`);
  });
}
