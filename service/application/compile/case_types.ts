/** Compiles case types. */
import { type CaseTypeContext, compileLocalActions } from "./actions.ts";
import type { AttachmentCategory, CaseType, Field, LocalAction, Process, Stage, View } from "../model/application.ts";
import { caseColumns } from "./columns.ts";
import { compileCondition } from "../expressions/conditions.ts";
import { chooseView, compileFields, compileViews, spaced, viewField } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import { compileParticipantRoles } from "./participants.ts";
import { compileProcesses } from "./processes.ts";
import type { CaseTypeDefinition, Definition } from "../schema/schema.ts";

const DEFAULT_CONFIRMATION = "Thank you! The next step in this case has been routed appropriately.";

/** The field of `pyChangeStage`: it exists in no case. */
export const STAGE_FIELD = "pyGotoStage";

/** Compiles all case types. */
export function compileCaseTypes(definition: Definition, report: Report): Map<string, CaseType> {
  // The fields of all come first: a step may create a case of any type.
  const written = Object.entries(definition.caseTypes).map(([id, caseType]) => {
    return { id, caseType, set: compileFields(caseType.fields, id, ["caseTypes", id, "fields"], report) };
  });
  for (const { id, caseType } of written) checkNames(caseType.fields, ["caseTypes", id, "fields"], report);
  const caseTypes = new Map(written.map(({ id, set }) => [id, set]));
  const queues = new Set(Object.keys(definition.queues));
  const types = new Map<string, CaseType>();
  for (const { id, caseType, set } of written) {
    const at = ["caseTypes", id];
    const views = caseViews(caseType, set.fields, at, report);
    const stages = new Set(Object.keys(caseType.stages));
    types.set(id, compileCaseType(id, caseType, at, { ...set, caseTypes, queues, views, stages, report }));
  }
  checkHandles(types, report);
  return types;
}

/** The views of a case type; `pyCaseSummary` shows no fields unless it is written: what every case has goes with any view. */
function caseViews(
  { views: written }: CaseTypeDefinition,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): Map<string, View> {
  const id = "pyCaseSummary";
  const views = compileViews(written, fields, [...at, "views"], report);
  return views.has(id) ? views : views.set(id, { id, name: "Summary", fields: new Map() });
}

/** What every case has is the service's: values of a field with its name would be lost, or be shown in its place. */
function checkNames(fields: CaseTypeDefinition["fields"], at: Path, report: Report): void {
  for (const name of ["classID", STAGE_FIELD, ...caseColumns().keys()]) {
    if (fields[name] === undefined || fields[name].calculated !== undefined) continue;
    report([...at, name], `every case has '${name}' already: choose another name`);
  }
}

function compileCaseType(id: string, definition: CaseTypeDefinition, at: Path, context: CaseTypeContext): CaseType {
  const { fields, words, views, report } = context;
  const { name, prefix, workPool, urgency, status, creatable } = definition;
  const stages = compileStages(definition, at, context);
  const caseWide = compileProcesses(
    definition.optionalProcesses,
    { optional: true },
    [...at, "optionalProcesses"],
    context,
  );
  const actions = caseActions(definition, stages, at, context);
  checkStageActions(stages, actions, at, report);
  return {
    id,
    name,
    prefix,
    workPool,
    label: definition.label === undefined
      ? undefined
      : words.expression(definition.label, [...at, "label"], report, "Text"),
    urgency,
    status,
    creatable,
    confirmation: definition.confirmation ?? DEFAULT_CONFIRMATION,
    fields,
    views,
    createView: creationView(definition, at, context),
    stages,
    processes: allProcesses(stages, caseWide, at, report),
    actions,
    attachmentCategories: compileCategories(definition, at, context),
    participantRoles: compileParticipantRoles(definition.participantRoles, [...at, "participantRoles"], report),
  };
}

/** Creation takes any field but asks for none, unless it is written: what is required, the first step asks for. */
function creationView({ create = {} }: CaseTypeDefinition, at: Path, context: CaseTypeContext): View {
  const { views, fields, report } = context;
  const own = { id: "Create", name: "Create" };
  const open = [...fields.values()].map((field) => [field.name, viewField(field, { required: false })] as const);
  return chooseView(create, own, views, fields, { ...own, fields: new Map(open) }, [...at, "create"], report);
}

function compileStages(definition: CaseTypeDefinition, at: Path, context: CaseTypeContext): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  for (const [id, stage] of Object.entries(definition.stages)) {
    const here = [...at, "stages", id];
    const { name, type, transition, status, resolve } = stage;
    if (resolve !== undefined && transition !== "resolution") {
      context.report([...here, "resolve"], "'resolve' goes with the transition 'resolution'");
    }
    stages.set(id, {
      id,
      name,
      type,
      transition,
      status,
      resolve: resolve ?? "Resolved-Completed",
      processes: compileProcesses(stage.processes, { stage: id, optional: false }, [...here, "processes"], context),
      optionalProcesses: compileProcesses(
        stage.optionalProcesses,
        { stage: id, optional: true },
        [...here, "optionalProcesses"],
        context,
      ),
      actions: compileLocalActions(stage.actions, "Stage", [...here, "actions"], context),
    });
  }
  const [first] = stages.values();
  if (first?.type !== "Primary") context.report([...at, "stages"], "the first stage must be a primary stage");
  return stages;
}

/** A process's ID is the last part of its assignments' handles, in capitals: no two may share it. */
function allProcesses(
  stages: ReadonlyMap<string, Stage>,
  caseWide: ReadonlyMap<string, Process>,
  at: Path,
  report: Report,
): Map<string, Process> {
  const processes = new Map<string, Process>();
  const taken = new Set<string>();
  const add = (some: ReadonlyMap<string, Process>, place: Path): void => {
    for (const [id, process] of some) {
      if (taken.has(id.toUpperCase())) report([...place, id], `another process of the case type is called '${id}'`);
      taken.add(id.toUpperCase());
      processes.set(id, process);
    }
  };
  for (const stage of stages.values()) {
    add(stage.processes, [...at, "stages", stage.id, "processes"]);
    add(stage.optionalProcesses, [...at, "stages", stage.id, "optionalProcesses"]);
  }
  add(caseWide, [...at, "optionalProcesses"]);
  return processes;
}

/** The case-wide actions, after the two that every case has. */
function caseActions(
  definition: CaseTypeDefinition,
  stages: ReadonlyMap<string, Stage>,
  at: Path,
  context: CaseTypeContext,
): Map<string, LocalAction> {
  const builtIn = { scope: "Case", set: [], next: [], bulk: true } as const;
  const details = context.views.get("pyDetails") ?? { id: "pyDetails", name: "Details", fields: new Map() };
  const actions = new Map<string, LocalAction>([
    ["pyUpdateCaseDetails", { ...builtIn, id: "pyUpdateCaseDetails", name: "Edit details", view: details }],
    ["pyChangeStage", { ...builtIn, id: "pyChangeStage", name: "Change stage", view: stageView(stages) }],
  ]);
  for (const [id, action] of compileLocalActions(definition.actions, "Case", [...at, "actions"], context)) {
    actions.set(id, action);
  }
  return actions;
}

/** A stage's action that is called like one of all stages could not be told from it. */
function checkStageActions(
  stages: ReadonlyMap<string, Stage>,
  actions: ReadonlyMap<string, LocalAction>,
  at: Path,
  report: Report,
): void {
  for (const stage of stages.values()) {
    const taken = [...stage.actions.keys()].filter((id) => actions.has(id));
    for (const id of taken) {
      report(
        [...at, "stages", stage.id, "actions", id],
        `every stage has the action '${id}' already: choose another name`,
      );
    }
  }
}

function stageView(stages: ReadonlyMap<string, Stage>): View {
  const field: Field = {
    name: STAGE_FIELD,
    type: "Dropdown",
    label: "Stage",
    required: true,
    values: [...stages.values()].map((stage) => stage.name),
  };
  return { id: "pyChangeStage", name: "Change stage", fields: new Map([[STAGE_FIELD, viewField(field)]]) };
}

function compileCategories(
  { attachmentCategories }: CaseTypeDefinition,
  at: Path,
  context: CaseTypeContext,
): Map<string, AttachmentCategory> {
  const categories = new Map<string, AttachmentCategory>();
  for (const [id, category] of Object.entries(attachmentCategories ?? {})) {
    const here = [...at, "attachmentCategories", id];
    const right = (name: "view" | "create" | "edit" | "deleteOwn" | "deleteAll") => {
      return compileCondition(category[name], [...here, name], context);
    };
    categories.set(id, {
      id,
      name: category.name ?? spaced(id),
      type: category.type,
      isForAll: category.view === true,
      canView: right("view"),
      canCreate: right("create"),
      canEdit: right("edit"),
      canDeleteOwn: right("deleteOwn"),
      canDeleteAll: right("deleteAll"),
    });
  }
  return categories;
}

/** Case numbers count by prefix and work pool: two types that share both would share handles. */
function checkHandles(types: ReadonlyMap<string, CaseType>, report: Report): void {
  const taken = new Map<string, string>();
  for (const { id, workPool, prefix } of types.values()) {
    const other = taken.get(`${workPool} ${prefix}`);
    if (other !== undefined) report(["caseTypes", id, "prefix"], `'${other}' has the same work pool and prefix`);
    taken.set(`${workPool} ${prefix}`, id);
  }
}
