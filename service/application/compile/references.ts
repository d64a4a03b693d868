/** Compiles references to records, and choices among records. */
import type { DataType } from "../model/data_view.ts";
import { createCaseColumns } from "./columns.ts";
import {
  type Argument,
  type Choices,
  type Field,
  REFERENCE_CONTROLS,
  type ReferenceControl,
  type View,
} from "../model/field.ts";
import type { Definition } from "../schema/definition.ts";
import type { FieldDefinition } from "../schema/field_format.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** The records that fields can refer to. */
export interface RecordSources {
  readonly dataTypes: ReadonlyMap<string, DataType>;
  readonly caseTypes: Definition["caseTypes"];
  readonly dataViews: Definition["dataViews"];
}

type ReferenceDefinition = Extract<FieldDefinition, { type: "Reference" | "MultiSelect" }>;
type ChoicesDefinition = NonNullable<Extract<FieldDefinition, { choices?: unknown }>["choices"]>;

/** Reports whether a field refers to records. */
export function isReference(definition: FieldDefinition): definition is ReferenceDefinition {
  return definition.type === "Reference" || definition.type === "MultiSelect";
}

const ONLY_CASES = "only fields of a case type can refer to records";

/** Finds the fields of a reference: those of the record. A form sets only the key. */
export function findRecordType(
  { type, to, multiple = type === "MultiSelect" }: ReferenceDefinition,
  sources: RecordSources | undefined,
): { readonly type: "Page" | "List"; readonly fields: ReadonlyMap<string, Field> } {
  const { key, fields } = findTarget(to, sources) ?? { key: [], fields: [] };
  const members = Array.from(fields, ({ calculated: _, default: __, ...field }): [string, Field] => [
    field.name,
    { ...field, required: false, ...(!key.includes(field.name) && { access: "ignored" }) },
  ]);
  return { type: multiple ? "List" : "Page", fields: new Map(members) };
}

/** The key, the fields and the views of the records or cases to which a reference can refer. */
interface Target {
  readonly key: readonly string[];
  readonly fields: Iterable<Field>;
  readonly views?: ReadonlyMap<string, View>;
}

/** Finds a data type, or a case type, which is known by the columns that every case has. */
function findTarget(id: string, sources: RecordSources | undefined): Target | undefined {
  const dataType = sources?.dataTypes.get(id);
  if (dataType !== undefined) return { key: dataType.key, fields: dataType.fields.values(), views: dataType.views };
  if (sources === undefined || !Object.hasOwn(sources.caseTypes, id)) return undefined;
  return { key: ["pyID"], fields: createCaseColumns().values().map(({ field }) => field) };
}

/** Compiles a reference to records. */
export function compileReference(
  definition: ReferenceDefinition,
  siblings: Readonly<Record<string, FieldDefinition>>,
  sources: RecordSources | undefined,
  place: DefinitionPlace,
): Pick<Field, "type" | "reference" | "embedded"> {
  const { to, show } = definition;
  const { type, fields } = findRecordType(definition, sources);
  if (sources === undefined) place.report(ONLY_CASES);
  const target = findTarget(to, sources);
  if (sources !== undefined && target === undefined) {
    const known = [...sources.dataTypes.keys(), ...Object.keys(sources.caseTypes)];
    place.at("to").checkExists("data type", to, new Set(known));
  }
  if (sources === undefined || target === undefined) return { type, embedded: { classId: to, fields } };
  if (definition.type === "MultiSelect" && definition.multiple === false) {
    place.at("multiple").report("a MultiSelect refers to several records: use the type Reference");
  }
  const controls: readonly ReferenceControl[] = REFERENCE_CONTROLS[type === "List" ? "multiple" : "single"];
  if (show !== undefined && !controls.includes(show)) {
    const records = type === "List" ? "several records" : "one record";
    place.at("show").report(`a reference to ${records} is shown as ${controls.join(", ")}, not as ${show}`);
  }
  const plain = [...fields.values()].filter(({ embedded }) => embedded === undefined).map(({ name }) => name);
  const toCase = !sources.dataTypes.has(to);
  const { key } = target;
  const text = definition.text ?? (toCase ? "pyLabel" : plain.find((name) => !key.includes(name)) ?? key[0] ?? "");
  const { columns = toCase ? ["pyID", "pyLabel", "pyStatusWork"] : plain } = definition;
  place.at("text").checkExists("field", text, fields);
  for (const [index, column] of columns.entries()) place.at("columns", index).checkExists("field", column, fields);
  const dataView = definition.from ?? findListView(to, sources);
  if (dataView === undefined) {
    place.report(`no data view lists records of '${to}': define one with the source ${toCase ? "cases" : "records"}`);
  } else checkSource(dataView, to, sources, place.at("from"));
  return {
    type,
    embedded: { classId: to, fields, views: target.views },
    reference: {
      toCase,
      key,
      dataView: dataView ?? "",
      text,
      columns,
      show: show ?? (definition.type === "MultiSelect" ? "combobox" : type === "List" ? "table" : "dropdown"),
      parameters: compileArguments(definition.parameters, dataView, siblings, sources, place.at("parameters")),
    },
  };
}

/** Compiles the choices of a field. */
export function compileChoices(
  { from, value, text, inForm, loaded, parameters, set = {} }: ChoicesDefinition,
  siblings: Readonly<Record<string, FieldDefinition>>,
  sources: RecordSources | undefined,
  place: DefinitionPlace,
): Choices | undefined {
  if (sources === undefined) {
    place.report(ONLY_CASES);
    return undefined;
  }
  const type = checkSource(from, undefined, sources, place.at("from"));
  if (type !== undefined) {
    place.at("value").checkExists("field", value, type.fields);
    place.at("text").checkExists("field", text, type.fields);
  }
  const given = compileArguments(parameters, from, siblings, sources, place.at("parameters"));
  if (loaded && given.values().some((argument) => "field" in argument)) {
    place.at("loaded").report("the rows depend on a field, so the form cannot contain them: remove 'loaded'");
  }
  const setters = place.at("set").compileAll(set, (name, column, at) => {
    if (!inForm || loaded) at.report("only a form that names the data view can set other fields: use 'inForm: true'");
    at.checkExists("field", name, new Set(Object.keys(siblings)));
    const target = siblings[name];
    if (target && "calculated" in target && target.calculated !== undefined) {
      at.report(`'${name}' is calculated: it cannot be set`);
    }
    if (type !== undefined) at.checkExists("column", column, type.fields);
    return column;
  });
  return { classId: type?.id ?? "", dataView: from, value, text, inForm, loaded, parameters: given, set: setters };
}

/** Checks that a data view lists records, and returns their type. */
function checkSource(
  id: string,
  classId: string | undefined,
  { dataTypes, dataViews }: RecordSources,
  place: DefinitionPlace,
): DataType | undefined {
  const view = Object.hasOwn(dataViews, id) ? dataViews[id] : undefined;
  if (view === undefined) {
    place.checkExists("data view", id, new Set(Object.keys(dataViews)));
    return undefined;
  }
  if (classId !== undefined && view.source === "cases" && view.structure === "list" && listsCases(view, classId)) {
    return undefined;
  }
  if (view.source !== "records" || view.structure !== "list") {
    place.report(`'${id}' does not list records: use a data view with the source records`);
    return undefined;
  }
  if (classId !== undefined && view.class !== classId) {
    place.report(`'${id}' lists records of '${view.class}', not of '${classId}'`);
  }
  return dataTypes.get(view.class);
}

function findListView(classId: string, { dataViews }: RecordSources): string | undefined {
  return Object.entries(dataViews).find(([, view]) => {
    const lists = view.source === "records"
      ? view.class === classId
      : view.source === "cases" && listsCases(view, classId);
    return lists && view.structure === "list";
  })?.[0];
}

/** Reports whether a data view lists only cases of a type. */
function listsCases({ caseTypes }: { readonly caseTypes?: readonly string[] }, classId: string): boolean {
  return caseTypes?.length === 1 && caseTypes[0] === classId;
}

/** Compiles the parameters of a data view: constants, and fields of the page with the field. */
function compileArguments(
  given: Readonly<Record<string, string | number | boolean>> = {},
  dataView: string | undefined,
  siblings: Readonly<Record<string, FieldDefinition>>,
  { dataViews }: RecordSources,
  place: DefinitionPlace,
): ReadonlyMap<string, Argument> {
  const known = dataViews[dataView ?? ""]?.parameters ?? {};
  for (const [name, { required }] of Object.entries(known)) {
    if (required && given[name] === undefined) place.report(`'${dataView}' needs the parameter '${name}'`);
  }
  return place.compileAll(given, (name, value, at): Argument => {
    at.checkExists("parameter", name, new Set(Object.keys(known)));
    if (typeof value !== "string" || !value.startsWith(".")) return { value };
    const [first = "", ...rest] = value.slice(1).split(".");
    at.checkExists("field", first, new Set(Object.keys(siblings)));
    return { field: [first, ...rest] };
  });
}
