import assert from "node:assert/strict";
import type { BatchInput } from "../../../workflows/inputs/batch_input.ts";
import { openInputs } from "../../../workflows/inputs/open_inputs.ts";
import { makeFolder } from "../../harness/svc.ts";

Deno.test("the header of a CSV file names the members of its inputs, and an invalid row fails alone", async () => {
  const text =
    '\ufeffname, note\r\nAda,"two\r\nlines, ""quoted"""\r\n\r\nonly one\r\na"b,c"d\r\n"x"y,z\r\nBob,\r\n"open,1\r\n';
  const inputs = await readInputs("in.csv", text);
  assert.deepEqual(inputs.map(summarize), [
    ["in.csv:2", { name: "Ada", note: 'two\r\nlines, "quoted"' }],
    ["in.csv:5", "in.csv:5 has 1 field, but the header has 2."],
    ["in.csv:6", "in.csv:6 is not valid CSV: its quotes do not match."],
    ["in.csv:7", "in.csv:7 is not valid CSV: its quotes do not match."],
    ["in.csv:8", { name: "Bob", note: "" }],
    ["in.csv:9", "in.csv:9 has an unclosed quote."],
  ]);
});

Deno.test("a quote inside a field of a CSV file does not affect other rows", async () => {
  const inputs = await readInputs(
    "in.csv",
    'name,note\nAda,5" pipe\nBob,x\n6" pipe,"two\nlines"\nCarol,"a ""b"""\nDan,y\n',
  );
  assert.deepEqual(inputs.map(summarize), [
    ["in.csv:2", "in.csv:2 is not valid CSV: its quotes do not match."],
    ["in.csv:3", { name: "Bob", note: "x" }],
    ["in.csv:4", "in.csv:4 is not valid CSV: its quotes do not match."],
    ["in.csv:6", { name: "Carol", note: 'a "b"' }],
    ["in.csv:7", { name: "Dan", note: "y" }],
  ]);
});

Deno.test("a row of a CSV file with a line that is not UTF-8 fails as a whole", async () => {
  const text = 'name,note\nAda,"one\nÿ\nthree"\nBob,"ÿ\ntwo"\nCarol,x\n';
  const inputs = await readInputs("in.csv", Uint8Array.from(text, (character) => character.charCodeAt(0)));
  assert.deepEqual(inputs.map(summarize), [
    ["in.csv:2", "in.csv:2 is not UTF-8: save the file as UTF-8."],
    ["in.csv:5", "in.csv:5 is not UTF-8: save the file as UTF-8."],
    ["in.csv:7", { name: "Carol", note: "x" }],
  ]);
});

Deno.test("a CSV file without a valid header is rejected with the reason", async () => {
  const headers = {
    "a,a": "is not a header row: column a occurs twice",
    "a,,b": "is not a header row: a column has no name",
    '"a': "has an unclosed quote",
    'a"b,c"d': "is not valid CSV: its quotes do not match",
    ["a".repeat(17 * 1024 * 1024)]: "has more than 16777216 bytes",
  };
  for (const [header, issue] of Object.entries(headers)) {
    const message = `in.csv:1 ${issue}.`;
    await assert.rejects(readInputs("in.csv", `${header}\n1,2\n`), { code: "INVALID_ARGS", message });
  }
  const latin1 = new Uint8Array([0xe4, 0x0a, 0x31, 0x0a]);
  await assert.rejects(readInputs("in.csv", latin1), {
    message: "in.csv:1 is not UTF-8: save the file as UTF-8.",
  });
});

Deno.test("a CSV file with another separator is rejected instead of being read as one column", async () => {
  const separators = {
    "Applicant;Address": "';'",
    '"Applicant";"Address"': "';'",
    "sep=;": "';'",
    "Applicant\tAddress": "tabs",
  };
  for (const [header, separator] of Object.entries(separators)) {
    await assert.rejects(readInputs("in.csv", `${header}\nDora;Main Street 4\n`), {
      code: "INVALID_ARGS",
      message: `in.csv:1 seems to be separated by ${separator} instead of commas.`,
    });
  }
  const [column] = await readInputs("in.csv", '"a;b"\n1;2\n');
  assert.deepEqual(column?.value, { "a;b": "1;2" });
});

Deno.test("lines of a CSV file that end in CR alone are rejected", async () => {
  const issue = "has lines that end in CR: save the file with LF or CRLF";
  await assert.rejects(readInputs("in.csv", 'a,b\r1,"x\ry"\r3,4\r'), {
    code: "INVALID_ARGS",
    message: `in.csv:1 ${issue}.`,
  });
  const inputs = await readInputs("in.csv", 'a,b\n1,2\r3,4\n5,"6\r7"\r\n8,9\r\r\n');
  assert.deepEqual(inputs.map(summarize), [
    ["in.csv:2", `in.csv:2 ${issue}.`],
    ["in.csv:3", { a: "5", b: "6\r7" }],
    ["in.csv:4", { a: "8", b: "9" }],
  ]);
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
