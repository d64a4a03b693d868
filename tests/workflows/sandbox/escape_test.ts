/** The escape table: what a script tries to get out of its sandbox or at another input's data, and how each is refused. */
import assert from "node:assert/strict";
import { builtinModules } from "node:module";
import { BUILTIN_MODULES } from "../../../workflows/sandbox/host/builtins.ts";
import { type Attempt, checkAttempt } from "./_attempt.ts";
import { TURNING } from "./_turning_host.ts";
import { LOADING } from "./_loading.ts";
import { REACHING } from "./_reaching.ts";
import { TALKING } from "./_talking.ts";
import { LASTING } from "./_lasting.ts";
import { openWorld } from "./_world.ts";

const TABLE: readonly Attempt[] = [...REACHING, ...LOADING, ...TURNING, ...TALKING, ...LASTING];

/** Attempts at a time: most of an attempt is two processes that start. */
const AT_ONCE = 3;

Deno.test("nothing that a script tries gets it out of its sandbox, or at what another input has", async (t) => {
  await using world = await openWorld();
  const waiting = [...TABLE];
  const clerk = async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const attempt = row;
      await t.step({
        name: `a script ${attempt.attempt}`,
        fn: () => checkAttempt(attempt, world),
        sanitizeOps: false,
        sanitizeResources: false,
        sanitizeExit: false,
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, clerk));
});

Deno.test("every module that is built into this runtime is one that no script gets", () => {
  const names = builtinModules.map((name) => name.replace(/^node:/, ""));
  assert.deepEqual([...new Set(names)].filter((name) => !BUILTIN_MODULES.includes(name)), []);
});
