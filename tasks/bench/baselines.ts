/** What svc is measured against, each a program of its own: an empty one, a fetch, a fixed answer, a database's commits. */
import { DatabaseSync } from "node:sqlite";

/** Sources of the baselines that are whole programs. */
export const PROGRAMS = {
  empty: "",
  fetch: `const response = await fetch(Deno.args[0], { headers: { authorization: "Bearer " + Deno.args[1] } });
console.log(await response.text());
`,
  fixedAnswer: `const answer = Deno.args[0];
const headers = { "content-type": "application/json" };
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, () => new Response(answer, { headers }));
`,
} as const;

/** Single-row commits per second of SQLite with the service's settings. */
export function commitsPerSecond(directory: string, commits: number): number {
  using database = new DatabaseSync(`${directory}/${crypto.randomUUID()}.db`);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE line (id INTEGER PRIMARY KEY, text TEXT)",
  );
  const insert = database.prepare("INSERT INTO line (text) VALUES (?)");
  const started = performance.now();
  for (let commit = 0; commit < commits; commit++) {
    insert.run("a line of some eighty characters, which is about what a history entry is long");
  }
  return commits / (performance.now() - started) * 1000;
}
