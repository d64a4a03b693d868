/** Data contexts of pages: a case, a data record, or given values. */
import { cloneJson, isJsonObject, type JsonObject, parseJson } from "../../utils/json.ts";
import { getRecord, hasKey } from "../data/records.ts";
import type { Scope, UiPage } from "../application/model/application.ts";
import { describeCase } from "../cases/views/case.ts";
import { listFields, showContent, showValues } from "../cases/views/ui.ts";
import { calculate, ContentIssues, mergePage, newPage } from "../cases/content/content.ts";
import { findCase } from "../cases/case_work.ts";
import { scopeWithoutCase } from "../cases/scope.ts";
import { Invalid, NotFound } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";

/** The data of a page. */
export interface DataContext {
  /** The scope of the expressions in its texts. */
  readonly scope: Scope;
  /** Facts of the case, if there is one, and the content of the views. */
  readonly caseInfo: JsonObject;
}

/**
 * Opens a data context: a case by its handle, a record by its key as JSON, or values of the page's class as JSON. Without
 * a text, the values are defaults. Throws Invalid if the text does not fit the page.
 */
export async function openDataContext(
  page: UiPage,
  text: string | undefined,
  context: HandlerContext,
): Promise<DataContext> {
  const values = text === undefined ? {} : parseObject(text);
  if (values === undefined) return await openCaseContext(page, text ?? "", context);
  if (page.dataType === undefined || text === undefined) return createContext(page, fillIn(page, values), context);
  if (!hasKey(page.dataType, values)) {
    throw new Invalid(`The data context must have the key of a record: ${page.dataType.key.join(", ")}.`);
  }
  try {
    return createContext(page, (await getRecord(page.dataType, values, context)).content, context);
  } catch (error) {
    if (error instanceof NotFound) throw new Invalid(error.details);
    throw error;
  }
}

async function openCaseContext(page: UiPage, handle: string, context: HandlerContext): Promise<DataContext> {
  const work = await findCase(context, handle);
  if (work === undefined) {
    throw new Invalid(`The data context '${handle}' is neither a case nor a JSON object.`);
  }
  if ((page.caseType ?? page.dataType) !== undefined && page.caseType !== work.type) {
    throw new Invalid(`The page ${page.id} is about ${page.classId}, but ${handle} is a ${work.type.id}.`);
  }
  return { scope: work.scope(), caseInfo: describeCase(work, showContent(work, page.shown), false) };
}

/** Fills in the defaults of the page's class. */
function fillIn(page: UiPage, values: JsonObject): JsonObject {
  const issues = new ContentIssues();
  const { classId, fields } = page;
  const content = mergePage({ classId, fields }, newPage(fields), values, "the data context", issues);
  issues.check();
  return content;
}

function createContext(page: UiPage, given: JsonObject, context: HandlerContext): DataContext {
  const content = cloneJson(given);
  const scope = scopeWithoutCase(content, context);
  calculate(page.fields, content, scope);
  return { scope, caseInfo: { content: showValues(listFields(page.shown), content, page.classId) } };
}

/** Parses a JSON object. Returns undefined for other texts. */
function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    throw new Invalid(`The data context is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}
