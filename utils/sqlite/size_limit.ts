import { dirname } from "node:path";
import { isFileSizeLimit } from "../fs/file_size_limit.ts";
import { ignoreMissing } from "../fs/ignore_missing.ts";
import { isWriteFailure } from "./database_errors.ts";

/** More than SQLite adds to a file with one write. */
const GROWTH = 128 * 1024;

/**
 * Returns the error of the file system for a write that failed because a file of the database has reached the limit of file
 * sizes (`ulimit -f`). SQLite reports only that the write failed.
 */
export function findSizeLimit(error: unknown, database: string): unknown {
  if (!isWriteFailure(error)) return undefined;
  const size = Math.max(readSize(database), readSize(`${database}-wal`)) + GROWTH;
  try {
    const probe = Deno.makeTempFileSync({ dir: dirname(database), prefix: ".probe-" });
    try {
      Deno.truncateSync(probe, size); // It takes no space: the file has no content.
      return undefined;
    } finally {
      Deno.removeSync(probe);
    }
  } catch (failure) {
    return isFileSizeLimit(failure) ? failure : undefined;
  }
}

function readSize(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    ignoreMissing(error);
    return 0;
  }
}
