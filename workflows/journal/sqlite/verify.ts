/** Checks all records of a journal. */
import type { DatabaseSync } from "node:sqlite";
import { getErrorMessage } from "../../../lib/errors.ts";
import { isDatabaseDamaged } from "../../../utils/sqlite/database_errors.ts";
import { iterateRows } from "../../../utils/sqlite/iterate_rows.ts";
import type { Damage, DamagedPart, JournalCheck } from "../damage.ts";
import { describeDamage } from "./describe_damage.ts";
import { isIntact, type Row, type TableName } from "./seal.ts";

/** Checks the structure of the file and the records of all runs, or of one. Another process may be writing. */
export function verifyRecords(db: DatabaseSync, runId?: string): JournalCheck {
  const hasSnapshot = db.isTransaction;
  if (!hasSnapshot) db.exec("BEGIN");
  try {
    return new Verification(db, runId).run();
  } finally {
    if (!hasSnapshot) db.exec("ROLLBACK");
  }
}

class Verification {
  readonly #db: DatabaseSync;
  readonly #runId?: string;
  readonly #damaged: Damage[] = [];
  /** Identifiers of the runs by key. */
  readonly #runs = new Map<number, string>();
  /** Numbers of events in the records of the lengths. */
  readonly #lengths = new Map<string, number>();
  /** Places of the inputs. */
  readonly #places = new Map<string, string>();

  constructor(db: DatabaseSync, runId?: string) {
    this.#db = db;
    this.#runId = runId;
  }

  run(): JournalCheck {
    for (const { integrity_check: issue } of this.#guard(() => this.#db.prepare("PRAGMA integrity_check").all())) {
      if (issue !== "ok") this.#report({}, String(issue));
    }
    const runs = this.#checkRuns();
    const inputs = this.#checkInputs();
    const events = this.#checkEvents();
    if (this.#runId === undefined) this.#checkSchedules();
    return { runs, inputs, events, damaged: this.#damaged };
  }

  #checkRuns(): number {
    let count = 0;
    for (const row of this.#read("SELECT * FROM runs ORDER BY seq")) {
      this.#runs.set(Number(row.seq), String(row.id));
      if (this.#runId !== undefined && row.id !== this.#runId) continue;
      count++;
      this.#check("runs", row, { run: String(row.id) });
    }
    return count;
  }

  #checkInputs(): number {
    let count = 0;
    for (const row of this.#read(`SELECT * FROM inputs ${this.#filter} ORDER BY run, number`)) {
      count++;
      const key = `${row.run}.${row.number}`;
      this.#places.set(key, String(row.place));
      this.#check("inputs", row, this.#describe(Number(row.run), Number(row.number)));
    }
    for (const row of this.#read(`SELECT * FROM waits ${this.#filter} ORDER BY run, input`)) {
      this.#check("waits", row, this.#describe(Number(row.run), Number(row.input)));
    }
    return count;
  }

  #checkEvents(): number {
    for (const row of this.#read(`SELECT * FROM lengths ${this.#filter} ORDER BY run, input`)) {
      this.#lengths.set(`${row.run}.${row.input}`, Number(row.events));
      this.#check("lengths", row, this.#describe(Number(row.run), Number(row.input)));
    }
    let count = 0;
    let current: { run: number; input: number; events: number } | undefined;
    for (const row of this.#read(`SELECT * FROM events ${this.#filter} ORDER BY run, input, seq`)) {
      count++;
      const run = Number(row.run);
      const input = Number(row.input);
      if (current?.run !== run || current.input !== input) {
        if (current) this.#checkLength(current.run, current.input, current.events);
        current = { run, input, events: 0 };
      }
      current.events++;
      const step = Number(row.position);
      this.#check("events", row, { ...this.#describe(run, input), ...(step > 0 && { step }) });
    }
    if (current) this.#checkLength(current.run, current.input, current.events);
    for (const key of this.#lengths.keys()) {
      const [run, input] = key.split(".").map(Number);
      this.#checkLength(run ?? 0, input ?? 0, 0);
    }
    return count;
  }

  #checkSchedules(): void {
    for (const row of this.#read("SELECT * FROM schedules ORDER BY seq")) this.#check("schedules", row, {});
  }

  #checkLength(run: number, input: number, events: number): void {
    const key = `${run}.${input}`;
    const expected = this.#lengths.get(key) ?? 0;
    this.#lengths.delete(key);
    const part = this.#describe(run, input);
    if (expected !== events) this.#report(part, `its history has ${events} events instead of ${expected}`);
    if (!this.#places.has(key)) this.#report(part, "the record of the input is missing");
    if (!this.#runs.has(run)) this.#report(part, "the record of the run is missing");
  }

  #check(table: TableName, row: Row, part: DamagedPart): void {
    if (!isIntact(table, row)) this.#report(part, describeDamage(table, row));
  }

  #describe(run: number, input: number): DamagedPart {
    const id = this.#runs.get(run);
    const place = this.#places.get(`${run}.${input}`);
    return { ...(id !== undefined && { run: id }), input, ...(place !== undefined && { place }) };
  }

  #report(part: DamagedPart, problem: string): void {
    this.#damaged.push({ ...part, problem });
  }

  /** Limits a query to the run. */
  get #filter(): string {
    return this.#runId === undefined ? "" : "WHERE run = (SELECT seq FROM runs WHERE id = ?)";
  }

  /** Reads rows until the end, or until the file cannot be read further. */
  *#read(sql: string): Generator<Row> {
    const parameters = sql.includes("?") ? [this.#runId ?? null] : [];
    try {
      yield* iterateRows((text) => this.#db.prepare(text), sql, parameters);
    } catch (error) {
      this.#reportUnreadable(error);
    }
  }

  #guard(read: () => Row[]): Row[] {
    try {
      return read();
    } catch (error) {
      this.#reportUnreadable(error);
      return [];
    }
  }

  #reportUnreadable(error: unknown): void {
    if (!isDatabaseDamaged(error)) throw error;
    this.#report({}, getErrorMessage(error));
  }
}
