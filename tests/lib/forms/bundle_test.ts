/** The form engine in other JavaScript runtimes: a bundle for browsers gives the same results in Node.js as in Deno. */
import assert from "node:assert/strict";
import { LimitedCommand, makeFolder } from "../../harness/svc.ts";
import { bundleForBrowsers, readFixtures } from "./_runtimes.ts";
import { summarize } from "./_summary.ts";

const PROGRAM = `
import { readFileSync } from "node:fs";
import { ExactNumber, summarize } from "./forms.mjs";
const summaries = JSON.parse(readFileSync("bodies.json", "utf8")).map(summarize);
console.log(JSON.stringify({ summaries, exact: [new ExactNumber("12345678901234567890")] }));
`;

Deno.test("a bundle for browsers contains the engine, and nothing of Deno or Node.js", async () => {
  assert.doesNotMatch(await bundleForBrowsers(), /\bDeno\b|node:|npm:|\bprocess\b/);
});

Deno.test("the bundle draws, fills in and submits all forms in Node.js as the sources do in Deno", async () => {
  const bodies = await readFixtures();
  await using folder = await makeFolder({
    "forms.mjs": await bundleForBrowsers(),
    "main.mjs": PROGRAM,
    "bodies.json": JSON.stringify(bodies),
  });
  const command = new LimitedCommand("node", { args: ["main.mjs"], cwd: folder.path });
  const { stdout, stderr } = await command.output();
  assert.equal(new TextDecoder().decode(stderr), "");
  const printed = new TextDecoder().decode(stdout);
  // A runtime without JSON.rawJSON writes the digits as text, which servers accept as a number.
  assert.match(printed, /"exact":\["?12345678901234567890"?\]/);
  const { summaries: results }: { summaries: unknown } = JSON.parse(printed);
  assert.ok(Array.isArray(results));
  bodies.forEach((body, i) => assertSameSummary(results[i], summarize(body)));
  assert.equal(results.length, bodies.length);
});

/** Compares summaries, and shows only where they begin to differ, because they are long. */
function assertSameSummary(result: unknown, expected: readonly string[]): void {
  const [a, b] = [JSON.stringify(result), JSON.stringify(expected)];
  let at = 0;
  while (at < b.length && a[at] === b[at]) at++;
  assert.equal(a.slice(Math.max(0, at - 60), at + 60), b.slice(Math.max(0, at - 60), at + 60));
}
