/** Reads replayed cases back through the API and compares them with the log. */
import { isJsonObject } from "../../utils/json.ts";
import type { Client, JsonObject } from "../../mod.ts";
import { forEachConcurrently } from "../for_each_concurrently.ts";
import type { LogCase, LogEvent } from "./log.ts";

/** Cases that are read at the same time. */
const CONCURRENCY = 8;

/** What differs between the log and the service, one text per case; nothing where they agree. */
export async function differences(
  svc: Client,
  log: readonly LogCase[],
  handles: ReadonlyMap<string, string>,
): Promise<string[]> {
  const found: string[] = [];
  await forEachConcurrently(log, CONCURRENCY, async (logged) => {
    const handle = handles.get(logged.key);
    const difference = handle === undefined ? "no case was created" : await differenceOfCase(svc, logged, handle);
    if (difference !== undefined) found.push(`${logged.key}: ${difference}`);
  });
  return found;
}

async function differenceOfCase(svc: Client, logged: LogCase, handle: string): Promise<string | undefined> {
  const { status, data } = await svc.cases.get(handle);
  if (status !== "Resolved-Completed") return `${handle} is ${status}`;
  if (data.caseInfo.content?.Reference !== logged.key) return `${handle} is another case`;
  const history = await svc.data.query("D_pyWorkHistory", { params: { CaseInstanceKey: handle } });
  const performed = (history.data ?? []).filter((row) => row.pyHistoryType === "performed").map(asLogged).join("\n");
  const expected = logged.events.map(asPerformed).join("\n");
  return performed === expected ? undefined : `${handle} has the history\n${performed}\ninstead of\n${expected}`;
}

function asPerformed({ activity, resource, group, time }: LogEvent): string {
  return [activity, resource, group, time.replace(" ", "T")].join(" | ");
}

function asLogged({ pyActionID, pyContent }: JsonObject): string {
  const content = isJsonObject(pyContent) ? pyContent : {};
  return [pyActionID, content.Resource, content.ResourceGroup, content.PerformedAt].join(" | ");
}
