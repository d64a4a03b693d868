/** Properties of a journal in SQLite and in PostgreSQL. */
import assert from "node:assert/strict";
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { reopenFailed } from "../../../workflows/engine/reopen.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { makeFolder } from "../../harness/svc.ts";
import { newRun, writeInput } from "../../harness/workflow.ts";

const RUN = "r1";

/** A time in the far future. */
const FAR = 8e15;

/** A place for a journal, which several processes can open. */
interface Place extends AsyncDisposable {
  open(): Promise<Journal>;
}

const PLACES: Readonly<Record<string, () => Promise<Place>>> = {
  async SQLite() {
    const folder = await makeFolder();
    return {
      open: () => openJournal(`${folder.path}/journal.db`),
      [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
    };
  },
  PostgreSQL() {
    const schema = useTestSchema();
    return Promise.resolve({
      open: () => openPostgresJournal(schema.location),
      [Symbol.asyncDispose]: () => schema[Symbol.asyncDispose](),
    });
  },
};

/** Tests a property of a journal with one run in each database. */
function test(name: string, check: (journal: Journal, place: Place) => Promise<void>): void {
  for (const [database, makePlace] of Object.entries(PLACES)) {
    Deno.test(`${database}: ${name}`, async () => {
      await using place = await makePlace();
      await using journal = await place.open();
      await journal.createRun(newRun(RUN));
      await check(journal, place);
    });
  }
}

test("an input has one claim at a time, and writes through a disposed claim are refused", async (journal) => {
  const stale = await journal.claimInput(RUN, 1);
  assert.ok(stale);
  assert.equal(await journal.claimInput(RUN, 1), undefined);
  stale.begin({ place: "input", startedAt: 0, generation: 0 });
  await stale.durable();
  await stale[Symbol.asyncDispose]();
  await using claim = await journal.claimInput(RUN, 1);
  assert.ok(claim);
  const line = { kind: "log", position: 0, at: 0, content: "late" } as const;
  stale.append(line);
  stale.end({ state: "done" });
  const error = { code: "INTERRUPTED", message: "Another process has taken over input 1 of run r1." };
  await assert.rejects(stale.durable(), error);
  await assert.rejects(stale.reopen({ ...line, kind: "left" }, 1), error);
  await stale[Symbol.asyncDispose](); // Does not release the claim of the other.
  assert.equal(await journal.claimInput(RUN, 1), undefined);
  assert.deepEqual(await journal.events(RUN, 1), []);
  assert.equal((await journal.findInput(RUN, 1))?.end, undefined);
});

test("an input continues with a new history in one commit, also right after other events", async (journal) => {
  await using claim = await journal.claimInput(RUN, 1);
  assert.ok(claim);
  claim.begin({ place: "in:1", value: 1, startedAt: 1, generation: 3 });
  const log = (content: string) => claim.append({ kind: "log", position: 0, at: 1, content });
  log("one");
  await claim.durable();
  log("two");
  const start = { kind: "continued", position: 0, at: 2, content: `{"input":2,"count":1}` } as const;
  const continued = claim.continue(start);
  log("three");
  await continued;
  await claim.durable();
  assert.deepEqual((await journal.events(RUN, 1)).map(({ content }) => content), [start.content, "three"]);
  const input = await journal.findInput(RUN, 1);
  assert.deepEqual([input?.value, input?.generation, input?.end], [1, 4, undefined]);
  assert.deepEqual(await journal.verify(), { runs: 1, inputs: 1, events: 2, damaged: [] });
});

test("the history of an input is measured and deleted, also with its value and its result", async (journal) => {
  for (const number of [1, 2, 3]) {
    await writeInput(journal, RUN, number, (input) => {
      input.begin({ place: `in:${number}`, value: number, startedAt: 1, generation: 0 });
      input.append({ kind: "log", position: 0, at: 1, content: "printed" });
      input.append({ kind: "log", position: 0, at: 2, content: "again" });
      input.end({ state: "done", result: number * 2 });
      if (number === 2) input.prune("results");
      if (number === 3) input.prune("nothing");
    });
  }
  assert.deepEqual(await journal.measureHistories(RUN), [{ input: 1, events: 2, bytes: 12 }]);
  const inputs = await Array.fromAsync(journal.inputs(RUN));
  assert.deepEqual(inputs.map(({ value, end }) => [value, end]), [
    [1, { state: "done", result: 2 }],
    [2, { state: "done", result: 4 }],
    [undefined, { state: "done" }],
  ]);
  assert.deepEqual((await journal.events(RUN, 3)).map(({ kind, content }) => [kind, content]), [
    ["pruned", `{"keep":"nothing"}`],
  ]);
  await journal.shrink();
  assert.deepEqual(await journal.verify(), { runs: 1, inputs: 3, events: 4, damaged: [] });
});

test(
  "inputs, their histories and their counts are read as they were written, also by another process",
  async (journal, place) => {
    const content = "é\0\ud800" + "x".repeat(5000);
    await writeInput(journal, RUN, 1, (input) => {
      input.begin({ place: "in:1", value: { amount: "\0", list: [1, null] }, startedAt: 5, generation: 0 });
      input.append({ kind: "call", position: 1, at: 6, content: `{"operation":"cases.get"}` });
      input.append({ kind: "answer", position: 1, at: 7, content });
      input.append({ kind: "log", position: 0, at: 8, content: "printed" });
      input.end({ state: "done", result: { id: "C-1" } });
    });
    await writeInput(journal, RUN, 2, (input) => {
      input.begin({ place: "in:2", startedAt: 5, generation: 0 });
      input.append({ kind: "call", position: 1, at: 6, content: `{"operation":"cases.create"}` });
      input.stop({ code: "OUTCOME_UNKNOWN", message: "Unknown." });
    });
    await journal.durable();
    await using other = await place.open();
    for (const reader of [journal, other]) {
      const [first, second] = await Array.fromAsync(reader.inputs(RUN));
      assert.deepEqual(
        [first?.place, first?.value, first?.end],
        ["in:1", { amount: "\0", list: [1, null] }, { state: "done", result: { id: "C-1" } }],
      );
      assert.deepEqual([second?.end, second?.value, second?.stopped?.code], [undefined, undefined, "OUTCOME_UNKNOWN"]);
      assert.deepEqual(await reader.findInput(RUN, 1), first);
      assert.equal(await reader.findInput(RUN, 3), undefined);
      const events = await reader.events(RUN, 1);
      assert.deepEqual(events.map(({ kind, position, at }) => [kind, position, at]), [
        ["call", 1, 6],
        ["answer", 1, 7],
        ["log", 0, 8],
      ]);
      assert.equal(events[1]?.content, content.toWellFormed());
      assert.deepEqual((await reader.printed(RUN, 1)).map(({ content }) => content), ["printed"]);
      assert.deepEqual(await reader.countInputs(RUN), { inputs: 2, succeeded: 1, failed: 0 });
      const timings = await Array.fromAsync(reader.callTimings(RUN));
      assert.deepEqual(timings.map(({ input, operation, endedAt }) => [input, operation, endedAt]), [
        [1, "cases.get", 7],
        [2, "cases.create", undefined],
      ]);
      assert.deepEqual(await reader.verify(), { runs: 1, inputs: 2, events: 4, damaged: [] });
    }
  },
);

test("waits end in the order of their times, and at once after a signal", async (journal) => {
  for (const [index, until] of [FAR + 1, 100, 200, 100].entries()) {
    await writeInput(journal, RUN, index + 1, (input) => {
      input.begin({ place: `in:${index + 1}`, startedAt: 1, generation: 0 });
      input.wait(until);
    });
  }
  await writeInput(journal, RUN, 3, (input) => input.wait(90));
  await writeInput(journal, RUN, 4, (input) => {
    input.append({ kind: "signal", position: 0, at: 1, content: "{}" });
    input.wait(FAR);
  });
  const waiting = await journal.waiting(RUN, { upTo: 9, limit: 9 });
  assert.deepEqual(waiting.map(({ number }) => number), [3, 2, 4, 1]);
  assert.ok((waiting[2]?.until ?? FAR) < FAR);
  assert.deepEqual(await journal.waiting(RUN, { upTo: 3, limit: 1 }), [{ number: 3, until: 90 }]);
  assert.equal((await journal.findInput(RUN, 1))?.waitsUntil, FAR + 1);
  const [signal] = await journal.events(RUN, 4);
  await writeInput(journal, RUN, 4, (input) => input.wait(FAR, signal?.seq));
  assert.equal((await journal.findInput(RUN, 4))?.waitsUntil, FAR);
});

test("failed inputs are opened again, and a new input opens its run", async (journal) => {
  for (let number = 1; number <= 150; number++) {
    await writeInput(journal, RUN, number, (input) => {
      input.begin({ place: `in:${number}`, startedAt: 0, generation: 0 });
      if (number !== 7) input.end({ state: "failed", error: { code: "NOT_FOUND", message: "No." } });
    });
  }
  assert.equal(await reopenFailed(journal, RUN), 149);
  const inputs = await Array.fromAsync(journal.inputs(RUN));
  assert.ok(inputs.every(({ number, end, generation }) => end === undefined && generation === (number === 7 ? 0 : 1)));
  assert.deepEqual((await journal.events(RUN, 8)).map(({ kind }) => kind), ["left"]);
  await journal.setState(RUN, "done");
  await writeInput(journal, RUN, 151, (input) => input.begin({ place: "in:151", startedAt: 0, generation: 0 }));
  await journal.durable();
  assert.equal(await journal.readState(RUN), "open");
});

test("a new input opens a run that succeeded or failed, but not one that was cancelled", async (journal) => {
  for (const [index, end] of (["done", "failed", "cancelled"] as const).entries()) {
    await journal.setState(RUN, end);
    await writeInput(journal, RUN, index + 1, (input) => {
      input.begin({ place: `in:${index + 1}`, startedAt: 0, generation: 0 });
    });
    await journal.durable();
    const run = await journal.findRun(RUN);
    const isOpen = end !== "cancelled";
    assert.deepEqual([run?.state, run?.endedAt === undefined], [isOpen ? "open" : end, isOpen]);
  }
});

test("an ended input neither stops nor waits, and a reopened one shows nothing of its end", async (journal) => {
  const error = { code: "NOT_FOUND", message: "No." } as const;
  await writeInput(journal, RUN, 1, async (input) => {
    input.begin({ place: "in:1", value: 1, startedAt: 5, generation: 0 });
    input.append({ kind: "log", position: 0, at: 6, content: "printed" });
    input.wait(FAR);
    input.end({ state: "failed", error });
    input.stop({ code: "OUTCOME_UNKNOWN", message: "Unknown." });
    input.wait(90);
    await input.durable();
  });
  const ended = await journal.findInput(RUN, 1);
  assert.deepEqual([ended?.end, ended?.waitsUntil], [{ state: "failed", error }, undefined]);
  assert.deepEqual(await journal.waiting(RUN, { upTo: 9, limit: 9 }), []);
  await writeInput(journal, RUN, 1, (input) => {
    return input.reopen({ kind: "left", position: 0, at: 7, content: "{}" }, 2);
  });
  const { endedAt, ...reopened } = await journal.findInput(RUN, 1) ?? {};
  assert.equal(endedAt, undefined);
  assert.deepEqual(reopened, { number: 1, place: "in:1", value: 1, startedAt: 5, generation: 2 });
  assert.deepEqual((await journal.events(RUN, 1)).map(({ kind }) => kind), ["log", "left"]);
});

test("a cancelled run stays cancelled, and a deleted one leaves nothing", async (journal) => {
  await journal.createRun(newRun("r2"));
  await writeInput(journal, RUN, 1, (input) => {
    input.begin({ place: "in:1", startedAt: 0, generation: 0 });
    input.append({ kind: "log", position: 0, at: 0, content: "line" });
  });
  await journal.changeRun(RUN, { digest: "other", settings: { ...newRun(RUN).settings, concurrency: 9 } });
  assert.deepEqual((await journal.listRuns()).map(({ id, digest }) => [id, digest]), [["r2", ""], [RUN, "other"]]);
  await journal.setState(RUN, "cancelled");
  for (const state of ["done", "failed", "open"] as const) {
    await journal.setState(RUN, state);
    assert.equal(await journal.readState(RUN), "cancelled");
  }
  await journal.deleteRun(RUN);
  assert.deepEqual((await journal.listRuns()).map(({ id }) => id), ["r2"]);
  assert.deepEqual(await journal.verify(), { runs: 1, inputs: 0, events: 0, damaged: [] });
});

test("a run has one claim at a time", async (journal, place) => {
  await using other = await place.open();
  {
    await using claim = await journal.claimRun(RUN);
    assert.ok(claim);
    assert.equal(await other.claimRun(RUN), undefined);
    assert.equal(await journal.claimRun(RUN), undefined);
    assert.deepEqual([await journal.isRunClaimed(RUN), await other.isRunClaimed(RUN)], [true, true]);
  }
  const found = await Promise.all([journal, other, journal, other].map((one) => one.isRunClaimed(RUN)));
  assert.deepEqual(found, [false, false, false, false]);
  await using claim = await other.claimRun(RUN);
  assert.ok(claim);
});

test(
  "a signal is recorded for an open input, also while another process works on it, and ends its wait",
  async (journal, place) => {
    await writeInput(journal, RUN, 1, async (input) => {
      input.begin({ place: "in:1", startedAt: 1, generation: 0 });
      input.wait(FAR);
      await input.durable();
    });
    await writeInput(journal, RUN, 2, async (input) => {
      input.begin({ place: "in:2", startedAt: 1, generation: 0 });
      input.end({ state: "done" });
      await input.durable();
    });
    const signal = { kind: "signal", position: 0, at: 5, content: '{"name":"approved"}' } as const;
    {
      await using other = await place.open();
      assert.deepEqual(
        [
          await other.signalInput(RUN, 1, signal),
          await other.signalInput(RUN, 2, signal),
          await other.signalInput(RUN, 3, signal),
        ],
        ["open", "done", undefined],
      );
    }
    const [received, ...more] = await journal.signals(RUN, 1, 0);
    assert.deepEqual([received?.content, more, await journal.signals(RUN, 2, 0)], [signal.content, [], []]);
    assert.deepEqual(await journal.signals(RUN, 1, received?.seq ?? 0), []);
    const [waiting] = await journal.waiting(RUN, { upTo: 9, limit: 9 });
    assert.ok(waiting !== undefined && waiting.until <= Date.now());
  },
);
