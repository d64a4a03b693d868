/** The journal in an SQLite file. */
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { makePrivateDirectory, makePrivateFile, warnIfOpenToOthers } from "../../../utils/fs/private_file.ts";
import type { Warn } from "../../../lib/client/callback.ts";
import { type ErrorRecord, getErrorMessage, SvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { compressText } from "../../../utils/sqlite/compress_text.ts";
import { controlTransaction } from "../../../utils/sqlite/group_commit.ts";
import { WriteBuffer } from "./write_buffer.ts";
import { describeWriteError } from "../../../utils/fs/describe_error.ts";
import { isDatabaseBusy, isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import { whenSent } from "../../../utils/async/when_sent.ts";
import { chooseWriteHint, openDatabase } from "./database.ts";
import type {
  CallTiming,
  EventKind,
  EventRecord,
  InputClaim,
  InputEnd,
  InputRecord,
  Journal,
  RunCounts,
  RunRecord,
  RunState,
  StoredEvent,
} from "../journal.ts";
import { type Row, TIMED_EVENTS, toEvent, toInput, toRun, toState, toTimings } from "./rows.ts";
import { FileLock } from "../../../utils/fs/file_lock.ts";

/** Length in characters from which an answer is compressed. */
const COMPRESSED_FROM = 1024;

/** Default time to wait while another process writes, in milliseconds. */
const BUSY_MILLISECONDS = 10_000;

/** Statements that delete a run in pieces, so that other runs can write in between. */
const DELETE_PIECES = [
  "DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE run = ? LIMIT 5000)",
  "DELETE FROM inputs WHERE run = ?1 AND number IN (SELECT number FROM inputs WHERE run = ?1 LIMIT 5000)",
  "DELETE FROM runs WHERE seq = ?",
];

/** Options for opening a journal. */
export interface JournalOptions {
  /** Creates the directory of the file. Leave it out for a path that a person typed: a missing directory is a typo. */
  readonly makeFolder?: boolean;
  /** Time to wait while another process writes, in milliseconds. */
  readonly timeoutMilliseconds?: number;
  /** Receives a warning if others can read or change the file. Its content decides which scripts run with which grants. */
  readonly warn?: Warn;
}

/** Opens the journal in a file. Creates a missing file, readable by its owner only. */
export async function openJournal(path: string, options: JournalOptions = {}): Promise<Journal> {
  const { makeFolder = false, timeoutMilliseconds = BUSY_MILLISECONDS, warn } = options;
  try {
    if (makeFolder) await makePrivateDirectory(path.replace(/[^\\/]*$/, ""));
    makePrivateFile(path);
    const file = await Deno.realPath(path); // The files beside it are named after the real file.
    using stack = new DisposableStack();
    const db = stack.adopt(await openDatabase(file, timeoutMilliseconds), (db) => db.close());
    if (warn) warnIfOpenToOthers(path, "holds the data and the permissions of workflows", warn);
    const journal = new SqliteJournal(file, db, await Deno.open(`${file}-wal`, { read: true, write: true }));
    stack.move(); // The journal closes it.
    return journal;
  } catch (cause) {
    throw unusable(path, "opened", cause);
  }
}

/** Describes why a journal is unusable. Commands that only read runs must be able to write the file as well. */
function unusable(path: string, wanted: string, cause: unknown): unknown {
  if (cause instanceof SvcError || cause instanceof Deno.errors.NotCapable) return cause;
  const fault = describeWriteError(cause) ?? getErrorMessage(cause);
  return new SvcError("INVALID_CONFIG", `The journal ${path} cannot be ${wanted}: ${fault}.`, {
    cause,
    hint: isDatabaseBusy(cause) || isDiskFull(cause) ? chooseWriteHint(cause) : "Name another file with --journal.",
  });
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

  constructor(path: string, db: DatabaseSync, log: Deno.FsFile) {
    this.#path = path;
    this.#db = db;
    this.#log = log;
    const transaction = controlTransaction(db);
    this.#writes = new WriteBuffer({
      ...transaction,
      commit: () => {
        transaction.commit();
        // `synchronous = FULL` would sync before SQLite releases its lock, and block all other writers meanwhile.
        log.syncDataSync();
      },
    }, (cause) => this.#describeWriteFailure(cause));
  }

  async createRun(run: RunRecord): Promise<void> {
    const { id, name, digest, settings, state, startedAt } = run;
    this.#write(
      "INSERT INTO runs (id, name, digest, settings, state, startedAt) VALUES (?, ?, ?, ?, ?, ?)",
      ...[id, name, digest, JSON.stringify(settings), state, startedAt],
    );
    await this.durable();
  }

  async findRun(runId: string): Promise<RunRecord | undefined> {
    return (await this.#read(toRun, "SELECT * FROM runs WHERE id = ?", runId))[0];
  }

  async readState(runId: string): Promise<RunState | undefined> {
    return (await this.#read(toState, "SELECT state FROM runs WHERE id = ?", runId))[0];
  }

  listRuns(): Promise<readonly RunRecord[]> {
    return this.#read(toRun, "SELECT * FROM runs ORDER BY startedAt DESC, seq DESC");
  }

  async countInputs(runId: string): Promise<RunCounts> {
    const [row] = await this.#read(
      (row) => row,
      `SELECT count(*) AS inputs, count(*) FILTER (WHERE state = 'done') AS succeeded,
         count(*) FILTER (WHERE state = 'failed') AS failed FROM inputs WHERE run = ?`,
      this.#findKey(runId),
    );
    return { inputs: Number(row?.inputs), succeeded: Number(row?.succeeded), failed: Number(row?.failed) };
  }

  async setState(runId: string, state: RunState): Promise<void> {
    const endedAt = state === "open" ? null : Date.now();
    // A cancelled run stays cancelled, even if the process that works on it ends at the same time.
    this.#write("UPDATE runs SET state = ?, endedAt = ? WHERE id = ? AND state <> 'cancelled'", state, endedAt, runId);
    await this.durable();
  }

  async changeRun(runId: string, { digest, settings }: Pick<RunRecord, "digest" | "settings">): Promise<void> {
    this.#write("UPDATE runs SET digest = ?, settings = ? WHERE id = ?", digest, JSON.stringify(settings), runId);
    await this.durable();
  }

  async deleteRun(runId: string): Promise<void> {
    await this.setState(runId, "cancelled"); // If the deletion is interrupted, nothing may resume the rest.
    const key = this.#findKey(runId);
    for (const sql of DELETE_PIECES) {
      const statement = this.#prepare(sql);
      let isMore = true;
      while (isMore) {
        this.#writes.add(() => isMore = statement.run(key).changes > 0);
        await this.durable();
      }
    }
    this.#keys.delete(runId);
    this.#shrink();
    this.#db.exec("PRAGMA wal_checkpoint(TRUNCATE)"); // The log may still contain overwritten data.
  }

  async claimRun(runId: string): Promise<AsyncDisposable | undefined> {
    const lock = await FileLock.tryAcquire(this.#lockPath(runId), { isTemporary: true }).catch((cause) => {
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

  /** The claim of the run keeps other processes away, so a set of claims in this process is enough. */
  claimInput(runId: string, number: number): Promise<InputClaim | undefined> {
    const key = `${runId}.${number}`;
    if (this.#claimedInputs.has(key)) return Promise.resolve(undefined);
    this.#claimedInputs.add(key);
    return Promise.resolve({
      [Symbol.asyncDispose]: () => {
        this.#claimedInputs.delete(key);
        return Promise.resolve();
      },
    });
  }

  async *inputs(runId: string): AsyncGenerator<InputRecord> {
    for (let last = 0;;) {
      const sql = "SELECT * FROM inputs WHERE run = ? AND number > ? ORDER BY number LIMIT 500";
      const rows = await this.#read(toInput, sql, this.#findKey(runId), last);
      yield* rows;
      last = rows.at(-1)?.number ?? last;
      if (rows.length < 500) return;
    }
  }

  async findInput(runId: string, number: number): Promise<InputRecord | undefined> {
    const sql = "SELECT * FROM inputs WHERE run = ? AND number = ?";
    return (await this.#read(toInput, sql, this.#findKey(runId), number))[0];
  }

  beginInput(runId: string, { number, place, value, startedAt, generation }: InputRecord): void {
    this.#write(
      "INSERT INTO inputs (run, number, place, value, startedAt, generation, state) VALUES (?, ?, ?, ?, ?, ?, 'open')",
      ...[this.#findKey(runId), number, place, jsonOrNull(value), startedAt, generation],
    );
    // The input file may have grown since the run ended.
    this.#write("UPDATE runs SET state = 'open', endedAt = NULL WHERE id = ? AND state IN ('done', 'failed')", runId);
  }

  endInput(runId: string, number: number, end: InputEnd): void {
    const outcome = end.state === "done" ? end.result : end.error;
    this.#write(
      "UPDATE inputs SET state = ?, outcome = ?, endedAt = ? WHERE run = ? AND number = ?",
      ...[end.state, jsonOrNull(outcome), Date.now(), this.#findKey(runId), number],
    );
  }

  stopInput(runId: string, number: number, reason?: ErrorRecord): void {
    this.#write(
      "UPDATE inputs SET outcome = ? WHERE run = ? AND number = ? AND state = 'open'",
      ...[jsonOrNull(reason), this.#findKey(runId), number],
    );
  }

  async reopenInput(runId: string, number: number, rewind: EventRecord, generation: number): Promise<void> {
    this.append(runId, number, rewind);
    this.#write(
      "UPDATE inputs SET state = 'open', outcome = NULL, endedAt = NULL, generation = ? WHERE run = ? AND number = ?",
      ...[generation, this.#findKey(runId), number],
    );
    await this.durable();
  }

  changeInput(runId: string, number: number, value: JsonValue | undefined): void {
    this.#write(
      "UPDATE inputs SET value = ? WHERE run = ? AND number = ?",
      ...[jsonOrNull(value), this.#findKey(runId), number],
    );
  }

  events(runId: string, number: number): Promise<readonly StoredEvent[]> {
    const sql = "SELECT * FROM events WHERE run = ? AND input = ? ORDER BY seq";
    return this.#read(toEvent, sql, this.#findKey(runId), number);
  }

  printed(runId: string, number: number): Promise<readonly StoredEvent[]> {
    const sql = "SELECT * FROM events WHERE run = ? AND input = ? AND kind IN ('log', 'left') ORDER BY seq";
    return this.#read(toEvent, sql, this.#findKey(runId), number);
  }

  async *callTimings(runId: string): AsyncGenerator<CallTiming> {
    await this.#writes.flush();
    // Not a cached statement: two readers cannot share one that is read piece by piece.
    yield* toTimings(this.#db.prepare(TIMED_EVENTS).iterate(this.#findKey(runId)));
  }

  append(runId: string, number: number, { kind, position, at, content }: EventRecord): void {
    const insert = this.#prepare(
      "INSERT INTO events (run, input, kind, position, at, content) VALUES (?, ?, ?, ?, ?, ?)",
    );
    const key = this.#findKey(runId);
    const stored = isCompressed(kind, content) ? compressSoon(content) : () => content;
    this.#writes.add(() => insert.run(key, number, kind, position, at, stored()));
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
    const key = this.#prepare("SELECT seq FROM runs WHERE id = ?").get(runId)?.seq;
    if (key !== undefined) this.#keys.set(runId, Number(key));
    return Number(key);
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

  #lockPath(runId: string): string {
    return `${this.#path}.${runId}.lock`;
  }

  #write(sql: string, ...values: SQLInputValue[]): void {
    const statement = this.#prepare(sql);
    this.#writes.add(() => statement.run(...values));
  }

  async #read<T>(convert: (row: Row) => T, sql: string, ...values: SQLInputValue[]): Promise<T[]> {
    await this.#writes.flush();
    try {
      return this.#prepare(sql).all(...values).map(convert);
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

  #describeWriteFailure(cause: unknown): SvcError {
    return new SvcError("INVALID_CONFIG", `The journal ${this.#path} cannot be written: ${getErrorMessage(cause)}.`, {
      cause,
      hint: chooseWriteHint(cause),
    });
  }
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
  return kind === "answer" && (content.length > COMPRESSED_FROM || content.includes("\0"));
}
