/** Choices whose rows are in the same response as their form. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../utils/json.ts";
import type { Choices, View } from "../../../application/model/field.ts";
import { readRows } from "../../../data/query_rows.ts";
import { buildRowQuery } from "../../../data/row_query.ts";
import type { HandlerContext, Outcome } from "../../../http/handler.ts";

/** Maximum number of rows in a response, as in the lists of clients. */
const MAX_ROWS = 5000;

/** Choices by the object of a response that needs their rows, or by its member. */
const inResources = new WeakMap<JsonValue & object, readonly Choices[]>();
const inLists = new WeakMap<JsonObject, ReadonlyMap<string, Choices>>();

/** Notes the choices of a form that name their data view in the form. */
export function noteChoices(resources: JsonObject, choices: readonly Choices[]): void {
  if (choices.length > 0) inResources.set(resources, choices);
}

/**
 * Creates the lists of the choices of views that belong to their fields. They are empty until their rows are added. Returns
 * undefined if no field has such choices.
 */
export function createLists(views: readonly View[]): JsonObject | undefined {
  const lists: JsonObject = {};
  const choices = new Map(
    views.flatMap(({ fields }) => [...fields.values()]).flatMap(({ field }): [string, Choices][] =>
      field.choices?.loaded && !field.choices.inForm ? [[field.name, field.choices]] : []
    ),
  );
  if (choices.size === 0) return undefined;
  inLists.set(lists, choices);
  return lists;
}

/** Adds the rows of choices to a response with a form that needs them. */
export async function addLoadedChoices(outcome: Outcome, context: HandlerContext): Promise<Outcome> {
  const { body } = outcome;
  if (!isJsonObject(body) || !isJsonObject(body.uiResources)) return outcome;
  const { resources, context_data } = body.uiResources;
  await fillLists(context_data, context);
  const choices = isJsonObject(resources) ? inResources.get(resources) : undefined;
  if (choices === undefined) return outcome;
  const loadTime = context.now.toISOString();
  const shared: JsonObject = {};
  for (const one of choices) {
    const pxResults = await load(one, context);
    shared[one.dataView] = { [one.dataView]: { parameters: [], pxResults, loadTime } };
  }
  return { ...outcome, body: { ...body, data: { ...(isJsonObject(body.data) && body.data), shared } } };
}

async function fillLists(node: JsonValue | undefined, context: HandlerContext): Promise<void> {
  if (Array.isArray(node)) { for (const part of node) await fillLists(part, context); }
  if (!isJsonObject(node)) return;
  for (const [name, choices] of inLists.get(node) ?? []) {
    const rows = await load(choices, context);
    node[name] = rows.map((row) => ({ key: row[choices.value], value: row[choices.text] }));
  }
  for (const part of Object.values(node)) await fillLists(part, context);
}

async function load({ dataView, parameters }: Choices, { app, tx, caller }: HandlerContext): Promise<JsonObject[]> {
  const view = app.dataViews.get(dataView);
  if (view === undefined) return [];
  const given = Array.from(parameters, ([name, argument]) => [name, "value" in argument ? argument.value : ""]);
  const query = buildRowQuery(view, { parameters: Object.fromEntries(given) }, caller.id);
  const rows = await readRows(tx, query, { offset: 0, limit: MAX_ROWS });
  return rows.map((row) => ({ classID: view.classId, ...row }));
}
