/** Runner, sandboxes and service are killed at random; every effect of a workflow is there once. `deno task crash` does it for longer. */
import assert from "node:assert/strict";
import { crash } from "../../../tasks/crash/crash.ts";
import { createSeed } from "../../../tasks/crash/seeded_random.ts";
import { compareEffects, listFaults } from "../../../tasks/crash/verdict.ts";
import { renderReport } from "../../../tasks/crash/report.ts";
import { PROGRAM } from "../../harness/svc.ts";

const KILLS = 60;

/** Inputs of a batch: when the last kill has been made, the rest of them is done in peace. */
const INPUTS = 12;

const SEED = Number(Deno.env.get("SVC_TEST_SEED") ?? createSeed());

Deno.test(`after ${KILLS} kills nothing is lost and nothing is there twice (SVC_TEST_SEED=${SEED})`, async () => {
  const report = await crash({ kills: KILLS, inputs: INPUTS, seed: SEED, program: PROGRAM });
  assert.equal(report.kills.length, KILLS);
  assert.deepEqual(listFaults(report.verdict), [], await renderReport(report));
  assert.ok(
    report.statistics.some(({ interruptedChanges }) => interruptedChanges > 0),
    "kills fall between call and answer",
  );
});

Deno.test("what is lost, repeated or in another order is told apart", () => {
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
