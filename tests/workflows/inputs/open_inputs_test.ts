import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactNumber } from "../../../utils/exact_number.ts";
import type { BatchInput } from "../../../workflows/inputs/batch_input.ts";
import { estimateInputs, fingerprintFile, isCsv, openInputs } from "../../../workflows/inputs/open_inputs.ts";
import { makeFolder } from "../../harness/svc.ts";

Deno.test("lines that are too long or not UTF-8 fail alone", async () => {
  const long = new Uint8Array(17 * 1024 * 1024).fill(0x31);
  const bytes = new Uint8Array([0x31, 0x0a, 0xff, 0x0a, ...new TextEncoder().encode('"ü"\n')]);
  const inputs = await readInputs("in.ndjson", await new Blob([bytes, long, "\n2"]).bytes());
  assert.deepEqual(inputs.map(summarize), [
    ["in.ndjson:1", 1],
    ["in.ndjson:2", "in.ndjson:2 is not UTF-8: save the file as UTF-8."],
    ["in.ndjson:3", "ü"],
    ["in.ndjson:4", "in.ndjson:4 has more than 16777216 bytes."],
    ["in.ndjson:5", 2],
  ]);
});

Deno.test("a line that nests too deeply fails alone", async () => {
  const inputs = await readInputs("in.ndjson", `1\n${"[".repeat(1_000_000)}\n${"[".repeat(1000)}${"]".repeat(1000)}\n`);
  assert.deepEqual(inputs.slice(0, 2).map(summarize), [
    ["in.ndjson:1", 1],
    ["in.ndjson:2", "in.ndjson:2 nests objects and arrays more than 1000 levels deep."],
  ]);
  assert.equal(inputs[2]?.error, undefined);
});

Deno.test("a number keeps its digits", async () => {
  const text = `{"ref":9007199254740993}\n{"ref":["\\\\","9007199254740993",1.10]}\n[9007199254740993.5]\n`;
  const inputs = await readInputs("in.ndjson", text);
  assert.deepEqual(inputs.map(summarize), [
    ["in.ndjson:1", { ref: new ExactNumber("9007199254740993") }],
    ["in.ndjson:2", { ref: ["\\", "9007199254740993", 1.1] }],
    ["in.ndjson:3", [new ExactNumber("9007199254740993.5")]],
  ]);
});

Deno.test("every JSON value is read back with its line", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.jsonValue(), { maxLength: 20 }), fc.boolean(), async (values, endsInFeed) => {
      fc.pre(!(values.length === 1 && Array.isArray(values[0]))); // It is more likely a list of inputs.
      const text = values.map((value) => JSON.stringify(value)).join("\n") + (endsInFeed ? "\n" : "");
      const inputs = await readInputs("in.ndjson", text);
      assert.deepEqual(
        inputs.map(summarize),
        JSON.parse(JSON.stringify(values)).map((value: unknown, i: number) => [`in.ndjson:${i + 1}`, value]),
      );
    }),
    { numRuns: 30 },
  );
});

Deno.test("a JSON array or object instead of lines is refused, and the error says what to write", async () => {
  const texts: [text: string, content: string][] = [
    ['[{"a":1},{"a":2}]', "a JSON array on one line, which would be one input"],
    ["\n [1]\n\n", "a JSON array on one line, which would be one input"],
    ['[\n  {"a":1}\n]\n', "one JSON value over several lines"],
    ['{\n  "a":1\n}\n', "one JSON value over several lines"],
    ['[{"a":1},\n{"a":2}]', "one JSON value over several lines"],
  ];
  for (const [text, content] of texts) {
    await assert.rejects(readInputs("in.json", text), {
      code: "INVALID_ARGS",
      message: `The inputs in.json are ${content}.`,
      hint: "Write one JSON value per line, for example with jq -c '.[]'. To pass the value as one input, use --input.",
    });
  }
  assert.deepEqual((await readInputs("in.json", "[1]\n[2]\n")).map(({ value }) => value), [[1], [2]]);
});

Deno.test("inputs are counted by lines, without the header", async () => {
  await using folder = await makeFolder({ "a.ndjson": "1\n2\n3", "b.csv": "a\n1\n2\n", "c.ndjson": "" });
  const counts = ["a.ndjson", "b.csv", "c.ndjson"].map(async (name) => {
    const file = await fingerprintFile(`${folder.path}/${name}`);
    return file && estimateInputs(file, name);
  });
  assert.deepEqual(await Promise.all(counts), [3, 2, 0]);
});

Deno.test("a missing file and a folder are rejected with INVALID_ARGS", async () => {
  await using folder = await makeFolder();
  await assert.rejects(openInputs(`${folder.path}/none.ndjson`), {
    code: "INVALID_ARGS",
    message: /there is no such file/,
  });
  await assert.rejects(openInputs(folder.path), { code: "INVALID_ARGS", message: /are a directory/ });
});

async function readInputs(file: string, text: string | Uint8Array): Promise<BatchInput[]> {
  await using folder = await makeFolder();
  await Deno.writeFile(`${folder.path}/${file}`, typeof text === "string" ? new TextEncoder().encode(text) : text);
  return await Array.fromAsync(await openInputs(`${folder.path}/${file}`));
}

/** Returns the place of an input, and its value or error message. */
function summarize({ place, value, error }: BatchInput): unknown[] {
  return [place, error === undefined ? value : error.message];
}

Deno.test("the name of a link decides the format before the name of the file does", () => {
  const paths: [path: string, link: string, isCsv: boolean][] = [
    ["/data/1", "/in.csv", true],
    ["/data/1.csv", "/latest", true],
    ["/data/1.csv", "/in.ndjson", false],
    ["/data/1.ndjson", "/in.CSV", true],
    ["/data/1", "/latest", false],
  ];
  for (const [path, link, expected] of paths) assert.equal(isCsv(path, link), expected, `${link} -> ${path}`);
});
