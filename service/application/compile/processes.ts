/** Compiles processes and their steps. */
import { type CaseTypeContext, compileAction, compileSet, compileTransitions } from "./actions.ts";
import type { Action, AssignmentStep, ChildStep, Process, Route, Step } from "../model/application.ts";
import { compileCondition } from "../expressions/conditions.ts";
import { chooseView, spaced } from "./fields.ts";
import type { Path } from "../findings.ts";
import { missing } from "./references.ts";
import type { ProcessDefinition, StepDefinition } from "../schema/schema.ts";

/** Attributes that only some kinds of steps have. */
const ATTRIBUTES: Readonly<Record<StepDefinition["type"], readonly (keyof StepDefinition)[]>> = {
  assignment: ["route", "urgency", "instructions", "view", "fields", "actions", "set", "status"],
  screens: ["route", "urgency", "instructions", "screens", "status"],
  automatic: ["set", "status"],
  child: ["caseType", "content", "wait"],
};
const COMMON: readonly (keyof StepDefinition)[] = ["type", "name", "next"];

/** Compiles processes of a stage, or the optional ones of a stage or a case. */
export function compileProcesses(
  definitions: Readonly<Record<string, ProcessDefinition>> | undefined,
  place: { readonly stage?: string; readonly optional: boolean },
  at: Path,
  context: CaseTypeContext,
): Map<string, Process> {
  const processes = new Map<string, Process>();
  for (const [id, definition] of Object.entries(definitions ?? {})) {
    const here = [...at, id];
    const ids = new Set(Object.keys(definition.steps));
    if (ids.size === 0) context.report([...here, "steps"], "a process needs a step");
    const steps = new Map<string, Step>();
    for (const [stepId, step] of Object.entries(definition.steps)) {
      steps.set(stepId, compileStep(stepId, step, ids, [...here, "steps", stepId], context));
    }
    const when = compileCondition(definition.when, [...here, "when"], context);
    processes.set(id, { id, name: definition.name ?? spaced(id), when, steps, ...place });
  }
  return processes;
}

function compileStep(
  id: string,
  definition: StepDefinition,
  steps: ReadonlySet<string>,
  at: Path,
  context: CaseTypeContext,
): Step {
  checkAttributes(definition, at, context);
  const name = definition.name ?? spaced(id);
  const { status } = definition;
  const next = compileTransitions(definition.next ?? [], steps, [...at, "next"], context);
  switch (definition.type) {
    case "automatic":
      return {
        kind: "automatic",
        id,
        name,
        set: compileSet(definition.set ?? {}, [...at, "set"], context),
        status,
        next,
      };
    case "child":
      return { kind: "child", id, name, next, ...compileChild(definition, at, context) };
    default:
      return {
        kind: "assignment",
        id,
        name,
        route: compileRoute(definition.route, [...at, "route"], context),
        urgency: definition.urgency,
        instructions: definition.instructions ?? "",
        actions: compileActions(id, definition, next, steps, at, context),
        screens: definition.type === "screens",
        status,
        next,
      };
  }
}

function compileActions(
  id: string,
  definition: StepDefinition,
  next: AssignmentStep["next"],
  steps: ReadonlySet<string>,
  at: Path,
  context: CaseTypeContext,
): Map<string, Action> {
  const { views, fields, report } = context;
  const key = definition.type === "screens" ? "screens" : "actions";
  // A step with a form and no actions has one action, with the step's own name.
  const written = definition[key] ?? (key === "actions" ? { [id]: { name: definition.name } } : {});
  const named = { id, name: definition.name ?? spaced(id) };
  const hasForm = definition.view !== undefined || definition.fields !== undefined;
  const defaults = {
    view: hasForm ? chooseView(definition, named, views, fields, undefined, at, report) : undefined,
    set: compileSet(definition.set ?? {}, [...at, "set"], context),
    next,
  };
  const actions = new Map<string, Action>();
  for (const [actionId, action] of Object.entries(written)) {
    actions.set(actionId, compileAction(actionId, action, defaults, steps, [...at, key, actionId], context));
  }
  if (actions.size === 0) report([...at, key], `the step needs one of its '${key}' at least`);
  return actions;
}

function compileRoute(route: StepDefinition["route"], at: Path, { queues, words, report }: CaseTypeContext): Route {
  if (route === undefined) return { kind: "creator" };
  const { to, queue, operator } = route;
  if ([to, queue, operator].filter((place) => place !== undefined).length !== 1) {
    report(at, "a route needs exactly one of 'to', 'queue' and 'operator'");
  }
  if (queue !== undefined) {
    if (!queues.has(queue)) report([...at, "queue"], missing("queue", queue, queues));
    return { kind: "queue", queue };
  }
  if (operator !== undefined) {
    return { kind: "operator", operator: words.expression(operator, [...at, "operator"], report, "Text") };
  }
  return { kind: to ?? "creator" };
}

function compileChild(
  { caseType = "", content, wait = false }: StepDefinition,
  at: Path,
  context: CaseTypeContext,
): Pick<ChildStep, "caseType" | "content" | "wait"> {
  const child = context.caseTypes.get(caseType);
  if (caseType === "") context.report(at, "the step needs 'caseType'");
  else if (child === undefined) {
    context.report([...at, "caseType"], missing("case type", caseType, context.caseTypes.keys()));
  }
  return { caseType, content: compileSet(content ?? {}, [...at, "content"], context, child?.fields), wait };
}

/** An attribute that a kind of step does not have would be ignored silently. */
function checkAttributes(definition: StepDefinition, at: Path, { report }: CaseTypeContext): void {
  const allowed: readonly string[] = [...COMMON, ...ATTRIBUTES[definition.type]];
  for (const [name, value] of Object.entries(definition)) {
    if (value === undefined || allowed.includes(name)) continue;
    report([...at, name], `a step of type ${definition.type} has no '${name}'`);
  }
}
