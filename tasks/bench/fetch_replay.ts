/**
 * Makes the requests of a clerk's replay with plain fetches:
 * `fetch_replay.ts <api url> <token> <share.json>`.
 */
import { caseContent, eventContent } from "../../workflows/examples/replay_log.ts";
import type { LogCase } from "../replay/log.ts";

const [api = "", token = "", file = ""] = Deno.args;
const share: LogCase[] = JSON.parse(await Deno.readTextFile(file));

async function call(method: string, path: string, body?: unknown, tag?: string) {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (tag !== undefined) headers["if-match"] = tag;
  if (method !== "GET") headers["idempotency-key"] = crypto.randomUUID(); // The requests of the workflow have one, too.
  const response = await fetch(api + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  const result = await response.json();
  if (!response.ok) throw new Error(`${method} ${path} responded with ${response.status}: ${JSON.stringify(result)}`);
  return { result, tag: response.headers.get("etag") ?? "" };
}

for (const logged of share) {
  await call("POST", "/cases", { caseTypeID: "City-Permit-Work-Receipt", content: caseContent(logged) });
  for (const event of logged.events) {
    const next = await call("GET", "/assignments/next");
    const path = `/assignments/${encodeURIComponent(next.result.id)}`;
    const { tag } = await call("GET", path);
    const content = eventContent(event, event === logged.events.at(-1));
    await call("PATCH", `${path}/actions/${encodeURIComponent(event.activity)}`, { content }, tag);
  }
}
