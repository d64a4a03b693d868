/** Writes the changes of many claims in one statement. */
import type { SqlParameter } from "../../../utils/postgres/sql_value.ts";
import { nextTurn } from "../../../utils/async/next_turn.ts";
import { compressText } from "../../../utils/sqlite/compress_text.ts";
import type { EventRecord } from "../journal.ts";
import type { ClaimedInput, ClaimWriter, PendingWrites } from "./claimed_input.ts";
import type { JournalDatabase } from "./database.ts";

/** Length in characters from which an answer is compressed. */
const COMPRESSED_FROM = 1024;

/** Milliseconds after which changes are written although nothing waits for them. */
const MAX_DELAY = 100;

/** Number of events of one input that are written at once. */
const MAX_EVENTS = 256;

/**
 * Writes through claims that still have their fence, and returns them. `held` locks the inputs, in the order of their keys.
 * A write that was made before, because its answer was lost, changes nothing.
 */
const WRITE = `
  WITH claims AS (
    SELECT * FROM unnest(
      $1::bigint[], $2::integer[], $3::bigint[], $4::integer[], $5::integer[], $6::boolean[], $7::boolean[],
      $8::text[], $9::text[], $10::bigint[], $11::integer[], $12::text[], $13::text[], $14::bigint[], $15::bigint[],
      $23::boolean[]
    ) AS claims (
      run, number, fence, flush, added, "isReleased", "isChanged",
      place, value, "startedAt", generation, state, outcome, "endedAt", until, "isReplaced"
    )
  ), held AS MATERIALIZED (
    SELECT inputs.run, inputs.number, inputs.flush < claims.flush AS "isNew"
    FROM claims JOIN inputs USING (run, number, fence)
    ORDER BY inputs.run, inputs.number
    FOR UPDATE OF inputs
  ), removed AS (
    DELETE FROM events USING claims JOIN held USING (run, number)
    WHERE events.run = held.run AND events.input = held.number AND held."isNew" AND claims."isReplaced"
  ), added AS (
    INSERT INTO events (run, input, kind, position, at, content, packed)
    SELECT added.run, input, kind, position, at, content, decode(packed, 'base64')
    FROM unnest($16::bigint[], $17::integer[], $18::text[], $19::integer[], $20::bigint[], $21::text[], $22::text[])
      WITH ORDINALITY AS added (run, input, kind, position, at, content, packed, nth)
    JOIN held ON held.run = added.run AND held.number = added.input AND held."isNew"
    ORDER BY nth
  ), changed AS (
    UPDATE inputs SET
      flush = claims.flush,
      events = CASE WHEN claims."isReplaced" THEN 0 ELSE inputs.events END + claims.added,
      worker = CASE WHEN claims."isReleased" THEN NULL ELSE inputs.worker END,
      place = CASE WHEN claims."isChanged" THEN claims.place ELSE inputs.place END,
      value = CASE WHEN claims."isChanged" THEN claims.value ELSE inputs.value END,
      "startedAt" = CASE WHEN claims."isChanged" THEN claims."startedAt" ELSE inputs."startedAt" END,
      generation = CASE WHEN claims."isChanged" THEN claims.generation ELSE inputs.generation END,
      state = CASE WHEN claims."isChanged" THEN claims.state ELSE inputs.state END,
      outcome = CASE WHEN claims."isChanged" THEN claims.outcome ELSE inputs.outcome END,
      "endedAt" = CASE WHEN claims."isChanged" THEN claims."endedAt" ELSE inputs."endedAt" END,
      until = CASE WHEN claims."isChanged" THEN claims.until ELSE inputs.until END
    FROM claims JOIN held USING (run, number)
    WHERE inputs.run = held.run AND inputs.number = held.number AND held."isNew"
  )
  SELECT run, number FROM held`;

/** Locks inputs whose histories are replaced, so that the next statement sees and deletes signals that came before the lock. */
const LOCK_INPUTS = `
  SELECT 1 FROM unnest($1::bigint[], $2::integer[]) AS replaced (run, number) JOIN inputs USING (run, number)
  ORDER BY inputs.run, inputs.number FOR UPDATE OF inputs`;

/** Ends the waits of inputs that have got a signal. A statement of its own sees signals that came before the lock. */
const WAKE = `
  UPDATE inputs SET until = LEAST(until, (extract(epoch FROM now()) * 1000)::bigint)
  FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::bigint[]) AS waits (run, number, fence, seen)
  WHERE inputs.run = waits.run AND inputs.number = waits.number AND inputs.fence = waits.fence
    AND inputs.until IS NOT NULL AND EXISTS (
      SELECT 1 FROM events
      WHERE events.run = waits.run AND events.input = waits.number AND kind = 'signal' AND events.seq > waits.seen
    )`;

/** Opens runs again that had ended. */
const OPEN_RUNS = `
  UPDATE runs SET state = 'open', "endedAt" = NULL WHERE seq = ANY($1::bigint[]) AND state IN ('done', 'failed')`;

type Statement = readonly [sql: string, parameters: readonly SqlParameter[]];

type ClaimWrites = readonly [claim: ClaimedInput, writes: PendingWrites];

/** Collects the changes of claims. At most one write is in progress, and changes that arrive meanwhile share the next one. */
export class SharedClaimWriter implements ClaimWriter {
  readonly #db: JournalDatabase;
  #changed = new Set<ClaimedInput>();
  #writing: Promise<void> = Promise.resolve();
  #next?: Promise<void>;
  #timer?: ReturnType<typeof setTimeout>;
  #failure?: { readonly reason: unknown; isReported: boolean };

  /** Writes to a database. */
  constructor(db: JournalDatabase) {
    this.#db = db;
  }

  /** True if a write has failed, and is not repeated. */
  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  add(claim: ClaimedInput): void {
    if (this.#failure !== undefined) return;
    this.#changed.add(claim);
    if (claim.unwritten >= MAX_EVENTS) this.#writeNext();
    else this.#timer ??= setTimeout(() => this.#onTimer(), MAX_DELAY);
  }

  async flush(): Promise<void> {
    await (this.#changed.size > 0 ? this.#writeNext() : this.#writing);
    if (this.#failure === undefined) return;
    this.#failure.isReported = true;
    throw this.#failure.reason;
  }

  /** Writes the remaining changes. Throws a failure that was not reported. */
  async close(): Promise<void> {
    await (this.#changed.size > 0 ? this.#writeNext() : this.#writing);
    clearTimeout(this.#timer);
    if (this.#failure?.isReported === false) throw this.#failure.reason;
  }

  #onTimer(): void {
    this.#timer = undefined;
    if (this.#changed.size > 0) void this.#writeNext();
  }

  /** Starts a write after the one in progress. The promise never rejects. */
  #writeNext(): Promise<void> {
    return this.#next ??= this.#writing.then(nextTurn).then(() => {
      this.#next = undefined;
      const changed = this.#changed;
      this.#changed = new Set();
      return this.#writing = this.#write(changed);
    });
  }

  async #write(changed: ReadonlySet<ClaimedInput>): Promise<void> {
    const all = [...changed].flatMap((claim): ClaimWrites[] => {
      const writes = claim.isHeld ? claim.takeWrites() : undefined;
      return writes === undefined ? [] : [[claim, writes]];
    });
    if (all.length === 0) return;
    try {
      const held = await writeClaims(this.#db, all);
      for (const [claim] of all) if (!held.has(`${claim.key.run}.${claim.key.number}`)) claim.lose();
    } catch (reason) {
      this.#failure ??= { reason, isReported: false };
    }
  }
}

/** Writes through claims, and returns the keys of those that still hold. */
async function writeClaims(db: JournalDatabase, all: readonly ClaimWrites[]): Promise<ReadonlySet<string>> {
  const replaced = all.filter(([, { replaces }]) => replaces);
  const waits = all.filter(([, { seen }]) => seen !== undefined);
  const begun = all.filter(([, { hasBegun }]) => hasBegun);
  const parameters = toParameters(all);
  const toKeys = (rows: readonly Readonly<Record<string, unknown>>[] = []) =>
    new Set(rows.map(({ run, number }) => `${run}.${number}`));
  const before: Statement[] = replaced.length > 0
    ? [[LOCK_INPUTS, [replaced.map(([{ key }]) => key.run), replaced.map(([{ key }]) => key.number)]]]
    : [];
  const after: Statement[] = [];
  if (waits.length > 0) {
    after.push([WAKE, [
      waits.map(([{ key }]) => key.run),
      waits.map(([{ key }]) => key.number),
      waits.map(([{ key }]) => key.fence),
      waits.map(([, { seen = 0 }]) => seen),
    ]]);
  }
  if (begun.length > 0) after.push([OPEN_RUNS, [[...new Set(begun.map(([{ key }]) => key.run))]]]);
  if (before.length + after.length === 0) return toKeys(await db.query(WRITE, parameters, "write_claims"));
  const results = await db.transact([...before, [WRITE, parameters], ...after]);
  return toKeys(results[before.length]?.rows);
}

function toParameters(all: readonly ClaimWrites[]): readonly SqlParameter[] {
  const events = all.flatMap(([{ key }, { events }]) => events.map((event) => ({ key, event, ...pack(event) })));
  return [
    all.map(([{ key }]) => key.run),
    all.map(([{ key }]) => key.number),
    all.map(([{ key }]) => key.fence),
    all.map(([, { flush }]) => flush),
    all.map(([, { events }]) => events.length),
    all.map(([, { releases }]) => releases),
    all.map(([, { columns }]) => columns !== undefined),
    all.map(([, { columns }]) => columns?.place ?? null),
    all.map(([, { columns }]) => columns?.value ?? null),
    all.map(([, { columns }]) => columns?.startedAt ?? null),
    all.map(([, { columns }]) => columns?.generation ?? null),
    all.map(([, { columns }]) => columns?.state ?? null),
    all.map(([, { columns }]) => columns?.outcome ?? null),
    all.map(([, { columns }]) => columns?.endedAt ?? null),
    all.map(([, { columns }]) => columns?.until ?? null),
    events.map(({ key }) => key.run),
    events.map(({ key }) => key.number),
    events.map(({ event }) => event.kind),
    events.map(({ event }) => event.position),
    events.map(({ event }) => event.at),
    events.map(({ content }) => content),
    events.map(({ packed }) => packed),
    all.map(([, { replaces }]) => replaces),
  ];
}

/** Compresses long answers, and texts with U+0000, which PostgreSQL cannot store as a text. */
function pack({ kind, content }: EventRecord): { readonly content: string | null; readonly packed: string | null } {
  const isPacked = (kind === "answer" && content.length > COMPRESSED_FROM) || content.includes("\0");
  return isPacked ? { content: null, packed: compressText(content).toBase64() } : { content, packed: null };
}
