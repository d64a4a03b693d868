/** Values in SQL, as this program sends and receives them. */

/** A value of a row. `json` and `numeric` are texts, `bigint` is a number. */
export type SqlValue = string | number | boolean | Uint8Array | null;

/** A row by the names of its columns. */
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A value of a parameter. A list is an array. */
export type SqlParameter =
  | string
  | number
  | bigint
  | boolean
  | Uint8Array
  | null
  | readonly (string | number | boolean | null)[];
