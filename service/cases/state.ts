/** Access to the flow of a case and the state of an assignment. No other module reads or writes their members. */
import { isJsonObject, isString, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { StoredAssignment, StoredCase } from "../store/store.ts";

/** When a case entered its stages, by stage ID; the last entry counts. */
export function readVisits(stored: StoredCase): Readonly<Record<string, string>> {
  const visits: Record<string, string> = {};
  for (const [stage, time] of Object.entries(objectAt(stored.flow, "visits"))) {
    if (typeof time === "string") visits[stage] = time;
  }
  return visits;
}

/** Remembers that a case enters a stage. */
export function addVisit(stored: StoredCase, stage: string, time: string): void {
  stored.flow.visits = { ...readVisits(stored), [stage]: time };
}

/** A process that waits for a child case. */
export interface Waiting {
  /** The process. */
  processId: string;
  /** Its step. */
  stepId: string;
}

/** The process that waits for a child case, if one does. */
export function waitingFor(stored: StoredCase, childId: string): Waiting | undefined {
  const waiting = objectAt(stored.flow, "waiting")[childId];
  if (!isJsonObject(waiting)) return undefined;
  const { processId, stepId } = waiting;
  return typeof processId === "string" && typeof stepId === "string" ? { processId, stepId } : undefined;
}

/** The processes that wait for child cases. */
export function readWaiting(stored: StoredCase): Waiting[] {
  return Object.keys(objectAt(stored.flow, "waiting")).flatMap((child) => waitingFor(stored, child) ?? []);
}

/** The IDs of the processes that wait for child cases. */
export function waitingProcesses(stored: StoredCase): string[] {
  return readWaiting(stored).map(({ processId }) => processId);
}

/** Remembers, or forgets, that a process waits for a child case. */
export function setWaiting(stored: StoredCase, childId: string, waiting: Waiting | undefined): void {
  stored.flow.waiting = { ...objectAt(stored.flow, "waiting"), [childId]: waiting && { ...waiting } };
}

/** Forgets all waiting of processes. */
export function stopWaiting(stored: StoredCase, processIds: ReadonlySet<string>): void {
  for (const child of Object.keys(objectAt(stored.flow, "waiting"))) {
    const waiting = waitingFor(stored, child);
    if (waiting !== undefined && processIds.has(waiting.processId)) setWaiting(stored, child, undefined);
  }
}

/** Returns the operator who has locked a case by saving a draft. */
export function lockHolder({ flow }: Pick<StoredCase, "flow">): string | undefined {
  return stringOrUndefined(flow.lockedBy);
}

/** Returns the operator whose lock prevents another operator from changing a case. */
export function otherHolder(stored: Pick<StoredCase, "flow">, operator: string): string | undefined {
  const holder = lockHolder(stored);
  return holder === operator ? undefined : holder;
}

/** Gives the lock of a case to an operator, or releases it. */
export function setLock(stored: StoredCase, operator: string | undefined): void {
  stored.flow.lockedBy = operator;
}

/** Returns the IDs of the followers of a case, in the order in which they were added. */
export function readFollowers({ flow }: StoredCase): string[] {
  return Array.isArray(flow.followers) ? flow.followers.filter(isString) : [];
}

/** Remembers who follows a case. */
export function setFollowers(stored: StoredCase, followers: readonly string[]): void {
  stored.flow.followers = followers.length > 0 ? [...followers] : undefined;
}

/** The draft of an action; nothing when none is saved. */
export function readDraft(assignment: StoredAssignment, action: string): JsonObject {
  return objectAt(objectAt(assignment.state, "drafts"), action);
}

/** Keeps the draft of an action. */
export function setDraft(assignment: StoredAssignment, action: string, content: JsonObject): void {
  assignment.state.drafts = { ...objectAt(assignment.state, "drafts"), [action]: content };
}

/** Drops the draft of an action. */
export function dropDraft(assignment: StoredAssignment, action: string): void {
  const { [action]: _, ...drafts } = objectAt(assignment.state, "drafts");
  assignment.state.drafts = Object.keys(drafts).length > 0 ? drafts : undefined;
}

/** Drops all drafts. */
export function dropDrafts(assignment: StoredAssignment): void {
  assignment.state.drafts = undefined;
}

/** Checks whether an assignment has drafts. */
export function hasDrafts(assignment: StoredAssignment): boolean {
  return assignment.state.drafts !== undefined;
}

/** The screen of a screen flow that is shown, and the furthest that was, from 0. */
export function readScreen(assignment: StoredAssignment): { current: number; furthest: number } {
  const { screen, furthestScreen } = assignment.state;
  const current = typeof screen === "number" ? screen : 0;
  return { current, furthest: typeof furthestScreen === "number" ? furthestScreen : current };
}

/** Shows a screen of a screen flow. */
export function setScreen(assignment: StoredAssignment, current: number): void {
  assignment.state.furthestScreen = Math.max(readScreen(assignment).furthest, current);
  assignment.state.screen = current;
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}
