/** A database that is copied, or into which rows are copied. */
import type { ByteStore } from "../store/bytes.ts";
import type { RowOf, TableName } from "../store/tables.ts";

/** The place of a row in its table: its `seq`, or its key if the table has no `seq`. */
export type Place = number | string;

/** A row and its place. */
export interface PlacedRow<T extends TableName> {
  readonly place: Place;
  readonly row: RowOf<T>;
}

/** How far a copy is. */
export interface CopyProgress {
  /** Source of the copy. */
  readonly source: string;
  /** Table of the last row that was copied. Earlier tables are complete. */
  readonly table?: string;
  /** Place of that row. */
  readonly place?: Place;
}

/** A database that is copied. */
export interface CopySource extends AsyncDisposable {
  /** Uploaded files. */
  readonly bytes: ByteStore;
  /** Counts the rows of a table. */
  count(table: TableName): Promise<number>;
  /** Reads rows after a place, or from the start, in the order of their places. */
  read<T extends TableName>(table: T, after: Place | undefined, limit: number): Promise<PlacedRow<T>[]>;
}

/** A database into which rows are copied. Until `finish`, no service can use it. */
export interface CopyTarget extends CopySource {
  /** Begins a copy in an empty database, or continues an unfinished one. Throws `CONFLICT` if it contains other data. */
  begin(source: string): Promise<CopyProgress>;
  /** Writes rows, and notes the progress, in one transaction. */
  write<T extends TableName>(table: T, rows: readonly PlacedRow<T>[], progress: CopyProgress): Promise<void>;
  /** Lets services use the database. */
  finish(): Promise<void>;
}
