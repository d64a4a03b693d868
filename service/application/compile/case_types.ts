/** Compiles case types. */
import {
  type AttachmentCategory,
  type CaseType,
  type LocalAction,
  PARTICIPANT_CLASS,
  type ParticipantRole,
  type Process,
  type Stage,
  STAGE_FIELD,
} from "../model/case_type.ts";
import { createView, type Field, toViewField, type View } from "../model/field.ts";
import type { CaseRights } from "../model/rights.ts";
import type { CaseTypeDefinition } from "../schema/case_type_format.ts";
import type { Definition } from "../schema/definition.ts";
import type { FieldDefinition } from "../schema/field_format.ts";
import { createCaseColumns } from "./columns.ts";
import { compileFields } from "./fields.ts";
import type { DefinitionPlace } from "./definition_place.ts";
import { type CaseTypeContext, compileLocalActions, compileProcesses } from "./processes.ts";
import type { RecordSources } from "./references.ts";
import { compileForm, compileView, compileViews, toLabel } from "./views.ts";

/** Compiles all case types. */
export function compileCaseTypes(
  all: Definition,
  dataTypes: RecordSources["dataTypes"],
  place: DefinitionPlace,
): Map<string, CaseType> {
  const { caseTypes, queues, dataViews } = all;
  // All fields come first, because a step may create a case of any type.
  const fields = place.compileAll(caseTypes, (id, definition, at) => {
    checkNames(definition.fields, at.at("fields"));
    return compileFields(definition.fields, id, at.at("fields"), all, { dataTypes, caseTypes, dataViews });
  });
  const queueIds = new Set(Object.keys(queues));
  const types = place.compileAll(caseTypes, (id, definition, at) => {
    const own = fields.get(id);
    if (own === undefined) return undefined;
    const views = compileViews(definition.views, own, at.at("views"));
    if (!views.has("pyCaseSummary")) views.set("pyCaseSummary", createView("pyCaseSummary", "Summary", new Map()));
    const stages = new Set(Object.keys(definition.stages));
    return compileCaseType(
      id,
      definition,
      { ...own, views, stages, caseTypes: fields, queues: queueIds, callers: all },
      at,
    );
  });
  checkPrefixes(types, place);
  return types;
}

/** Checks that no field hides a member that every case has. */
function checkNames(fields: CaseTypeDefinition["fields"], place: DefinitionPlace): void {
  for (const name of ["classID", STAGE_FIELD, ...createCaseColumns().keys()]) {
    const field = fields[name];
    if (field === undefined || ("calculated" in field && field.calculated !== undefined)) continue;
    place.at(name).report(`every case has '${name}' already: choose another name`);
  }
}

function compileCaseType(
  id: string,
  definition: CaseTypeDefinition,
  context: CaseTypeContext,
  place: DefinitionPlace,
): CaseType {
  const { fields, words, views } = context;
  const { name, prefix, workPool, label, urgency, status, creatable, create = {}, confirmation } = definition;
  const stages = compileStages(definition.stages, context, place.at("stages"));
  const caseWide = compileProcesses(
    definition.optionalProcesses,
    { optional: true },
    context,
    place.at("optionalProcesses"),
  );
  const actions = new Map([
    ...createBuiltInActions(stages, context),
    ...compileLocalActions(definition.actions, "Case", context, place.at("actions")),
  ]);
  checkStageIds(stages, place.at("stages"));
  checkStageActions(stages, actions, place);
  const attachmentCategories = compileCategories(definition, context, place.at("attachmentCategories"));
  checkAttachmentFields(fields, attachmentCategories, place.at("fields"));
  // Required fields are asked for by the first step, not by the creation.
  const createAll = createView("Create", "Create", fields, { required: false });
  return {
    id,
    name,
    prefix,
    workPool,
    label: label === undefined ? undefined : words.compile(label, place.at("label").report, "Text"),
    urgency,
    status,
    creatable,
    confirmation,
    fields,
    views,
    createView: compileForm(create, createAll, context, place.at("create"), createAll),
    stages,
    processes: collectProcesses(stages, caseWide, place),
    actions,
    attachmentCategories,
    participantRoles: compileRoles(definition, context, place.at("participantRoles")),
    rights: compileRights(definition, context, place.at("rights")),
  };
}

function compileStages(
  definitions: CaseTypeDefinition["stages"],
  context: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, Stage> {
  return place.compileAll(definitions, (id, definition, at) => {
    const { name, type, transition, status, resolve = "Resolved-Completed" } = definition;
    const compile = (member: "processes" | "optionalProcesses") => {
      const optional = member === "optionalProcesses";
      return compileProcesses(definition[member], { stage: id, optional }, context, at.at(member));
    };
    return {
      id,
      name,
      type,
      transition,
      status,
      resolve,
      processes: compile("processes"),
      optionalProcesses: compile("optionalProcesses"),
      actions: compileLocalActions(definition.actions, "Stage", context, at.at("actions")),
    };
  });
}

/** Collects all processes. Their IDs must differ in upper case, which is the last part of the handles of assignments. */
function collectProcesses(
  stages: ReadonlyMap<string, Stage>,
  caseWide: ReadonlyMap<string, Process>,
  place: DefinitionPlace,
): Map<string, Process> {
  const processes = new Map<string, Process>();
  const used = new Set<string>();
  const add = (some: ReadonlyMap<string, Process>, at: DefinitionPlace): void => {
    for (const [id, process] of some) {
      if (used.has(id.toUpperCase())) at.at(id).report(`the case type has another process '${id}'`);
      used.add(id.toUpperCase());
      processes.set(id, process);
    }
  };
  for (const stage of stages.values()) {
    add(stage.processes, place.at("stages", stage.id, "processes"));
    add(stage.optionalProcesses, place.at("stages", stage.id, "optionalProcesses"));
  }
  add(caseWide, place.at("optionalProcesses"));
  return processes;
}

function createBuiltInActions(stages: ReadonlyMap<string, Stage>, { views }: CaseTypeContext): [string, LocalAction][] {
  const common = { scope: "Case", set: [], next: [], bulk: true } as const;
  const field: Field = {
    name: STAGE_FIELD,
    type: "Dropdown",
    label: "Stage",
    required: true,
    values: [...stages.values()].map(({ name }) => name),
  };
  const actions: [id: string, name: string, view: View][] = [
    ["pyUpdateCaseDetails", "Edit details", views.get("pyDetails") ?? createView("pyDetails", "Details", new Map())],
    ["pyChangeStage", "Change stage", {
      id: "pyChangeStage",
      name: "Change stage",
      fields: new Map([[STAGE_FIELD, toViewField(field)]]),
    }],
  ];
  return actions.map(([id, name, view]) => [id, { ...common, id, name, view }]);
}

/** Checks that numbered IDs of stages fit their order and type: PRIM0, PRIM1, … are primary, ALT1, … alternate. */
function checkStageIds(stages: ReadonlyMap<string, Stage>, place: DefinitionPlace): void {
  let primary = 0;
  for (const { id, type } of stages.values()) {
    const [, prefix, number] = id.match(/^(PRIM|ALT)(\d+)$/) ?? [];
    if (prefix === "ALT" && type === "Primary") {
      place.at(id).report(`'${id}' is the ID of an alternate stage: add 'type: Alternate', or call it PRIM${primary}`);
    } else if (prefix === "PRIM" && type === "Alternate") {
      place.at(id).report(`'${id}' is the ID of a primary stage: an alternate stage is called ALT1, ALT2, …`);
    } else if (prefix === "PRIM" && number !== String(primary)) {
      place.at(id).report(`the primary stages are PRIM0, PRIM1, … without a gap: '${id}' must be PRIM${primary}`);
    }
    if (type === "Primary") primary++;
  }
}

/** Checks that the actions of stages have other IDs than those of the case. */
function checkStageActions(
  stages: ReadonlyMap<string, Stage>,
  actions: ReadonlyMap<string, LocalAction>,
  place: DefinitionPlace,
): void {
  for (const stage of stages.values()) {
    for (const id of stage.actions.keys()) {
      if (!actions.has(id)) continue;
      place.at("stages", stage.id, "actions", id).report(
        `every stage has the action '${id}' already: choose another name`,
      );
    }
  }
}

function compileCategories(
  { attachmentCategories }: CaseTypeDefinition,
  { words }: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, AttachmentCategory> {
  return place.compileAll(attachmentCategories, (id, category, at) => {
    const compile = (right: "view" | "create" | "edit" | "deleteOwn" | "deleteAll") =>
      words.compileCondition(category[right], at.at(right).report);
    return {
      id,
      name: category.name ?? toLabel(id),
      type: category.type,
      isForAll: category.view === true,
      canView: compile("view"),
      canCreate: compile("create"),
      canEdit: compile("edit"),
      canDeleteOwn: compile("deleteOwn"),
      canDeleteAll: compile("deleteAll"),
    };
  });
}

/** Checks that the categories of attachment fields exist and accept files. */
function checkAttachmentFields(
  fields: ReadonlyMap<string, Field>,
  categories: ReadonlyMap<string, AttachmentCategory>,
  place: DefinitionPlace,
): void {
  for (const { name, category: id } of fields.values()) {
    if (id === undefined) continue;
    const at = place.at(name, "category");
    const category = at.resolve("attachment category", id, categories);
    if (category?.type === "URL") {
      at.report(`'${id}' is a category of links, but an attachment field needs a category of files`);
    }
  }
}

function compileRights(
  { rights: { read, work, manage } }: CaseTypeDefinition,
  { words }: CaseTypeContext,
  place: DefinitionPlace,
): CaseRights {
  return {
    read: words.compileReadRight(read, place.at("read").report),
    work: words.compileCondition(work, place.at("work").report),
    manage: words.compileCondition(manage, place.at("manage").report),
  };
}

/** The fields that every participant has. */
const PARTICIPANT_FIELDS: Readonly<Record<string, FieldDefinition>> = {
  pyFirstName: { type: "Text", label: "First name", maxLength: 80 },
  pyLastName: { type: "Text", label: "Last name", maxLength: 80 },
  pyFullName: { type: "Text", label: "Full name", maxLength: 160 },
  pyTitle: { type: "Text", label: "Title", maxLength: 80 },
  pyEmail1: { type: "Email", label: "E-mail" },
  pyPhoneNumber: { type: "Phone", label: "Phone" },
  pyPartyLabel: { type: "Text", label: "Label", maxLength: 160 },
  pyWorkPartyUri: { type: "Text", label: "ID", maxLength: 160 },
  pyImageInsKey: { type: "Text", label: "Image", maxLength: 160 },
};
const PARTICIPANT_FORM = ["pyFirstName", "pyLastName", "pyEmail1", "pyPhoneNumber"];

function compileRoles(
  { participantRoles }: CaseTypeDefinition,
  { callers }: CaseTypeContext,
  place: DefinitionPlace,
): Map<string, ParticipantRole> {
  return place.compileAll(participantRoles, (id, definition, at) => {
    const { name = toLabel(id), multiple, moreFields, fields: shown = PARTICIPANT_FORM } = definition;
    const own = compileFields(
      { ...PARTICIPANT_FIELDS, ...moreFields },
      PARTICIPANT_CLASS,
      at.at("moreFields"),
      callers,
    );
    const view = compileView(id, name, shown, own, at.at("fields"));
    return { id, name, multiple, fields: own.fields, view };
  });
}

/** Checks that case types with the same work pool have different prefixes. Otherwise they would share case handles. */
function checkPrefixes(types: ReadonlyMap<string, CaseType>, place: DefinitionPlace): void {
  const used = new Map<string, string>();
  for (const { id, workPool, prefix } of types.values()) {
    const other = used.get(`${workPool} ${prefix}`);
    if (other !== undefined) place.at(id, "prefix").report(`'${other}' has the same work pool and prefix`);
    used.set(`${workPool} ${prefix}`, id);
  }
}
