/** What a page is about: a case, a data record, or values that belong to none yet. */
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import { getRecord, hasKey } from "../data/records.ts";
import type { Scope } from "../application/model/application.ts";
import type { UiPage } from "../application/model/application.ts";
import { caseInfo } from "../cases/views/case.ts";
import { contentOf, fieldsOf, shownValues } from "../cases/views/content.ts";
import { calculate, Findings, mergePage, newPage } from "../cases/content/content.ts";
import { scopeWithoutCase } from "../cases/context.ts";
import { findCase } from "../cases/case_work.ts";
import { ServiceError } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";

/** What a page shows. */
export interface DataContext {
  /** What the expressions of its texts see. */
  readonly scope: Scope;
  /** Facts of the case, where there is one, and the content of the page's views. */
  readonly caseInfo: JsonObject;
}

/**
 * The data context that a text names: a case handle, the key of a record as JSON where the page is about records, or
 * values of the page's class as JSON; values by default without it. A text that names nothing is a 400.
 */
export async function openDataContext(
  page: UiPage,
  text: string | undefined,
  context: HandlerContext,
): Promise<DataContext> {
  const values = text === undefined ? {} : parseObject(text);
  if (values === undefined) return await openCaseContext(page, text ?? "", context);
  if (page.dataType === undefined || text === undefined) return valuesContext(page, enter(page, values), context);
  if (!hasKey(page.dataType, values)) {
    throw new ServiceError(400, `The data context must have the key of a record: ${page.dataType.key.join(", ")}.`);
  }
  try {
    return valuesContext(page, (await getRecord(page.dataType, values, context)).content, context);
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) throw new ServiceError(400, error.details);
    throw error;
  }
}

async function openCaseContext(page: UiPage, handle: string, context: HandlerContext): Promise<DataContext> {
  const work = await findCase(context, handle);
  if (work === undefined) throw new ServiceError(400, `The data context '${handle}' is no case, nor a JSON object.`);
  if ((page.caseType ?? page.dataType) !== undefined && page.caseType !== work.type) {
    throw new ServiceError(400, `The page ${page.id} is about ${page.classId}, and ${handle} is of ${work.type.id}.`);
  }
  return { scope: work.scope(), caseInfo: caseInfo(work, contentOf(work, page.shown), false) };
}

/** Values of the page's class, with defaults and what is calculated from them. */
function enter(page: UiPage, values: JsonObject): JsonObject {
  const findings = new Findings();
  const { classId, fields } = page;
  const content = mergePage({ classId, fields }, newPage(fields), values, "the data context", findings);
  findings.check();
  return content;
}

function valuesContext(page: UiPage, given: JsonObject, context: HandlerContext): DataContext {
  const content = structuredClone(given);
  const scope = scopeWithoutCase(content, context);
  calculate(page.fields, content, scope);
  return { scope, caseInfo: { content: shownValues(fieldsOf(page.shown), content, page.classId) } };
}

/** A text as a JSON object; nothing where it is none. */
function parseObject(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    throw new ServiceError(400, `The data context is not JSON: ${error instanceof Error ? error.message : error}.`);
  }
}
