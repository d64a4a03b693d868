/** Work for a service under load. */
import { isJsonObject } from "../../utils/json.ts";
import type { Workspace } from "../support/workspace.ts";

/** Creates a case, and returns its handle. */
export async function createCase(workspace: Workspace): Promise<string> {
  return (await createWork(workspace)).id;
}

/** Creates an assignment that stays open when it is performed. */
export async function createActivity(workspace: Workspace): Promise<string> {
  const { next } = await createWork(workspace);
  const data = JSON.stringify({ Resource: "Resource01", PerformedAt: "2026-01-02T03:04:05Z" });
  const flags = ["--action", "Confirmation of receipt", "--data", data];
  return readNextAssignment(JSON.parse(await workspace.svc("assignments", "perform", next, ...flags)));
}

async function createWork(workspace: Workspace): Promise<{ id: string; next: string }> {
  const result: unknown = JSON.parse(await workspace.svc("cases", "create", "--type", "City-Permit-Work-Receipt"));
  if (!isJsonObject(result) || typeof result.id !== "string") throw new Error("svc cases create printed no id.");
  return { id: result.id, next: readNextAssignment(result) };
}

function readNextAssignment(result: unknown): string {
  const next = isJsonObject(result) ? result.nextAssignmentInfo : undefined;
  if (isJsonObject(next) && typeof next.ID === "string") return next.ID;
  throw new Error("The response contains no next assignment.");
}
