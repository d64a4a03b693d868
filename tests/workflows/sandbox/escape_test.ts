/** The escape table: attempts of a script to leave its sandbox or to read the data of another input, and their rejections. */
import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { BUILTIN_MODULES } from "../../../workflows/sandbox/host/builtins.ts";
import { type Attempt, checkAttempts, groupAttempts } from "./_attempt.ts";
import { TAMPERING } from "./_tampering.ts";
import { IMPORTS } from "./_imports.ts";
import { ACCESS } from "./_access.ts";
import { MESSAGES } from "./_messages.ts";
import { EXHAUSTION } from "./_exhaustion.ts";
import { openWorld } from "./_world.ts";

const TABLE: readonly Attempt[] = [...ACCESS, ...IMPORTS, ...TAMPERING, ...MESSAGES, ...EXHAUSTION];

/** Number of groups of attempts that run at the same time. Most of the time of an attempt is the start of a process. */
const CONCURRENCY = 3;

Deno.test("no attempt of a script leaves its sandbox or reads the data of another input", async (t) => {
  await using world = await openWorld();
  const waiting = [...groupAttempts(TABLE)];
  const step = ({ attempt }: Attempt, fn: () => Promise<void>) =>
    t.step({
      name: `a script ${attempt}`,
      fn,
      sanitizeOps: false,
      sanitizeResources: false,
      sanitizeExit: false,
    });
  const worker = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      await checkAttempts(group, world, step);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
});

Deno.test("a script cannot import any module that is built into this runtime", () => {
  const names = builtinModules.map((name) => name.replace(/^node:/, ""));
  assert.deepEqual([...new Set(names)].filter((name) => !BUILTIN_MODULES.includes(name)), []);
});
