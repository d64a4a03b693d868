import assert from "node:assert/strict";
import { runText, scriptText } from "../../harness/workflow.ts";
import { numbers, runInputs } from "./_inputs.ts";

/** Returns the files of a stateless script. */
function stateless(body: string, before = ""): Record<string, string> {
  const allow = ["cases.get", "cases.create"];
  return { "script.ts": scriptText(body, allow, before).replace("allow:", "stateless: true,\n  allow:") };
}

/** Processes that run inputs, and one in reserve. */
const MAX_PROCESSES = navigator.hardwareConcurrency + 1;

const CREATE = `await svc.cases.create({ type: "T", data: { input } });`;

Deno.test("inputs of a stateless script share processes, and each has its own clock, steps, random numbers and console", async () => {
  const body = `const start = performance.now();
    console.group(String(input));
    const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
    await Promise.all([svc.cases.get("C-1"), delay(5)]);
    await crypto.subtle.digest("SHA-256", new Uint8Array(3));
    for await (const step of (async function* () { yield 2; })()) await svc.cases.get("C-" + step);
    console.log("ends");
    console.count("ends");
    inputs.add(input);
    return [input, start, crypto.randomUUID(), Math.random(), inputs.size > 1 || input === 0];`;
  const { results, processes, histories, mostAtOnce } = await runInputs(
    stateless(body, "const inputs = new Set<unknown>();"),
    numbers(24),
    { concurrency: 12 },
  );
  assert.deepEqual(
    results.map((result) => Array.isArray(result) && [result[0], result[1]]),
    numbers(24).map((i) => [i, 0]),
  );
  assert.equal(new Set(results.flatMap((result) => Array.isArray(result) ? result.slice(2, 4) : [])).size, 48);
  assert.ok(results.some((result) => Array.isArray(result) && result[4]), "no process ran two inputs");
  assert.ok(processes <= MAX_PROCESSES, `${processes} processes ran 24 inputs`);
  assert.ok(mostAtOnce > 4, `${mostAtOnce} inputs ran at the same time`);
  assert.deepEqual(histories.map(({ printed }) => printed), numbers(24).map((i) => [`${i}`, "  ends", "  ends: 1"]));
});

Deno.test("an input of a stateless script that throws or rejects fails, and the others in its process do not", async () => {
  const body = `await svc.cases.get("C-1");
    if (input === 3) throw new Error("three");
    if (input === 5) void Promise.reject(new Error("five"));
    if (input === 7) setTimeout(() => { throw new Error("seven"); }, 0);
    await svc.cases.get("C-1");
    await sleep(20);
    return input;`;
  const { results, processes } = await runInputs(stateless(body), numbers(20), { concurrency: 10 });
  const failed = [3, 5, 7];
  assert.deepEqual(results, numbers(20).map((input) => failed.includes(input) ? "WORKFLOW_FAILED" : input));
  assert.ok(processes <= MAX_PROCESSES, `${processes} processes ran 20 inputs`);
});

Deno.test("an input of a stateless script that exceeds its time ends, and the others in its process do not", async () => {
  const body = `while (input === 4) await new Promise((resolve) => setTimeout(resolve, 10));
    await svc.cases.get("C-1");
    return input;`;
  // A busy machine may need seconds to load the script.
  const options = { concurrency: 5, limits: { timeoutSeconds: 6 } };
  const { results, processes } = await runInputs(
    stateless(body),
    numbers(12),
    options,
  );
  assert.deepEqual(results, numbers(12).map((input) => input === 4 ? "TIMEOUT" : input));
  assert.ok(processes <= MAX_PROCESSES, `${processes} processes ran 12 inputs`);
});

for (
  const [what, statement, code, timeoutSeconds] of [
    ["ends its process", "Deno.exit(0);", "WORKFLOW_FAILED", 60],
    ["blocks its thread", "for (;;);", "TIMEOUT", 8], // Enough for a busy machine to load the script.
  ] as const
) {
  Deno.test(`if an input of a stateless script ${what}, the others continue and repeat nothing`, async () => {
    const body = `${CREATE}
      await svc.cases.get("C-1");
      if (input === 2) { ${statement} }
      await svc.cases.get("C-2");
      return input;`;
    const limits = { timeoutSeconds };
    const { results, received } = await runInputs(stateless(body), numbers(4), { concurrency: 4, limits });
    assert.deepEqual(results, numbers(4).map((input) => input === 2 ? code : input));
    const created = received.filter(({ call }) => call === "POST /cases").map(({ body }) => JSON.stringify(body));
    assert.deepEqual(created.length, 4, "each input creates its case once");
    assert.equal(new Set(created).size, 4);
  });
}

Deno.test("the loss of a shared process leaves an input as many attempts as before", async () => {
  const body = `for (let count = 0; count < 6; count++) await svc.cases.get("C-1"); return input;`;
  let kills = 0;
  const { results } = await runInputs(stateless(body), numbers(1), {
    onRequest: (_call, processes) => {
      // The latest one runs the input. The one that has loaded the script is in reserve.
      if (kills++ < 5) Deno.kill(Math.max(...processes), "SIGKILL");
    },
  });
  assert.deepEqual(results, [0]);
});

Deno.test("stateless must be true or false", async () => {
  const { error } = await runText(scriptText("").replace("allow:", 'stateless: "yes" as unknown as boolean, allow:'));
  assert.equal(error?.message, `The workflow's "stateless" is invalid: set it to true or false.`);
});
