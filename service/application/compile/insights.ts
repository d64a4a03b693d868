/** Insights, which are questions about the rows of a data view, and dashboards, which show several. */
import { z } from "zod";
import { SUMMARY_FUNCTIONS, type SummaryFunction } from "../../store/query.ts";
import type { DataView, Field } from "../model/application.ts";
import { summaryNeeds } from "../expressions/comparisons.ts";
import { compileFilter } from "./data_views.ts";
import { spaced } from "./fields.ts";
import type { Path, Report } from "../findings.ts";
import { kindOf } from "../model/kinds.ts";
import { missing, refer, type Referable, referAll } from "./references.ts";
import { condition, distinct, identifier, text } from "../schema/words.ts";

/** How an insight is meant to be drawn. */
const CHARTS = ["Table", "Bar", "Column", "Line", "Pie", "Number"] as const;

const value = z.strictObject({
  function: z.enum(SUMMARY_FUNCTIONS),
  field: identifier.optional().describe("The field that is summed up; COUNT needs none"),
  label: text.optional(),
});

/** An insight as it is written. */
export const insightSchema = z.strictObject({
  name: text.optional(),
  dataView: identifier.describe("The data view whose rows are counted"),
  filter: z.array(condition.omit({ parameter: true })).optional().describe("Conditions that all hold"),
  groupBy: distinct(identifier).default([]).describe("Fields whose equal values make a group; all rows without it"),
  values: z.record(identifier, value).describe("Numbers of each group, by the name of their column"),
  sort: z.array(z.strictObject({ column: identifier, descending: z.boolean().default(false) })).default([]),
  chart: z.enum(CHARTS).default("Table"),
});

/** A dashboard as it is written. */
export const dashboardSchema = z.strictObject({
  name: text.optional(),
  insights: z.array(identifier).min(1),
});

/** A column of an insight's rows. */
export interface InsightColumn {
  /** Member of the rows. */
  readonly name: string;
  /** Name for people. */
  readonly label: string;
  /** The field that is shown or summed up. */
  readonly field: string;
  /** How it is summed up; the columns without one make the groups. */
  readonly summary?: SummaryFunction;
}

/** A question about the rows of a data view. */
export interface Insight {
  /** ID, e.g. `PermitsByStatus`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** How it is meant to be drawn. */
  readonly chart: typeof CHARTS[number];
  /** The data view, with the insight's own conditions. */
  readonly view: DataView;
  /** Columns: groups first. */
  readonly columns: readonly InsightColumn[];
  /** Order of the rows. */
  readonly sort: readonly { readonly column: string; readonly descending: boolean }[];
}

/** Several insights on one screen. */
export interface Dashboard {
  /** ID, e.g. `Permits`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** In order. */
  readonly insights: readonly Insight[];
}

type InsightDefinition = z.infer<typeof insightSchema>;

/** Compiles all insights. */
export function compileInsights(
  definitions: Readonly<Record<string, InsightDefinition>>,
  dataViews: Referable<DataView>,
  report: Report,
): Map<string, Insight> {
  const insights = new Map<string, Insight>();
  for (const [id, definition] of Object.entries(definitions)) {
    const at = ["insights", id];
    const view = refer(definition.dataView, dataViews, [...at, "dataView"], report);
    if (view !== undefined) insights.set(id, compileInsight(id, definition, view, at, report));
  }
  return insights;
}

/** Compiles all dashboards. */
export function compileDashboards(
  definitions: Readonly<Record<string, z.infer<typeof dashboardSchema>>>,
  insights: Referable<Insight>,
  report: Report,
): Map<string, Dashboard> {
  return new Map(
    Object.entries(definitions).map(([id, { name = spaced(id), insights: ids }]) => [
      id,
      { id, name, insights: referAll(ids, insights, ["dashboards", id, "insights"], report) },
    ]),
  );
}

function compileInsight(
  id: string,
  definition: InsightDefinition,
  view: DataView,
  at: Path,
  report: Report,
): Insight {
  const needed = [...view.parameters.values()].find(({ required }) => required);
  if (needed !== undefined) {
    report([...at, "dataView"], `'${view.id}' needs the parameter '${needed.name}', which an insight does not give`);
  }
  const fields = new Map([...view.columns].map(([name, { field }]) => [name, field] as const));
  const columns = [
    ...groupColumns(definition, fields, [...at, "groupBy"], report),
    ...valueColumns(definition, view, fields, [...at, "values"], report),
  ];
  for (const [index, { column }] of definition.sort.entries()) {
    if (!columns.some(({ name }) => name === column)) {
      report([...at, "sort", index, "column"], missing("column", column, columns.map(({ name }) => name)));
    }
  }
  const filter = compileFilter(definition, fields, [...at, "filter"], report);
  const { name = spaced(id), chart } = definition;
  const sort = [...definition.sort, ...definition.groupBy.map((column) => ({ column, descending: false }))];
  return { id, name, chart, view: { ...view, filter: [...view.filter, ...filter] }, columns, sort };
}

function groupColumns(
  { groupBy }: InsightDefinition,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): InsightColumn[] {
  return groupBy.flatMap((name, index) => {
    const field = plainField(name, fields, [...at, index], report);
    return field === undefined ? [] : { name, label: field.label, field: name };
  });
}

function valueColumns(
  { values, groupBy }: InsightDefinition,
  view: DataView,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): InsightColumn[] {
  if (Object.keys(values).length === 0) report(at, "an insight needs a value");
  return Object.entries(values).map(([name, { function: summary, field: given, label = spaced(name) }]) => {
    const here = [...at, name];
    const field = given ?? alwaysThere(view);
    const known = plainField(field, fields, [...here, "field"], report);
    if (given === undefined && summary !== "COUNT") report(here, `${summary} needs a 'field'`);
    if (groupBy.includes(name)) report(here, `'${name}' is the name of a group already`);
    const needed = known && summaryNeeds(summary, known.type);
    if (known !== undefined && needed !== undefined) {
      report([...here, "field"], `${summary} needs ${needed}, and '${field}' is of the type ${known.type}`);
    }
    return { name, label, field, summary };
  });
}

/** A field that every row has, so that counting its values counts the rows. */
function alwaysThere(view: DataView): string {
  return view.dataType?.key[0] ?? [...view.columns.keys()][0] ?? "";
}

function plainField(
  name: string,
  fields: ReadonlyMap<string, Field>,
  at: Path,
  report: Report,
): Field | undefined {
  const field = fields.get(name);
  if (field === undefined) report(at, missing("field", name, fields.keys()));
  else if (kindOf(field.type) === "embedded") report(at, `'${name}' is embedded: it cannot be summed up`);
  else return field;
  return undefined;
}
