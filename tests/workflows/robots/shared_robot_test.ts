/** Several robots on one queue, with a journal in PostgreSQL. */
import assert from "node:assert/strict";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import {
  killAfterOutput,
  newRun,
  WAIT_FOR_SECOND_CASE,
  waitForCases,
  waitForOutput,
  writeInput,
} from "../../harness/workflow.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";
import { openShared } from "../../../workflows/runs/runs.ts";
import { AssignmentClaims } from "../../../workflows/robots/assignment_claims.ts";
import { openReview, readResults, REVIEW } from "./_review.ts";

const SHARED = { service: "http://127.0.0.1/api", queue: "Review", maxAttempts: 3, retryMilliseconds: 0 };

Deno.test("robots that claim the same assignments at the same time get each of them once", async () => {
  await using schema = useTestSchema();
  await using stack = new AsyncDisposableStack();
  const assignments = Array.from({ length: 60 }, (_, index) => ({ place: `A-${index}`, value: { index } }));
  const robots = await Promise.all(Array.from({ length: 3 }, async (_, index) => {
    const journal = stack.use(await openShared(schema.location));
    await journal.createRun(newRun(`r${index}`));
    return { claims: new AssignmentClaims(journal, SHARED), run: `r${index}`, claimed: new Array<string>() };
  }));
  for (let from = 0; from < assignments.length; from += 4) {
    const page = assignments.slice(from, from + 4);
    await Promise.all(robots.map(async ({ claims, run, claimed }) => {
      const found = await claims.claim(run, page);
      claimed.push(...found.map(({ described }) => described.place));
    }));
  }
  const all = robots.flatMap(({ claimed }) => claimed);
  assert.deepEqual(all.toSorted(), assignments.map(({ place }) => place).toSorted());
});

Deno.test("a robot claims further assignments after it has lost the answer to a claim, and continues the lost one", async () => {
  await using schema = useTestSchema();
  await using journal = await openShared(schema.location);
  await journal.createRun(newRun("r1"));
  const robot = new AssignmentClaims(journal, SHARED);
  const claim = async (place: string) =>
    (await robot.claim("r1", [{ place, value: {} }])).map(({ described: { number, place } }) => [number, place]);
  const { id } = await journal.openSession();
  await journal.database.query("INSERT INTO inputs (run, number, place, worker) SELECT seq, 1, 'A-1', $1 FROM runs", [
    id,
  ]);
  await journal.database.query(
    `INSERT INTO assignments (service, queue, assignment, run, input) SELECT $1, 'Review', 'A-1', seq, 1 FROM runs`,
    [SHARED.service],
  );
  assert.deepEqual(await claim("A-1"), []); // The claim is repeated.
  assert.deepEqual(await claim("A-2"), [[2, "A-2"]]);
  assert.deepEqual((await robot.continue("r1", 2)).map(({ described }) => described.place), ["A-1"]);
});

Deno.test("a failure counts once, and delays or parks the assignment for all robots", async () => {
  await using schema = useTestSchema();
  await using journal = await openShared(schema.location);
  await using other = await openShared(schema.location);
  await journal.createRun(newRun("r1"));
  await other.createRun(newRun("r2"));
  const robot = new AssignmentClaims(journal, { ...SHARED, retryMilliseconds: 3_600_000 });
  const second = new AssignmentClaims(other, SHARED);
  const assignment = [{ place: "A-1", value: { assignment: "A-1" } }];
  const fail = async (claims: AssignmentClaims, from: typeof journal, run: string, number: number) => {
    const count = await claims.countFailure(run, number, "A-1", false);
    assert.equal(await claims.countFailure(run, number, "A-1", false), count); // E.g. after a crash.
    await writeInput(from, run, number, (claim) => {
      claim.begin({ ...assignment[0]!, startedAt: 0, generation: 0 });
      claim.end({ state: "failed", error: { code: "WORKFLOW_FAILED", message: "down" } });
    });
    await claims.releaseEnded();
    return count;
  };
  assert.equal((await robot.claim("r1", assignment)).length, 1);
  assert.equal((await second.claim("r2", assignment)).length, 0);
  assert.equal(await fail(robot, journal, "r1", 1), 1);
  assert.equal((await second.claim("r2", assignment)).length, 0); // It is delayed for an hour.
  await other.database.query(`UPDATE assignments SET "retryAt" = 0`);
  assert.equal((await second.claim("r2", assignment)).length, 1);
  assert.equal(await fail(second, other, "r2", 1), 2);
  assert.equal((await second.claim("r2", assignment)).length, 1);
  assert.equal(await fail(second, other, "r2", 2), 3);
  // It was parked. Other robots may have read it before.
  const rows = () => journal.database.query(`SELECT "isActive", failures FROM assignments`);
  assert.deepEqual(await rows(), [{ isActive: false, failures: 0 }]);
  assert.equal((await second.claim("r2", assignment)).length, 0);
  await other.database.query(`UPDATE assignments SET "retryAt" = 0`);
  await robot.releaseEnded();
  assert.deepEqual(await rows(), []);
});

/** Waits for a third permit after the first step. */
const WAITING = `
  const perform = (action, data) => svc.assignments.perform(input.assignment, { action, data });
  await perform("CheckApplication", {});
  log("took", input.businessID);
  ${waitForCases(3)}
  await perform("CheckDocuments", {});
  return (await perform("GiveAdvice", { Complete: true, Advice: "Grant." })).status;`;

Deno.test("another robot continues the assignment of a killed one, repeats nothing, and ends its run", async () => {
  await using schema = useTestSchema();
  await using review = await openReview(WAITING, 2, schema.location);
  await killAfterOutput(review.start("--concurrency", "1"), "took P-1");
  const robot = review.start("--concurrency", "2");
  const { rest } = await waitForOutput(
    robot,
    "Continuing assignment ASSIGN-WORKBASKET CITY-PERMIT-WORK P-1!REVIEW of run",
  );
  await review.clerk.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "C", Address: "D" } });
  const results = readUntil(robot.stdout, "P-1!REVIEW");
  await eventually("P-1 and P-2 are reviewed", async () => {
    const { text } = await results;
    return text.includes("Pending-Decision") &&
      !(await review.listPlaces()).some((place) => /P-[12] Review/.test(place));
  });
  robot.kill("SIGTERM");
  const [log, { code }] = await within("the robot ends", Promise.all([rest, robot.status, (await results).rest]));
  assert.equal(code, 0, log);
  const runs = JSON.parse((await review.svc("list")).stdout);
  assert.deepEqual(runs.map(({ state, succeeded }: { state: string; succeeded: number }) => [state, succeeded]), [
    ["done", 1],
    ["done", 1],
  ]);
});

Deno.test("two robots work on a queue, and no assignment is done twice", async () => {
  await using schema = useTestSchema();
  await using review = await openReview(REVIEW, 6, schema.location);
  const robots = await Promise.all([1, 2].map(() => review.work("--until-empty", "--concurrency", "2")));
  for (const { code, stderr } of robots) assert.equal(code, 0, stderr);
  const results = robots.flatMap(readResults).map(({ result }) => JSON.stringify(result));
  const expected = Array.from({ length: 6 }, (_, index) => JSON.stringify({ [`P-${index + 1}`]: "Pending-Decision" }));
  assert.deepEqual(results.toSorted(), expected);
});

Deno.test("--until-empty finds an assignment that arrives before the last one in progress has ended", async () => {
  await using schema = useTestSchema();
  await using journal = await openShared(schema.location);
  let target = "";
  let pages = 0;
  let onEmpty = async () => {};
  await using proxy = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const response = await fetch(target + pathname + search, request);
    const body = await response.arrayBuffer();
    // The robot asks again while it works on the only assignment, and gets the answer after that has ended.
    if (pathname.endsWith("/svc/inbox") && ++pages === 3) await onEmpty();
    return new Response(body, response);
  });
  await using review = await openReview(`${WAIT_FOR_SECOND_CASE}${REVIEW}`, 1, schema.location, (url) => {
    target = url;
    return `http://127.0.0.1:${proxy.addr.port}`;
  });
  onEmpty = async () => {
    await review.register("B");
    await eventually("the assignment has ended", async () => {
      const [row] = await journal.database.query(
        "SELECT count(*) AS done FROM inputs WHERE state = 'done' AND worker IS NULL",
      );
      return Number(row?.done) === 1;
    });
  };
  const worked = await review.work("--until-empty", "--concurrency", "2");
  assert.equal(worked.code, 0, worked.stderr);
  assert.deepEqual(readResults(worked).map(({ result }) => result), [
    { "P-1": "Pending-Decision" },
    { "P-2": "Pending-Decision" },
  ]);
});

for (const [verb, allowed] of [["start", "state <> 'open'"], ["end", "state <> 'done'"]]) {
  Deno.test(`a robot that cannot record the ${verb} of its run ends with the error of the database`, async () => {
    await using schema = useTestSchema();
    await using review = await openReview(REVIEW, 1, schema.location);
    await using journal = await openShared(schema.location);
    await journal.database.query(`ALTER TABLE runs ADD CONSTRAINT allowed CHECK (${allowed})`);
    const { code, stderr } = await within("the robot ends", review.work("--until-empty"));
    assert.match(stderr, /cannot be used: .* violates check constraint/);
    assert.notEqual(code, 0);
    assert.equal((await review.listPlaces()).includes("P-1 Review"), verb === "start");
  });
}

Deno.test("failures count across robots, and the last one parks the assignment", async () => {
  await using schema = useTestSchema();
  await using review = await openReview(`throw new Error("poison");`, 1, schema.location);
  // No robot takes the assignment again before the test ends its delay.
  const work = () => review.work("--until-empty", "--max-attempts", "2", "--retry-delay", "3600");
  assert.match((await work()).stderr, /failure 1 of 2, given back/);
  assert.doesNotMatch((await work()).stderr, /failure/);
  await using journal = await openShared(schema.location);
  await journal.database.query(`UPDATE assignments SET "retryAt" = 0`);
  assert.match((await work()).stderr, /failure 2 of 2, parked/);
  assert.deepEqual(await review.listPlaces(), ["P-1 worklist"]);
});

Deno.test("a robot with an edited script leaves the assignments of the earlier one, and continues them with --force", async () => {
  await using schema = useTestSchema();
  await using review = await openReview(WAITING, 1, schema.location);
  await killAfterOutput(review.start("--concurrency", "1"), "took P-1");
  await review.write(REVIEW);
  const left = await review.work("--until-empty");
  assert.deepEqual([left.code, left.stdout], [0, ""], left.stderr);
  assert.match(left.stderr, /belongs to another version of the script\. .* use --force\.\n$/);
  await eventually("the assignment is continued", async () => {
    const [result] = readResults(await review.work("--until-empty", "--force"));
    return JSON.stringify(result?.result) === `{"P-1":"Pending-Decision"}`;
  });
});

Deno.test("a robot whose run is cancelled ends, and says so", async () => {
  await using schema = useTestSchema();
  await using review = await openReview(WAITING, 1, schema.location);
  const robot = review.start("--concurrency", "1");
  const { rest } = await waitForOutput(robot, "took P-1");
  const [{ id }] = JSON.parse((await review.svc("list")).stdout);
  assert.equal((await review.svc("cancel", id)).code, 0);
  const [log, { code }] = await within("the robot ends", Promise.all([rest, robot.status, robot.stdout.cancel()]));
  assert.match(log, new RegExp(`Run ${id} was cancelled\\.`));
  assert.notEqual(code, 0);
});
