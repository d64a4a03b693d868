/** Copies from and to the SQLite database of a data directory. */
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { SvcError } from "../../lib/errors.ts";
import { exists } from "../../utils/fs/exists.ts";
import { renameDurably } from "../../utils/fs/sync_folder.ts";
import { isJsonObject, parseJsonObject } from "../../utils/json.ts";
import { inTransaction } from "../../utils/sqlite/in_transaction.ts";
import { createUnusedError } from "../admin/control.ts";
import { locateFiles, lockDirectory } from "../server/directory.ts";
import { openBytes } from "../store/bytes_on_disk.ts";
import { fillDerived } from "../store/sqlite/derived.ts";
import { prepareDatabase, readVersion, SCHEMA_VERSION } from "../store/sqlite/schema.ts";
import { openForReading } from "../store/sqlite/snapshot.ts";
import { openDatabase } from "../store/sqlite/sqlite_store.ts";
import {
  decodeRow,
  defineChecksum,
  encodeRow,
  getStorageKey,
  insertInto,
  insertWithSeq,
} from "../store/sqlite/tables.ts";
import type { CopyProgress, CopySource, CopyTarget, Place } from "./copied_database.ts";

/** Opens the database of a data directory that no service uses. */
export async function openSqliteSource(data: string): Promise<CopySource> {
  const { database, files } = locateFiles(data);
  if (!await exists(database)) throw createUnusedError(data, "There is nothing to copy.");
  using opened = new DisposableStack();
  opened.use(await lockDirectory(data));
  const db = opened.adopt(openForReading(database), (db) => db.close());
  const version = readVersion(db, database);
  if (version !== SCHEMA_VERSION) {
    throw new SvcError("INVALID_CONFIG", `${database} was written by an older version of svc (schema ${version}).`, {
      hint: "Start the service with this version to upgrade it, and stop it again.",
    });
  }
  return { ...readTables(db), bytes: openBytes(files), ...releaseLater(opened) };
}

/** Opens the database that becomes that of a data directory when the copy is finished. */
export async function openSqliteTarget(data: string): Promise<CopyTarget> {
  const { database, files } = locateFiles(data);
  const unfinished = `${database}.copy`;
  using opened = new DisposableStack();
  opened.use(await lockDirectory(data));
  if (await exists(database)) {
    throw new SvcError("CONFLICT", `${data} already contains data, which a copy does not replace.`, {
      hint: "Name another directory, or delete the data with 'svc service reset'.",
    });
  }
  const db = openDatabase(unfinished, false, (db) => prepareDatabase(db, unfinished));
  opened.defer(() => db.isOpen && db.close());
  defineChecksum(db);
  db.exec("CREATE TABLE IF NOT EXISTS copyProgress (id INTEGER PRIMARY KEY, progress TEXT NOT NULL)");
  const note = (progress: CopyProgress) => {
    db.prepare("INSERT OR REPLACE INTO copyProgress VALUES (1, ?)").run(JSON.stringify(progress));
  };
  return {
    ...readTables(db),
    bytes: openBytes(files),
    begin: (source) => {
      const found = parseProgress(db.prepare("SELECT progress FROM copyProgress").get()?.progress);
      if (found === undefined) note({ source });
      return Promise.resolve(found ?? { source });
    },
    write: (table, rows, progress) => {
      const hasSeq = getStorageKey(table) === "seq";
      inTransaction(db, () => {
        const statement = db.prepare(hasSeq ? insertWithSeq(table) : insertInto(table));
        for (const { place, row } of rows) statement.run(...encodeRow(table, row), ...(hasSeq ? [place] : []));
        note(progress);
      });
      return Promise.resolve();
    },
    finish: async () => {
      fillDerived(db);
      db.close();
      await renameDurably(unfinished, database);
      using finished = new DatabaseSync(database);
      finished.exec("DROP TABLE copyProgress"); // Last, because an interrupted copy continues with it.
    },
    ...releaseLater(opened),
  };
}

/** Keeps resources until the result is disposed of. */
function releaseLater(resources: DisposableStack): AsyncDisposable {
  const kept = resources.move();
  return {
    [Symbol.asyncDispose]: () => {
      kept.dispose();
      return Promise.resolve();
    },
  };
}

function readTables(db: DatabaseSync): Pick<CopySource, "count" | "read"> {
  return {
    count: (table) => Promise.resolve(Number(db.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()?.count)),
    read: (table, after, limit) => {
      const key = getStorageKey(table);
      const parameters: SQLInputValue[] = after === undefined ? [limit] : [after, limit];
      const sql = `SELECT * FROM ${table} ${after === undefined ? "" : `WHERE ${key} > ?`} ORDER BY ${key} LIMIT ?`;
      const rows = db.prepare(sql).all(...parameters);
      return Promise.resolve(rows.map((row) => ({ place: toPlace(row[key]), row: decodeRow(table, row) })));
    },
  };
}

/** Reads a place from a row. */
export function toPlace(value: unknown): Place {
  return typeof value === "number" ? value : String(value);
}

/** Reads the progress of an unfinished copy. */
export function parseProgress(value: unknown): CopyProgress | undefined {
  const progress = typeof value === "string" ? parseJsonObject(value) : undefined;
  if (!isJsonObject(progress)) return undefined;
  const { source, table, place } = progress;
  return {
    source: String(source),
    ...(typeof table === "string" && { table }),
    ...((typeof place === "string" || typeof place === "number") && { place }),
  };
}
