/** Finds cases by text or by number. */
import { type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import { readRows } from "../data/query_rows.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { Column, Filter } from "../store/query.ts";
import { buildCaseFilter, type CaseConditions } from "./case_filter.ts";
import { type ListPage, type PageValues, readPage } from "./list_page.ts";
import { formatUrgency } from "./views/case.ts";

/** The values of a search. */
export interface CaseSearch extends CaseConditions, PageValues {
  /** Number of the case. */
  readonly businessId?: string;
}

const COLUMNS: readonly Column[] = [
  { name: "ID", field: { property: "id" } },
  { name: "businessID", field: { property: "businessId" } },
  { name: "label", field: { content: ["pyLabel"] } },
  { name: "caseTypeID", field: { property: "typeId" } },
  { name: "status", field: { property: "status" } },
  { name: "stageID", field: { property: "stageId" } },
  { name: "urgency", field: { property: "urgency" } },
  { name: "createdBy", field: { property: "createdBy" } },
  { name: "createTime", field: { property: "createdAt" } },
  { name: "lastUpdateTime", field: { property: "updatedAt" } },
];

/** Finds the cases that meet all conditions and that the caller may see. */
export async function findCases(search: CaseSearch, context: HandlerContext): Promise<JsonObject> {
  const { businessId, text, ...conditions } = search;
  const page = readPage(search);
  const common = buildCaseFilter(context.app, conditions);
  if (text === undefined || businessId !== undefined) {
    const withText = text === undefined ? [] : buildCaseFilter(context.app, { text });
    return describePage(await readByNumber(businessId ?? "", [...common, ...withText], page, context), page, context);
  }
  const exact = isNumber(text) ? await readByNumber(text, common, { ...page, offset: 0 }, context) : [];
  const rows = exact.length > 0
    ? exact.slice(page.offset)
    : await readCases(buildCaseFilter(context.app, search), page, context, true);
  return describePage(rows, page, context);
}

/** Reports whether a text has the form of a case number. */
function isNumber(text: string): boolean {
  return /^[a-z]+-\d+$/i.test(text);
}

/** Reads the cases with a number. The prefixes of numbers are capital letters. */
async function readByNumber(
  number: string,
  conditions: readonly Filter[],
  page: ListPage,
  context: HandlerContext,
): Promise<JsonObject[]> {
  const right = { value: number.toUpperCase() };
  const filter: Filter = { left: { property: "businessId" }, comparator: "EQ", right };
  return await readCases([filter, ...conditions], page, context, false);
}

/** Reads a page, and one more row if another page follows. Only the index by creation makes reading in this order fast. */
async function readCases(
  and: readonly Filter[],
  { offset, size }: ListPage,
  { app, tx }: HandlerContext,
  isSorted: boolean,
): Promise<JsonObject[]> {
  const query = {
    source: { kind: "cases", typeIds: [...app.caseTypes.keys()] },
    columns: COLUMNS,
    filter: { and },
    ...(isSorted && { sort: [{ column: "createTime", descending: true }] }),
  } as const;
  return await readRows(tx, query, { offset, limit: size + 1 });
}

function describePage(rows: readonly JsonObject[], { size }: ListPage, { app }: HandlerContext): JsonObject {
  const cases = rows.slice(0, size).map(({ stageID, ...row }): JsonObject => {
    const type = app.caseTypes.get(stringOrUndefined(row.caseTypeID) ?? "");
    return {
      ...row,
      caseTypeName: type?.name,
      stageLabel: type?.stages.get(stringOrUndefined(stageID) ?? "")?.name,
      urgency: formatUrgency(app.platformVersion, Number(row.urgency)),
    };
  });
  return { cases, hasMoreResults: rows.length > size };
}
