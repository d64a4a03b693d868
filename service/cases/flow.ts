/** Moves cases through their stages, processes and steps. */
import type { JsonObject } from "../../utils/json.ts";
import type {
  AssignmentStep,
  ChildStep,
  LocalAction,
  Process,
  Stage,
  Step,
  StepTransition,
} from "../application/model/application.ts";
import { REOPEN_ACTION } from "../application/model/case_type.ts";
import { Conflict, Invalid, NotFound, OperationFailed } from "../errors.ts";
import type { StoredAssignment } from "../store/store.ts";
import { setComputed } from "./content/content.ts";
import {
  addVisit,
  type CaseWork,
  checkChange,
  checkOpen,
  type EngineContext,
  findAnyCase,
  findWaiting,
  isResolved,
  listWaitingProcesses,
  openCase,
  setScreen,
  setWaiting,
  stopWaiting,
} from "./case_work.ts";
import { newChild } from "./new_case.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";

/** Maximum number of automatic moves. A definition that needs more is endless. */
const MOVE_LIMIT = 200;

/** Moves a case to a stage and starts its first process. Without `cleanup`, work of the previous stage stays open. */
export async function enterStage(work: CaseWork, stage: Stage, cleanup = true): Promise<void> {
  countMove(work);
  if (cleanup) leaveStage(work);
  work.touch();
  work.stored.stageId = stage.id;
  if (stage.status !== undefined) work.stored.status = stage.status;
  addVisit(work.stored, stage.id, work.context.now.toISOString());
  work.addEvent("stage", `Entered the stage ${stage.name}`, { stage: stage.id });
  await startNextProcess(work, stage, undefined);
}

/** Starts a process at its first step. */
export async function startProcess(work: CaseWork, process: Process): Promise<void> {
  const [first] = process.steps.values();
  if (first !== undefined) await enterStep(work, process, first);
}

/** Continues after a step: with the target of the first transition that applies, the next step, or the end of the process. */
export async function leaveStep(
  work: CaseWork,
  process: Process,
  step: Step,
  transitions: readonly StepTransition[],
  action = "",
): Promise<void> {
  countMove(work);
  const scope = work.scope(action);
  const chosen = transitions.find(({ when }) => when(scope));
  switch (chosen?.to.kind) {
    case undefined: {
      const steps = [...process.steps.values()];
      const following = steps[steps.indexOf(step) + 1];
      return following === undefined ? await endProcess(work, process) : await enterStep(work, process, following);
    }
    case "step":
      return await enterStep(work, process, getMember(process.steps, chosen.to.step));
    case "stage":
      return await enterStage(work, getMember(work.type.stages, chosen.to.stage));
    case "resolve":
      return await resolve(work, chosen.to.status);
    case "end":
      return await endProcess(work, process);
  }
}

/** Resolves a case, and continues a parent that waits for it. */
async function resolve(work: CaseWork, status: string): Promise<void> {
  work.touch();
  work.stored.status = status;
  for (const { id } of work.assignments) work.removeAssignment(id);
  stopWaiting(work.stored, new Set(listWaitingProcesses(work.stored)));
  work.addEvent("resolved", `Resolved as ${status}`, { status });
  const { id, parentId } = work.stored;
  // The step that creates a case checks whether it is resolved.
  if (parentId === undefined || work.creator !== undefined) return;
  const parent = await findAnyCase(work.context, parentId); // A changed definition may have lost its type.
  if (parent === undefined || isResolved(parent.stored)) return;
  const waiting = findWaiting(parent.stored, id);
  if (waiting === undefined) return;
  const process = getMember(parent.type.processes, waiting.processId);
  const step = getMember(process.steps, waiting.stepId);
  setWaiting(parent.stored, id, undefined);
  parent.touch();
  work.related.push(parent);
  await leaveStep(parent, process, step, step.next);
}

/** Reports whether a process has open work. */
export function isRunning(work: CaseWork, processId: string): boolean {
  return work.assignments.some((assignment) => assignment.processId === processId) ||
    listWaitingProcesses(work.stored).includes(processId);
}

/** Returns the current stage of a case. */
export function getCurrentStage({ type, stored }: CaseWork): Stage {
  return getMember(type.stages, stored.stageId);
}

/** Finds the primary stage after a stage. */
export function findNextStage({ type }: CaseWork, stage: Stage): Stage | undefined {
  const stages = [...type.stages.values()];
  return stages.slice(stages.indexOf(stage) + 1).find(({ type }) => type === "Primary");
}

/** Returns a member of the definition. Throws `Conflict` if the definition has changed and no longer has it. */
export function getMember<T>(members: ReadonlyMap<string, T>, id: string): T {
  const member = members.get(id);
  if (member !== undefined) return member;
  const problem = `The application definition no longer has '${id}', the position of this case`;
  throw new Conflict(`${problem}: move the case to a stage, or define '${id}' again`);
}

async function enterStep(work: CaseWork, process: Process, step: Step): Promise<void> {
  countMove(work);
  work.touch();
  switch (step.kind) {
    case "assignment":
      return openAssignment(work, process, step);
    case "automatic":
      work.setContent({ ...work.stored.content }, step.set);
      if (step.status !== undefined) work.stored.status = step.status;
      return await leaveStep(work, process, step, step.next);
    case "child":
      return await enterChildStep(work, process, step);
  }
}

function openAssignment(work: CaseWork, process: Process, step: AssignmentStep): void {
  const { stored, context } = work;
  if (step.status !== undefined) stored.status = step.status;
  const assignee = findAssignee(work, step);
  const list = assignee.kind === "queue" ? "ASSIGN-WORKBASKET" : "ASSIGN-WORKLIST";
  const assignment: StoredAssignment = {
    id: findFreeHandle(work, `${list} ${stored.id}!${process.id.toUpperCase()}`),
    caseId: stored.id,
    processId: process.id,
    stepId: step.id,
    urgency: step.urgency ?? stored.urgency,
    createdAt: context.now.toISOString(),
    assignee,
    state: {
      label: stored.content.pyLabel,
      task: step.name,
      ...(step.dueDays !== undefined && { due: addDays(context.now, step.dueDays).toISOString() }),
    },
  };
  if (step.screens) setScreen(assignment, 0);
  work.putAssignment(assignment);
}

function addDays(time: Date, days: number): Date {
  return new Date(time.getTime() + days * 86_400_000);
}

/** Returns a handle, with `_1`, `_2` … at its end if it belongs to an open assignment: a process may run several times. */
function findFreeHandle(work: CaseWork, handle: string): string {
  const numbered = (number: number) => number === 0 ? handle : `${handle}_${number}`;
  let number = 0;
  while (work.findAssignment(numbered(number)) !== undefined) number++;
  return numbered(number);
}

function findAssignee(work: CaseWork, { name, route }: AssignmentStep): StoredAssignment["assignee"] {
  switch (route.kind) {
    case "queue":
      return { kind: "queue", id: route.queue };
    case "creator":
      return { kind: "operator", id: work.stored.createdBy };
    case "performer":
      return { kind: "operator", id: work.context.caller.id };
    case "operator": {
      const id = String(route.operator(work.scope()));
      if (work.context.app.operators.has(id)) return { kind: "operator", id };
      throw new Conflict(`The step '${name}' is for the operator '${id}', who does not exist`);
    }
  }
}

async function enterChildStep(work: CaseWork, process: Process, step: ChildStep): Promise<void> {
  const type = getMember(work.context.app.caseTypes, step.caseType);
  const content: JsonObject = {};
  setComputed(type.fields, content, step.content, work.scope());
  const child = await newChild(work, type, content);
  await enterStage(child, getCurrentStage(child));
  work.related.push(child);
  if (!step.wait || isResolved(child.stored)) return await leaveStep(work, process, step, step.next);
  setWaiting(work.stored, child.stored.id, { processId: process.id, stepId: step.id });
}

/** Continues a stage with its next process, or completes it. An optional process only ends. */
async function endProcess(work: CaseWork, process: Process): Promise<void> {
  if (process.optional || process.stage !== work.stored.stageId) return;
  await startNextProcess(work, getCurrentStage(work), process);
}

/** Starts the next process, unless another one is still running: processes run one after another. */
async function startNextProcess(work: CaseWork, stage: Stage, after: Process | undefined): Promise<void> {
  const processes = [...stage.processes.values()];
  if (processes.some(({ id }) => isRunning(work, id))) return;
  const scope = work.scope();
  const rest = after === undefined ? processes : processes.slice(processes.indexOf(after) + 1);
  const next = rest.find(({ when }) => when(scope));
  return next === undefined ? await completeStage(work, stage) : await startProcess(work, next);
}

async function completeStage(work: CaseWork, stage: Stage): Promise<void> {
  if (stage.transition === "resolution") return await resolve(work, stage.resolve);
  if (stage.transition === "manual") return;
  const next = findNextStage(work, stage);
  if (next !== undefined && stage.type === "Primary") await enterStage(work, next);
}

/**
 * Closes the open work of the current stage, and work that the definition no longer has. Case-wide optional processes
 * continue.
 */
function leaveStage(work: CaseWork): void {
  const findCaseWide = (id: string) => {
    const process = work.type.processes.get(id);
    return process?.stage === undefined ? process : undefined;
  };
  for (const { id, processId, stepId } of work.assignments) {
    if (!findCaseWide(processId)?.steps.has(stepId)) work.removeAssignment(id);
  }
  stopWaiting(work.stored, new Set(listWaitingProcesses(work.stored).filter((id) => findCaseWide(id) === undefined)));
}

function countMove(work: CaseWork): void {
  if (++work.moves > MOVE_LIMIT) {
    throw new OperationFailed("The application definition moves this case endlessly");
  }
}

/** Options of a move. */
export interface MoveOptions {
  readonly ifMatch?: string;
  /** True to close the open assignments of the current stage. */
  readonly cleanup: boolean;
}

/** Finds a stage by its ID or its name. */
export function findStage({ type }: CaseWork, nameOrId: string): Stage {
  const known = type.stages.get(nameOrId);
  if (known !== undefined) return known;
  const [stage, ...others] = [...type.stages.values()].filter(({ name }) => name === nameOrId);
  if (stage === undefined) {
    const names = new Set([...type.stages.values()].map(({ name }) => name));
    throw new NotFound(`Stage not found for the given parameter stageID${suggestAlternatives(nameOrId, names)}`);
  }
  if (others.length === 0) return stage;
  const ids = [stage, ...others].map(({ id }) => id).join(" or ");
  throw new Invalid(`Several stages are called ${nameOrId}. Use ${ids}.`);
}

/** Moves a case to a stage. */
export async function goToStage(
  context: EngineContext,
  caseId: string,
  nameOrId: string,
  options: MoveOptions,
): Promise<CaseWork> {
  return await move(context, caseId, options, (work) => findStage(work, nameOrId));
}

/** Moves a case to the primary stage after its stage. */
export async function goToNextStage(context: EngineContext, caseId: string, options: MoveOptions): Promise<CaseWork> {
  return await move(context, caseId, options, (work) => {
    const next = findNextStage(work, getCurrentStage(work));
    if (next !== undefined) return next;
    throw new Conflict(`${work.stored.businessId} is in its last stage`);
  });
}

/** Lists the actions that a case offers now. */
export function listLocalActions(work: CaseWork): LocalAction[] {
  const actions = [...work.type.actions.values(), ...getCurrentStage(work).actions.values()];
  return actions.filter(({ id }) => (id === REOPEN_ACTION) === isResolved(work.stored));
}

/** Lists the optional processes that a case offers now. */
export function listOptionalProcesses(work: CaseWork): Process[] {
  const { id } = getCurrentStage(work);
  const scope = work.scope();
  return [...work.type.processes.values()].filter(({ optional, stage, when }) => {
    return optional && (stage ?? id) === id && when(scope);
  });
}

/** Starts an optional process of a case. */
export async function startOptionalProcess(
  context: EngineContext,
  caseId: string,
  processId: string,
  ifMatch: string | undefined,
): Promise<CaseWork> {
  const work = await openCase(context, caseId);
  const offered = listOptionalProcesses(work);
  const process = offered.find(({ id }) => id === processId);
  if (process === undefined) {
    const instead = suggestAlternatives(processId, offered.map(({ id }) => id));
    throw new NotFound(`Process not found for the given parameter processID${instead}`);
  }
  checkMovable(work, ifMatch);
  work.addEvent("process", `Started ${process.name}`, { process: process.id });
  await startProcess(work, process);
  await work.save();
  return work;
}

async function move(
  context: EngineContext,
  caseId: string,
  { ifMatch, cleanup }: MoveOptions,
  choose: (work: CaseWork) => Stage,
): Promise<CaseWork> {
  const work = await openCase(context, caseId);
  const stage = choose(work);
  checkMovable(work, ifMatch);
  await enterStage(work, stage, cleanup);
  await work.save();
  return work;
}

function checkMovable(work: CaseWork, ifMatch: string | undefined): void {
  checkOpen(work);
  checkChange(work, ifMatch);
}
