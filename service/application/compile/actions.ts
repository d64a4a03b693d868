/** Compiles actions: those of steps, and those of a case or a stage. */
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { Action, Expression, LocalAction, Transition, View } from "../model/application.ts";
import { compileCondition } from "../expressions/conditions.ts";
import { chooseView, type FieldSet, spaced } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import { missing } from "./references.ts";
import type { LocalActionDefinition, TransitionDefinition, ViewFieldDefinition } from "../schema/schema.ts";

/** What the compilation of a case type's parts needs of the whole. */
export interface CaseTypeContext extends FieldSet {
  /** Views by ID. */
  readonly views: ReadonlyMap<string, View>;
  /** IDs of the stages. */
  readonly stages: ReadonlySet<string>;
  /** The fields of all case types, by case type ID. */
  readonly caseTypes: ReadonlyMap<string, FieldSet>;
  /** IDs of the queues. */
  readonly queues: ReadonlySet<string>;
  /** Collects what is wrong. */
  readonly report: Report;
}

/** A form as it is written: of an action, of a screen, or the defaults of a step. */
export interface FormDefinition {
  name?: string;
  view?: string;
  fields?: readonly ViewFieldDefinition[];
  set?: Readonly<Record<string, string>>;
  status?: string;
  next?: readonly TransitionDefinition[];
}

/** Compiles an action; what it does not say, its step says. */
export function compileAction(
  id: string,
  definition: FormDefinition,
  defaults: { view?: View; set: Action["set"]; next: readonly Transition[] },
  steps: ReadonlySet<string>,
  at: Path,
  context: CaseTypeContext,
): Action {
  const name = definition.name ?? spaced(id);
  const { views, fields, report } = context;
  return {
    id,
    name,
    view: chooseView(definition, { id, name }, views, fields, defaults.view, at, report),
    set: definition.set === undefined ? defaults.set : compileSet(definition.set, [...at, "set"], context),
    status: definition.status,
    next: definition.next === undefined
      ? defaults.next
      : compileTransitions(definition.next, steps, [...at, "next"], context),
  };
}

/** Compiles the case-wide or stage-wide actions. */
export function compileLocalActions(
  definitions: Readonly<Record<string, LocalActionDefinition>> | undefined,
  scope: LocalAction["scope"],
  at: Path,
  context: CaseTypeContext,
): Map<string, LocalAction> {
  const actions = new Map<string, LocalAction>();
  for (const [id, definition] of Object.entries(definitions ?? {})) {
    const here = [...at, id];
    if (definition.stage !== undefined && !context.stages.has(definition.stage)) {
      context.report([...here, "stage"], missing("stage", definition.stage, context.stages));
    }
    const action = compileAction(id, definition, { set: [], next: [] }, new Set(), here, context);
    actions.set(id, { ...action, scope, stage: definition.stage, bulk: definition.bulk ?? false });
  }
  return actions;
}

/** Compiles assignments of expressions to fields: of the case itself, or of another. */
export function compileSet(
  definitions: Readonly<Record<string, string>>,
  at: Path,
  { words, report, ...own }: CaseTypeContext,
  fields: FieldSet["fields"] = own.fields,
): (readonly [string, Expression])[] {
  return Object.entries(definitions).map(([name, source]) => {
    const field = fields.get(name);
    if (field === undefined) report([...at, name], missing("field", name, fields.keys()));
    else if (field.calculated !== undefined) report([...at, name], `'${name}' is calculated: it cannot be set`);
    return [name, words.expression(source, [...at, name], report, field?.type)] as const;
  });
}

/** Compiles transitions. */
export function compileTransitions(
  definitions: readonly TransitionDefinition[],
  steps: ReadonlySet<string>,
  at: Path,
  context: CaseTypeContext,
): Transition[] {
  return definitions.map((definition, index) => {
    const here = [...at, index];
    const when = compileCondition(definition.when, [...here, "when"], context);
    return { when, to: target(definition, steps, here, context) };
  });
}

function target(
  { step, stage, resolve, end }: TransitionDefinition,
  steps: ReadonlySet<string>,
  at: Path,
  { stages, report }: CaseTypeContext,
): Transition["to"] {
  if ([step, stage, resolve, end].filter((place) => place !== undefined).length !== 1) {
    report(at, "a transition needs exactly one of 'step', 'stage', 'resolve' and 'end'");
  }
  if (step !== undefined) {
    if (!steps.has(step)) {
      report([...at, "step"], `there is no step '${step}' in this process${suggestAlternatives(step, steps)}`);
    }
    return { kind: "step", step };
  }
  if (stage !== undefined) {
    if (!stages.has(stage)) report([...at, "stage"], missing("stage", stage, stages));
    return { kind: "stage", stage };
  }
  return resolve === undefined ? { kind: "end" } : { kind: "resolve", status: resolve };
}
