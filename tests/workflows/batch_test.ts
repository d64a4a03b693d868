/** One run per line of a file: order, failures, isolation, bounded memory. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type BatchResult, type BatchSummary, failureOf, runBatch } from "../../workflows/runs/batch.ts";
import { mapInOrder } from "../../utils/async/map_in_order.ts";
import { type BatchInput, countInputs, openInputs } from "../../workflows/inputs/open_inputs.ts";
import { never } from "../../utils/async/never.ts";
import { readMaxFailures } from "../../workflows/runs/rate.ts";
import { makeFolder, openScript, runnerOf, scriptText } from "../harness/workflow.ts";
import { svcWorkflow } from "../harness/workflow_process.ts";

interface Batch {
  readonly results: readonly BatchResult[];
  readonly summary: BatchSummary;
  readonly log: readonly string[];
}

async function runFile(body: string, file: string, text: string | Uint8Array, concurrency = 3): Promise<Batch> {
  await using folder = await makeFolder({ "script.ts": scriptText(body, []) });
  const path = `${folder.path}/${file}`;
  await Deno.writeFile(path, typeof text === "string" ? new TextEncoder().encode(text) : text);
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const results: BatchResult[] = [];
  const log: string[] = [];
  const summary = await runBatch(runnerOf(workflow), await openInputs(path), {
    concurrency,
    onResult: (result) => results.push(JSON.parse(result)),
    onLog: (line, input) => log.push(`${input}: ${line}`),
  });
  return { results, summary, log };
}

async function readInputs(file: string, text: string | Uint8Array): Promise<BatchInput[]> {
  await using folder = await makeFolder();
  await Deno.writeFile(`${folder.path}/${file}`, typeof text === "string" ? new TextEncoder().encode(text) : text);
  return await Array.fromAsync(await openInputs(`${folder.path}/${file}`));
}

function shown({ place, value, error }: BatchInput): unknown[] {
  return [place, error === undefined ? value : error.message];
}

Deno.test("results come in the order of the inputs, and every failure names its line", async () => {
  const body = `await new Promise((go) => setTimeout(go, input.wait));
    log("done", input.n);
    if (input.n === 2) throw new Error("two");
    return input.n;`;
  const text = `{"n":1,"wait":120}\n\n{"n":2,"wait":1}\nnonsense\n{"n":3,"wait":1}`;
  const { results, summary, log } = await runFile(body, "in.ndjson", text);
  assert.deepEqual(results.map((one) => "error" in one ? [one.input, one.error.message] : [one.input, one.result]), [
    ["in.ndjson:1", 1],
    ["in.ndjson:3", "The script failed: two (script.ts:9)"],
    ["in.ndjson:4", "in.ndjson:4 is not JSON."],
    ["in.ndjson:5", 3],
  ]);
  assert.deepEqual([summary.inputs, summary.succeeded, summary.failed], [4, 2, 2]);
  assert.deepEqual(log.toSorted(), ["in.ndjson:1: done 1", "in.ndjson:3: done 2", "in.ndjson:5: done 3"]);
  assert.equal(
    failureOf(summary)?.message,
    "2 of 4 inputs failed: in.ndjson:3 (WORKFLOW_FAILED), in.ndjson:4 (INVALID_ARGS).",
  );
});

Deno.test("nothing of one input can be seen by the next", async () => {
  const body = `const seen = globalThis.seen ?? [];
    globalThis.seen = [...seen, input];
    Array.prototype.includes = () => { throw new Error("poisoned"); };
    let stored;
    try { stored = globalThis.localStorage?.getItem("x"); localStorage.setItem("x", "y"); } catch { /* there is none */ }
    try { await (await globalThis.caches.open("a")).put("http://a/", new Response("b")); stored = "cache"; } catch { /* there is none */ }
    return { seen, stored: stored ?? null };`;
  const { results } = await runFile(body, "in.ndjson", "1\n2\n3\n4\n", 1);
  for (const one of results) assert.deepEqual("result" in one && one.result, { seen: [], stored: null });
});

Deno.test("a script that ends its process fails for its own input alone", async () => {
  const { results } = await runFile("if (input === 2) Deno.exit(0); return input;", "in.ndjson", "1\n2\n3\n", 2);
  assert.deepEqual(results.map((one) => "error" in one ? one.error.code : one.result), [1, "WORKFLOW_FAILED", 3]);
});

Deno.test("rows of a CSV file are inputs by the names of the header; a bad row fails alone", async () => {
  const text =
    '\ufeffname, note\r\nAda,"two\r\nlines, ""quoted"""\r\n\r\nonly one\r\na"b,c"d\r\n"x"y,z\r\nBob,\r\n"open,1\r\n';
  const inputs = await readInputs("in.csv", text);
  assert.deepEqual(inputs.map(shown), [
    ["in.csv:2", { name: "Ada", note: 'two\r\nlines, "quoted"' }],
    ["in.csv:5", "in.csv:5 has 1 field, the header has 2."],
    ["in.csv:6", "in.csv:6 is not CSV: its quotes do not fit."],
    ["in.csv:7", "in.csv:7 is not CSV: its quotes do not fit."],
    ["in.csv:8", { name: "Bob", note: "" }],
    ["in.csv:9", "in.csv:9 has a quote that is not closed."],
  ]);
});

Deno.test("a quote within a field of a CSV file takes no further row along", async () => {
  const inputs = await readInputs(
    "in.csv",
    'name,note\nAda,5" pipe\nBob,x\n6" pipe,"two\nlines"\nCarol,"a ""b"""\nDan,y\n',
  );
  assert.deepEqual(inputs.map(shown), [
    ["in.csv:2", "in.csv:2 is not CSV: its quotes do not fit."],
    ["in.csv:3", { name: "Bob", note: "x" }],
    ["in.csv:4", "in.csv:4 is not CSV: its quotes do not fit."],
    ["in.csv:6", { name: "Carol", note: 'a "b"' }],
    ["in.csv:7", { name: "Dan", note: "y" }],
  ]);
});

Deno.test("a row of a CSV file with a line that is no UTF-8 fails as a whole", async () => {
  const text = 'name,note\nAda,"one\nÿ\nthree"\nBob,"ÿ\ntwo"\nCarol,x\n';
  const inputs = await readInputs("in.csv", Uint8Array.from(text, (character) => character.charCodeAt(0)));
  assert.deepEqual(inputs.map(shown), [
    ["in.csv:2", "in.csv:2 is not UTF-8 text: save the file as UTF-8."],
    ["in.csv:5", "in.csv:5 is not UTF-8 text: save the file as UTF-8."],
    ["in.csv:7", { name: "Carol", note: "x" }],
  ]);
});

Deno.test("a CSV file without a usable header is refused as a whole, with what is wrong with it", async () => {
  const headers = {
    "a,a": "is no header row: a stands there twice",
    "a,,b": "is no header row: a name is missing",
    '"a': "has a quote that is not closed",
    'a"b,c"d': "is not CSV: its quotes do not fit",
    ["a".repeat(17 * 1024 * 1024)]: "has more than 16777216 bytes",
  };
  for (const [header, fault] of Object.entries(headers)) {
    const message = `in.csv:1 ${fault}.`;
    await assert.rejects(readInputs("in.csv", `${header}\n1,2\n`), { code: "INVALID_ARGS", message });
  }
  const latin1 = new Uint8Array([0xe4, 0x0a, 0x31, 0x0a]);
  await assert.rejects(readInputs("in.csv", latin1), {
    message: "in.csv:1 is not UTF-8 text: save the file as UTF-8.",
  });
});

Deno.test("a CSV file whose values are separated by something else is refused as a whole, not read as one column", async () => {
  const separators = {
    "Applicant;Address": "';'",
    '"Applicant";"Address"': "';'",
    "sep=;": "';'",
    "Applicant\tAddress": "tabs",
  };
  for (const [header, separator] of Object.entries(separators)) {
    await assert.rejects(readInputs("in.csv", `${header}\nDora;Main Street 4\n`), {
      code: "INVALID_ARGS",
      message: `in.csv:1 seems to be separated by ${separator}: --each reads commas.`,
    });
  }
  const [column] = await readInputs("in.csv", '"a;b"\n1;2\n');
  assert.deepEqual(column?.value, { "a;b": "1;2" });
});

Deno.test("lines of a CSV file that end with CR alone are refused, not lost", async () => {
  const fault = "has lines that end with CR: save the file with LF or CRLF";
  await assert.rejects(readInputs("in.csv", 'a,b\r1,"x\ry"\r3,4\r'), {
    code: "INVALID_ARGS",
    message: `in.csv:1 ${fault}.`,
  });
  const inputs = await readInputs("in.csv", 'a,b\n1,2\r3,4\n5,"6\r7"\r\n8,9\r\r\n');
  assert.deepEqual(inputs.map(shown), [
    ["in.csv:2", `in.csv:2 ${fault}.`],
    ["in.csv:3", { a: "5", b: "6\r7" }],
    ["in.csv:4", { a: "8", b: "9" }],
  ]);
});

Deno.test("lines that are too long or no UTF-8 fail alone", async () => {
  const long = new Uint8Array(17 * 1024 * 1024).fill(0x31);
  const bytes = new Uint8Array([0x31, 0x0a, 0xff, 0x0a, ...new TextEncoder().encode('"ü"\n')]);
  const inputs = await readInputs("in.ndjson", await new Blob([bytes, long, "\n2"]).bytes());
  assert.deepEqual(inputs.map(shown), [
    ["in.ndjson:1", 1],
    ["in.ndjson:2", "in.ndjson:2 is not UTF-8 text: save the file as UTF-8."],
    ["in.ndjson:3", "ü"],
    ["in.ndjson:4", "in.ndjson:4 has more than 16777216 bytes."],
    ["in.ndjson:5", 2],
  ]);
});

Deno.test("a line with a number that would become another one is no input; in a text it may have any digits", async () => {
  const text = `{"ref":9007199254740993}\n{"ref":["\\\\","9007199254740993",1.10]}\n[9007199254740993.5]\n`;
  const inputs = await readInputs("in.ndjson", text);
  assert.deepEqual(inputs.map(shown), [
    ["in.ndjson:1", "in.ndjson:1 has the number 9007199254740993, which JSON numbers do not hold exactly."],
    ["in.ndjson:2", { ref: ["\\", "9007199254740993", 1.1] }],
    ["in.ndjson:3", "in.ndjson:3 has the number 9007199254740993.5, which JSON numbers do not hold exactly."],
  ]);
  assert.equal(inputs[0]?.error?.hint, "Write it as text: in quotes.");
});

Deno.test("whatever JSON is written per line is read back, with its line", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.boolean(), async (values, endsInFeed) => {
      const text = values.map((value) => JSON.stringify(value)).join("\n") + (endsInFeed ? "\n" : "");
      const inputs = await readInputs("in.ndjson", text);
      assert.deepEqual(
        inputs.map(shown),
        JSON.parse(JSON.stringify(values)).map((value: unknown, i: number) => [`in.ndjson:${i + 1}`, value]),
      );
    }),
    { numRuns: 30 },
  );
});

Deno.test("inputs are counted by lines, a header aside", async () => {
  await using folder = await makeFolder({ "a.ndjson": "1\n2\n3", "b.csv": "a\n1\n2\n", "c.ndjson": "" });
  const counts = ["a.ndjson", "b.csv", "c.ndjson"].map((name) => countInputs(`${folder.path}/${name}`));
  assert.deepEqual(await Promise.all(counts), [3, 2, 0]);
});

Deno.test("a file that is none is INVALID_ARGS", async () => {
  await using folder = await makeFolder();
  await assert.rejects(openInputs(`${folder.path}/none.ndjson`), {
    code: "INVALID_ARGS",
    message: /there is no such file/,
  });
  await assert.rejects(openInputs(folder.path), { code: "INVALID_ARGS", message: /is a folder/ });
});

Deno.test("work runs as much at a time as it may, and no result waits for more than it may", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 8 }),
      async (waits, concurrency, lookahead) => {
        let running = 0;
        let begun = 0;
        let given = 0;
        async function* items() {
          for (const [i, turns] of waits.entries()) yield { i, turns };
        }
        const work = async ({ i, turns }: { i: number; turns: number }) => {
          begun++;
          assert(++running <= concurrency);
          assert(begun - given <= lookahead);
          for (let turn = 0; turn < turns; turn++) await new Promise((go) => setTimeout(go));
          running--;
          return i;
        };
        const order: number[] = [];
        for await (const i of mapInOrder(items(), work, concurrency, lookahead)) {
          given++;
          order.push(i);
        }
        assert.deepEqual(order, waits.map((_, i) => i));
      },
    ),
    { numRuns: 40 },
  );
});

Deno.test("a result waits for no later input, and who has enough of them waits for none", async () => {
  let asked = Promise.withResolvers<void>();
  async function* items() {
    for (let i = 1; i < 5; i++) {
      yield i;
      await asked.promise;
      asked = Promise.withResolvers();
    }
  }
  const order: number[] = [];
  for await (const i of mapInOrder(items(), (item) => Promise.resolve(item), 2, 64)) {
    order.push(i);
    if (i === 3) break;
    asked.resolve();
  }
  assert.deepEqual(order, [1, 2, 3]);
});

Deno.test("while the results that wait are too much nothing further is begun, and all come in their order", async () => {
  async function* items() {
    for (let i = 0; i < 20; i++) yield i;
  }
  const first = Promise.withResolvers<void>();
  const begun: number[] = [];
  let waiting = 0;
  const work = async (item: number) => {
    begun.push(item);
    if (item === 0) await first.promise;
    else if (++waiting === 5) setTimeout(first.resolve);
    return item;
  };
  const order: number[] = [];
  for await (const item of mapInOrder(items(), work, 2, 64, () => waiting >= 5)) {
    if (item === 0) assert.deepEqual(begun, [0, 1, 2, 3, 4, 5]);
    waiting--;
    order.push(item);
  }
  assert.deepEqual(order, Array.from({ length: 20 }, (_, i) => i));
});

Deno.test("an interrupt ends a batch", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`log("begun"); for (;;);`, []),
    "in.ndjson": "1\n2\n3\n",
  });
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const runner = runnerOf(workflow);
  const results: BatchResult[] = [];
  const batch = runBatch(runner, await openInputs(`${folder.path}/in.ndjson`), {
    concurrency: 2,
    onResult: (result) => results.push(JSON.parse(result)),
    onLog: () => void runner.interrupt(),
  });
  assert.equal((await batch).inputs, 0);
  assert.deepEqual([runner.isInterrupted, results], [true, []]);
});

Deno.test("a batch that was interrupted before it began waits for no input", async () => {
  await using folder = await makeFolder({ "script.ts": scriptText("return input;", []) });
  await using workflow = await openScript({ script: `${folder.path}/script.ts` });
  const runner = runnerOf(workflow);
  await runner.interrupt();
  async function* silent(): AsyncGenerator<BatchInput> {
    yield await never();
  }
  const summary = await runBatch(runner, silent(), { concurrency: 1, onResult: () => {} });
  assert.equal(summary.inputs, 0);
});

Deno.test("a share of failures says nothing before twenty inputs have ended, a number says it at once", () => {
  const share = readMaxFailures("5%");
  const enough = [[1, 1], [19, 19], [20, 1], [20, 2], [100, 5], [100, 6]].map(([done = 0, failed = 0]) =>
    share({ done, failed })
  );
  assert.deepEqual(enough, [false, false, false, true, false, true]);
  const number = readMaxFailures("2");
  assert.deepEqual([number({ done: 1, failed: 1 }), number({ done: 2, failed: 2 })], [false, true]);
});

Deno.test("a number or a share of failures that can be none is refused with those that can", () => {
  const message = "--max-failures must be a whole number from 1, or a share from 0% to 100%.";
  for (const text of ["0", "1.5", "-1", "101%", "-1%", "%", "few", ""]) {
    assert.throws(() => readMaxFailures(text), { code: "INVALID_ARGS", message }, text);
  }
  for (const text of ["1", "0%", "2.5%", "100%"]) readMaxFailures(text);
});

Deno.test("a share of failures is enough as soon as there are inputs enough to tell, also where the last of them succeeds", async () => {
  await using folder = await makeFolder({
    "script.ts": scriptText(`if (input === 0) throw new Error("zero"); return input;`, []),
    "in.ndjson": "0\n".repeat(19) + "1\n".repeat(20),
  });
  const run = ["run", `${folder.path}/script.ts`, "--each", `${folder.path}/in.ndjson`, "--concurrency", "1"];
  const { stdout, stderr } = await svcWorkflow([...run, "--max-failures", "5%"]);
  assert.match(stderr, /^20 inputs: 1 succeeded, 19 failed\. No further input was begun: --max-failures 5%\.$/m);
  assert.equal(stdout.trimEnd().split("\n").length, 20);
});
