/** Compiles processes with their steps, actions and transitions. */
import type { Callers } from "../expressions/field_shape.ts";
import type {
  Action,
  AssignmentRoute,
  AssignmentStep,
  FieldValues,
  LocalAction,
  Process,
  Step,
  StepTransition,
} from "../model/case_type.ts";
import type { Field, View } from "../model/field.ts";
import type {
  ActionDefinition,
  CaseTypeDefinition,
  LocalActionDefinition,
  RouteDefinition,
  StepDefinition,
  TransitionDefinition,
} from "../schema/case_type_format.ts";
import { compileForm, type FieldSet, toLabel } from "./views.ts";
import type { DefinitionPlace, Names } from "./definition_place.ts";

/** A case type while its parts are compiled. */
export interface CaseTypeContext extends FieldSet {
  /** Views by ID. */
  readonly views: ReadonlyMap<string, View>;
  /** IDs of the stages. */
  readonly stages: Names;
  /** The fields of all case types, by case type ID. */
  readonly caseTypes: ReadonlyMap<string, FieldSet>;
  /** IDs of the queues. */
  readonly queues: Names;
  readonly callers: Callers;
}

/** Compiles processes of a stage, or optional processes of a stage or a case. */
export function compileProcesses(
  definitions: CaseTypeDefinition["optionalProcesses"],
  belonging: Pick<Process, "stage" | "optional">,
  context: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, Process> {
  return place.compileAll(definitions, (id, { name = toLabel(id), when, steps }, at) => {
    const ids = new Set(Object.keys(steps));
    return {
      id,
      name,
      when: context.words.compileCondition(when, at.at("when").report),
      condition: when,
      steps: at.at("steps").compileAll(steps, (stepId, step, here) => compileStep(stepId, step, ids, context, here)),
      ...belonging,
    };
  });
}

function compileStep(
  id: string,
  definition: StepDefinition,
  steps: ReadonlySet<string>,
  context: CaseTypeContext,
  place: DefinitionPlace,
): Step {
  const { name = toLabel(id) } = definition;
  const common = { id, name, next: compileTransitions(definition.next, steps, context, place.at("next")) };
  switch (definition.type) {
    case "automatic": {
      const { set, status } = definition;
      return { kind: "automatic", ...common, set: compileSet(set, context, context.fields, place.at("set")), status };
    }
    case "child": {
      const { caseType, wait } = definition;
      const child = place.at("caseType").resolve("case type", caseType, context.caseTypes);
      const content = compileSet(definition.content, context, child?.fields, place.at("content"));
      return { kind: "child", ...common, caseType, content, wait };
    }
    default:
      return {
        kind: "assignment",
        ...common,
        route: compileRoute(definition.route, context, place.at("route")),
        urgency: definition.urgency,
        dueDays: definition.dueDays,
        instructions: definition.instructions ?? "",
        actions: compileActions(common, definition, steps, context, place),
        screens: definition.type === "screens",
        status: definition.status,
      };
  }
}

/** A screen, with the part of the screen flow to which it belongs, and its place in the definition. */
interface CompiledScreen {
  readonly screen: ActionDefinition;
  readonly part?: Action["part"];
  readonly at: DefinitionPlace;
}

function compileActions(
  { id, name, next }: Pick<AssignmentStep, "id" | "name" | "next">,
  definition: Exclude<StepDefinition, { type: "automatic" | "child" }>,
  steps: ReadonlySet<string>,
  context: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, Action> {
  if (definition.type === "screens") {
    const screens = Object.entries(definition.screens).flatMap(([id, one]): [string, CompiledScreen][] => {
      const at = place.at("screens", id);
      const { name, screens: inner, ...form } = one;
      if (inner === undefined) return [[id, { screen: one, at }]];
      for (const member of Object.keys(form)) {
        at.at(member).report(`'${member}' is for a screen: '${id}' is a part of the screen flow`);
      }
      const part = { id, name: name ?? toLabel(id) };
      return Object.entries(inner).map((
        [screenId, screen],
      ) => [screenId, { screen, part, at: at.at("screens", screenId) }]);
    });
    for (const [index, [id, { at }]] of screens.entries()) {
      if (screens.findIndex(([other]) => other === id) < index) at.report(`the step has another screen '${id}'`);
    }
    return new Map(screens.map(([screenId, { screen, part, at }]) => [
      screenId,
      { ...compileAction(screenId, screen, { set: [], next }, steps, context, at), ...(part && { part }) },
    ]));
  }
  const hasForm = (definition.page ?? definition.view ?? definition.fields) !== undefined;
  const defaults = {
    view: hasForm ? compileForm(definition, { id, name }, context, place) : undefined,
    set: compileSet(definition.set, context, context.fields, place.at("set")),
    next,
  };
  // A step without actions has one action, which is named like the step.
  const actions = definition.actions ?? { [id]: { name: definition.name } };
  return place.at("actions").compileAll(actions, (actionId, action, at) => {
    return compileAction(actionId, action, defaults, steps, context, at);
  });
}

function compileAction(
  id: string,
  definition: ActionDefinition,
  defaults: Pick<Action, "set" | "next"> & { readonly view?: View },
  steps: ReadonlySet<string>,
  context: CaseTypeContext,
  place: DefinitionPlace,
): Action {
  const { name = toLabel(id), set, status, next } = definition;
  return {
    id,
    name,
    view: compileForm(definition, { id, name }, context, place, defaults.view),
    set: set === undefined ? defaults.set : compileSet(set, context, context.fields, place.at("set")),
    status,
    next: next === undefined ? defaults.next : compileTransitions(next, steps, context, place.at("next")),
  };
}

/** Compiles case-wide or stage-wide actions. */
export function compileLocalActions(
  definitions: Readonly<Record<string, LocalActionDefinition>> | undefined,
  scope: LocalAction["scope"],
  context: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, LocalAction> {
  return place.compileAll(definitions, (id, definition, at) => {
    const { stage, bulk = false } = definition;
    if (stage !== undefined) at.at("stage").checkExists("stage", stage, context.stages);
    return { ...compileAction(id, definition, { set: [], next: [] }, new Set(), context, at), scope, stage, bulk };
  });
}

/** Compiles the fields to set: of the case itself, or of a child case. */
function compileSet(
  set: Readonly<Record<string, string>> = {},
  { words }: CaseTypeContext,
  fields: ReadonlyMap<string, Field> | undefined,
  place: DefinitionPlace,
): FieldValues {
  return Object.entries(set).map(([name, source]) => {
    const at = place.at(name);
    const field = fields && at.resolve("field", name, fields);
    if (field?.calculated !== undefined) at.report(`'${name}' is calculated: it cannot be set`);
    if (field?.type === "Attachment") at.report(`'${name}' is an attachment field: only an upload can set it`);
    const value = field === undefined ? words.compile(source, at.report) : words.compileValue(source, field, at.report);
    return [name, value] as const;
  });
}

function compileTransitions(
  definitions: readonly TransitionDefinition[] = [],
  steps: ReadonlySet<string>,
  context: CaseTypeContext,
  place: DefinitionPlace,
): StepTransition[] {
  return definitions.map((definition, index) => {
    const at = place.at(index);
    const when = context.words.compileCondition(definition.when, at.at("when").report);
    return { when, condition: definition.when, to: compileTarget(definition, steps, context, at) };
  });
}

function compileTarget(
  { step, stage, resolve }: TransitionDefinition,
  steps: ReadonlySet<string>,
  { stages }: CaseTypeContext,
  place: DefinitionPlace,
): StepTransition["to"] {
  if (step !== undefined) {
    place.at("step").checkExists("step", step, steps, " in this process");
    return { kind: "step", step };
  }
  if (stage !== undefined) {
    place.at("stage").checkExists("stage", stage, stages);
    return { kind: "stage", stage };
  }
  return resolve === undefined ? { kind: "end" } : { kind: "resolve", status: resolve };
}

function compileRoute(
  { to = "creator", queue, operator }: RouteDefinition = {},
  { queues, words }: CaseTypeContext,
  place: DefinitionPlace,
): AssignmentRoute {
  if (queue !== undefined) {
    place.at("queue").checkExists("queue", queue, queues);
    return { kind: "queue", queue };
  }
  if (operator === undefined) return { kind: to };
  return {
    kind: "operator",
    operator: words.compileValue(operator, { type: "UserReference" }, place.at("operator").report),
  };
}
