/** The journal in a PostgreSQL database, which any number of processes can share. */
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";
import { formatLocation, LocationError, parseLocation } from "../../../utils/postgres/location.ts";
import { migrate, SchemaError } from "../../../utils/postgres/migrate.ts";
import { type PasswordSource, readPassword } from "../../../utils/postgres/password.ts";
import { openPool, type Pool } from "../../../utils/postgres/pool.ts";
import { PostgresError } from "../../../utils/postgres/postgres_error.ts";
import type { SqlRow } from "../../../utils/postgres/sql_value.ts";
import { createDamageError, type Damage, type JournalCheck, JournalDamage } from "../damage.ts";
import type {
  CallTiming,
  EventRecord,
  HistorySize,
  InputClaim,
  InputEnd,
  InputRecord,
  Journal,
  RunCounts,
  RunRecord,
  RunState,
  StoredEvent,
  WaitingInput,
} from "../journal.ts";
import { type Row, toEvent, toInput, toRun, toState, toTimings } from "../rows.ts";
import { ClaimedInput, toText } from "./claimed_input.ts";
import { JournalDatabase } from "./database.ts";
import { JOURNAL_SCHEMA } from "./schema.ts";
import { toRunTarget } from "./call_limits.ts";
import { Session, type SessionOptions } from "./session.ts";
import { SharedClaimWriter } from "./write_claims.ts";

/** Number of inputs or events that are read at once. */
const PAGE = 500;

/** Default time for which work is repeated while the database is unavailable, in milliseconds. */
const PATIENCE = 5000;

/** Milliseconds after which closing gives up on what could not be written. */
const CLOSE_MILLISECONDS = 5000;

/** The columns of a run that a record has. A script may be large. */
const RUN_COLUMNS = `id, name, digest, settings, state, "startedAt", "endedAt",
  script IS NOT NULL AND NOT "hasReachedMaxFailures" AS "isForWorkers"`;

const RUN_BY_ID = `SELECT ${RUN_COLUMNS} FROM runs WHERE id = $1`;

/** Records a run, unless an earlier attempt whose answer was lost has done so. */
const CREATE_RUN = `
  INSERT INTO runs (id, name, digest, settings, state, "startedAt", "endedAt")
  SELECT $1, $2, $3, $4, $5, $6::bigint, $7::bigint
  WHERE NOT EXISTS (SELECT 1 FROM runs WHERE id = $1 AND digest = $3 AND settings = $4 AND "startedAt" = $6)`;

const CLAIM = `
  INSERT INTO inputs (run, number, worker, fence) SELECT seq, $2, $3, 1 FROM runs WHERE id = $1
  ON CONFLICT (run, number) DO UPDATE SET worker = $3, fence = inputs.fence + 1, flush = 0
  WHERE inputs.worker IS NULL OR inputs.worker = $3
  RETURNING *`;

const CLAIM_RUN = "SELECT pg_try_advisory_lock(hashtext('svc run ' || current_schema()), hashtext($1)) AS locked";

const IS_AT_WORK = `
  SELECT 1 FROM inputs JOIN runs ON runs.seq = inputs.run WHERE runs.id = $1 AND worker IS NOT NULL LIMIT 1`;

/** Finds the lock of a claimed run. The server shows its two signed numbers as unsigned ones. */
const IS_RUN_CLAIMED = `
  SELECT 1 FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 2
    AND classid::bigint = hashtext('svc run ' || current_schema())::bigint & 4294967295
    AND objid::bigint = hashtext($1)::bigint & 4294967295
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  UNION ALL (${IS_AT_WORK})`;

/** Records a signal for an input that has not ended, and ends its wait. Returns the state of the input. */
const SIGNAL = `
  WITH target AS (
    SELECT inputs.run, number, inputs.state FROM inputs JOIN runs ON runs.seq = inputs.run
    WHERE runs.id = $1 AND number = $2 FOR UPDATE OF inputs
  ), added AS (
    INSERT INTO events (run, input, kind, position, at, content)
    SELECT run, number, $3, $4::integer, $5::bigint, $6 FROM target WHERE state IN ('new', 'open')
  ), woken AS (
    UPDATE inputs SET
      events = events + 1,
      until = CASE WHEN until IS NULL THEN NULL ELSE LEAST(until, $7::bigint) END
    FROM target
    WHERE inputs.run = target.run AND inputs.number = target.number AND target.state IN ('new', 'open')
  )
  SELECT state FROM target`;

/** Reads the history of an input with its length, also if it has none. */
const HISTORY = `
  SELECT inputs.events AS length, inputs.place AS place, events.*
  FROM inputs JOIN runs ON runs.seq = inputs.run
    LEFT JOIN events ON events.run = inputs.run AND events.input = inputs.number
  WHERE runs.id = $1 AND inputs.number = $2 ORDER BY events.seq`;

/** Inputs whose histories do not have as many events as were recorded. */
const WRONG_LENGTHS = `
  SELECT runs.id, inputs.number, inputs.place, inputs.events AS expected, count(events.seq) AS found
  FROM inputs JOIN runs ON runs.seq = inputs.run
    LEFT JOIN events ON events.run = inputs.run AND events.input = inputs.number
  WHERE $1::text IS NULL OR runs.id = $1
  GROUP BY runs.id, inputs.run, inputs.number HAVING inputs.events <> count(events.seq)`;

const TOTALS = `
  SELECT
    (SELECT count(*) FROM runs WHERE $1::text IS NULL OR id = $1) AS runs,
    (SELECT count(*) FROM inputs JOIN runs ON runs.seq = inputs.run WHERE $1::text IS NULL OR id = $1) AS inputs,
    (SELECT count(*) FROM events JOIN runs ON runs.seq = events.run WHERE $1::text IS NULL OR id = $1) AS events`;

/** Options for opening a journal in PostgreSQL. */
export interface PostgresJournalOptions {
  /** How other processes see this one. Default: by its process ID. */
  readonly session?: SessionOptions;
  /** Time for which work is repeated while the database is unavailable, in milliseconds. */
  readonly patienceMilliseconds?: number;
  /** Source of the password. Default: the variable `PGPASSWORD`, or no password. */
  readonly password?: PasswordSource;
}

/** Opens the journal at a location such as `postgres://svc@db.example.org/city?schema=svc`. Creates missing tables. */
export async function openPostgresJournal(
  text: string,
  options: PostgresJournalOptions = {},
): Promise<PostgresJournal> {
  const location = parse(text);
  const open = (maxConnections: number) =>
    openPool(location, {
      applicationName: "svc workflow",
      getPassword: () => readPassword(options.password ?? {}),
      maxConnections,
    });
  const pool = await open(8);
  const name = formatLocation(location);
  try {
    await migrate(pool, location, JOURNAL_SCHEMA);
  } catch (error) {
    await pool.close();
    throw explain(name, error);
  }
  const database = new JournalDatabase(pool, name, options.patienceMilliseconds ?? PATIENCE);
  return new PostgresJournal(name, database, () => open(1), options.session);
}

function parse(text: string) {
  try {
    return parseLocation(text, "svc");
  } catch (error) {
    if (!(error instanceof LocationError)) throw error;
    throw new SvcError("INVALID_ARGS", error.message, {
      cause: error,
      hint: "Use a location without a password, such as postgres://svc@db.example.org/city. " +
        "Pass the password with PGPASSWORD, --store-password-file or --store-password-command.",
    });
  }
}

function explain(name: string, error: unknown): unknown {
  if (error instanceof SchemaError) return new SvcError("INVALID_CONFIG", error.message, { cause: error });
  if (!(error instanceof PostgresError)) return error;
  const reason = error.message.replace(`${name} `, "the server "); // The journal is named already.
  return new SvcError("INVALID_CONFIG", `The journal ${name} cannot be opened: ${reason}`, {
    cause: error,
    hint: error.kind === "refused"
      ? "Check the location and the user. Pass the password with PGPASSWORD, --store-password-file or " +
        "--store-password-command."
      : "Check the database server.",
  });
}

/** A journal in PostgreSQL. */
export class PostgresJournal implements Journal {
  /** Runs statements. */
  readonly database: JournalDatabase;
  /** Location without a password. */
  readonly name: string;
  readonly #openSessionPool: () => Promise<Pool>;
  readonly #sessionOptions: SessionOptions;
  readonly #writer: SharedClaimWriter;
  readonly #claims = new Map<string, ClaimedInput>();
  /** Inputs that were claimed together, and that nothing in this process works on yet. */
  readonly #unused = new Set<string>();
  /** Functions that end the claims of runs. Each claim keeps a connection. */
  readonly #claimedRuns = new Map<string, () => void>();
  #session?: Promise<Session>;
  #sessionPool?: Pool;

  /** Use `openPostgresJournal`. */
  constructor(
    name: string,
    database: JournalDatabase,
    openSessionPool: () => Promise<Pool>,
    session: SessionOptions = { name: `process ${Deno.pid}`, kind: "process", concurrency: 1 },
  ) {
    this.name = name;
    this.database = database;
    this.#openSessionPool = openSessionPool;
    this.#sessionOptions = session;
    this.#writer = new SharedClaimWriter(database);
  }

  /** Opens the session of this process. Other processes see it, and take over its inputs if it is gone. */
  async openSession(): Promise<Session> {
    return await (this.#session ??= this.#open());
  }

  async createRun(run: RunRecord): Promise<void> {
    const { id, name, digest, settings, state, startedAt, endedAt = null } = run;
    const values = [id, toText(name), digest, JSON.stringify(settings), state, startedAt, endedAt];
    await this.database.query(CREATE_RUN, values);
  }

  async findRun(runId: string): Promise<RunRecord | undefined> {
    const [row] = await this.database.query(RUN_BY_ID, [toText(runId)]);
    return row && this.#toRun(row);
  }

  async readState(runId: string): Promise<RunState | undefined> {
    const [row] = await this.database.query("SELECT state FROM runs WHERE id = $1", [toText(runId)]);
    return row && this.#convert(row, toState);
  }

  async listRuns(onDamage?: (error: SvcError) => void): Promise<readonly RunRecord[]> {
    const rows = await this.database.query(`SELECT ${RUN_COLUMNS} FROM runs ORDER BY "startedAt" DESC, seq DESC`);
    return rows.flatMap((row) => {
      try {
        return [this.#toRun(row)];
      } catch (error) {
        if (onDamage === undefined || !(error instanceof SvcError)) throw error;
        onDamage(error);
        return [];
      }
    });
  }

  async countInputs(runId: string): Promise<RunCounts> {
    await this.#flush();
    const [row] = await this.database.query(
      `SELECT count(*) FILTER (WHERE inputs.state <> 'new') AS inputs,
         count(*) FILTER (WHERE inputs.state = 'done') AS succeeded,
         count(*) FILTER (WHERE inputs.state = 'failed') AS failed
       FROM inputs JOIN runs ON runs.seq = inputs.run WHERE runs.id = $1`,
      [runId],
    );
    return { inputs: Number(row?.inputs), succeeded: Number(row?.succeeded), failed: Number(row?.failed) };
  }

  async setState(runId: string, state: RunState): Promise<void> {
    await this.#flush();
    await this.database.query(
      `UPDATE runs SET state = $2, "endedAt" = $3 WHERE id = $1 AND state <> 'cancelled'`,
      [runId, state, state === "open" ? null : Date.now()],
    );
  }

  async changeRun(runId: string, { digest, settings }: Pick<RunRecord, "digest" | "settings">): Promise<void> {
    await this.database.query("UPDATE runs SET digest = $2, settings = $3 WHERE id = $1", [
      runId,
      digest,
      JSON.stringify(settings),
    ]);
  }

  async deleteRun(runId: string): Promise<void> {
    await this.#flush();
    const [row] = await this.database.query(
      `UPDATE runs SET state = 'cancelled', "endedAt" = $2 WHERE id = $1 RETURNING seq`,
      [runId, Date.now()],
    );
    if (row === undefined) return;
    const key = Number(row.seq);
    for (const table of ["events", "inputs"]) {
      const sql = `DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE run = $1 LIMIT 5000)`;
      while ((await this.database.use((connection) => connection.run(sql, [key]))).count > 0);
    }
    await this.database.query("DELETE FROM call_limits WHERE target = $1", [toRunTarget(runId)]);
    await this.database.query("DELETE FROM runs WHERE seq = $1", [key]);
  }

  async claimRun(runId: string): Promise<AsyncDisposable | undefined> {
    if (this.#claimedRuns.has(runId)) return undefined;
    const ended = Promise.withResolvers<void>();
    this.#claimedRuns.set(runId, ended.resolve);
    const claimed = Promise.withResolvers<boolean>();
    const holding = this.database.use(async (connection) => {
      const { rows: [row] } = await connection.run(CLAIM_RUN, [runId]);
      const isWorked = (await connection.run(IS_AT_WORK, [runId])).rows.length > 0;
      claimed.resolve(row?.locked === true && !isWorked);
      if (row?.locked !== true) return;
      if (!isWorked) await ended.promise;
      await connection.run("SELECT pg_advisory_unlock_all()");
    }).catch((error) => claimed.reject(error));
    const release = async () => {
      ended.resolve();
      await holding;
      this.#claimedRuns.delete(runId);
    };
    if (
      await claimed.promise.catch(async (error) => {
        await release();
        throw error;
      })
    ) return { [Symbol.asyncDispose]: () => this.#flush().then(release, release) };
    await release();
    return undefined;
  }

  async isRunClaimed(runId: string): Promise<boolean> {
    return (await this.database.query(IS_RUN_CLAIMED, [runId])).length > 0;
  }

  async claimInput(runId: string, number: number): Promise<InputClaim | undefined> {
    const key = `${runId}.${number}`;
    const claimed = this.#claims.get(key);
    if (claimed !== undefined) return this.#unused.delete(key) ? claimed : undefined;
    const { id } = await this.openSession();
    const [row] = await this.database.query(CLAIM, [runId, number, id]);
    return row && this.#claims.get(key) === undefined ? this.#hold(runId, row) : undefined;
  }

  /** Adds claims that were made together. `claimInput` returns each of them once. */
  addClaims(runId: string, rows: readonly SqlRow[]): ClaimedInput[] {
    return rows.map((row) => {
      this.#unused.add(`${runId}.${row.number}`);
      return this.#hold(runId, row);
    });
  }

  /** Lists the numbers of the inputs of a run that this process has claimed. */
  listClaims(runId: string): number[] {
    return [...this.#claims.values()].filter(({ key }) => key.runId === runId).map(({ key }) => key.number);
  }

  /** Lists the keys of all inputs that this process has claimed, e.g. `20261121-1405-k7wqh2.3`. */
  listClaimKeys(): string[] {
    return [...this.#claims.keys()];
  }

  async *inputs(runId: string): AsyncGenerator<InputRecord> {
    const sql = `
      SELECT inputs.* FROM inputs JOIN runs ON runs.seq = inputs.run
      WHERE runs.id = $1 AND number > $2 AND inputs.state <> 'new' ORDER BY number LIMIT ${PAGE}`;
    for (let last = 0;;) {
      await this.#flush();
      const rows = await this.database.query(sql, [runId, last]);
      for (const row of rows) yield this.#convert(row, toInputRecord);
      last = Number(rows.at(-1)?.number ?? last);
      if (rows.length < PAGE) return;
    }
  }

  async findInput(runId: string, number: number): Promise<InputRecord | undefined> {
    const claim = this.#claims.get(`${runId}.${number}`);
    if (claim?.isHeld) return this.#convert({}, () => claim.record);
    const [row] = await this.database.query(
      `SELECT inputs.* FROM inputs JOIN runs ON runs.seq = inputs.run
       WHERE runs.id = $1 AND number = $2 AND inputs.state <> 'new'`,
      [runId, number],
    );
    return row && this.#convert(row, toInputRecord);
  }

  async waiting(
    runId: string,
    { upTo, limit }: { readonly upTo: number; readonly limit: number },
  ): Promise<readonly WaitingInput[]> {
    await this.#flush();
    const rows = await this.database.query(
      `SELECT number, until FROM inputs JOIN runs ON runs.seq = inputs.run
       WHERE runs.id = $1 AND number <= $2 AND until IS NOT NULL ORDER BY until, number LIMIT $3`,
      [runId, upTo, limit],
    );
    return rows.map(({ number, until }) => ({ number: Number(number), until: Number(until) }));
  }

  async events(runId: string, number: number): Promise<readonly StoredEvent[]> {
    const claim = this.#claims.get(`${runId}.${number}`);
    if (claim?.isHeld && claim.isEmpty) return [];
    await this.#flush();
    const rows = await this.database.query(HISTORY, [runId, number]);
    const events = rows.filter(({ seq }) => seq !== null).map((row) => this.#convert(row, toStoredEvent));
    const expected = Number(rows[0]?.length ?? 0);
    if (events.length === expected) return events;
    const part = { run: runId, input: number, place: String(rows[0]?.place) };
    const problem = `its history has ${events.length} events instead of ${expected}`;
    throw createDamageError(this.name, new JournalDamage(part, problem));
  }

  async signals(runId: string, number: number, after: number): Promise<readonly StoredEvent[]> {
    await this.#flush();
    const rows = await this.database.query(
      `SELECT events.* FROM events JOIN runs ON runs.seq = events.run
       WHERE runs.id = $1 AND input = $2 AND kind = 'signal' AND events.seq > $3 ORDER BY events.seq`,
      [runId, number, after],
    );
    return rows.map((row) => this.#convert(row, toStoredEvent));
  }

  async signalInput(
    runId: string,
    number: number,
    { kind, position, at, content }: EventRecord,
  ): Promise<"open" | InputEnd["state"] | undefined> {
    await this.#flush();
    const [row] = await this.database.query(SIGNAL, [runId, number, kind, position, at, content, Date.now()]);
    const state = row?.state;
    return state === "done" || state === "failed" || state === undefined ? state : "open";
  }

  async printed(runId: string, number: number): Promise<readonly StoredEvent[]> {
    await this.#flush();
    const rows = await this.database.query(
      `SELECT events.* FROM events JOIN runs ON runs.seq = events.run
       WHERE runs.id = $1 AND input = $2 AND kind IN ('log', 'left') ORDER BY events.seq`,
      [runId, number],
    );
    return rows.map((row) => this.#convert(row, toStoredEvent));
  }

  async measureHistories(runId: string): Promise<readonly HistorySize[]> {
    await this.#flush();
    const rows = await this.database.query(
      `SELECT input, count(*) AS events,
         sum(coalesce(octet_length(content), 0) + coalesce(octet_length(packed), 0)) AS bytes
       FROM events JOIN runs ON runs.seq = events.run WHERE runs.id = $1 AND kind <> 'pruned' GROUP BY input`,
      [runId],
    );
    return rows.map(({ input, events, bytes }) => ({
      input: Number(input),
      events: Number(events),
      bytes: Number(bytes),
    }));
  }

  /** Does nothing: the database server reuses the space. */
  shrink(): Promise<void> {
    return Promise.resolve();
  }

  async *callTimings(runId: string): AsyncGenerator<CallTiming> {
    const sql = `
      SELECT input, kind, position, at, CASE WHEN kind = 'answer' THEN NULL ELSE content END AS content FROM events
        JOIN runs ON runs.seq = events.run
      WHERE runs.id = $1 AND input > $2 AND input <= $3 AND kind IN ('call', 'answer', 'refusal')
      ORDER BY input, events.seq`;
    const [last] = await this.database.query(
      "SELECT max(number) AS number FROM inputs JOIN runs ON runs.seq = inputs.run WHERE runs.id = $1",
      [runId],
    );
    for (let from = 0; from < Number(last?.number ?? 0); from += PAGE) {
      yield* toTimings(await this.database.query(sql, [runId, from, from + PAGE]));
    }
  }

  async verify(runId?: string): Promise<JournalCheck> {
    await this.#flush();
    const [totals] = await this.database.query(TOTALS, [runId ?? null]);
    const wrong = await this.database.query(WRONG_LENGTHS, [runId ?? null]);
    const damaged = wrong.map(({ id, number, place, expected, found }): Damage => ({
      run: String(id),
      input: Number(number),
      place: String(place),
      problem: `its history has ${found} events instead of ${expected}`,
    }));
    return { runs: Number(totals?.runs), inputs: Number(totals?.inputs), events: Number(totals?.events), damaged };
  }

  durable(): Promise<void> {
    return this.#writer.flush();
  }

  isBroken(): boolean {
    return this.#writer.hasFailed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.database.stopRepeating(), CLOSE_MILLISECONDS);
    try {
      await this.#writer.close();
    } finally {
      clearTimeout(timer);
      await (await this.#session?.catch(() => undefined))?.[Symbol.asyncDispose]();
      await this.#sessionPool?.close();
      for (const end of this.#claimedRuns.values()) end();
      await this.database.close();
    }
  }

  async #open(): Promise<Session> {
    this.#sessionPool = await this.#openSessionPool();
    try {
      const session = await Session.open(this.#sessionPool, this.#sessionOptions);
      session.onReplaced = () => {
        for (const claim of [...this.#claims.values()]) claim.lose();
      };
      return session;
    } catch (error) {
      throw this.database.describe(error);
    }
  }

  #hold(runId: string, row: SqlRow): ClaimedInput {
    const key = `${runId}.${row.number}`;
    const claim = new ClaimedInput(runId, row, this.#writer, () => {
      if (this.#claims.get(key) !== claim) return; // It was claimed again.
      this.#claims.delete(key);
      this.#unused.delete(key);
    });
    this.#claims.set(key, claim);
    return claim;
  }

  async #flush(): Promise<void> {
    await this.#writer.flush();
  }

  #toRun(row: SqlRow): RunRecord {
    try {
      return toRun(row);
    } catch (cause) {
      throw createDamageError(this.name, new JournalDamage({ run: String(row.id) }, getErrorMessage(cause)));
    }
  }

  #convert<R, T>(row: R, convert: (row: R) => T): T {
    try {
      return convert(row);
    } catch (cause) {
      throw createDamageError(this.name, cause);
    }
  }
}

/** Converts a row of `inputs`. */
export function toInputRecord(row: Row): InputRecord {
  return toInput(row, row.until === null ? undefined : { until: row.until });
}

function toStoredEvent(row: Row): StoredEvent {
  return toEvent({ ...row, content: row.packed ?? row.content });
}
