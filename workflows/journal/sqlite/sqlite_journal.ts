/** A journal in a SQLite file. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { warnIfOpenToOthers } from "../../../lib/auth/file_access.ts";
import type { Warn } from "../../../lib/client/callback.ts";
import { makePrivateDirectory, makePrivateFile } from "../../../utils/fs/private_file.ts";
import { type ErrorRecord, getErrorMessage, SvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { compressText } from "../../../utils/sqlite/compress_text.ts";
import { describeWriteError } from "../../../utils/fs/describe_error.ts";
import { isDatabaseBusy, isDiskFull } from "../../../utils/sqlite/errors.ts";
import { whenSent } from "../../engine/when_sent.ts";
import { pairTimings, TIMED_EVENTS } from "../call_timings.ts";
import { adviceFor, openDatabase } from "./database.ts";
import { GroupCommit } from "./group_commit.ts";
import type {
  CallTiming,
  EventKind,
  EventRecord,
  InputEnd,
  InputRecord,
  Journal,
  RunCounts,
  RunRecord,
  RunState,
  StoredEvent,
} from "../journal.ts";
import { eventOf, inputOf, type Row, runOf, stateIn } from "./rows.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";

/** Characters from which an answer is compressed. */
const PACKED_FROM = 1024;

/** Milliseconds to wait while another process writes, where nobody says so. */
const BUSY_MILLISECONDS = 10_000;

/** What deletes a run, each a piece at a time: other runs write in between. */
const DELETE_PIECES = [
  "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE run = ? LIMIT 5000)",
  "DELETE FROM inputs WHERE run = ?1 AND number IN (SELECT number FROM inputs WHERE run = ?1 LIMIT 5000)",
  "DELETE FROM runs WHERE seq = ?",
];

/** How a journal is opened. */
export interface JournalOptions {
  /** Makes the folder that it is in: a folder that a person named is a mistyped one where there is none. */
  readonly makeFolder?: boolean;
  /** Milliseconds to wait while another process writes. */
  readonly patience?: number;
  /** Is told where others can read or change the file: who changes it says which script runs, and what it may do. */
  readonly warn?: Warn;
}

/** Opens the journal in a file; makes it, for its owner alone, where there is none. */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  const { makeFolder = false, patience = BUSY_MILLISECONDS, warn } = options;
  try {
    if (makeFolder) await makePrivateDirectory(path.replace(/[^\\/]*$/, ""));
    makePrivateFile(path);
    const file = await Deno.realPath(path); // By whatever name: what lies beside it is called after the file.
    using stack = new DisposableStack();
    const db = stack.adopt(await openDatabase(file, patience), (db) => db.close());
    if (warn) warnIfOpenToOthers(path, "holds the data and the permissions of workflows", warn);
    const journal = new SqliteJournal(file, db, await Deno.open(`${file}-wal`, { read: true, write: true }));
    stack.move(); // The journal closes it from now on.
    return journal;
  } catch (cause) {
    throw unusable(path, "opened", cause);
  }
}

/** The error of a journal that is at fault; also who only looks at runs has to be able to write it. */
function unusable(path: string, wanted: string, cause: unknown): unknown {
  if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) return cause;
  const fault = describeWriteError(cause) ?? getErrorMessage(cause);
  return new SvcError("INVALID_CONFIG", `The journal ${path} cannot be ${wanted}: ${fault}.`, {
    cause,
    hint: isDatabaseBusy(cause) || isDiskFull(cause) ? adviceFor(cause) : "Name another file with --journal.",
  });
}

class SqliteJournal implements Journal {
  readonly #path: string;
  readonly #db: DatabaseSync;
  /** SQLite's write-ahead log. */
  readonly #log: Deno.FsFile;
  readonly #commits: GroupCommit;
  readonly #statements = new Map<string, StatementSync>();
  readonly #keys = new Map<string, number>();

  constructor(path: string, db: DatabaseSync, log: Deno.FsFile) {
    this.#path = path;
    this.#db = db;
    this.#log = log;
    this.#commits = new GroupCommit((writes) => this.#commit(writes));
  }

  async createRun(run: RunRecord): Promise<void> {
    const { id, name, digest, settings, state, startedAt } = run;
    this.#run(
      "INSERT INTO runs (id, name, digest, settings, state, startedAt) VALUES (?, ?, ?, ?, ?, ?)",
      ...[id, name, digest, JSON.stringify(settings), state, startedAt],
    );
    await this.durable();
  }

  findRun(id: string): RunRecord | undefined {
    return this.#read(runOf, "SELECT * FROM runs WHERE id = ?", id)[0];
  }

  stateOf(id: string): RunState | undefined {
    return this.#read(stateIn, "SELECT state FROM runs WHERE id = ?", id)[0];
  }

  runs(): readonly RunRecord[] {
    return this.#read(runOf, "SELECT * FROM runs ORDER BY startedAt DESC, seq DESC");
  }

  counts(id: string): RunCounts {
    this.#commits.flush();
    const [row] = this.#read(
      (row) => row,
      `SELECT count(*) AS inputs, count(*) FILTER (WHERE state = 'done') AS succeeded,
         count(*) FILTER (WHERE state = 'failed') AS failed FROM inputs WHERE run = ?`,
      this.#key(id),
    );
    return { inputs: Number(row?.inputs), succeeded: Number(row?.succeeded), failed: Number(row?.failed) };
  }

  async setState(id: string, state: RunState): Promise<void> {
    const endedAt = state === "open" ? null : Date.now();
    // What was cancelled stays so, also where the process that works on it comes to its end at the same time.
    this.#run("UPDATE runs SET state = ?, endedAt = ? WHERE id = ? AND state <> 'cancelled'", state, endedAt, id);
    await this.durable();
  }

  async changeRun(id: string, { digest, settings }: Pick<RunRecord, "digest" | "settings">): Promise<void> {
    this.#run("UPDATE runs SET digest = ?, settings = ? WHERE id = ?", digest, JSON.stringify(settings), id);
    await this.durable();
  }

  async deleteRun(id: string): Promise<void> {
    await this.setState(id, "cancelled"); // Should this be interrupted, nobody must go on with what is left.
    const key = this.#key(id);
    for (const sql of DELETE_PIECES) {
      const statement = this.#prepare(sql);
      let isMore = true;
      while (isMore) this.#commit([() => isMore = statement.run(key).changes > 0]);
    }
    this.#keys.delete(id);
    this.#shrink();
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // The log may still have what was overwritten.
  }

  async claim(id: string): Promise<Disposable | undefined> {
    const lock = await FileLock.tryAcquire(this.#lockPath(id), { isTemporary: true }).catch((cause) => {
      throw unusable(this.#path, "locked", cause);
    });
    return lock && {
      [Symbol.dispose]: () => {
        this.#commits.flush(); // The next process to claim the run must find all that was done.
        lock[Symbol.dispose]();
      },
    };
  }

  *inputs(id: string): Iterable<InputRecord> {
    this.#commits.flush();
    for (let last = 0;;) {
      const sql = "SELECT * FROM inputs WHERE run = ? AND number > ? ORDER BY number LIMIT 500";
      const rows = this.#read(inputOf, sql, this.#key(id), last);
      yield* rows;
      last = rows.at(-1)?.number ?? last;
      if (rows.length < 500) return;
    }
  }

  findInput(id: string, number: number): InputRecord | undefined {
    return this.#read(inputOf, "SELECT * FROM inputs WHERE run = ? AND number = ?", this.#key(id), number)[0];
  }

  beginInput(id: string, { number, place, value, startedAt, generation }: InputRecord): void {
    this.#run(
      "INSERT INTO inputs (run, number, place, value, startedAt, generation, state) VALUES (?, ?, ?, ?, ?, ?, 'open')",
      ...[this.#key(id), number, place, jsonOrNull(value), startedAt, generation],
    );
    // Its file may have grown since it ended.
    this.#run("UPDATE runs SET state = 'open', endedAt = NULL WHERE id = ? AND state IN ('done', 'failed')", id);
  }

  endInput(id: string, number: number, end: InputEnd): void {
    const outcome = end.state === "done" ? end.result : end.error;
    this.#run(
      "UPDATE inputs SET state = ?, outcome = ?, endedAt = ? WHERE run = ? AND number = ?",
      ...[end.state, jsonOrNull(outcome), Date.now(), this.#key(id), number],
    );
  }

  stopInput(id: string, number: number, reason?: ErrorRecord): void {
    this.#run(
      "UPDATE inputs SET outcome = ? WHERE run = ? AND number = ? AND state = 'open'",
      ...[jsonOrNull(reason), this.#key(id), number],
    );
  }

  async reopenInput(id: string, number: number, left: EventRecord, generation: number): Promise<void> {
    const open = this.#prepare(
      "UPDATE inputs SET state = 'open', outcome = NULL, endedAt = NULL, generation = ? WHERE run = ? AND number = ?",
    );
    const key = this.#key(id);
    this.append(id, number, left);
    this.#commits.add(() => open.run(generation, key, number));
    await this.durable();
  }

  mendInput(id: string, number: number, value: JsonValue | undefined): void {
    this.#run(
      "UPDATE inputs SET value = ? WHERE run = ? AND number = ?",
      ...[jsonOrNull(value), this.#key(id), number],
    );
  }

  events(id: string, number: number): readonly StoredEvent[] {
    this.#commits.flush();
    const sql = "SELECT * FROM events WHERE run = ? AND input = ? ORDER BY seq";
    return this.#read(eventOf, sql, this.#key(id), number);
  }

  printed(id: string, number: number): readonly StoredEvent[] {
    this.#commits.flush();
    const sql = "SELECT * FROM events WHERE run = ? AND input = ? AND kind IN ('log', 'left') ORDER BY seq";
    return this.#read(eventOf, sql, this.#key(id), number);
  }

  *callTimings(id: string): Iterable<CallTiming> {
    this.#commits.flush();
    // A statement of its own: one that is read to its end piece by piece cannot serve two readers.
    yield* pairTimings(this.#db.prepare(TIMED_EVENTS).iterate(this.#key(id)));
  }

  append(id: string, number: number, { kind, position, at, content }: EventRecord): void {
    const insert = this.#prepare(
      "INSERT INTO events (run, input, kind, position, at, content) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const key = this.#key(id);
    const stored = isPacked(kind, content) ? packedSoon(content) : () => content;
    this.#commits.add(() => insert.run(key, number, kind, position, at, stored()));
  }

  durable(): Promise<void> {
    return this.#commits.durable();
  }

  isBroken(): boolean {
    return this.#commits.hasFailed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.try(() => this.#commits.close()).finally(() => {
      this.#log.close();
      this.#db.close();
    });
  }

  /** The key of a run in the tables. */
  #key(id: string): number {
    const known = this.#keys.get(id);
    if (known !== undefined) return known;
    this.#commits.flush();
    const key = Number(this.#prepare("SELECT seq FROM runs WHERE id = ?").get(id)?.seq);
    this.#keys.set(id, key);
    return key;
  }

  /** Gives back free pages, few at a time: other runs write in between. */
  #shrink(): void {
    const freePages = () => Number(this.#prepare("PRAGMA freelist_count").get()?.freelist_count);
    let before: number;
    do {
      before = freePages();
      this.#prepare("PRAGMA incremental_vacuum(1000)").all();
    } while (freePages() < before);
  }

  #lockPath(id: string): string {
    return `${this.#path}.${id}.lock`;
  }

  #run(sql: string, ...values: SQLInputValue[]): void {
    const statement = this.#prepare(sql);
    this.#commits.add(() => statement.run(...values));
  }

  #read<T>(as: (row: Row) => T, sql: string, ...values: SQLInputValue[]): T[] {
    try {
      return this.#prepare(sql).all(...values).map(as);
    } catch (cause) {
      throw new SvcError("INVALID_CONFIG", `The journal ${this.#path} cannot be read: ${getErrorMessage(cause)}.`, {
        cause,
        hint: "Restore the file, or name another one with --journal.",
      });
    }
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, statement = this.#db.prepare(sql));
    return statement;
  }

  #commit(writes: readonly (() => void)[]): void {
    try {
      this.#prepare("BEGIN IMMEDIATE").run();
      for (const write of writes) write();
      this.#prepare("COMMIT").run();
      // With `synchronous = FULL` SQLite would do the same before it lets go of its lock, and keep all others from writing.
      this.#log.syncDataSync();
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK"); // A full disk has ended it already.
      throw new SvcError("INVALID_CONFIG", `The journal ${this.#path} cannot be written: ${getErrorMessage(cause)}.`, {
        cause,
        hint: adviceFor(cause),
      });
    }
  }
}

/** A value as a column keeps it that may have none. */
function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** A text, compressed when what is sent now is on its way: nobody waits for that but the next commit. */
function packedSoon(text: string): () => Uint8Array {
  let packed: Uint8Array | undefined;
  const result = () => packed ??= compressText(text);
  whenSent(result);
  return result;
}

/** Only answers are long, and only of them no query wants to see the inside. SQLite's texts end at a NUL. */
function isPacked(kind: EventKind, content: string): boolean {
  return kind === "answer" && (content.length > PACKED_FROM || content.includes("\0"));
}
