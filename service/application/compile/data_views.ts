/** Compiles data types and data views. */
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type {
  CaseType,
  Column,
  DataType,
  DataView,
  DataViewCondition,
  DataViewParameter,
  Field,
  RecordAction,
} from "../model/application.ts";
import { BUILT_IN_VIEWS, caseColumns, fixedColumns } from "./columns.ts";
import { comparesBy, neededFor, type Scalar, toScalar } from "../expressions/comparisons.ts";
import { chooseView, compileFields, compileViews, spaced } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import { kindOf } from "../model/kinds.ts";
import { missing } from "./references.ts";
import type { ConditionDefinition, DataTypeDefinition, DataViewDefinition, Definition } from "../schema/schema.ts";

/** What a data view takes from what its rows are; the views are those that it may replace. */
type Source = Pick<DataView, "classId" | "columns" | "dataType" | "caseTypes" | "savable" | "views">;

/** Compiles all data types. */
export function compileDataTypes(definition: Definition, report: Report): Map<string, DataType> {
  const types = new Map<string, DataType>();
  for (const [id, dataType] of Object.entries(definition.dataTypes)) {
    const type = compileDataType(id, dataType, report);
    types.set(id, type);
    if (type.savable === undefined) continue;
    const views = Object.entries(definition.dataViews).flatMap(([name, view]) => {
      return view.source === "records" && view.class === id ? [name] : [];
    });
    if (!views.includes(type.savable)) {
      report(
        ["dataTypes", id, "savable"],
        `there is no data view '${type.savable}' over records of '${id}'${suggestAlternatives(type.savable, views)}`,
      );
    }
  }
  return types;
}

/** Compiles all data views, with those that every application has. */
export function compileDataViews(
  definition: Definition,
  caseTypes: ReadonlyMap<string, CaseType>,
  dataTypes: ReadonlyMap<string, DataType>,
  report: Report,
): Map<string, DataView> {
  const views = new Map<string, DataView>();
  for (const [id, dataView] of Object.entries({ ...BUILT_IN_VIEWS, ...definition.dataViews })) {
    views.set(id, compileDataView(id, dataView, caseTypes, dataTypes, report));
  }
  return views;
}

function compileDataType(id: string, definition: DataTypeDefinition, report: Report): DataType {
  const at = ["dataTypes", id];
  const { fields } = compileFields(definition.fields, id, [...at, "fields"], report);
  const views = compileViews(definition.views, fields, [...at, "views"], report);
  for (const [index, name] of definition.key.entries()) {
    const field = fields.get(name);
    if (field === undefined) report([...at, "key", index], missing("field", name, fields.keys()));
    else if (field.calculated !== undefined || field.embedded !== undefined) {
      report([...at, "key", index], `'${name}' cannot be a key: it is ${field.embedded ? "embedded" : "calculated"}`);
    }
  }
  const actions = new Map<string, RecordAction>();
  for (const [actionId, action] of Object.entries(definition.actions ?? {})) {
    const own = { id: actionId, name: action.name ?? spaced(actionId) };
    const view = chooseView(action, own, views, fields, views.get("pyDetails"), [...at, "actions", actionId], report);
    actions.set(actionId, { ...own, view });
  }
  return { id, name: definition.name, key: definition.key, fields, views, savable: definition.savable, actions };
}

function compileDataView(
  id: string,
  definition: DataViewDefinition,
  caseTypes: ReadonlyMap<string, CaseType>,
  dataTypes: ReadonlyMap<string, DataType>,
  report: Report,
): DataView {
  const at = ["dataViews", id];
  const source = sourceOf(id, definition, caseTypes, dataTypes, at, report);
  const fields = new Map([...source.columns].map(([name, column]) => [name, column.field] as const));
  const own = compileViews(definition.views, fields, [...at, "views"], report);
  if (source.savable && definition.filter?.length) {
    report(
      [...at, "filter"],
      "records are read and changed by their key here, whatever a filter says: filter in another view",
    );
  }
  if (definition.views?.pyDetails === undefined && source.views.has("pyDetails")) own.delete("pyDetails");
  return {
    ...source,
    id,
    name: definition.name,
    source: definition.source,
    structure: definition.structure,
    parameters: compileParameters(definition.parameters, [...at, "parameters"], report),
    filter: compileFilter(definition, fields, [...at, "filter"], report),
    queryable: definition.queryable,
    views: new Map([...source.views, ...own]),
  };
}

function compileParameters(
  definitions: DataViewDefinition["parameters"],
  at: Path,
  report: Report,
): Map<string, DataViewParameter> {
  const parameters = new Map<string, DataViewParameter>();
  for (const [name, { description = "", ...parameter }] of Object.entries(definitions ?? {})) {
    const { type, default: value } = parameter;
    if (value !== undefined && toScalar(type, value) === undefined) {
      report([...at, name, "default"], `the default of '${name}' must be ${neededFor(type)}`);
    }
    parameters.set(name, { name, description, ...parameter });
  }
  return parameters;
}

function sourceOf(
  id: string,
  definition: DataViewDefinition,
  caseTypes: ReadonlyMap<string, CaseType>,
  dataTypes: ReadonlyMap<string, DataType>,
  at: Path,
  report: Report,
): Source {
  const { source } = definition;
  if (definition.class !== undefined && source !== "records") {
    report([...at, "class"], "'class' goes with the source 'records'");
  }
  if (definition.caseTypes !== undefined && source !== "cases") {
    report([...at, "caseTypes"], "'caseTypes' goes with the source 'cases'");
  }
  switch (source) {
    case "records":
      return recordsOf(id, definition.class, dataTypes, at, report);
    case "cases":
      return casesOf(definition.caseTypes ?? [...caseTypes.keys()], caseTypes, at, report);
    default:
      return { ...BARE, ...fixedColumns(source) };
  }
}

const BARE: Pick<Source, "caseTypes" | "savable" | "views"> = { caseTypes: [], savable: false, views: new Map() };

function recordsOf(
  viewId: string,
  classId: string | undefined,
  dataTypes: ReadonlyMap<string, DataType>,
  at: Path,
  report: Report,
): Source {
  const dataType = classId === undefined ? undefined : dataTypes.get(classId);
  if (dataType === undefined) {
    if (classId === undefined) report(at, "a data view over records needs the 'class' of a data type");
    else report([...at, "class"], missing("data type", classId, dataTypes.keys()));
    return { ...BARE, classId: "", columns: new Map() };
  }
  const { id, fields, savable, views } = dataType;
  return { ...BARE, classId: id, dataType, columns: columnsOf(fields.values()), savable: savable === viewId, views };
}

function casesOf(
  names: readonly string[],
  caseTypes: ReadonlyMap<string, CaseType>,
  at: Path,
  report: Report,
): Source {
  const types = names.flatMap((name, index) => {
    const type = caseTypes.get(name);
    if (type === undefined) report([...at, "caseTypes", index], missing("case type", name, caseTypes.keys()));
    return type ?? [];
  });
  const owned = types.flatMap(({ id: owner, fields }) => [...fields.values()].map((field) => ({ owner, field })));
  const columns = new Map([...caseColumns(), ...columnsOf(commonFields(owned, "", at, report).values())]);
  const [only, ...others] = types;
  return only !== undefined && others.length === 0
    ? { ...BARE, classId: only.id, caseTypes: types, columns, views: only.views }
    : { ...BARE, classId: "Work-", caseTypes: types, columns };
}

/** A field and the case type that has it. */
interface OwnedField {
  readonly owner: string;
  readonly field: Field;
}

/** One field for all of one name: with it can be asked what can be asked with any of them. */
function commonFields(owned: readonly OwnedField[], path: string, at: Path, report: Report): Map<string, Field> {
  const common = new Map<string, Field>();
  for (const [name, same] of Map.groupBy(owned, ({ field }) => field.name)) {
    checkOneKind(same, path + name, at, report);
    const widest = same.find(({ field }) => field.type !== "Integer") ?? same[0];
    if (widest !== undefined) common.set(name, withMembersOf(same, widest.field, path, at, report));
  }
  return common;
}

/** A page with the members of all pages of its name. */
function withMembersOf(same: readonly OwnedField[], field: Field, path: string, at: Path, report: Report): Field {
  if (field.type !== "Page" || field.embedded === undefined) return field;
  const members = same.flatMap(({ owner, field: { embedded } }) => {
    return [...embedded?.fields.values() ?? []].map((member) => ({ owner, field: member }));
  });
  const fields = commonFields(members, `${path}${field.name}.`, at, report);
  return { ...field, embedded: { ...field.embedded, fields } };
}

/** A column holds values of one kind: a sum would take the first digits of a text, or the year of a day, for a number. */
function checkOneKind([first, ...others]: readonly OwnedField[], name: string, at: Path, report: Report): void {
  for (const { owner, field } of others) {
    if (first === undefined || isOneKind(first.field, field)) continue;
    const kinds = `${first.field.type} in '${first.owner}' and ${field.type} in '${owner}'`;
    report(at, `'${name}' is ${kinds}: a data view over both needs one type; choose with 'caseTypes'`);
  }
}

/** A page has members that can be asked for, a list has not. */
function isOneKind({ type: one }: Field, { type: other }: Field): boolean {
  return kindOf(one) === "embedded" ? one === other : kindOf(one) === kindOf(other);
}

function columnsOf(fields: Iterable<Field>): Map<string, Column> {
  return new Map([...fields].map((field) => [field.name, { field, place: { content: [field.name] } }]));
}

/** Compiles conditions on rows. */
export function compileFilter(
  definition: Pick<DataViewDefinition, "parameters"> & { readonly filter?: readonly ConditionDefinition[] },
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): DataViewCondition[] {
  return (definition.filter ?? []).map(({ field, comparator, value, parameter, caller }, index) => {
    const here = [...at, index];
    const known = fields.get(field);
    if (known === undefined) report([...here, "field"], missing("field", field, fields.keys()));
    else if (kindOf(known.type) === "embedded") {
      report([...here, "field"], `'${field}' is embedded: it cannot be compared`);
    }
    if ([value, parameter, caller].filter((given) => given !== undefined).length !== 1) {
      report(here, "a condition needs exactly one of 'value', 'parameter' and 'caller'");
    }
    const type = parameter === undefined ? undefined : definition.parameters?.[parameter]?.type;
    if (known !== undefined && kindOf(known.type) !== "embedded") {
      const given = value ?? (caller && "ada");
      checkComparison(known, comparator, type === undefined ? given : EXAMPLES[type], here, report);
    }
    if (parameter !== undefined) {
      if (type === undefined) {
        report([...here, "parameter"], missing("parameter", parameter, Object.keys(definition.parameters ?? {})));
      }
      return { field, comparator, with: { parameter } };
    }
    return { field, comparator, with: caller ? { caller } : { value: value ?? "" } };
  });
}

/** A value of each type of parameter: if a field can be compared with it, so it can with all. */
const EXAMPLES: { readonly [T in DataViewParameter["type"]]: Scalar | undefined } = {
  Text: undefined, // may be any value, written as text
  Integer: 1,
  Decimal: 1,
  Boolean: true,
  Date: "2026-01-31",
  DateTime: "2026-01-31T00:00:00.000Z",
};

/** A condition that cannot be asked would refuse every call of its data view. */
function checkComparison(
  { name, type }: Field,
  comparator: string,
  example: Scalar | undefined,
  at: Path,
  report: Report,
): void {
  if (!comparesBy(type, comparator)) {
    report([...at, "comparator"], `${comparator} compares texts, and '${name}' is of the type ${type}`);
  } else if (example !== undefined && toScalar(type, example) === undefined) {
    report(at, `'${name}' is of the type ${type}: it is compared with ${neededFor(type)}`);
  }
}
