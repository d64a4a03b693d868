/** Searches cases in the data views that list them, for services without a search. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import data, { type DataObjectInfo } from "../../lib/resources/data.ts";
import { listsCases } from "../../lib/resources/shared/lists_cases.ts";
import { isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { readIfServed } from "./if_served.ts";
import { queryRows } from "./query_rows.ts";

/** Conditions of a search. */
export interface CaseSearch {
  /** Text in the number or the label. */
  readonly text?: string;
  /** The whole number, instead of a text. */
  readonly number?: string;
  /** ID or name of the case type. */
  readonly type?: string;
  /** Beginning of the status. */
  readonly status?: string;
}

/** The cases that a search has found. */
export interface ListedCases {
  /** The cases, the newest first. */
  readonly cases: readonly ListedCase[];
  /** The data views that refused the search. */
  readonly refused: readonly string[];
}

/** A case in a data view. */
export interface ListedCase extends JsonObject {
  /** Case handle. */
  readonly ID: string;
}

/** Largest number of rows that is read from a data view. */
const MAX_ROWS = 500;

/** The columns that the data views of cases have. */
const COLUMNS = ["pyID", "pyLabel", "pyStatusWork", "pzInsKey", "pxCreateDateTime"];

/** Searches cases in all data views that list them. Returns undefined if the service names none. */
export async function searchCaseViews(context: CommandContext, search: CaseSearch): Promise<ListedCases | undefined> {
  const objects = await readIfServed(async () => {
    const reply = await callOperation(context, { name: "data.list-objects", operation: data.listObjects }, {});
    return checkAnswer(data.listObjects.answer, reply).dataObjects ?? [];
  });
  const listed = (objects ?? []).filter(listsCases);
  if (listed.length === 0) return undefined;
  const wanted = listed.filter(({ classID, name }) =>
    search.type === undefined || [classID, name].some((text) => isSameText(text, search.type))
  );
  const found = await Promise.all(wanted.map((object) => searchView(context, object, search)));
  const byId = new Map(found.flatMap((cases) => cases ?? []).map((one) => [one.ID, one]));
  const age = ({ createTime }: JsonObject) => String(createTime ?? "");
  return {
    cases: [...byId.values()].sort((one, other) => age(one) < age(other) ? 1 : -1),
    refused: wanted.filter((_, i) => found[i] === undefined).map(({ defaultListDataView: view }) => String(view)),
  };
}

function isSameText(text: string | undefined, wanted: string | undefined): boolean {
  return text !== undefined && wanted !== undefined && caseFold(text) === caseFold(wanted);
}

async function searchView(
  context: CommandContext,
  { defaultListDataView: dataViewId, isDefaultListDataViewQueryable: isQueryable, classID, name }: DataObjectInfo,
  search: CaseSearch,
): Promise<ListedCase[] | undefined> {
  const request = isQueryable === false ? {} : { data: buildRequest(search) };
  const found = await readIfServed(() => queryRows(context, String(dataViewId), request));
  return found?.rows.filter((row) => isWanted(row, search)).flatMap((row) => {
    const { pzInsKey: id, pyID, pyLabel, pyStatusWork, pxCreateDateTime } = row;
    if (!isNonEmptyString(id)) return [];
    return [{
      ID: id,
      businessID: pyID,
      label: pyLabel,
      caseTypeID: classID,
      caseTypeName: name,
      status: pyStatusWork,
      createTime: pxCreateDateTime,
    }];
  });
}

function buildRequest({ text, number, status }: CaseSearch): JsonObject {
  const conditions: Record<string, JsonObject> = number === undefined
    ? { F1: compare("pyID", "CONTAINS", text ?? ""), F2: compare("pyLabel", "CONTAINS", text ?? "") }
    : { F1: compare("pyID", "EQ", number.toUpperCase()) };
  const texts = number === undefined ? "(F1 OR F2)" : "F1";
  if (status !== undefined) conditions.F3 = compare("pyStatusWork", "STARTS_WITH", status);
  return {
    query: {
      select: COLUMNS.map((field) => ({ field })),
      filter: { filterConditions: conditions, logic: status === undefined ? texts : `${texts} AND F3` },
      sortBy: [{ field: "pxCreateDateTime", type: "DESC" }],
    },
    paging: { maxResultsToFetch: MAX_ROWS },
  };
}

function compare(field: string, comparator: string, value: string): JsonObject {
  return { lhs: { field }, comparator, rhs: { value }, ignoreCase: true };
}

/** A data view that takes no query returns all rows. */
function isWanted(
  { pyID, pyLabel, pyStatusWork }: JsonObject,
  { text = "", number, status = "" }: CaseSearch,
): boolean {
  const fold = (value: JsonValue | undefined) => caseFold(String(value ?? ""));
  if (!fold(pyStatusWork).startsWith(caseFold(status))) return false;
  if (number !== undefined) return fold(pyID) === caseFold(number);
  return [pyID, pyLabel].some((value) => fold(value).includes(caseFold(text)));
}
