/** Command lines of svc that find no room for the tables of a database. */
import { DatabaseSync } from "node:sqlite";
import { type Ended, endOf } from "./workflow_process.ts";

/** Runs a command line that is to make its tables in this database, and cannot write that much to one file. */
export async function endWithoutRoom(
  command: readonly string[],
  database: string,
  directory: string,
): Promise<Ended> {
  using db = new DatabaseSync(database);
  db.exec("PRAGMA page_size = 65536; PRAGMA journal_mode = WAL; CREATE TABLE other (x); DROP TABLE other");
  const limited = `trap "" XFSZ && ulimit -f 200 && exec "$0" "$@"`; // A full disk is one for all tests.
  return await endOf(
    new Deno.Command("/bin/sh", {
      args: ["-c", limited, ...command],
      env: { SVC_CONFIG_DIR: directory },
      stdout: "piped",
      stderr: "piped",
    }),
  );
}
