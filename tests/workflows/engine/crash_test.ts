/** Kills host, guests and service at random. Every effect of a workflow happens exactly once. `deno task crash` runs longer. */
import assert from "node:assert/strict";
import { crash } from "../../../tasks/crash/crash.ts";
import { createSeed } from "../../../tasks/support/seeded_random.ts";
import { compareEffects, listFaults } from "../../../tasks/crash/verdict.ts";
import { renderReport } from "../../../tasks/crash/report.ts";
import { PROGRAM } from "../../harness/svc.ts";

const KILLS = 60;

/** Inputs of a batch. Those that are left after the last kill run undisturbed. */
const INPUTS = 12;

const SEED = Number(Deno.env.get("SVC_TEST_SEED") ?? createSeed());

Deno.test(`after ${KILLS} kills every effect happened exactly once (SVC_TEST_SEED=${SEED})`, async () => {
  const report = await crash({ kills: KILLS, inputs: INPUTS, seed: SEED, program: PROGRAM });
  assert.equal(report.kills.length, KILLS);
  assert.deepEqual(listFaults(report.verdict), [], await renderReport(report));
  assert.ok(
    report.statistics.some(({ interruptedChanges }) => interruptedChanges > 0),
    "no kill interrupted a change",
  );
});

Deno.test("lost, repeated and disordered effects are distinguished", () => {
  const expected = ["a", "b", "b", "c"];
  assert.deepEqual(compareEffects(expected, expected), { lost: [], repeated: [], isDisordered: false });
  assert.deepEqual(compareEffects(expected, ["a", "b", "c"]), { lost: ["b"], repeated: [], isDisordered: false });
  assert.deepEqual(compareEffects(expected, ["a", "b", "b", "b", "d"]), {
    lost: ["c"],
    repeated: ["b", "d"],
    isDisordered: false,
  });
  assert.deepEqual(compareEffects(expected, ["b", "a", "b", "c"]), { lost: [], repeated: [], isDisordered: true });
});
