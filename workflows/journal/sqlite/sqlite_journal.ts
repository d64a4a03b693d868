/** The journal in an SQLite file. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { type ErrorRecord, SvcError } from "../../../lib/errors.ts";
import { compressText } from "../../../utils/sqlite/compress_text.ts";
import { controlTransaction } from "../../../utils/sqlite/group_commit.ts";
import { exists } from "../../../utils/fs/exists.ts";
import { locateDamagedLog } from "../../../utils/sqlite/log_damage.ts";
import { WriteBuffer } from "./write_buffer.ts";
import { isDatabaseDamaged } from "../../../utils/sqlite/database_errors.ts";
import { whenSent } from "../../../utils/async/when_sent.ts";
import {
  chooseWriteHint,
  findReason,
  getLockPath,
  type JournalOptions,
  openJournalFile,
  unusable,
} from "./database.ts";
import type {
  CallTiming,
  EventKind,
  EventRecord,
  HistorySize,
  InputClaim,
  InputEnd,
  InputRecord,
  Journal,
  Keep,
  NewInput,
  RunCounts,
  RunRecord,
  RunState,
  StoredEvent,
  WaitingInput,
} from "../journal.ts";
import { createDamageError, type DamagedPart, type JournalCheck, JournalDamage } from "../damage.ts";
import { createLostClaimError } from "../lost_claim.ts";
import { toEvent, toInput, toRun, toState, toTimings } from "../rows.ts";
import { describeDamage } from "./describe_damage.ts";
import { type Columns, insertInto, isIntact, type Row, seal, type TableName, update } from "./seal.ts";
import { iterateRows } from "../../../utils/sqlite/iterate_rows.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";
import { ignoreMissing } from "../../../utils/fs/ignore_missing.ts";

/** Length in characters from which an answer is compressed. */
const COMPRESSED_FROM = 1024;

/** Deletes a part of the events of a run. Between two parts, other runs can write. */
const DELETE_EVENTS =
  "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE run = ? LIMIT 5000) RETURNING input";

/** Statements that delete the rest of a run, part by part. A damaged run may have lengths without events. */
const DELETE_REST = [
  "DELETE FROM inputs WHERE run = ?1 AND number IN (SELECT number FROM inputs WHERE run = ?1 LIMIT 5000)",
  "DELETE FROM lengths WHERE run = ?1 AND input IN (SELECT input FROM lengths WHERE run = ?1 LIMIT 5000)",
  "DELETE FROM waits WHERE run = ?1 AND input IN (SELECT input FROM waits WHERE run = ?1 LIMIT 5000)",
  "DELETE FROM runs WHERE seq = ?",
];

const TIMED_EVENTS = "SELECT * FROM events WHERE run = ? AND kind IN ('call', 'answer', 'refusal') ORDER BY input, seq";

const RUN_BY_ID = "SELECT * FROM runs WHERE id = ?";

const LENGTH = "SELECT * FROM lengths WHERE run = ? AND input = ?";

const WAIT = "SELECT * FROM waits WHERE run = ? AND input = ?";

const WAITING = "SELECT * FROM waits WHERE run = ? AND input <= ? ORDER BY until, input LIMIT ?";

const SIGNALS = "SELECT * FROM events WHERE run = ? AND input = ? AND kind = 'signal' AND seq > ? ORDER BY seq";

/** Reads the history of an input and its length in one statement, because another process may be writing. */
const HISTORY = `
  SELECT events.*, lengths.events AS length, lengths.checksum AS lengthChecksum
  FROM (SELECT 1)
  LEFT JOIN lengths ON lengths.run = :run AND lengths.input = :input
  LEFT JOIN events ON events.run = :run AND events.input = :input
  ORDER BY events.seq`;

const SIZES = `
  SELECT input, count(*) AS events, sum(octet_length(content)) AS bytes
  FROM events WHERE run = ? AND kind <> 'pruned' GROUP BY input`;

const ANY_EVENT = `
  SELECT 1 FROM lengths WHERE run = ?1 AND input = ?2 UNION ALL
  SELECT 1 FROM events WHERE run = ?1 AND input = ?2 LIMIT 1`;

/** Reads all runs, and their number according to the index: a damaged page may hide one. */
const ALL_RUNS = `
  SELECT runs.*, indexed
  FROM (SELECT count(*) AS indexed FROM runs INDEXED BY sqlite_autoindex_runs_1) LEFT JOIN runs NOT INDEXED
  ORDER BY startedAt DESC, seq DESC`;

/** Opens the journal in a file. Creates a missing file, readable by its owner only. */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  try {
    const { db, file } = await openJournalFile(path, options);
    using stack = new DisposableStack();
    stack.adopt(db, (db) => db.close());
    const journal = new SqliteJournal(file, db, await Deno.open(`${file}-wal`, { read: true, write: true }));
    stack.move(); // The journal closes it.
    return journal;
  } catch (cause) {
    throw unusable(path, "opened", cause);
  }
}

class SqliteJournal implements Journal {
  readonly #path: string;
  readonly #db: DatabaseSync;
  /** SQLite's write-ahead log. */
  readonly #log: Deno.FsFile;
  readonly #writes: WriteBuffer;
  readonly #statements = new Map<string, StatementSync>();
  readonly #keys = new Map<string, number>();
  readonly #claimedInputs = new Set<string>();
  /** Inputs with new events in the current commit. */
  #grown = new Map<string, { readonly runId: string; readonly input: number; events: number }>();
  /** Sequence number of the last event of the current commit. */
  #lastEvent?: number;

  constructor(path: string, db: DatabaseSync, log: Deno.FsFile) {
    this.#path = path;
    this.#db = db;
    this.#log = log;
    const transaction = controlTransaction(db);
    const control = {
      ...transaction,
      commit: () => {
        transaction.commit();
        // `synchronous = FULL` would sync before SQLite releases its lock, and block all other writers meanwhile.
        log.syncDataSync();
      },
    };
    this.#writes = new WriteBuffer(control, (cause) => this.#describeWriteFailure(cause), () => this.#finishCommit());
  }

  async createRun(run: RunRecord): Promise<void> {
    const { id, name, digest, settings, state, startedAt, endedAt = null } = run;
    this.#writes.add(() =>
      this.#insert("runs", {
        seq: this.#readLast("runs") + 1,
        id,
        name,
        digest,
        settings: JSON.stringify(settings),
        state,
        startedAt,
        endedAt,
      })
    );
    await this.durable();
  }

  async findRun(runId: string): Promise<RunRecord | undefined> {
    await this.#writes.flush();
    return this.#guard(() => {
      const row = this.#findRunRow(runId);
      return row && toRun(row);
    });
  }

  async readState(runId: string): Promise<RunState | undefined> {
    await this.#writes.flush();
    return this.#guard(() => {
      const row = this.#findRunRow(runId);
      return row && toState(row);
    });
  }

  async listRuns(onDamage?: (error: SvcError) => void): Promise<readonly RunRecord[]> {
    await this.#writes.flush();
    const read = (row: Row): RunRecord[] => {
      try {
        return [toRun(checkRow("runs", row, { run: String(row.id) }))];
      } catch (cause) {
        if (onDamage === undefined || !(cause instanceof JournalDamage)) throw cause;
        onDamage(createDamageError(this.#path, cause));
        return [];
      }
    };
    return this.#guard(() => {
      const rows = this.#prepare(ALL_RUNS).all();
      const runs = rows.filter(({ seq }) => seq !== null);
      if (rows[0]?.indexed !== runs.length) throw new JournalDamage({}, "the record of a run is missing");
      return runs.flatMap(read);
    });
  }

  async countInputs(runId: string): Promise<RunCounts> {
    await this.#writes.flush();
    return this.#guard(() => {
      const row = this.#prepare(
        `SELECT count(*) AS inputs, count(*) FILTER (WHERE state = 'done') AS succeeded,
           count(*) FILTER (WHERE state = 'failed') AS failed FROM inputs WHERE run = ?`,
      ).get(this.#findKey(runId));
      return { inputs: Number(row?.inputs), succeeded: Number(row?.succeeded), failed: Number(row?.failed) };
    });
  }

  async setState(runId: string, state: RunState): Promise<void> {
    const endedAt = state === "open" ? null : Date.now();
    // A cancelled run stays cancelled, even if the process that works on it ends at the same time.
    this.#changeRun(runId, (row) => row.state === "cancelled" ? undefined : { state, endedAt });
    await this.durable();
  }

  async changeRun(runId: string, { digest, settings }: Pick<RunRecord, "digest" | "settings">): Promise<void> {
    this.#changeRun(runId, () => ({ digest, settings: JSON.stringify(settings) }));
    await this.durable();
  }

  async deleteRun(runId: string): Promise<void> {
    // If the deletion is interrupted, nothing may resume the rest. A damaged run can be deleted, too.
    const cancel = this.#prepare("UPDATE runs SET state = 'cancelled', checksum = 0 WHERE id = ?");
    this.#writes.add(() => {
      const row = this.#prepare(RUN_BY_ID).get(runId);
      if (row === undefined || !isIntact("runs", row)) cancel.run(runId);
      else this.#update("runs", row, { state: "cancelled", endedAt: Date.now() });
    });
    await this.durable();
    const key = Number(this.#guard(() => this.#prepare(RUN_BY_ID).get(runId)?.seq));
    await this.#repeat(() => this.#deleteEvents(key));
    for (const sql of DELETE_REST) await this.#repeat(() => this.#prepare(sql).run(key).changes > 0);
    this.#keys.delete(runId);
    await this.shrink();
  }

  async shrink(): Promise<void> {
    await this.#writes.flush();
    this.#shrink();
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // The log may still contain overwritten data.
  }

  async measureHistories(runId: string): Promise<readonly HistorySize[]> {
    await this.#writes.flush();
    return this.#guard(() =>
      this.#prepare(SIZES).all(this.#findKey(runId)).map(({ input, events, bytes }) => ({
        input: Number(input),
        events: Number(events),
        bytes: Number(bytes),
      }))
    );
  }

  async claimRun(runId: string): Promise<AsyncDisposable | undefined> {
    const lock = await FileLock.tryAcquire(getLockPath(this.#path, runId), { isTemporary: true }).catch((cause) => {
      throw unusable(this.#path, "locked", cause);
    });
    return lock && {
      [Symbol.asyncDispose]: async () => {
        // The next process that claims the run must see everything that this one did.
        await this.#writes.flush();
        lock[Symbol.dispose]();
      },
    };
  }

  async isRunClaimed(runId: string): Promise<boolean> {
    const isHeld = await FileLock.isHeld(getLockPath(this.#path, runId)).catch(ignoreMissing).catch((cause) => {
      throw unusable(this.#path, "read", cause);
    });
    return isHeld ?? false;
  }

  /** The claim of the run keeps other processes away, so a set of claims in this process is enough. */
  claimInput(runId: string, number: number): Promise<InputClaim | undefined> {
    const key = `${runId}.${number}`;
    if (this.#claimedInputs.has(key)) return Promise.resolve(undefined);
    this.#claimedInputs.add(key);
    let isHeld = true;
    /** Writes while the claim is held. */
    const write = (change: () => void) => {
      if (isHeld) change();
    };
    const durable = async () => {
      if (!isHeld) throw createLostClaimError(runId, number);
      await this.durable();
    };
    return Promise.resolve({
      begin: (input) => write(() => this.#beginInput(runId, number, input)),
      end: (end) => write(() => this.#endInput(runId, number, end)),
      stop: (reason) => write(() => this.#stopInput(runId, number, reason)),
      wait: (until, seen) => write(() => this.#waitInput(runId, number, until, seen)),
      reopen: async (rewind, generation) => {
        write(() => this.#reopenInput(runId, number, rewind, generation));
        await durable();
      },
      change: (value) => write(() => this.#changeInput(runId, number, () => ({ value: jsonOrNull(value) }))),
      continue: async (start) => {
        write(() => this.#continueInput(runId, number, start));
        await durable();
      },
      prune: (keep) => write(() => this.#pruneInput(runId, number, keep)),
      append: (event) => write(() => this.#append(runId, number, event)),
      durable,
      [Symbol.asyncDispose]: () => {
        if (isHeld) this.#claimedInputs.delete(key);
        isHeld = false;
        return Promise.resolve();
      },
    });
  }

  async *inputs(runId: string): AsyncGenerator<InputRecord> {
    const sql = "SELECT * FROM inputs WHERE run = ? AND number > ? ORDER BY number LIMIT 500";
    for (let last = 0;;) {
      await this.#writes.flush();
      const rows = this.#guard(() => this.#prepare(sql).all(this.#findKey(runId), last));
      for (const row of rows) yield this.#guard(() => this.#toInput(runId, Number(row.number), row));
      last = Number(rows.at(-1)?.number ?? last);
      if (rows.length < 500) return;
    }
  }

  async findInput(runId: string, number: number): Promise<InputRecord | undefined> {
    await this.#writes.flush(`${runId}.${number}`);
    return this.#guard(() => {
      const row = this.#findInputRow(runId, number);
      if (row !== undefined) return this.#toInput(runId, number, row);
      // The record of an input is written before its events.
      const key = this.#findKey(runId);
      if (this.#prepare(ANY_EVENT).get(key, number) === undefined) return undefined;
      const begun = this.#findInputRow(runId, number); // Another process may have written both since.
      if (begun !== undefined) return this.#toInput(runId, number, begun);
      throw new JournalDamage({ run: runId, input: number }, "the record of the input is missing");
    });
  }

  #beginInput(runId: string, number: number, { place, value, startedAt, generation }: NewInput): void {
    const run = this.#guard(() => this.#findKey(runId));
    const input = { run, number, place, value: jsonOrNull(value), startedAt, generation };
    const insert = () => this.#insert("inputs", { ...input, state: "open", outcome: null, endedAt: null });
    this.#writes.add(insert, `${runId}.${number}`);
    // The input file may have grown since the run ended.
    const isEnded = ({ state }: Row) => state === "done" || state === "failed";
    this.#changeRun(runId, (row) => isEnded(row) ? { state: "open", endedAt: null } : undefined, `${runId}.${number}`);
  }

  #endInput(runId: string, number: number, end: InputEnd): void {
    const outcome = jsonOrNull(end.state === "done" ? end.result : end.error);
    const endedAt = Date.now();
    this.#endWait(runId, number);
    this.#changeInput(runId, number, () => ({ state: end.state, outcome, endedAt }));
  }

  #stopInput(runId: string, number: number, reason?: ErrorRecord): void {
    const outcome = jsonOrNull(reason);
    this.#changeInput(runId, number, ({ state }) => state === "open" ? { outcome } : undefined);
  }

  #waitInput(runId: string, number: number, until: number, seen = 0): void {
    this.#writes.add(() => {
      const run = this.#findKey(runId);
      if (this.#findInputRow(runId, number)?.state !== "open") return;
      const hasSignal = this.#prepare(SIGNALS).get(run, number, seen) !== undefined;
      const row = { run, input: number, until: hasSignal ? Math.min(until, Date.now()) : until };
      if (this.#prepare(WAIT).get(run, number) === undefined) this.#insert("waits", row);
      else this.#update("waits", row, row);
    }, `${runId}.${number}`);
  }

  async waiting(
    runId: string,
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): Promise<readonly WaitingInput[]> {
    await this.#writes.flush();
    return this.#guard(() => {
      const rows = this.#prepare(WAITING).all(this.#findKey(runId), upTo, limit);
      return rows.map((row) => {
        const number = Number(row.input);
        return { number, until: Number(checkRow("waits", row, this.#describeInput(runId, number)).until) };
      });
    });
  }

  #reopenInput(runId: string, number: number, rewind: EventRecord, generation: number): void {
    this.#append(runId, number, rewind);
    this.#changeInput(runId, number, () => ({ state: "open", outcome: null, endedAt: null, generation }));
  }

  #continueInput(runId: string, number: number, start: EventRecord): void {
    this.#endWait(runId, number);
    this.#replaceHistory(runId, number, start, ({ generation }) => ({ generation: Number(generation) + 1 }));
  }

  #pruneInput(runId: string, number: number, keep: Keep): void {
    const event = { kind: "pruned", position: 0, at: Date.now(), content: JSON.stringify({ keep }) } as const;
    this.#replaceHistory(runId, number, event, () => keep === "nothing" ? { value: null, outcome: null } : {});
  }

  /** Replaces the history of an input by one event, and changes the record of the input in the same commit. */
  #replaceHistory(
    runId: string,
    number: number,
    event: EventRecord,
    change: (row: Row) => Partial<Columns<"inputs">>,
  ): void {
    const run = this.#guard(() => this.#findKey(runId));
    this.#writes.add(() => {
      const row = this.#findInputRow(runId, number);
      if (row === undefined) return;
      checkRow("inputs", row, { run: runId, input: number });
      this.#prepare("DELETE FROM events WHERE run = ? AND input = ?").run(run, number);
      this.#prepare("DELETE FROM lengths WHERE run = ? AND input = ?").run(run, number);
      this.#grown.delete(`${runId}.${number}`);
      this.#writeEvent(runId, number, run, event);
      this.#update("inputs", row, change(row));
    }, `${runId}.${number}`);
  }

  async events(runId: string, number: number): Promise<readonly StoredEvent[]> {
    await this.#writes.flush(`${runId}.${number}`);
    return this.#guard(() => {
      const key = this.#findKey(runId);
      const rows = this.#prepare(HISTORY).all({ run: key, input: number });
      const events = rows.filter(({ seq }) => seq !== null).map((row) => this.#toEvent(runId, number, row));
      const { length, lengthChecksum: checksum } = rows[0] ?? {};
      const isCounted = length !== undefined && length !== null;
      const counted = { run: key, input: number, events: length ?? 0, checksum: checksum ?? null };
      if (isCounted) this.#checkLength(runId, number, counted);
      // A damaged index may show an event twice, and another one not at all.
      const isComplete = new Set(events.map(({ seq }) => seq)).size === counted.events;
      if (isComplete && counted.events === events.length) return events;
      const last = events.findLast(({ position }) => position > 0)?.position;
      throw new JournalDamage(
        { ...this.#describeInput(runId, number), ...(last !== undefined && { step: last }) },
        isComplete || counted.events !== events.length
          ? `its history has ${events.length} events instead of ${counted.events}`
          : "its history has an event twice",
      );
    });
  }

  async signals(runId: string, number: number, after: number): Promise<readonly StoredEvent[]> {
    await this.#writes.flush(`${runId}.${number}`);
    return this.#guard(() => {
      const rows = this.#prepare(SIGNALS).all(this.#findKey(runId), number, after);
      return rows.map((row) => this.#toEvent(runId, number, row));
    });
  }

  async signalInput(
    runId: string,
    number: number,
    signal: EventRecord,
  ): Promise<"open" | InputEnd["state"] | undefined> {
    const run = this.#guard(() => this.#findKey(runId));
    let state: "open" | InputEnd["state"] | undefined;
    this.#writes.add(() => {
      const row = this.#findInputRow(runId, number);
      if (row === undefined) return;
      state = this.#toInput(runId, number, row).end?.state ?? "open";
      if (state !== "open") return;
      this.#writeEvent(runId, number, run, signal);
      const wait = this.#prepare(WAIT).get(run, number);
      if (wait !== undefined) this.#update("waits", wait, { until: Math.min(Number(wait.until), Date.now()) });
    });
    await this.durable();
    return state;
  }

  async printed(runId: string, number: number): Promise<readonly StoredEvent[]> {
    await this.#writes.flush(`${runId}.${number}`);
    const sql = "SELECT * FROM events WHERE run = ? AND input = ? AND kind IN ('log', 'left') ORDER BY seq";
    return this.#guard(() => {
      const rows = this.#prepare(sql).all(this.#findKey(runId), number);
      return rows.map((row) => this.#toEvent(runId, number, row));
    });
  }

  async *callTimings(runId: string): AsyncGenerator<CallTiming> {
    await this.#writes.flush();
    // Not a cached statement: two readers cannot share one that is read piece by piece.
    const rows = iterateRows((sql) => this.#db.prepare(sql), TIMED_EVENTS, [this.#guard(() => this.#findKey(runId))]);
    const timings = toTimings(this.#checkEvents(runId, rows));
    for (;;) {
      const next = this.#guard(() => timings.next());
      if (next.done) return;
      yield next.value;
    }
  }

  #append(runId: string, number: number, event: EventRecord): void {
    const run = this.#guard(() => this.#findKey(runId));
    const { kind, content } = event;
    const stored = isCompressed(kind, content) ? compressSoon(content) : () => content;
    this.#writes.add(() => this.#writeEvent(runId, number, run, event, stored()), `${runId}.${number}`);
  }

  /** Inserts an event in the current commit. */
  #writeEvent(
    runId: string,
    input: number,
    run: number,
    { kind, position, at, content }: EventRecord,
    stored: string | Uint8Array = content,
  ): void {
    const seq = this.#lastEvent = (this.#lastEvent ?? this.#readLast("events")) + 1;
    this.#insert("events", { seq, run, input, kind, position, at, content: stored });
    const key = `${runId}.${input}`;
    const grown = this.#grown.get(key) ?? { runId, input, events: 0 };
    grown.events++;
    this.#grown.set(key, grown);
  }

  async verify(runId?: string): Promise<JournalCheck> {
    const { verifyRecords } = await import("./verify.ts");
    await this.#writes.flush();
    const check = this.#guard(() => verifyRecords(this.#db, runId));
    const copy = locateDamagedLog(this.#path);
    if (!await exists(copy)) return check;
    const problem = `the last changes of a damaged log, ${copy}, are lost. To accept their loss, delete that file`;
    return { ...check, damaged: [{ problem }, ...check.damaged] };
  }

  durable(): Promise<void> {
    return this.#writes.durable();
  }

  isBroken(): boolean {
    return this.#writes.hasFailed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#writes.close();
    } finally {
      this.#log.close();
      this.#db.close();
    }
  }

  /** Finds the key of a run in the tables. A run is durable before its inputs are written, so the table has it. */
  #findKey(runId: string): number {
    const known = this.#keys.get(runId);
    if (known !== undefined) return known;
    const key = this.#findRunRow(runId)?.seq;
    if (key !== undefined) this.#keys.set(runId, Number(key));
    return Number(key);
  }

  #findRunRow(runId: string): Row | undefined {
    const row = this.#prepare(RUN_BY_ID).get(runId);
    if (row === undefined) return undefined;
    if (row.id !== runId) throw new JournalDamage({ run: runId }, "the index leads to another record");
    return checkRow("runs", row, { run: runId });
  }

  #findInputRow(runId: string, number: number): Row | undefined {
    return this.#prepare("SELECT * FROM inputs WHERE run = ? AND number = ?").get(this.#findKey(runId), number);
  }

  #toInput(runId: string, number: number, row: Row): InputRecord {
    const part = { run: runId, input: number };
    checkRow("inputs", row, part);
    const wait = this.#prepare(WAIT).get(this.#findKey(runId), number);
    return toInput(row, wait && checkRow("waits", wait, part));
  }

  #toEvent(runId: string, number: number, row: Row): StoredEvent {
    this.#checkEvent(runId, number, row);
    return toEvent(row);
  }

  #checkEvent(runId: string, number: number, row: Row): void {
    const isOwn = row.run === this.#findKey(runId) && row.input === number;
    if (isOwn && isIntact("events", row)) return;
    const step = Number(row.position) > 0 ? { step: Number(row.position) } : {};
    throw new JournalDamage({ ...this.#describeInput(runId, number), ...step }, describeDamage("events", row));
  }

  #checkLength(runId: string, number: number, row: Row): void {
    if (isIntact("lengths", row)) return;
    throw new JournalDamage(this.#describeInput(runId, number), describeDamage("lengths", row));
  }

  *#checkEvents(runId: string, rows: Iterable<Row>): Generator<Row> {
    for (const row of rows) {
      this.#checkEvent(runId, Number(row.input), row);
      yield row;
    }
  }

  /** Names an input, with its place if that is known. */
  #describeInput(run: string, input: number): DamagedPart {
    const row = this.#findInputRow(run, input);
    return { run, input, ...(row !== undefined && isIntact("inputs", row) && { place: String(row.place) }) };
  }

  #changeRun(
    runId: string,
    change: (row: Row) => Partial<Columns<"runs">> | undefined,
    subject?: string,
  ): void {
    this.#writes.add(() => {
      const row = this.#findRunRow(runId);
      const changed = row && change(row);
      if (row && changed) this.#update("runs", row, changed);
    }, subject);
  }

  #changeInput(
    runId: string,
    number: number,
    change: (row: Row) => Partial<Columns<"inputs">> | undefined,
  ): void {
    this.#writes.add(() => {
      const row = this.#findInputRow(runId, number);
      if (row === undefined) return;
      const changed = change(checkRow("inputs", row, { run: runId, input: number }));
      if (changed) this.#update("inputs", row, changed);
    }, `${runId}.${number}`);
  }

  #endWait(runId: string, number: number): void {
    const sql = "DELETE FROM waits WHERE run = ? AND input = ?";
    this.#writes.add(() => void this.#prepare(sql).run(this.#findKey(runId), number), `${runId}.${number}`);
  }

  #insert<T extends TableName>(table: T, columns: Columns<T>): void {
    this.#prepare(insertInto(table)).run(seal(table, columns));
  }

  #update<T extends TableName>(table: T, row: Row, changed: Partial<Columns<T>>): void {
    this.#prepare(update(table)).run(seal(table, { ...row, ...changed }));
  }

  /** Repeats a write, each time in a separate commit, until it returns false. */
  async #repeat(write: () => boolean): Promise<void> {
    let isMore = true;
    while (isMore) {
      this.#writes.add(() => isMore = write());
      await this.durable();
    }
  }

  /** Deletes some events of a run and updates its event counts, so that an interrupted deletion causes no damage. */
  #deleteEvents(run: number): boolean {
    const deleted = Map.groupBy(this.#prepare(DELETE_EVENTS).all(run), ({ input }) => Number(input));
    for (const [input, { length }] of deleted) {
      const row = this.#prepare(LENGTH).get(run, input);
      const left = Number(row?.events ?? 0) - length;
      if (row !== undefined && left > 0) this.#update("lengths", row, { events: left });
      else this.#prepare("DELETE FROM lengths WHERE run = ? AND input = ?").run(run, input);
    }
    return deleted.size > 0;
  }

  #readLast(table: "runs" | "events"): number {
    return Number(this.#prepare(`SELECT max(seq) AS last FROM ${table}`).get()?.last ?? 0);
  }

  /** Counts the new events of each input, so that a later read notices if one is missing. */
  #finishCommit(): void {
    for (const { runId, input, events } of this.#grown.values()) {
      const run = this.#findKey(runId);
      const row = this.#prepare(LENGTH).get(run, input);
      if (row === undefined) this.#insert("lengths", { run, input, events });
      else {
        this.#checkLength(runId, input, row);
        this.#update("lengths", row, { events: Number(row.events) + events });
      }
    }
    this.#grown.clear();
    this.#lastEvent = undefined;
  }

  /** Returns free pages to the file system, a few at a time so that other runs can write in between. */
  #shrink(): void {
    const freePages = () => Number(this.#prepare("PRAGMA freelist_count").get()?.freelist_count);
    let before: number;
    do {
      before = freePages();
      this.#prepare("PRAGMA incremental_vacuum(1000)").all();
    } while (freePages() < before);
  }

  /** Reads from the database. Converts errors. */
  #guard<T>(read: () => T): T {
    try {
      return read();
    } catch (cause) {
      // The records that are read match their checksums. One that cannot be converted was damaged before it got one.
      const isInvalid = cause instanceof TypeError || cause instanceof SyntaxError;
      throw isInvalid ? createDamageError(this.#path, cause) : unusable(this.#path, "read", cause);
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#db.prepare(sql));
    return statement;
  }

  #describeWriteFailure(cause: unknown): SvcError {
    if (cause instanceof SvcError) return cause;
    if (cause instanceof JournalDamage || isDatabaseDamaged(cause)) return createDamageError(this.#path, cause);
    const { reason, fault } = findReason(this.#path, cause);
    return new SvcError("INVALID_CONFIG", `The journal ${this.#path} cannot be written: ${fault}.`, {
      cause,
      hint: chooseWriteHint(reason),
    });
  }
}

/** Returns a row that matches its checksum. Throws otherwise. */
function checkRow(table: TableName, row: Row, part: DamagedPart): Row {
  if (isIntact(table, row)) return row;
  throw new JournalDamage(part, describeDamage(table, row));
}

/** Serializes a value for a column that may be empty. */
function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Compresses a text while the current request is on its way: only the next commit waits for it. */
function compressSoon(text: string): () => Uint8Array {
  let compressed: Uint8Array | undefined;
  const result = () => compressed ??= compressText(text);
  whenSent(result);
  return result;
}

/** Only answers are long, and no query looks inside them. SQLite texts end at a NUL. */
function isCompressed(kind: EventKind, content: string): boolean {
  return (kind === "answer" && content.length > COMPRESSED_FROM) || content.includes("\0");
}
