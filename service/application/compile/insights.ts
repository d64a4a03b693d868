/** Compiles insights. */
import { checkSummary } from "../expressions/comparisons.ts";
import { type DataView, isComputed } from "../model/data_view.ts";
import { type Field, VALUE_KINDS } from "../model/field.ts";
import type { Insight, SummaryColumn } from "../model/user_interface.ts";
import type { InsightDefinition } from "../schema/interface_format.ts";
import { compileFilter, getFields } from "./data_views.ts";
import { toLabel } from "./views.ts";
import type { DefinitionPlace } from "./definition_place.ts";

/** Compiles all insights. Leaves out those whose data view does not exist. */
export function compileInsights(
  definitions: Readonly<Record<string, InsightDefinition>>,
  dataViews: ReadonlyMap<string, DataView>,
  place: DefinitionPlace,
): Map<string, Insight> {
  return place.compileAll(definitions, (id, definition, at) => {
    const view = at.at("dataView").resolve("data view", definition.dataView, dataViews);
    return view && compileInsight(id, definition, view, at);
  });
}

function compileInsight(id: string, definition: InsightDefinition, view: DataView, place: DefinitionPlace): Insight {
  const { name = toLabel(id), chart, groupBy, sort } = definition;
  const required = [...view.parameters.values()].find((parameter) => parameter.required);
  if (required !== undefined) {
    place.at("dataView").report(
      `'${view.id}' needs the parameter '${required.name}', which an insight cannot give: use another data view`,
    );
  }
  if (isComputed(view.source)) {
    place.at("dataView").report(
      `'${view.id}' has computed rows, which an insight cannot sum up: use another data view`,
    );
  }
  const fields = getFields(view);
  const columns = [
    ...compileGroups(definition, fields, place.at("groupBy")),
    ...compileValues(definition, view, fields, place.at("values")),
  ];
  const names = new Set(columns.map((column) => column.name));
  for (const [index, { column }] of sort.entries()) {
    place.at("sort", index, "column").checkExists("column", column, names);
  }
  const filter = compileFilter(definition.filter, {}, fields, place.at("filter"));
  return {
    id,
    name,
    chart,
    view: { ...view, filter: [...view.filter, ...filter] },
    columns,
    sort: [...sort, ...groupBy.map((column) => ({ column, descending: false }))],
  };
}

function compileGroups(
  { groupBy }: InsightDefinition,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): SummaryColumn[] {
  return groupBy.flatMap((name, index) => {
    const field = resolvePlainField(name, fields, place.at(index));
    return field === undefined ? [] : { name, label: field.label, field: name };
  });
}

function compileValues(
  { values, groupBy }: InsightDefinition,
  view: DataView,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): SummaryColumn[] {
  return Object.entries(values).map(([name, { function: summary, field: given, label = toLabel(name) }]) => {
    const at = place.at(name);
    const field = given ?? findCountedField(view);
    const known = resolvePlainField(field, fields, at.at("field"));
    if (groupBy.includes(name)) at.report(`'${name}' is the name of a group already: choose another name`);
    const needed = known && checkSummary(summary, known.type);
    if (needed !== undefined) {
      at.at("field").report(`${summary} needs ${needed}, but '${field}' is of the type ${known?.type}`);
    }
    return { name, label, field, summary };
  });
}

/** Finds a field that every row has, so that counting its values counts the rows. */
function findCountedField(view: DataView): string {
  return view.dataType?.key[0] ?? [...view.columns.keys()][0] ?? "";
}

function resolvePlainField(
  name: string,
  fields: ReadonlyMap<string, Field>,
  place: DefinitionPlace,
): Field | undefined {
  const field = place.resolve("field", name, fields);
  if (field === undefined || VALUE_KINDS[field.type] !== "embedded") return field;
  place.report(`'${name}' is embedded: it cannot be grouped or summed up`);
  return undefined;
}
