/** Compiles data types and data views. */
import { describeOperand, type Scalar, supportsComparator, toScalar } from "../expressions/comparisons.ts";
import { type Callers, toShapes } from "../expressions/field_shape.ts";
import { Vocabulary } from "../expressions/vocabulary.ts";
import type { CaseType } from "../model/case_type.ts";
import type { DataType, DataView, DataViewColumn, DataViewCondition, DataViewParameter } from "../model/data_view.ts";
import { checkFieldValue } from "../expressions/field_values.ts";
import { type Field, holdsPage, VALUE_KINDS } from "../model/field.ts";
import type { ConditionDefinition, DataTypeDefinition, ParameterDefinitions } from "../schema/data_format.ts";
import type { Definition } from "../schema/definition.ts";
import { type AnyViewDefinition, BUILT_IN_VIEWS, createCaseColumns, createFixedColumns } from "./columns.ts";
import { compileFields } from "./fields.ts";
import type { DefinitionPlace } from "./definition_place.ts";
import { compileForm, compileViews, type FieldSet, toLabel } from "./views.ts";

/** Compiles all data types. */
export function compileDataTypes(definition: Definition, place: DefinitionPlace): Map<string, DataType> {
  const { dataTypes, dataViews } = definition;
  return place.compileAll(dataTypes, (id, dataType, at) => {
    const { savable } = dataType;
    if (savable !== undefined) {
      const views = Object.entries(dataViews).flatMap(([name, view]) =>
        view.source === "records" && view.class === id ? [name] : []
      );
      at.at("savable").checkExists("data view", savable, new Set(views), ` over records of '${id}'`);
    }
    return compileDataType(id, dataType, definition, at);
  });
}

function compileDataType(
  id: string,
  definition: DataTypeDefinition,
  callers: Callers,
  place: DefinitionPlace,
): DataType {
  const { name, key, savable } = definition;
  const own = compileFields(definition.fields, id, place.at("fields"), callers);
  const { fields } = own;
  const views = compileViews(definition.views, own, place.at("views"));
  for (const [index, part] of key.entries()) {
    const at = place.at("key", index);
    const field = at.resolve("field", part, fields);
    if (field?.calculated !== undefined) at.report(`'${part}' is calculated: it cannot be part of the key`);
    if (field?.embedded !== undefined) at.report(`'${part}' is embedded: it cannot be part of the key`);
  }
  const actions = place.at("actions").compileAll(definition.actions, (actionId, action, at) => {
    const named = { id: actionId, name: action.name ?? toLabel(actionId) };
    return { ...named, view: compileForm(action, named, { ...own, views }, at, views.get("pyDetails")) };
  });
  checkRecords(definition.records, key, own, place.at("records"));
  return { id, name, key, fields, views, savable, actions, records: definition.records };
}

function checkRecords(
  records: DataTypeDefinition["records"],
  key: readonly string[],
  { fields, words }: FieldSet,
  place: DefinitionPlace,
): void {
  const keys = new Set<string>();
  for (const [index, record] of records.entries()) {
    const at = place.at(index);
    for (const [name, value] of Object.entries(record)) {
      const field = at.at(name).resolve("field", name, fields);
      if (field === undefined) continue;
      if (field.calculated !== undefined) {
        at.at(name).report(`'${name}' is calculated: a record cannot give its value`);
      }
      const issue = checkFieldValue(field, value);
      if (issue !== undefined) at.at(name).reportValue(`'${name}': ${issue}`, field.type, value);
      if (field.type === "UserReference") words.checkOperator(String(value), at.at(name).report);
    }
    for (const { name, required } of fields.values()) {
      const isEmpty = (record[name] ?? "") === "";
      if (isEmpty && (required || key.includes(name))) at.report(`'${name}' is missing in this record`);
    }
    if (key.some((name) => record[name] === undefined)) continue;
    const own = JSON.stringify(key.map((name) => record[name]));
    if (keys.has(own)) at.report(`Another record has the same key: ${own}`);
    keys.add(own);
  }
}

/** Compiles all data views, with those of every application. */
export function compileDataViews(
  all: Definition,
  caseTypes: ReadonlyMap<string, CaseType>,
  dataTypes: ReadonlyMap<string, DataType>,
  place: DefinitionPlace,
): Map<string, DataView> {
  return place.compileAll({ ...BUILT_IN_VIEWS, ...all.dataViews }, (id, definition, at) => {
    const rows = compileSource(id, definition, caseTypes, dataTypes, at);
    const fields = getFields(rows);
    const words = new Vocabulary(definition.views === undefined ? {} : toShapes(fields.values()), all);
    const views = compileViews(definition.views, { fields, words }, at.at("views"));
    if (rows.savable && definition.filter.length > 0) {
      at.at("filter").report(
        "a filter does not apply to a data view through which records are read and changed by their key: " +
          "use another data view",
      );
    }
    if (definition.views?.pyDetails === undefined && rows.views.has("pyDetails")) views.delete("pyDetails");
    return {
      ...rows,
      id,
      name: definition.name,
      source: definition.source,
      structure: definition.structure,
      parameters: compileParameters(definition.parameters, at.at("parameters")),
      filter: compileFilter(definition.filter, definition.parameters, fields, at.at("filter")),
      queryable: definition.queryable,
      views: new Map([...rows.views, ...views]),
    };
  });
}

/** Returns the fields of a data view by the names of its columns. */
export function getFields({ columns }: Pick<DataView, "columns">): Map<string, Field> {
  return new Map([...columns].map(([name, { field }]) => [name, field]));
}

function compileParameters(definitions: ParameterDefinitions, place: DefinitionPlace): Map<string, DataViewParameter> {
  return place.compileAll(definitions, (name, parameter, at) => {
    const { type, default: value } = parameter;
    if (value !== undefined && toScalar(type, value) === undefined) {
      at.at("default").reportValue(`the default of '${name}' must be ${describeOperand(type)}`, type, value);
    }
    return { name, ...parameter };
  });
}

/** The members of a data view that depend on its source. The data view may replace the views. */
type Rows = Pick<DataView, "classId" | "columns" | "dataType" | "caseTypes" | "savable" | "views">;

const BASE: Omit<Rows, "classId" | "columns"> = { caseTypes: [], savable: false, views: new Map() };

function compileSource(
  id: string,
  definition: AnyViewDefinition,
  caseTypes: ReadonlyMap<string, CaseType>,
  dataTypes: ReadonlyMap<string, DataType>,
  place: DefinitionPlace,
): Rows {
  switch (definition.source) {
    case "records": {
      const dataType = place.at("class").resolve("data type", definition.class, dataTypes);
      if (dataType === undefined) return { ...BASE, classId: "", columns: new Map() };
      const { fields, savable, views } = dataType;
      const columns = createContentColumns(fields.values());
      return { ...BASE, classId: dataType.id, dataType, columns, savable: savable === id, views };
    }
    case "cases": {
      const ids = definition.caseTypes ?? [...caseTypes.keys()];
      return compileCases(place.at("caseTypes").resolveAll("case type", ids, caseTypes), place);
    }
    default:
      return { ...BASE, ...createFixedColumns(definition.source) };
  }
}

function compileCases(types: readonly CaseType[], place: DefinitionPlace): Rows {
  const owned = types.flatMap(({ id: owner, fields }) => [...fields.values()].map((field) => ({ owner, field })));
  const columns = new Map([
    ...createCaseColumns(),
    ...createContentColumns(mergeFields(owned, "", place).values()),
  ]);
  const [only, ...others] = types;
  return only !== undefined && others.length === 0
    ? { ...BASE, classId: only.id, caseTypes: types, columns, views: only.views }
    : { ...BASE, classId: "Work-", caseTypes: types, columns };
}

function createContentColumns(fields: Iterable<Field>): Map<string, DataViewColumn> {
  return new Map([...fields].map((field) => [field.name, { field, place: { content: [field.name] } }]));
}

/** A field, and the ID of its case type. */
interface OwnedField {
  readonly owner: string;
  readonly field: Field;
}

/** Merges fields of the same name into one, which supports every comparison that one of them supports. */
function mergeFields(owned: readonly OwnedField[], path: string, place: DefinitionPlace): Map<string, Field> {
  const merged = new Map<string, Field>();
  for (const [name, same] of Map.groupBy(owned, ({ field }) => field.name)) {
    checkKinds(same, path + name, place);
    const widest = same.find(({ field }) => field.type !== "Integer") ?? same[0];
    if (widest !== undefined) merged.set(name, mergeMembers(same, widest.field, path, place));
  }
  return merged;
}

/** Gives a page the members of all pages of its name. */
function mergeMembers(same: readonly OwnedField[], field: Field, path: string, place: DefinitionPlace): Field {
  if (!holdsPage(field.type) || field.embedded === undefined) return field;
  const members = same.flatMap(({ owner, field: { embedded } }) =>
    [...embedded?.fields.values() ?? []].map((member) => ({ owner, field: member }))
  );
  const fields = mergeFields(members, `${path}${field.name}.`, place);
  return { ...field, embedded: { ...field.embedded, fields } };
}

/** Checks that a column has values of one kind. SQLite would sum up the leading digits of a text or of a date. */
function checkKinds([first, ...others]: readonly OwnedField[], name: string, place: DefinitionPlace): void {
  for (const { owner, field } of others) {
    if (first === undefined || haveSameKind(first.field, field)) continue;
    place.report(
      `'${name}' is ${first.field.type} in '${first.owner}' and ${field.type} in '${owner}': ` +
        "a data view over both needs one type; choose case types with 'caseTypes'",
    );
  }
}

function haveSameKind({ type: one }: Field, { type: other }: Field): boolean {
  // Requests can name members of a page, but not of a list.
  return VALUE_KINDS[one] === "embedded" ? one === other : VALUE_KINDS[one] === VALUE_KINDS[other];
}

/** Compiles conditions on rows. */
export function compileFilter(
  definitions: readonly ConditionDefinition[],
  parameters: ParameterDefinitions,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): DataViewCondition[] {
  return definitions.map(({ field: name, comparator, value, parameter, caller }, index) => {
    const at = place.at(index);
    const field = at.at("field").resolve("field", name, fields);
    const type = parameter === undefined ? undefined : parameters[parameter]?.type;
    if (parameter !== undefined) {
      at.at("parameter").checkExists("parameter", parameter, new Set(Object.keys(parameters)));
    }
    if (field !== undefined) {
      const operand = type === undefined ? value ?? (caller && "operator") : EXAMPLES[type];
      checkComparison(field, comparator, operand, at);
    }
    if (parameter !== undefined) return { field: name, comparator, with: { parameter } };
    return { field: name, comparator, with: caller ? { caller } : { value: value ?? "" } };
  });
}

/** An example of each type of parameter. If a field compares with the example, it compares with every value. */
const EXAMPLES: { readonly [T in DataViewParameter["type"]]: Scalar | undefined } = {
  Text: undefined, // A text can be the text form of any value.
  Integer: 1,
  Decimal: 1,
  Boolean: true,
  Date: "2026-01-31",
  DateTime: "2026-01-31T00:00:00.000Z",
};

/** Checks that a condition can be evaluated. Otherwise every request of its data view would fail. */
function checkComparison(
  { name, type }: Field,
  comparator: string,
  operand: Scalar | undefined,
  place: DefinitionPlace,
): void {
  if (VALUE_KINDS[type] === "embedded") {
    place.at("field").report(`'${name}' is embedded: it cannot be compared`);
  } else if (!supportsComparator(type, comparator)) {
    place.at("comparator").report(`${comparator} compares texts, but '${name}' is of the type ${type}`);
  } else if (operand !== undefined && toScalar(type, operand) === undefined) {
    place.report(`'${name}' is of the type ${type}: it is compared with ${describeOperand(type)}`);
  }
}
