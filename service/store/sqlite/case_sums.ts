/** The sums of cases on SQLite. A change of a case changes them in the same transaction. */
import type { DatabaseSync, SQLOutputValue, StatementSync } from "node:sqlite";
import { DecimalSum } from "../../../utils/decimal.ts";
import type { TransactionControl } from "../../../utils/sqlite/group_commit.ts";
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { type CaseSums, pickGroup, readSummedValues, type SummedCase, type SummedValue } from "../case_sums.ts";
import { parseContent, type SqlRow } from "./tables.ts";

/**
 * The tables. `sums` names what is maintained, as JSON. `content` has the fields that make the groups. `parts` is a JSON array
 * with the sum, the number of numbers, of other values, and of objects and arrays among them, for each field.
 */
export const SUMS_TABLES = `
  CREATE TABLE IF NOT EXISTS maintainedSums (sums TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS caseSums (
    sums TEXT NOT NULL,
    typeId TEXT NOT NULL,
    status TEXT NOT NULL,
    stageId TEXT NOT NULL,
    content TEXT NOT NULL,
    number INTEGER NOT NULL,
    parts TEXT NOT NULL,
    PRIMARY KEY (sums, typeId, status, stageId, content)
  ) STRICT, WITHOUT ROWID;
`;

const KEY = "sums = ? AND typeId = ? AND status = ? AND stageId = ? AND content = ?";

const SQL = {
  list: "SELECT sums FROM maintainedSums ORDER BY sums",
  get: `SELECT number, parts FROM caseSums WHERE ${KEY}`,
  put: "INSERT OR REPLACE INTO caseSums VALUES (?, ?, ?, ?, ?, ?, ?)",
  remove: `DELETE FROM caseSums WHERE ${KEY}`,
} as const;

/** The columns of a case that determine the sums. */
export const SUMMED_COLUMNS: readonly string[] = ["status", "stageId", "content"];

/** Returns the text that identifies sums in the database. */
export function nameSums(sums: CaseSums): string {
  const known = names.get(sums);
  if (known !== undefined) return known;
  const { groups, fields, extremes } = sums;
  const name = JSON.stringify({ groups, fields, extremes });
  names.set(sums, name);
  return name;
}

const names = new WeakMap<CaseSums, string>();

/** A case that a group gets or loses. */
interface CellChange {
  readonly key: readonly string[];
  readonly values: readonly SummedValue[];
  readonly isAdded: boolean;
}

/** Maintains the sums of a database on the connection that writes. */
export class SumsKeeper {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<keyof typeof SQL, StatementSync>();
  #maintained: readonly CaseSums[] | undefined;
  /** Changes in the transaction. */
  #changes: CellChange[] = [];
  /** Number of changes that were written. */
  #flushed = 0;

  /** Uses a connection. */
  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The sums that the database maintains. */
  get maintained(): readonly CaseSums[] {
    return this.#maintained ??= this.#get("list").all().map(({ sums }) => parseSums(String(sums)));
  }

  /** Reads again what the database maintains, after a transaction was rolled back. */
  forget(): void {
    this.#maintained = undefined;
  }

  /** Reports whether the database maintains exactly these sums. */
  areKept(sums: readonly CaseSums[]): boolean {
    return sums.map(nameSums).toSorted().join("\n") === this.maintained.map(nameSums).toSorted().join("\n");
  }

  /** Maintains exactly these sums from now on. Reads all cases for those that are new. */
  keep(sums: readonly CaseSums[]): void {
    this.flush();
    const kept = new Set(this.maintained.map(nameSums));
    const wanted = new Set(sums.map(nameSums));
    for (const name of kept.difference(wanted)) {
      this.#db.prepare("DELETE FROM caseSums WHERE sums = ?").run(name);
      this.#db.prepare("DELETE FROM maintainedSums WHERE sums = ?").run(name);
    }
    const added = sums.filter((one) => !kept.has(nameSums(one)));
    for (const one of added) this.#db.prepare("INSERT INTO maintainedSums VALUES (?)").run(nameSums(one));
    this.#fill(added);
    this.#maintained = [...sums];
  }

  /** Computes all sums again. */
  refill(): void {
    if (this.maintained.length === 0) return;
    this.flush();
    this.#db.prepare("DELETE FROM caseSums").run();
    this.#fill(this.maintained);
  }

  /** Notes that a case changes, is added or removed. `flush` changes the sums. */
  change(before: SummedCase | undefined, after: SummedCase | undefined): void {
    for (const sums of this.maintained) {
      const [from, to] = [before, after].map((one) =>
        one && { key: toKey(sums, one), values: readSummedValues(sums, one.content) }
      );
      if (from && to && isSameKey(from.key, to.key) && areEqual(from.values, to.values)) continue;
      if (from) this.#changes.push({ ...from, isAdded: false });
      if (to) this.#changes.push({ ...to, isAdded: true });
    }
  }

  /** Writes the sums that have changed. Does nothing after SQLite has rolled back the transaction by itself. */
  flush(): void {
    if (this.#flushed === this.#changes.length || !this.#db.isTransaction) return;
    const changes = Map.groupBy(this.#changes.slice(this.#flushed), ({ key }) => JSON.stringify(key));
    this.#flushed = this.#changes.length;
    for (const [first, ...others] of changes.values()) {
      if (first !== undefined) this.#update(first.key, [first, ...others]);
    }
  }

  /**
   * Returns the control of a transaction that writes the sums when it commits: a case may change several times in it, and many
   * cases have the same sums.
   */
  control(transaction: TransactionControl): TransactionControl {
    const saved: { readonly changes: number; readonly flushed: number }[] = [];
    const clear = () => {
      this.#changes = [];
      this.#flushed = saved.length = 0;
    };
    return {
      isOpen: () => transaction.isOpen(),
      begin: () => {
        clear();
        return transaction.begin();
      },
      commit: () => {
        this.flush();
        transaction.commit();
      },
      rollback: () => {
        clear();
        transaction.rollback();
      },
      save: () => {
        transaction.save();
        saved.push({ changes: this.#changes.length, flushed: this.#flushed });
      },
      release: () => {
        transaction.release();
        saved.pop();
      },
      rollbackToSavepoint: () => {
        transaction.rollbackToSavepoint();
        const { changes, flushed } = saved.at(-1) ?? { changes: 0, flushed: 0 };
        this.#changes.length = changes;
        this.#flushed = flushed;
      },
    };
  }

  #update(key: readonly string[], changes: readonly CellChange[]): void {
    const row = this.#get("get").get(...key);
    const cell = new Cell(row);
    for (const { values, isAdded } of changes) isAdded ? cell.add(values) : cell.remove(values);
    const parts = cell.format();
    if (cell.number === row?.number && parts === row.parts) return;
    if (cell.number > 0) this.#get("put").run(...key, cell.number, parts);
    else this.#get("remove").run(...key);
  }

  #fill(sums: readonly CaseSums[]): void {
    for (const [key, cell] of computeCells(this.#db, sums)) {
      this.#get("put").run(...parseKey(key), cell.number, cell.format());
    }
  }

  #get(name: keyof typeof SQL): StatementSync {
    const known = this.#statements.get(name);
    if (known) return known;
    const prepared = this.#db.prepare(SQL[name]);
    this.#statements.set(name, prepared);
    return prepared;
  }
}

/** Computes the sums of a database again. */
export function refillSums(db: DatabaseSync): void {
  new SumsKeeper(db).refill();
}

/** Reports whether the sums in a database are those of its cases. */
export function areSumsRight(db: DatabaseSync): boolean {
  const computed = computeCells(db, new SumsKeeper(db).maintained);
  let count = 0;
  for (const row of db.prepare("SELECT * FROM caseSums").iterate()) {
    count++;
    const { sums, typeId, status, stageId, content, number, parts } = row;
    const cell = computed.get(JSON.stringify([sums, typeId, status, stageId, content]));
    if (cell?.number !== number || cell?.format() !== parts) return false;
  }
  return count === computed.size;
}

function computeCells(db: DatabaseSync, sums: readonly CaseSums[]): Map<string, Cell> {
  const cells = new Map<string, Cell>();
  if (sums.length === 0) return cells;
  for (const row of db.prepare("SELECT typeId, status, stageId, content FROM cases").iterate()) {
    const one = toSummedCase(row);
    for (const each of sums) {
      const key = JSON.stringify(toKey(each, one));
      const cell = cells.get(key) ?? new Cell();
      cells.set(key, cell);
      cell.add(readSummedValues(each, one.content));
    }
  }
  return cells;
}

/** Converts the row of a case, whose content may be known. The content of a damaged row counts as empty. */
export function toSummedCase(row: SqlRow, content: JsonObject = parseContent(row.content)): SummedCase {
  const { typeId, status, stageId } = row;
  return { typeId: String(typeId), status: String(status), stageId: String(stageId), content };
}

function toKey(sums: CaseSums, one: SummedCase): string[] {
  return [nameSums(sums), one.typeId, one.status, one.stageId, JSON.stringify(pickGroup(sums, one.content))];
}

function parseKey(key: string): string[] {
  const parts: unknown = JSON.parse(key);
  return Array.isArray(parts) ? parts.map(String) : [];
}

function isSameKey(a: readonly string[], b: readonly string[]): boolean {
  return a.every((part, index) => part === b[index]);
}

function areEqual(a: readonly SummedValue[], b: readonly SummedValue[]): boolean {
  return a.every((one, index) => {
    const other = b[index];
    return one.number === other?.number && one.isOther === other?.isOther && one.isNested === other?.isNested;
  });
}

/** The cases of a group: their number, and the sums of their fields. */
class Cell {
  number: number;
  readonly #parts: Part[];

  constructor(row?: Readonly<Record<string, SQLOutputValue>>) {
    this.number = Number(row?.number ?? 0);
    const parts: unknown = JSON.parse(String(row?.parts ?? "[]"));
    this.#parts = Array.isArray(parts) ? parts.map((part) => new Part(part)) : [];
  }

  add(values: readonly SummedValue[]): void {
    this.number++;
    values.forEach((value, index) => (this.#parts[index] ??= new Part()).add(value));
  }

  remove(values: readonly SummedValue[]): void {
    this.number--;
    values.forEach((value, index) => (this.#parts[index] ??= new Part()).remove(value));
  }

  format(): string {
    return JSON.stringify(this.#parts.map((part) => part.toList()));
  }
}

/** The values of a field in the cases of a group. */
class Part {
  readonly #sum = new DecimalSum();
  #numbers = 0;
  #others = 0;
  #nested = 0;

  /** Creates the part that `toList` has described. Default: no values. */
  constructor(list?: unknown) {
    if (!Array.isArray(list)) return;
    const [sum, numbers, others, nested] = list;
    this.#sum.add(String(sum));
    [this.#numbers, this.#others, this.#nested] = [Number(numbers), Number(others), Number(nested)];
  }

  add({ number, isOther, isNested }: SummedValue): void {
    if (number !== undefined) this.#sum.add(number);
    this.#count(1, number !== undefined, isOther, isNested);
  }

  remove({ number, isOther, isNested }: SummedValue): void {
    if (number !== undefined) this.#sum.subtract(number);
    this.#count(-1, number !== undefined, isOther, isNested);
  }

  toList(): [sum: string, numbers: number, others: number, nested: number] {
    return [this.#sum.toString(), this.#numbers, this.#others, this.#nested];
  }

  #count(change: number, isNumber: boolean, isOther = false, isNested = false): void {
    if (isNumber) this.#numbers += change;
    if (isOther) this.#others += change;
    if (isNested) this.#nested += change;
  }
}

/** Parses sums that `nameSums` has written. */
function parseSums(text: string): CaseSums {
  const parsed: unknown = JSON.parse(text);
  const { groups, fields, extremes } = isJsonObject(parsed) ? parsed : {};
  return { groups: toTexts(groups), fields: toPaths(fields), extremes: toPaths(extremes) };
}

function toPaths(list: unknown): string[][] {
  return Array.isArray(list) ? list.map(toTexts) : [];
}

function toTexts(list: unknown): string[] {
  return Array.isArray(list) ? list.map(String) : [];
}
