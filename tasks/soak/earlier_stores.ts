import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync } from "node:fs";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { fileURLToPath, pathToFileURL } from "node:url";
import { fillDerived } from "../../service/store/sqlite/derived.ts";
import { CHECKSUM_VERSION } from "../../service/store/sqlite/schema.ts";
import { defineChecksum } from "../../service/store/sqlite/tables.ts";
import { sealRows } from "../../service/store/sqlite/upgrade/seal_rows.ts";
import { locateFiles } from "../../service/server/directory.ts";

const FORMATS = fileURLToPath(new URL("../../tests/fixtures/formats", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../tests/fixtures/before/home/service", import.meta.url));

/** Tables whose rows a migration must preserve. The others hold credentials and responses, which expire. */
const TABLES = ["cases", "assignments", "events", "records", "items"];

/** Kinds of items that belong to one case only, so that they can be copied with it. */
const COPIED_ITEMS = ["attachment", "participant"];

/** Identifiers that contain a number: cases and participants. */
const NUMBERED = /\b(P|PARTY)-(\d+)\b/g;

type Row = Readonly<Record<string, SQLInputValue>>;

/** The rows of a store, as a digest. */
export interface StoreDigest {
  /** Columns and largest `seq` of each table. */
  readonly tables: ReadonlyMap<string, { readonly columns: readonly string[]; readonly last: number }>;
  /** SHA-256 of all values, in hexadecimal. */
  readonly sha256: string;
}

/** Lists the versions whose tables are known, in ascending order. */
export function listFormats(): number[] {
  const names = Array.from(Deno.readDirSync(FORMATS), ({ name }) => /^service_(\d+)\.sql$/.exec(name)?.[1]);
  return names.flatMap((version) => version === undefined ? [] : [Number(version)]).toSorted((a, b) => a - b);
}

/** Creates a data directory with the tables of an earlier version, and with at least this number of cases. */
export function createEarlierStore(data: string, version: number, cases: number): void {
  const { database, files } = locateFiles(data);
  mkdirSync(files, { recursive: true, mode: 0o700 });
  const source = locateFiles(SOURCE);
  for (const { name } of Deno.readDirSync(source.files)) copyFileSync(`${source.files}/${name}`, `${files}/${name}`);
  using template = openImmutable(source.database);
  using db = new DatabaseSync(database);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF`);
  db.exec(Deno.readTextFileSync(`${FORMATS}/service_${version}.sql`));
  db.exec("BEGIN");
  const count = Number(template.prepare("SELECT count(*) AS number FROM cases").get()?.number);
  const copies = Math.ceil(cases / count);
  for (const table of TABLES.filter((table) => hasTable(db, table))) {
    const rows: readonly Row[] = template.prepare(`SELECT * FROM ${table} ORDER BY seq`).all();
    for (let copy = 0; copy < copies; copy++) insertCopies(db, table, rows, copy, count);
  }
  db.prepare("INSERT INTO sequences (name, value) VALUES ('CITY-PERMIT-WORK P', ?)").run(copies * count);
  db.exec("COMMIT");
  if (version < CHECKSUM_VERSION) return;
  defineChecksum(db);
  for (const _ of sealRows(db)) continue;
  if (hasTable(db, "caseCounts")) fillDerived(db);
}

/** Opens a database that nothing changes. SQLite then creates no files beside it. */
function openImmutable(path: string): DatabaseSync {
  const url = pathToFileURL(path);
  url.search = "immutable=1";
  return new DatabaseSync(url, { readOnly: true });
}

/** Inserts rows with the numbers of a copy. Records and shared items exist once. */
function insertCopies(db: DatabaseSync, table: string, rows: readonly Row[], copy: number, count: number): void {
  const last = Math.max(...rows.map(({ seq }) => Number(seq)));
  const isCopied = ({ kind }: Row) => copy === 0 || table !== "items" || COPIED_ITEMS.includes(String(kind));
  if (copy > 0 && table === "records") return;
  for (const row of rows.filter(isCopied)) {
    const columns = Object.keys(row);
    const insert = `INSERT INTO ${table} (${columns.map((name) => `"${name}"`).join()}) VALUES (${
      columns.map(() => "?").join()
    })`;
    prepared(db, insert).run(...columns.map((name) => {
      const value = row[name] ?? null;
      if (name === "seq") return Number(value) + copy * last;
      return typeof value === "string" ? renumber(value, copy * count) : value;
    }));
  }
}

/** Adds to all numbers of cases and participants. */
function renumber(text: string, offset: number): string {
  return offset === 0 ? text : text.replaceAll(NUMBERED, (_, prefix, number) => `${prefix}-${Number(number) + offset}`);
}

const statements = new WeakMap<DatabaseSync, Map<string, ReturnType<DatabaseSync["prepare"]>>>();

function prepared(db: DatabaseSync, sql: string): ReturnType<DatabaseSync["prepare"]> {
  const known = statements.get(db) ?? new Map();
  statements.set(db, known);
  const statement = known.get(sql) ?? db.prepare(sql);
  known.set(sql, statement);
  return statement;
}

/** Computes the digest of a data directory. `like` restricts it to the columns and rows of an earlier digest. */
export function digestStore(data: string, like?: StoreDigest): StoreDigest {
  using db = new DatabaseSync(locateFiles(data).database, { readOnly: true });
  const tables = like?.tables ??
    new Map(TABLES.filter((table) => hasTable(db, table)).map((table) => [table, measureTable(db, table)]));
  const hash = createHash("sha256");
  for (const [table, { columns, last }] of tables) {
    const names = columns.map((name) => `"${name}"`).join();
    const rows = db.prepare(`SELECT ${names} FROM ${table} WHERE seq <= ? ORDER BY seq`);
    for (const row of rows.iterate(last)) hash.update(JSON.stringify(columns.map((name) => row[name])) + "\n");
  }
  return { tables, sha256: hash.digest("hex") };
}

function measureTable(db: DatabaseSync, table: string): { columns: string[]; last: number } {
  const columns = db.prepare(`PRAGMA table_info(${table})`).all().map(({ name }) => String(name));
  return { columns, last: Number(db.prepare(`SELECT max(seq) AS last FROM ${table}`).get()?.last ?? 0) };
}

function hasTable(db: DatabaseSync, table: string): boolean {
  return db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
}
