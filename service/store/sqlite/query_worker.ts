/** The worker of a `QueryThread`. It runs one query at a time, on a connection that only reads. */
import type { DatabaseSync } from "node:sqlite";
import { getErrorMessage } from "../../../lib/errors.ts";
import { QueryTooSlow, RowsTooLong } from "../query.ts";
import { QueryRunner, type SqlQuery } from "./query_runner.ts";
import type { SqlRow } from "./tables.ts";
import { openReader } from "./open_reader.ts";

/** The first message to the worker. */
export interface OpenMessage {
  /** Path of the database file. */
  readonly path: string;
  /** Shared memory. A value other than 0 stops the running query. */
  readonly stop: Int32Array;
}

/** A query for the worker. */
export interface QueryMessage {
  readonly query: SqlQuery;
  /** Time limit. */
  readonly milliseconds: number;
}

/** The outcome of a query. */
export type QueryReply =
  | { readonly rows: SqlRow[] }
  | { readonly limit: "size" | "time" }
  | { readonly error: string; readonly errcode?: number };

/** The part of a worker's global scope that serves messages. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<OpenMessage | QueryMessage | "close">) => void) | null;
  postMessage(reply: QueryReply | "closed"): void;
}

const scope = globalThis as unknown as WorkerScope;
let db: DatabaseSync | undefined;
let runner: QueryRunner | undefined;

scope.onmessage = ({ data }) => {
  if (data === "close") {
    db?.close();
    scope.postMessage("closed");
  } else if ("path" in data) {
    db = openReader(data.path);
    runner = new QueryRunner(db, () => Atomics.load(data.stop, 0) !== 0);
  } else if (runner !== undefined) {
    scope.postMessage(runQuery(runner, data));
  }
};

function runQuery(runner: QueryRunner, { query, milliseconds }: QueryMessage): QueryReply {
  try {
    return { rows: runner.run(query, milliseconds) };
  } catch (error) {
    if (error instanceof RowsTooLong) return { limit: "size" };
    if (error instanceof QueryTooSlow) return { limit: "time" };
    const message = getErrorMessage(error);
    return error instanceof Error && "errcode" in error
      ? { error: message, errcode: Number(error.errcode) }
      : { error: message };
  }
}
