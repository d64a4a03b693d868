/**
 * Performs assignments as fast as possible, each by a client of its own:
 * `load_perform.ts <api url> <token> <requests> <assignment>...`. Prints the performs per second.
 */

const [api = "", token = "", requests = "", ...assignments] = Deno.args;
const authorization = `Bearer ${token}`;
const body = JSON.stringify({ content: { Resource: "Resource01", PerformedAt: "2026-01-02T03:04:05Z" } });

async function readTag(assignment: string): Promise<string> {
  const response = await fetch(`${api}/assignments/${encodeURIComponent(assignment)}`, { headers: { authorization } });
  await response.text();
  return response.headers.get("etag") ?? "";
}

async function perform(assignment: string, tag: string): Promise<string> {
  const action = encodeURIComponent("T02 Check confirmation of receipt");
  const response = await fetch(`${api}/assignments/${encodeURIComponent(assignment)}/actions/${action}`, {
    method: "PATCH",
    headers: { authorization, "content-type": "application/json", "if-match": tag },
    body,
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`perform responded with ${response.status}: ${text}`);
  return response.headers.get("etag") ?? "";
}

const tags = await Promise.all(assignments.map(readTag));
let left = Number(requests);
const started = performance.now();
await Promise.all(assignments.map(async (assignment, client) => {
  let tag = tags[client] ?? "";
  while (left-- > 0) tag = await perform(assignment, tag);
}));
console.log(Number(requests) / (performance.now() - started) * 1000);
