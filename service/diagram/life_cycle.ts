/** The life cycle of a case type as a graph: its stages with their steps, and what follows each of them. */
import { pluralize } from "../../utils/text/wording.ts";
import type { Application } from "../application/model/application.ts";
import type { AssignmentStep, CaseType, Process, Stage, Step, StepTransition } from "../application/model/case_type.ts";

/** The life cycle of a case type. */
export interface LifeCycle {
  /** Name of the case type. */
  readonly name: string;
  /** The stages, then a group for the optional processes of the case type. */
  readonly stages: readonly StageGroup[];
  /** Actions that move a case to a stage. */
  readonly moves: readonly Move[];
}

/** A stage. */
export interface StageGroup {
  readonly id: string;
  readonly name: string;
  readonly kind: "Primary" | "Alternate" | "Optional";
  /** Status of a case that enters the stage. */
  readonly status?: string;
  readonly processes: readonly ProcessGroup[];
  /** Follower of the last process. */
  readonly exit?: Follower;
}

/** A process of a stage. */
export interface ProcessGroup {
  readonly name: string;
  /** Condition without which the process is left out. */
  readonly condition?: string;
  /** True if it runs only when a person starts it. */
  readonly optional: boolean;
  readonly steps: readonly StepNode[];
}

/** A step. */
export interface StepNode {
  readonly id: string;
  readonly name: string;
  readonly kind: Step["kind"];
  /** Lines: the people who work in the step or the work of the service, and when the work is due. */
  readonly details: readonly string[];
  /** True if the next step of the process can follow. */
  readonly continues: boolean;
  /** True if the process can end here. */
  readonly ends: boolean;
  /** Other followers. */
  readonly jumps: readonly Follower[];
}

/** A step, a stage or a status that follows. */
export interface Follower {
  readonly kind: "step" | "stage" | "status";
  /** ID of the step or stage, or the status. */
  readonly target: string;
  /** Its name for people. */
  readonly name: string;
  /** When it follows, e.g. the name of an action or a condition. */
  readonly label?: string;
}

/** An action that moves a case to a stage. */
export interface Move {
  /** Name of the action. */
  readonly name: string;
  /** ID of the stage in which it is available. Default: every stage. */
  readonly from?: string;
  readonly to: Follower;
}

/** Describes the life cycle of a case type. */
export function describeLifeCycle(app: Application, type: CaseType): LifeCycle {
  const ofCase = [...type.processes.values()].filter(({ optional, stage }) => optional && stage === undefined);
  const optional: StageGroup = {
    id: "",
    name: "At any time",
    kind: "Optional",
    processes: ofCase.map((process) => describeProcess(app, type, process)),
  };
  const stages = Array.from(type.stages.values(), (stage) => describeStage(app, type, stage));
  return {
    name: type.name,
    stages: ofCase.length === 0 ? stages : [...stages, optional],
    moves: [
      ...listMoves(type, type.actions),
      ...[...type.stages.values()].flatMap((stage) => listMoves(type, stage.actions, stage.id)),
    ],
  };
}

function describeStage(app: Application, type: CaseType, stage: Stage): StageGroup {
  const { id, name, status, processes, optionalProcesses } = stage;
  return {
    id,
    name,
    kind: stage.type,
    status,
    processes: [...processes.values(), ...optionalProcesses.values()].map((process) =>
      describeProcess(app, type, process)
    ),
    exit: findExit(type, stage),
  };
}

function findExit(type: CaseType, { id, transition, resolve }: Stage): Follower | undefined {
  if (transition === "resolution") return { kind: "status", target: resolve, name: resolve };
  const primary = [...type.stages.values()].filter((stage) => stage.type === "Primary");
  const index = primary.findIndex((stage) => stage.id === id);
  const next = index < 0 ? undefined : primary[index + 1];
  return next && { ...toStage(type, next.id), label: transition === "manual" ? "manual" : undefined };
}

function describeProcess(
  app: Application,
  type: CaseType,
  { id, name, condition, optional, steps, stage = "" }: Process,
): ProcessGroup {
  const toId = (step: string) => `${stage}/${id}/${step}`;
  const last = [...steps.keys()].at(-1);
  const describe = (step: Step): StepNode => {
    const lists = listTransitions(step);
    const jumps = lists.flatMap(({ action, transitions }) =>
      transitions.flatMap(({ condition, to }): Follower[] => {
        const label = [action, condition].filter((part) => part !== undefined).join(": ") || undefined;
        if (to.kind === "stage") return [{ ...toStage(type, to.stage), label }];
        if (to.kind === "resolve") return [{ kind: "status", target: to.status, name: to.status, label }];
        if (to.kind === "end") return [];
        return [{ kind: "step", target: toId(to.step), name: steps.get(to.step)?.name ?? to.step, label }];
      })
    );
    const isOpen = lists.some(({ transitions }) => transitions.every(({ condition }) => condition !== undefined));
    return {
      id: toId(step.id),
      name: step.name,
      kind: step.kind,
      details: [describeWork(app, step), ...describeDueTime(step)],
      continues: isOpen && step.id !== last,
      ends: (isOpen && step.id === last) ||
        lists.some(({ transitions }) => transitions.some(({ to }) => to.kind === "end")),
      jumps,
    };
  };
  return { name, condition, optional, steps: Array.from(steps.values(), describe) };
}

/** Lists the transitions of a step: its own, and those of each action that has others. */
function listTransitions(step: Step): { readonly action?: string; readonly transitions: readonly StepTransition[] }[] {
  if (step.kind !== "assignment") return [{ transitions: step.next }];
  const actions = [...step.actions.values()];
  const own = actions.filter(({ next }) => next !== step.next).map(({ name, next }) => ({
    action: name,
    transitions: next,
  }));
  return own.length === actions.length ? own : [{ transitions: step.next }, ...own];
}

function describeWork(app: Application, step: Step): string {
  switch (step.kind) {
    case "automatic":
      return "automatic";
    case "child":
      return `creates: ${app.caseTypes.get(step.caseType)?.name ?? step.caseType}${step.wait ? ", waits for it" : ""}`;
    case "assignment":
      return describeRoute(app, step.route);
  }
}

function describeDueTime(step: Step): string[] {
  if (step.kind !== "assignment" || step.dueDays === undefined) return [];
  return [`due after ${pluralize(step.dueDays, "day")}`];
}

function describeRoute(app: Application, route: AssignmentStep["route"]): string {
  switch (route.kind) {
    case "queue":
      return `queue: ${app.queues.get(route.queue) ?? route.queue}`;
    case "operator":
      return "a computed operator";
    case "performer":
      return "the last performer";
    case "creator":
      return "the creator";
  }
}

function listMoves(type: CaseType, actions: CaseType["actions"], from?: string): Move[] {
  return [...actions.values()].flatMap(({ name, stage }) =>
    stage === undefined ? [] : [{ name, from, to: toStage(type, stage) }]
  );
}

function toStage(type: CaseType, id: string): Follower {
  return { kind: "stage", target: id, name: type.stages.get(id)?.name ?? id };
}
