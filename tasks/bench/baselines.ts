import { DatabaseSync } from "node:sqlite";

/** Sources of programs that svc is compared with. */
export const PROGRAMS = {
  empty: "",
  fetch: `const response = await fetch(Deno.args[0], { headers: { authorization: "Bearer " + Deno.args[1] } });
console.log(await response.text());
`,
  fixedResponse: `const text = Deno.args[0];
const headers = { "content-type": "application/json" };
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => console.log(port) }, () => new Response(text, { headers }));
`,
} as const;

/** Measures single-row commits per second of SQLite with the settings of the service. */
export function measureCommits(directory: string, commits: number): number {
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
