/** `svc workflow work`: a robot takes the assignments of a queue, gives failed ones back or parks them, and repeats nothing. */
import assert from "node:assert/strict";
import { parseErrorRecord } from "../../harness/svc.ts";
import { killAfterOutput, waitForCases, waitForOutput } from "../../harness/workflow.ts";
import { eventually, within } from "../../harness/wait.ts";
import { openReview, readResults, REVIEW, testRobot } from "./_review.ts";

/** Start of a script that waits until the test has created a third case. */
const WAIT_FOR_THIRD = `log("took", input.businessID); ${waitForCases(3)}`;

testRobot(
  "a robot works on the assignments of its queue once each, and only on those",
  REVIEW,
  3,
  async (review, database) => {
    const worked = await review.work("--until-empty", "--concurrency", "2");
    assert.equal(worked.code, 0, worked.stderr);
    const results = readResults(worked).map(({ result }) => JSON.stringify(result));
    // Robots that share a queue print each result when it is known.
    assert.deepEqual(
      database === "SQLite" ? results : results.toSorted(),
      [1, 2, 3].map((number) => JSON.stringify({ [`P-${number}`]: "Pending-Decision" })),
    );
    const again = await review.work("--until-empty");
    assert.deepEqual([again.code, again.stdout], [0, ""], again.stderr);
    assert.deepEqual((await review.listPlaces()).filter((place) => place.endsWith("Review")), []);
    const [run, ...others] = JSON.parse((await review.svc("list")).stdout);
    assert.deepEqual(others, []); // A run without assignments is not kept.
    assert.deepEqual([run.queue, run.state, run.succeeded, run.each], ["Review", "done", 3, undefined]);
  },
);

testRobot(
  "a failed assignment is given back, parked after its last attempt, and does not stop the others",
  `if (input.businessID === "P-1") throw new Error("poison");${REVIEW}`,
  2,
  async (review) => {
    const worked = await review.work(
      "--until-empty",
      "--max-attempts",
      "2",
      "--retry-delay",
      "0",
      "--concurrency",
      "1",
    );
    assert.equal(worked.code, 0, worked.stderr);
    assert.match(worked.stderr, /P-1!REVIEW: failure 1 of 2, given back to the queue Review\. WORKFLOW_FAILED /);
    assert.match(worked.stderr, /P-1!REVIEW: failure 2 of 2, parked in the worklist of the robot\. WORKFLOW_FAILED /);
    assert.ok((await review.listPlaces()).includes("P-1 worklist"));
    const codes = readResults(worked).map(({ error, result }) => error === undefined ? result : "failed");
    assert.deepEqual(codes.toSorted(), ["failed", "failed", { "P-2": "Pending-Decision" }].toSorted());
  },
);

testRobot(
  "a failed assignment is not taken again at once, not even by a robot that has started since",
  `throw new Error("down");`,
  1,
  async (review) => {
    assert.equal(readResults(await review.work("--until-empty")).length, 1);
    assert.equal(readResults(await review.work("--until-empty")).length, 0);
    assert.deepEqual(await review.listPlaces(), ["P-1 Review"]);
  },
);

testRobot(
  "an error with the name BusinessError routes the assignment to another queue",
  `throw Object.assign(new Error("too large"), { name: "BusinessError" });`,
  1,
  async (review) => {
    const worked = await review.work("--until-empty", "--route-queue", "Inspection");
    assert.equal(worked.code, 0, worked.stderr);
    assert.match(worked.stderr, /P-1!REVIEW: business failure, transferred to the queue Inspection\. .*too large/);
  },
);

Deno.test("a robot that was killed completes its assignments when it starts again, and repeats nothing", async () => {
  await using review = await openReview(`${WAIT_FOR_THIRD}${REVIEW}`, 2);
  await killAfterOutput(review.start("--concurrency", "1"), "took P-1");
  const { stdout } = await review.svc("list");
  const [{ id }] = JSON.parse(stdout);
  const refused = await review.svc("resume", id);
  assert.match(String(parseErrorRecord(refused).hint), /svc workflow work \S+script\.ts --queue Review/);
  await review.clerk.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "C", Address: "D" } });
  const worked = await review.work("--until-empty", "--concurrency", "1");
  assert.match(worked.stderr, new RegExp(`Resuming run ${id}\\.`));
  assert.deepEqual(readResults(worked).map(({ result }) => result), [
    { "P-1": "Pending-Decision" },
    { "P-2": "Pending-Decision" },
  ]);
});

Deno.test("a robot refuses a queue that its operator does not serve, and names the others", async () => {
  await using review = await openReview(REVIEW, 0);
  const error = parseErrorRecord(await review.svc("work", "script.ts", "--queue", "Reviews", "--allow-declared"));
  assert.equal(error.message, 'reviewer@city does not work on a queue "Reviews".');
  assert.match(String(error.hint), /^Did you mean Review\? The queues are /);
  const none = parseErrorRecord(await review.work("--max-attempts", "0"));
  assert.equal(none.message, "The maximum number of attempts must be 1 or more, not 0.");
  const unrecorded = parseErrorRecord(await review.work("--journal", "none", "--until-empty"));
  assert.equal(unrecorded.message, "A robot needs a journal, so that a restarted one continues its assignments.");
  assert.equal(unrecorded.hint, "Leave out --journal, or name a file or a postgres:// location.");
});

testRobot(
  "SIGTERM completes the assignments in progress and takes no further ones",
  `${WAIT_FOR_THIRD}${REVIEW}`,
  2,
  async (review) => {
    const robot = review.start("--concurrency", "1");
    const { rest } = await waitForOutput(robot, "took P-1");
    robot.kill("SIGTERM");
    await review.clerk.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "C", Address: "D" } });
    const [log, { code }] = await within("the robot ends", Promise.all([rest, robot.status, robot.stdout.cancel()]));
    assert.equal(code, 0, log);
    await eventually("P-2 is in the queue", async () => (await review.listPlaces()).includes("P-2 Review"));
  },
);
