import { DatabaseSync } from "node:sqlite";

/** Milliseconds to wait for another process that repairs or removes the write-ahead log. */
const BUSY_TIMEOUT = 1000;

/** Opens a connection that only reads, for the requests of a service. */
export function openReader(path: string): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT });
}
