/** A case during a call: it is read, changed in memory, and written once. */
import { isJsonObject, isString, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { Action, Application, CaseType, Scope } from "../application/model/application.ts";
import { checkWork } from "../access/case_rights.ts";
import { buildScope } from "./scope.ts";
import { Conflict, EntityTagRequired, Locked, NotFound, Stale } from "../errors.ts";
import type { StoredAssignment, StoredCase, StoredHistoryEvent, StoredItem } from "../store/store.ts";
import { calculate, setComputed } from "./content/content.ts";
import type { HandlerContext } from "../http/handler.ts";

/** A case with its open assignments, and the changes to write. */
export class CaseWork {
  readonly context: EngineContext;
  readonly type: CaseType;
  /** Current state of the case. */
  readonly stored: StoredCase;
  /** The parent case, if a step of it creates this case in this call. */
  readonly creator?: CaseWork;
  /** Cases that are written together with it: its new children and its parent. */
  readonly related: CaseWork[] = [];
  /** Number of automatic moves, which is limited. */
  moves = 0;
  readonly #assignments: Map<string, StoredAssignment>;
  readonly #written = new Set<string>();
  readonly #removed = new Set<string>();
  readonly #events: StoredHistoryEvent[] = [];
  readonly #items: StoredItem[] = [];
  #changed = false;

  /** Creates the working copy of a case. */
  constructor(
    context: EngineContext,
    type: CaseType,
    stored: StoredCase,
    assignments: readonly StoredAssignment[],
    creator?: CaseWork,
  ) {
    this.context = notBefore(context, stored.updatedAt);
    this.type = type;
    this.stored = stored;
    this.creator = creator;
    this.#assignments = new Map(assignments.map((assignment) => [assignment.id, assignment]));
  }

  /** Open assignments in order of creation. */
  get assignments(): readonly StoredAssignment[] {
    return [...this.#assignments.values()];
  }

  /** Finds an open assignment. */
  findAssignment(id: string): StoredAssignment | undefined {
    return this.#assignments.get(id);
  }

  /** Builds the scope of an expression. */
  scope(action = ""): Scope {
    return buildScope(this.stored, this.context, action);
  }

  /** Opens or changes an assignment. */
  putAssignment(assignment: StoredAssignment): void {
    this.#assignments.set(assignment.id, assignment);
    this.#written.add(assignment.id);
  }

  /** Closes an assignment. */
  removeAssignment(id: string): void {
    if (!this.#assignments.delete(id)) return;
    this.#written.delete(id);
    this.#removed.add(id);
  }

  /** Adds or changes an item, which is written with the case. */
  putItem(item: StoredItem): void {
    this.#items.push(item);
  }

  /** Adds a line to the history. */
  addEvent(kind: string, text: string, facts: JsonObject): void {
    const { caller, now } = this.context;
    this.#events.push({ caseId: this.stored.id, at: now.toISOString(), by: caller.id, kind, text, facts });
  }

  /** Replaces the content, then sets the fields that an action or a step sets. */
  setContent(content: JsonObject, set: Action["set"], action = ""): void {
    this.stored.content = content;
    setComputed(this.type.fields, content, set, this.scope(action));
    this.#calculate();
  }

  /** Marks the case as changed, and gives it a new entity tag. */
  touch(): void {
    if (this.#changed) return;
    this.#changed = true;
    const { caller, now } = this.context;
    this.stored.tag = nextEntityTag(this.stored.tag || undefined, now);
    this.stored.updatedBy = caller.id;
    this.stored.updatedAt = now.toISOString();
  }

  /** Writes the changes of this case and of the related cases. If one of them is invalid, nothing is written. */
  async save(): Promise<void> {
    this.#complete();
    await this.#write();
  }

  /** Updates the lock, the calculated fields and the labels of assignments. */
  #complete(): void {
    if (getLockHolder(this.stored) !== undefined && !this.assignments.some(hasDrafts)) releaseLock(this.stored);
    if (this.#changed) {
      this.#calculate();
      this.#relabel();
    }
    for (const work of this.related) work.#complete();
  }

  /** Computes the calculated fields and the label. */
  #calculate(): void {
    const { content } = this.stored;
    const scope = this.scope();
    calculate(this.type.fields, content, scope);
    content.pyLabel = this.type.label?.(scope) || this.type.name;
  }

  async #write(): Promise<void> {
    const { tx } = this.context;
    if (this.#changed) await tx.putCase(this.stored);
    for (const id of this.#removed) await tx.deleteAssignment(id);
    for (const id of this.#written) {
      const assignment = this.#assignments.get(id);
      if (assignment !== undefined) await tx.putAssignment(assignment);
    }
    for (const item of this.#items) await tx.putItem(item);
    for (const event of this.#events) await tx.addEvent(event);
    for (const work of this.related) await work.#write();
  }

  /** Copies the label of the case to its assignments, which worklists show. */
  #relabel(): void {
    const label = this.stored.content.pyLabel;
    for (const assignment of this.assignments) {
      if (assignment.state.label === label) continue;
      assignment.state.label = label;
      this.putAssignment(assignment);
    }
  }
}

/** Returns the context with a time that is not before the last change, which another machine may have made. */
function notBefore(context: EngineContext, time: string): EngineContext {
  return context.now.toISOString() < time ? { ...context, now: new Date(time) } : context;
}

/** Reads a case, if it exists and the caller may see it. */
export async function findCase(context: EngineContext, caseId: string): Promise<CaseWork | undefined> {
  return await toCaseWork(context, await context.tx.getCase(caseId));
}

/** Reads a case, if it exists. It may be one that the caller may not see: the engine continues it. */
export async function findAnyCase(context: EngineContext, caseId: string): Promise<CaseWork | undefined> {
  return await toCaseWork(context, await context.tx.unrestricted.getCase(caseId));
}

async function toCaseWork(context: EngineContext, stored: StoredCase | undefined): Promise<CaseWork | undefined> {
  const type = stored && context.app.caseTypes.get(stored.typeId);
  if (stored === undefined || type === undefined) return undefined;
  return new CaseWork(context, type, stored, await context.tx.listAssignments(stored.id));
}

/** Reads a case. Throws `NotFound` if it does not exist, and `Stale` if its entity tag has changed. */
export async function openCase(context: EngineContext, caseId: string, ifMatch?: string): Promise<CaseWork> {
  const work = await findCase(context, caseId);
  if (work === undefined) throw new NotFound("Case not found for the given parameter ID");
  checkEntityTag(ifMatch, work.stored.tag);
  return work;
}

/** Reads a case to change it. Throws `NotFound`, `Forbidden` without the right to change it, and `Stale`. */
export async function openCaseToChange(context: EngineContext, caseId: string, ifMatch?: string): Promise<CaseWork> {
  const work = await openCase(context, caseId);
  checkWork(work);
  checkEntityTag(ifMatch, work.stored.tag);
  return work;
}

/**
 * Checks that the caller may change a case. Throws `Forbidden` without the right, `Locked` for the draft of another
 * operator, and `Stale`.
 */
export function checkChange(work: CaseWork, ifMatch: string | undefined): void {
  const { stored, context } = work;
  checkWork(work);
  const holder = findOtherHolder(stored, context.caller.id);
  if (holder !== undefined) {
    const since = stringOrUndefined(stored.flow.lockedAt);
    const message = `Resource is locked by ${getOperatorName(context.app, holder)}`;
    throw new Locked([{ message, localizedValue: since === undefined ? message : `${message} since ${since}` }]);
  }
  checkEntityTag(ifMatch, stored.tag, context);
}

/** Checks that a case is open. Throws `Conflict` if it is resolved. */
export function checkOpen({ stored }: CaseWork): void {
  if (isResolved(stored)) {
    throw new Conflict(`${stored.businessId} is resolved and can no longer be changed`);
  }
}

/** The part of a call's context that rules need. */
export type EngineContext =
  & Pick<HandlerContext, "app" | "tx" | "caller" | "now">
  & Partial<Pick<HandlerContext, "needsTag">>;

/** Reports whether a case is resolved. */
export function isResolved(stored: StoredCase): boolean {
  return stored.status.startsWith("Resolved-");
}

/** Returns the name of an operator, or its ID if the application no longer has the operator. */
export function getOperatorName({ operators }: Application, id: string): string {
  return operators.get(id)?.name ?? id;
}

/** Formats a time as a tag, e.g. `20260102T030405.678 GMT`. */
function formatTag(time: Date): string {
  return time.toISOString().replace(/[-:Z]/g, "") + " GMT";
}

/** Returns the tag of a change: its time, or a millisecond after the previous tag if the clock has not advanced. */
export function nextEntityTag(previous: string | undefined, now: Date): string {
  const tag = formatTag(now);
  return previous === undefined || tag > previous ? tag : formatTag(new Date(parseTag(previous) + 1));
}

/** Checks the entity tags of a request: one must be current. Throws `EntityTagRequired` if it needs one and has none. */
export function checkEntityTag(
  given: string | undefined,
  current: string,
  { needsTag = false }: Partial<Pick<HandlerContext, "needsTag">> = {},
): void {
  if (given === undefined) {
    if (!needsTag) return;
    throw new EntityTagRequired("Send the resource's entity tag in the If-Match header.");
  }
  if (given === "*" || given.split(",").some((tag) => normalizeTag(tag) === current)) return;
  throw new Stale("Resource is stale: its state has changed since your last request.");
}

/** Removes quotes and the mark of a weak tag, which some clients send. */
function normalizeTag(tag: string): string {
  return tag.trim().replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
}

function parseTag(tag: string): number {
  const [, year, month, day, hour, minute, rest] = tag.match(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)([\d.]+) GMT$/) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${rest}Z`);
}

/** Returns the time at which a case last entered each stage, by stage ID. */
export function readVisits(stored: StoredCase): Readonly<Record<string, string>> {
  const visits: Record<string, string> = {};
  for (const [stage, time] of Object.entries(readObject(stored.flow, "visits"))) {
    if (typeof time === "string") visits[stage] = time;
  }
  return visits;
}

/** Records that a case enters a stage. */
export function addVisit(stored: StoredCase, stage: string, time: string): void {
  stored.flow.visits = { ...readVisits(stored), [stage]: time };
}

/** A process that waits for a child case. */
export interface Waiting {
  processId: string;
  stepId: string;
}

/** Finds the process that waits for a child case. */
export function findWaiting(stored: StoredCase, childId: string): Waiting | undefined {
  const waiting = readObject(stored.flow, "waiting")[childId];
  if (!isJsonObject(waiting)) return undefined;
  const { processId, stepId } = waiting;
  return typeof processId === "string" && typeof stepId === "string" ? { processId, stepId } : undefined;
}

/** Lists the processes that wait for child cases. */
export function readWaiting(stored: StoredCase): Waiting[] {
  return Object.keys(readObject(stored.flow, "waiting")).flatMap((child) => findWaiting(stored, child) ?? []);
}

/** Lists the IDs of the processes that wait for child cases. */
export function listWaitingProcesses(stored: StoredCase): string[] {
  return readWaiting(stored).map(({ processId }) => processId);
}

/** Records that a process waits for a child case, or that none does. */
export function setWaiting(stored: StoredCase, childId: string, waiting: Waiting | undefined): void {
  stored.flow.waiting = { ...readObject(stored.flow, "waiting"), [childId]: waiting && { ...waiting } };
}

/** Ends the waiting of processes. */
export function stopWaiting(stored: StoredCase, processIds: ReadonlySet<string>): void {
  for (const child of Object.keys(readObject(stored.flow, "waiting"))) {
    const waiting = findWaiting(stored, child);
    if (waiting !== undefined && processIds.has(waiting.processId)) setWaiting(stored, child, undefined);
  }
}

/** Returns the operator who has locked a case by saving a draft. */
export function getLockHolder({ flow }: Pick<StoredCase, "flow">): string | undefined {
  return stringOrUndefined(flow.lockedBy);
}

/** Returns the operator whose lock prevents another operator from changing a case. */
export function findOtherHolder(stored: Pick<StoredCase, "flow">, operator: string): string | undefined {
  const holder = getLockHolder(stored);
  return holder === operator ? undefined : holder;
}

/** Gives the lock of a case to an operator, who may have it already. */
export function setLock({ flow }: StoredCase, operator: string, now: Date): void {
  if (flow.lockedBy !== operator) flow.lockedAt = now.toISOString();
  flow.lockedBy = operator;
}

/** Releases the lock of a case. */
function releaseLock({ flow }: StoredCase): void {
  flow.lockedBy = undefined;
  flow.lockedAt = undefined;
}

/** Returns the IDs of the followers of a case, in the order in which they were added. */
export function readFollowers({ flow }: StoredCase): string[] {
  return Array.isArray(flow.followers) ? flow.followers.filter(isString) : [];
}

/** Sets the followers of a case. */
export function setFollowers(stored: StoredCase, followers: readonly string[]): void {
  stored.flow.followers = followers.length > 0 ? [...followers] : undefined;
}

/** Returns the draft of an action. It is empty if no draft is saved. */
export function readDraft(assignment: StoredAssignment, action: string): JsonObject {
  return readObject(readObject(assignment.state, "drafts"), action);
}

/** Lists the actions that have a draft, with their drafts. */
export function listDrafts({ state }: StoredAssignment): [action: string, draft: JsonObject][] {
  const drafts = readObject(state, "drafts");
  return Object.keys(drafts).map((action) => [action, readObject(drafts, action)]);
}

/** Returns the IDs of the actions that have a draft, as the member of an assignment in responses. Empty without drafts. */
export function describeDrafts(assignment: StoredAssignment): { draftActions?: string[] } {
  const actions = listDrafts(assignment).filter(([, draft]) => Object.keys(draft).length > 0).map(([action]) => action);
  return actions.length === 0 ? {} : { draftActions: actions };
}

/** Stores the draft of an action. */
export function setDraft(assignment: StoredAssignment, action: string, content: JsonObject): void {
  assignment.state.drafts = { ...readObject(assignment.state, "drafts"), [action]: content };
}

/** Deletes the draft of an action. */
export function deleteDraft(assignment: StoredAssignment, action: string): void {
  const { [action]: _, ...drafts } = readObject(assignment.state, "drafts");
  assignment.state.drafts = Object.keys(drafts).length > 0 ? drafts : undefined;
}

/** Deletes all drafts of an assignment. */
export function deleteDrafts(assignment: StoredAssignment): void {
  assignment.state.drafts = undefined;
}

/** Reports whether an assignment has drafts. */
export function hasDrafts(assignment: StoredAssignment): boolean {
  return assignment.state.drafts !== undefined;
}

/** Returns the indexes of the current and of the furthest visited screen of a screen flow. */
export function readScreen(assignment: StoredAssignment): { current: number; furthest: number } {
  const { screen, furthestScreen } = assignment.state;
  const current = typeof screen === "number" ? screen : 0;
  return { current, furthest: typeof furthestScreen === "number" ? furthestScreen : current };
}

/** Sets the current screen of a screen flow. */
export function setScreen(assignment: StoredAssignment, current: number): void {
  assignment.state.furthestScreen = Math.max(readScreen(assignment).furthest, current);
  assignment.state.screen = current;
}

function readObject(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : {};
}
