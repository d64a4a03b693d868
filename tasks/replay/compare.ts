import { isJsonObject } from "../../utils/json.ts";
import type { Client, JsonObject } from "../../mod.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import type { LogCase, LogEvent } from "./log.ts";

const CONCURRENCY = 8;

/** Reads replayed cases through the API and compares them with the log. Returns one text per case that differs. */
export async function compareCases(
  svc: Client,
  log: readonly LogCase[],
  handles: ReadonlyMap<string, string>,
): Promise<string[]> {
  const differences: string[] = [];
  await forEachConcurrently(log, CONCURRENCY, async (logged) => {
    const handle = handles.get(logged.key);
    const difference = handle === undefined ? "no case was created" : await compareCase(svc, logged, handle);
    if (difference !== undefined) differences.push(`${logged.key}: ${difference}`);
  });
  return differences;
}

async function compareCase(svc: Client, logged: LogCase, handle: string): Promise<string | undefined> {
  const { status, data } = await svc.cases.get(handle);
  if (status !== "Resolved-Completed") return `${handle} is ${status}`;
  if (data.caseInfo.content?.Reference !== logged.key) return `${handle} is another case`;
  const history = await svc.data.query("D_pyWorkHistory", { params: { CaseInstanceKey: handle } });
  const rows = (history.data ?? []).filter((row) => row.pyHistoryType === "performed");
  const performed = rows.map(formatHistory).join("\n");
  const expected = logged.events.map(formatEvent).join("\n");
  return performed === expected ? undefined : `${handle} has the history\n${performed}\ninstead of\n${expected}`;
}

function formatEvent({ activity, resource, group, time }: LogEvent): string {
  return [activity, resource, group, time.replace(" ", "T")].join(" | ");
}

function formatHistory({ pyActionID, pyContent }: JsonObject): string {
  const content = isJsonObject(pyContent) ? pyContent : {};
  return [pyActionID, content.Resource, content.ResourceGroup, content.PerformedAt].join(" | ");
}
