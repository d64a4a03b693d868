/** Damage of a journal: no changed bit changes what a run does. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { SvcError } from "../../../lib/errors.ts";
import type { EventRecord, Journal } from "../../../workflows/journal/journal.ts";
import { sealAll } from "../../../workflows/journal/sqlite/seal.ts";
import { openRuns } from "../../../workflows/runs/mod.ts";
import type { RunDescription } from "../../../workflows/runs/mod.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { locateLog } from "../../../utils/sqlite/log_damage.ts";
import { makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";
import { newRun, scriptText, TinyApi, writeInput } from "../../harness/workflow.ts";

const RUN = "r1";

/**
 * Messages that refuse a file before anything is done, with another code: a changed version number cannot be distinguished
 * from a newer version, and SQLite does not write a file with a changed format number.
 */
const REFUSALS = /was written by a newer version of svc|attempt to write a readonly database/;

/** Number of bits that are flipped, one at a time. */
const FLIPS = 150;

Deno.test("a flipped bit of a journal changes nothing that a run reads, or the journal is damaged", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await fill(journal);
  }
  const intact = await Deno.readFile(path);
  const expected = await readAll(path);
  await fc.assert(
    fc.asyncProperty(fc.nat(intact.length * 8 - 1), async (bit) => {
      await Deno.writeFile(path, flip(intact, bit));
      const found = await readAll(path);
      if (found instanceof SvcError) {
        assert.ok(found.code === "JOURNAL_DAMAGED" || REFUSALS.test(found.message), found.stack);
      } else assert.deepEqual(found, expected);
    }),
    {
      numRuns: FLIPS,
      examples: [0, 56, 60, 68, 100, 103, 105].map((byte): [number] => [byte * 8 + 1]).concat([[144]]),
    },
  );
});

Deno.test("resume stops an input with a changed response before it sends anything, and other inputs continue", async () => {
  await using interrupted = await openInterrupted();
  const { api, runs, path } = interrupted;
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE events SET content = replace(content, '4711', '4710') WHERE kind = 'answer' AND input = 1");
  }
  await using run = await runs.resume(RUN);
  const [damaged, other] = await Array.fromAsync(run.results);
  assert.ok(damaged && "error" in damaged);
  assert.equal(damaged.error.code, "JOURNAL_DAMAGED");
  assert.match(
    damaged.error.message,
    /: run r1, input 1 \(in\.ndjson:1\), step 1: the recorded response does not match its checksum\.$/,
  );
  assert.deepEqual(other, { input: "in.ndjson:2", result: "4712" });
  assert.equal((await run.finish()).stopped, 1);
  assert.deepEqual(api.received.filter(({ call }) => call === "POST /cases").map(({ body }) => body), [
    { caseTypeID: "T", content: { account: "4712" } },
  ]);
});

Deno.test("retry refuses a run with a changed input and names it, before it sends anything", async () => {
  await using interrupted = await openInterrupted();
  const { api, runs, path } = interrupted;
  {
    using db = new DatabaseSync(path);
    db.exec("UPDATE inputs SET value = replace(value, '4711', '4710') WHERE number = 1");
  }
  await assert.rejects(runs.retry(RUN), {
    code: "JOURNAL_DAMAGED",
    message: /: run r1, input 1: the record of the input does not match its checksum\.$/,
  });
  assert.deepEqual(api.received, []);
});

Deno.test("a journal with a damaged log says what is lost, keeps a copy of the log, and verify reports it", async () => {
  await using folder = await makeFolder();
  const [running, path] = [`${folder.path}/running.db`, `${folder.path}/journal.db`];
  await (await openJournal(running))[Symbol.asyncDispose](); // Creates the tables.
  {
    await using journal = await openJournal(running);
    for (const id of ["r1", "r2", "r3"]) {
      await journal.createRun(newRun(id));
      await journal.durable();
    }
    await Deno.copyFile(running, path); // As a kill leaves them.
    const log = await Deno.readFile(locateLog(running));
    await Deno.writeFile(locateLog(path), flip(log, (32 + 24 + 100) * 8));
  }
  const warnings: string[] = [];
  await using journal = await openJournal(path, { warn: (message) => void warnings.push(message) });
  assert.match(warnings.join(), /journal\.db-wal is damaged at frame 1: .* A copy of the log is .*-wal\.damaged\.$/);
  assert.deepEqual(await journal.listRuns(), []);
  const [damage, ...others] = (await journal.verify()).damaged;
  assert.match(damage?.problem ?? "", /^the last changes of a damaged log, .*journal\.db-wal\.damaged, are lost\./);
  assert.deepEqual(others, []);
  await Deno.remove(`${locateLog(path)}.damaged`);
  assert.deepEqual((await journal.verify()).damaged, []);
});

Deno.test("verify lists every damaged record with its run, input and step, and exits with 1", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await fill(journal);
  }
  const verify = (...args: string[]) => svcInProcess(["workflow", "verify", ...args, "--journal", path]);
  const before = await verify();
  assert.deepEqual([before.code, before.stdout], [0, "[]\n"]);
  assert.equal(before.stderr, "Checked 2 runs, 4 inputs, 11 events. Nothing is damaged.\n");

  using db = new DatabaseSync(path);
  db.exec(`UPDATE events SET content = replace(content, '4711', '4710') WHERE kind = 'answer' AND input = 2;
    DELETE FROM events WHERE kind = 'left';
    UPDATE runs SET settings = replace(settings, '"stop"', '"skip"') WHERE id = 'other'`);
  const after = await verify("--format", "json");
  assert.equal(after.code, 1);
  assert.deepEqual(JSON.parse(after.stdout), [
    { run: "other", problem: "the record of the run does not match its checksum" },
    {
      run: RUN,
      input: 2,
      place: "in.ndjson:2",
      step: 1,
      problem: "the recorded response does not match its checksum",
    },
    { run: RUN, input: 3, place: "in.ndjson:3", problem: "its history has 2 events instead of 3" },
  ]);
  assert.equal(parseErrorRecord(after).code, "JOURNAL_DAMAGED");
  assert.deepEqual(JSON.parse((await verify("other", "--format", "json")).stdout).length, 1);
});

for (
  const [what, change] of [
    ["is not a database", (bytes) => bytes.fill(32)],
    ["was cut off within a page", (bytes) => bytes.subarray(0, 3000)],
    ["lost its last pages", (bytes) => bytes.subarray(0, bytes.length - 8192)],
  ] as const satisfies readonly (readonly [string, (bytes: Uint8Array) => Uint8Array])[]
) {
  Deno.test(`a journal that ${what} is damaged, and verify says so`, async () => {
    await using folder = await makeFolder();
    const path = `${folder.path}/journal.db`;
    {
      await using journal = await openJournal(path);
      await fill(journal);
    }
    await Deno.writeFile(path, change(await Deno.readFile(path)));
    for (const command of ["verify", "list"]) {
      const ended = await svcInProcess(["workflow", command, "--journal", path]);
      assert.equal(parseErrorRecord(ended).code, "JOURNAL_DAMAGED", command);
      assert.equal(ended.code, 1);
    }
  });
}

for (
  const [what, sql] of [
    ["an integer that is too large for a number", "UPDATE events SET at = 77871542830435860"],
    ["a column with another name", "ALTER TABLE runs RENAME COLUMN endedAt TO endedAu"],
  ] as const
) {
  Deno.test(`a journal with ${what} is damaged`, async () => {
    await using folder = await makeFolder();
    const path = `${folder.path}/journal.db`;
    await using journal = await openJournal(path);
    await fill(journal);
    using db = new DatabaseSync(path);
    db.exec(sql);
    await assert.rejects(journal.findRun(RUN).then(() => journal.events(RUN, 1)), { code: "JOURNAL_DAMAGED" });
    assert.notDeepEqual((await journal.verify()).damaged, []);
  });
}

Deno.test("a journal with a changed version in its header is damaged", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await fill(journal);
  }
  const intact = await Deno.readFile(path);
  // The version is at offset 60. Flips of other bits may result in the number of a newer version.
  for (const bit of [60 * 8, 60 * 8 + 7, 61 * 8 + 3, 62 * 8 + 2, 63 * 8 + 2]) {
    await Deno.writeFile(path, flip(intact, bit));
    await assert.rejects(openJournal(path), { code: "JOURNAL_DAMAGED", message: /: its header has changed\.$/ });
  }
});

Deno.test("an index that leads to one event twice, and to another one not at all, is damaged", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  {
    await using journal = await openJournal(path);
    await fill(journal);
  }
  const bytes = await Deno.readFile(path);
  const at = findBytes(bytes, [2, 3, 9]); // The index has the run, the input and the event: input 3 has 8, 9 and 11.
  await Deno.writeFile(path, flip(bytes, at * 8 + 16));
  await using journal = await openJournal(path);
  await assert.rejects(journal.events(RUN, 3), { code: "JOURNAL_DAMAGED", message: /its history has an event twice/ });
});

Deno.test("the input of a damaged length is named when a further event of it is recorded", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  const journal = await openJournal(path);
  await fill(journal);
  using db = new DatabaseSync(path);
  db.exec("UPDATE lengths SET events = events + 1 WHERE input = 2");
  await writeInput(journal, RUN, 2, (input) => input.append({ kind: "log", position: 0, at: 3, content: "more" }));
  await assert.rejects(journal.durable(), {
    code: "JOURNAL_DAMAGED",
    message: /: run r1, input 2 \(in\.ndjson:2\): the length of the history does not match its checksum\.$/,
  });
  await journal[Symbol.asyncDispose]();
});

Deno.test("a damaged run can be deleted", async () => {
  await using folder = await makeFolder();
  const path = `${folder.path}/journal.db`;
  await using journal = await openJournal(path);
  await fill(journal);
  using db = new DatabaseSync(path);
  db.exec("UPDATE runs SET digest = 'changed' WHERE id = 'other'");
  const list = await svcInProcess(["workflow", "list", "--journal", path]);
  const listed = JSON.parse(list.stdout).map(({ id, state }: RunDescription) => [id, state]);
  assert.deepEqual([list.code, listed], [0, [[RUN, "interrupted"], ["other", "damaged"]]]);
  assert.match(list.stderr, /is damaged: run other: the record of the run does not match/);
  const deleted = await svcInProcess(["workflow", "delete", "other", "--journal", path]);
  assert.equal(deleted.code, 0, deleted.stderr);
  assert.deepEqual((await journal.listRuns()).map(({ id }) => id), [RUN]);
});

Deno.test("texts with a NUL or half a surrogate pair are recorded, and match their checksums", async () => {
  await using folder = await makeFolder();
  await using journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun({ ...newRun(RUN), name: "a\0b\ud800" });
  await writeInput(journal, RUN, 1, (input) => {
    input.begin({ place: "in\ud800:1", value: "\ud800\0", startedAt: 0, generation: 0 });
    input.append({ kind: "log", position: 0, at: 0, content: "a\0b\ud800" });
  });
  assert.deepEqual((await journal.events(RUN, 1)).map(({ content }) => content), ["a\0b\ufffd"]);
  assert.equal((await journal.findInput(RUN, 1))?.value, "\ud800\0");
  assert.equal((await journal.findRun(RUN))?.name, "a");
  assert.deepEqual((await journal.verify()).damaged, []);
});

/** Opens a run of two inputs that was killed after both had read a case, and before they created one. */
async function openInterrupted() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(
    await makeFolder({
      "script.ts": scriptText(`const { id } = await svc.cases.get(input);
        await svc.cases.create({ type: "T", data: { account: id } });
        return id;`),
      "in.ndjson": `"4711"\n"4712"\n`,
    }),
  );
  const api = stack.use(new TinyApi());
  const path = `${folder.path}/journal.db`;
  const service = { baseUrl: api.baseUrl, clientId: "id", clientSecret: "secret", noCache: true };
  const runs = stack.use(openRuns({ ...service, journal: path, configDirectory: folder.path }));
  {
    const options = { script: `${folder.path}/script.ts`, each: `${folder.path}/in.ndjson`, allowDeclared: true };
    await using run = await runs.start({ ...options, id: RUN });
    assert.equal((await run.finish()).succeeded, 2);
  }
  api.received.length = 0;
  using db = new DatabaseSync(path);
  db.exec(`DELETE FROM events WHERE position = 2;
    UPDATE inputs SET state = 'open', outcome = NULL, endedAt = NULL;
    UPDATE runs SET state = 'open', endedAt = NULL`);
  sealAll(db);
  const resources = stack.move();
  return { api, runs, path, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Records two runs: one with a done, an open and a reopened input, and an unused one. */
async function fill(journal: Journal): Promise<void> {
  await journal.createRun(newRun("other"));
  await journal.createRun(newRun(RUN));
  for (let number = 1; number <= 4; number++) {
    const value = { account: 4710 + number };
    const input = { place: `in.ndjson:${number}`, value, startedAt: number, generation: 0 };
    await writeInput(journal, RUN, number, (claim) => claim.begin(input));
  }
  const call = (position: number): Partial<EventRecord> => ({ position, content: `{"operation":"cases.get"}` });
  const events: readonly (readonly [number, Partial<EventRecord>])[] = [
    [1, call(1)],
    [1, { kind: "answer", content: `{}\n${JSON.stringify({ text: "x".repeat(3000) })}` }],
    [1, { kind: "log", position: 0, content: "done" }],
    [2, call(1)],
    [2, { kind: "answer", content: `{}\n{"account":4711}` }],
    [2, call(2)],
    [2, { kind: "sent", position: 2, content: `{"key":"r1.2.2"}` }],
    [3, call(1)],
    [3, { kind: "refusal", content: `{"error":{"code":"NOT_FOUND","message":"No."},"unknown":false}` }],
    [4, call(1)], // An input without events has done nothing, so the loss of its record does not matter.
  ];
  for (const [number, event] of events) {
    const full = { kind: "call", position: 1, at: 1, content: "", ...event } as const;
    await writeInput(journal, RUN, number, (input) => input.append(full));
  }
  await writeInput(journal, RUN, 1, (input) => input.end({ state: "done", result: { account: 4711 } }));
  const rewind: EventRecord = { kind: "left", position: 0, at: 2, content: `{"positions":[1],"logs":0}` };
  await writeInput(journal, RUN, 3, (input) => input.reopen(rewind, 1));
}

/** Reads everything that a resumed run reads, and then continues an input. Returns an error of the journal. */
async function readAll(path: string): Promise<unknown> {
  try {
    await using journal = await openJournal(path);
    const runs = await journal.listRuns();
    const run = await journal.findRun(RUN);
    const inputs = await Array.fromAsync(journal.inputs(RUN));
    const histories = [];
    for (let number = 1; number <= 5; number++) {
      histories.push([await journal.findInput(RUN, number), await journal.events(RUN, number)]);
    }
    await writeInput(journal, RUN, 2, (input) => {
      input.append({ kind: "answer", position: 2, at: 3, content: "{}\n{}" });
      input.end({ state: "done" });
    });
    await writeInput(journal, RUN, 5, (input) => input.begin({ place: "in.ndjson:5", startedAt: 5, generation: 0 }));
    await journal.durable();
    const continued = [await journal.events(RUN, 2), await journal.events(RUN, 3), await journal.findInput(RUN, 5)];
    return { runs, run, inputs, histories, continued: continued.map(withoutTimes) };
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
}

function withoutTimes<T>(value: T): T {
  return JSON.parse(JSON.stringify(value, (name, member) => name === "endedAt" ? undefined : member));
}

/** Finds the only place of some bytes. */
function findBytes(bytes: Uint8Array, expected: readonly number[]): number {
  const isAt = (at: number) => expected.every((byte, i) => bytes[at + i] === byte);
  const places = Array.from(bytes.keys()).filter(isAt);
  assert.equal(places.length, 1);
  return places[0] ?? 0;
}

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const at = bit >> 3;
  return bytes.with(at, (bytes[at] ?? 0) ^ (1 << (bit & 7)));
}
