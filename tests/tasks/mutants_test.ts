/** The laboratory that looks for changes of the sources that no test notices. */
import assert from "node:assert/strict";
import { applyMutant, findMutants } from "../../tasks/mutants/find_mutants.ts";
import { type MutantOptions, type TriedMutant, tryMutants } from "../../tasks/mutants/try_mutants.ts";
import { makeFolder } from "../harness/svc.ts";

/** Returns the texts of all mutants of a text. */
function mutate(text: string): string[] {
  return findMutants("a.ts", text).map((mutant) => applyMutant(text, mutant));
}

Deno.test("operators, operands, conditions, numbers and statements are changed one at a time", () => {
  assert.deepEqual(mutate("a && b();"), [";", "a || b();", "a;", "b();"]);
  assert.deepEqual(mutate("f(a ?? !b);"), [";", "f(a);", "f(!b);", "f(a ?? b);"]);
  assert.deepEqual(mutate("const a = b ? 1 : c;"), ["const a = 1;", "const a = c;", "const a = b ? 2 : c;"]);
  assert.deepEqual(mutate("if (a < 0) return;"), [
    ...["if (false) return;", "if (true) return;", "if (a <= 0) return;", "if (a < 1) return;"],
  ]);
  assert.deepEqual(
    findMutants("a.ts", "if (\n  a &&\n  b\n) c;").map(({ line, firstLine }) => [line, firstLine]),
    [[2, 1], [2, 1], [2, 2], [2, 2], [2, 2], [4, 4]],
  );
  assert.deepEqual(mutate("let a: 1 | true = true;"), ["let a: 1 | true = false;"]);
});

const SOURCE = `export const UNIT: string = "m" + "m";

export function limit(length: number): number {
  if (length > 10) return 10;
  return length;
}

export function double(length: number): number {
  return 2 * length;
}
`;

const TEST = `import { limit } from "../sources/limit.ts";

Deno.test("a length is limited", () => {
  if ([5, 10].map(limit).join() !== "5,10") throw new Error("wrong");
});
`;

Deno.test("mutants are tried in a copy in the order of a seed, and those that no test notices are found", async () => {
  await using folder = await makeFolder({ "deno.json": "{}", "sources/limit.ts": SOURCE, "tests/limit_test.ts": TEST });
  const subject = { name: "limits", sources: "sources", tests: ["tests/limit_test.ts"] };
  const { signal } = new AbortController();
  const tryAll = (options: Partial<MutantOptions>) => {
    const all = { checkout: folder.path, subjects: [subject], seed: 7, from: 1, count: 99, signal } as const;
    return Array.fromAsync(tryMutants({ ...all, ...options }));
  };
  const tried = await tryAll({});
  const describe = (result: TriedMutant["result"]) =>
    tried.filter((mutant) => mutant.result === result)
      .map(({ file, line, code, replacement }) => `${file}:${line} ${code} → ${replacement}`).sort();
  assert.deepEqual(describe("survived"), [
    "sources/limit.ts:4 10 → 11",
    "sources/limit.ts:4 10 → 11",
    "sources/limit.ts:4 > → >=",
    "sources/limit.ts:4 length > 10 → false",
  ]);
  assert.deepEqual(describe("noticed"), ["sources/limit.ts:4 length > 10 → true"]);
  assert.deepEqual(describe("not executed"), ["sources/limit.ts:9 * → /", "sources/limit.ts:9 2 → 3"]);
  assert.equal(tried.find(({ result }) => result === "noticed")?.failedTest, "a length is limited");
  assert.deepEqual(await tryAll({ from: tried[1]?.number, count: 2 }), tried.slice(1, 3));
  assert.equal(await Deno.readTextFile(`${folder.path}/sources/limit.ts`), SOURCE);
});

Deno.test("no mutant is tried while the tests fail without it", async () => {
  const failing = TEST.replace('"5,10"', '"5"');
  await using folder = await makeFolder({
    "deno.json": "{}",
    "sources/limit.ts": SOURCE,
    "tests/limit_test.ts": failing,
  });
  const subject = { name: "limits", sources: "sources", tests: ["tests/limit_test.ts"] };
  const { signal } = new AbortController();
  const options = { checkout: folder.path, subjects: [subject], seed: 7, from: 1, count: 1, signal } as const;
  await assert.rejects(Array.fromAsync(tryMutants(options)), /The tests of limits fail:[^]*wrong/);
});
