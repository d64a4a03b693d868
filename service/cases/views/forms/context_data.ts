/** Results of the conditions that clients cannot evaluate. */
import { type JsonObject, toObject } from "../../../../utils/json.ts";
import type { Condition, Scope } from "../../../application/model/expression.ts";
import { getInnerView, listShown, type View, type ViewField } from "../../../application/model/field.ts";
import { createLists } from "./loaded_choices.ts";
import { DomainError } from "../../../errors.ts";

/** Describes the results of the conditions of a view, in the structure of its content. */
export function describeContextData(view: View, content: JsonObject, scope: Scope): JsonObject {
  const page = describePage([view], content, scope);
  return Object.keys(page).length === 0 ? {} : { caseInfo: { content: page } };
}

/** Describes the results of the conditions of views of a page, and of the pages and rows in it. */
export function describePage(views: readonly View[], page: JsonObject, outer: Scope): JsonObject {
  const scope = { ...outer, fields: page };
  const whens = views.flatMap((view) => [...view.whens ?? []]);
  const lists = createLists(views);
  const described: JsonObject = whens.length === 0 && lists === undefined ? {} : {
    summary_of_when_conditions__: Object.fromEntries(whens.flatMap(([name, holds]) => decide(name, holds, scope))),
    summary_of_associated_lists__: lists ?? {},
  };
  for (const view of views) {
    for (const shown of listShown(view)) Object.assign(described, describeEmbedded(shown, page, scope));
  }
  return described;
}

function describeEmbedded(shown: ViewField, page: JsonObject, scope: Scope): JsonObject {
  const { field: { name, type }, rows, readOnly } = shown;
  const inner = getInnerView(shown);
  if (inner === undefined) return {};
  const value = page[name];
  if (type === "Page") {
    const described = describePage([inner], toObject(value), scope);
    return Object.keys(described).length === 0 ? {} : { [name]: described };
  }
  const views = rows?.editView === undefined ? [inner] : [inner, rows.editView];
  const described = (Array.isArray(value) ? value : []).map((row) => describePage(views, toObject(row), scope));
  return {
    ...(described.some((row) => Object.keys(row).length > 0) && { [name]: described }),
    ...(!readOnly && { [`${name}Temp`]: [{ summary_of_associated_lists__: {}, ...describePage(views, {}, scope) }] }),
  };
}

/** Evaluates a condition. The result of one that fails is left out: then it counts as true for clients. */
function decide(name: string, holds: Condition, scope: Scope): [string, boolean][] {
  try {
    return [[name, holds(scope)]];
  } catch (error) {
    if (error instanceof DomainError) return [];
    throw error;
  }
}
