/** Moves that a person makes: between stages, and into optional processes. */
import type { Process, Stage } from "../application/model/application.ts";
import { Conflict, Invalid, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import type { EngineContext } from "./context.ts";
import { currentStage, enterStage, isRunning, stageAfter, startProcess } from "./flow.ts";
import { type CaseWork, checkChange, checkOpen, openCase } from "./case_work.ts";

/** What a person who moves a case says besides where to. */
export interface MoveOptions {
  /** Entity tag that the caller knows. */
  readonly ifMatch?: string;
  /** Whether the open assignments of the stage that is left are closed. */
  readonly cleanup: boolean;
}

/** A stage by its ID or its name, or 404. */
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
  throw new Invalid(`Several stages are called ${nameOrId}: say ${ids}.`);
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
    const next = stageAfter(work, currentStage(work));
    if (next !== undefined) return next;
    throw new Conflict(`${work.stored.businessId} is in its last stage`);
  });
}

/** The optional processes that can be started in a case now. */
export function optionalProcesses(work: CaseWork): Process[] {
  const { id } = currentStage(work);
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
  const offered = optionalProcesses(work);
  const process = offered.find(({ id }) => id === processId);
  if (process === undefined) {
    const instead = suggestAlternatives(processId, offered.map(({ id }) => id));
    throw new NotFound(`Process not found for the given parameter processID${instead}`);
  }
  checkMovable(work, ifMatch);
  if (isRunning(work, process.id)) throw new Conflict(`${process.name} is already under way in this case`);
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
