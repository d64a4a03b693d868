import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import work, { type WorkFindParams } from "../../lib/resources/work.ts";
import { filterObjects, isNonEmptyString, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { readIfEmbedded, readIfSkipped } from "../handles/if_served.ts";
import { formatValue } from "../view/format_value.ts";
import { type MemberNames, renameMembers, renameShape } from "./list_members.ts";
import type { PrintedList } from "./print_list.ts";
import { formatFilters, MAX_EXAMPLES, suggestStatus } from "./read_inbox.ts";

const NAMES: MemberNames = { businessID: "case", stageLabel: "stage", createTime: "created" };

/** Description of what `svc find` prints. */
export const FOUND_CASES: Answer = {
  shape: {
    required: {
      cases: { list: renameShape(work.find.answer.shape.required.cases.list, NAMES) },
      hasMoreResults: "boolean",
    },
  },
};

/** Cases that were found. */
export interface FoundCases {
  /** The cases of one page. */
  readonly list: PrintedList;
  /** True if another page follows. */
  readonly hasMoreResults: boolean;
}

/** Finds cases. If there is only one, it becomes the last case. */
export async function findCases(context: CommandContext, params: WorkFindParams): Promise<FoundCases> {
  const { cases: found, hasMoreResults } = await searchCases(context, params);
  const cases = found.map((one) => renameMembers(one, NAMES));
  const [only, ...others] = cases;
  if (isNonEmptyString(only?.ID) && others.length === 0) rememberCase(context, context.caller.getTarget(), only.ID);
  const rows = cases.map(({ case: id, label, status, stage, created }) => ({
    case: formatValue(id),
    label: formatValue(label),
    status: formatValue(status),
    stage: formatValue(stage),
    created: formatValue(created),
  }));
  const { page = 1 } = params;
  const empty = page > 1 ? `Page ${page} has no cases.` : () => explainNone(context, params);
  return { list: { result: { cases, hasMoreResults }, rows, empty }, hasMoreResults };
}

/** Explains an empty result. It need not mean that the text occurs nowhere: a filter may be misspelt. */
async function explainNone(context: CommandContext, { text, type, status }: WorkFindParams): Promise<string> {
  const flags = formatFilters({ type, status });
  if (flags === "") return `No case contains ${JSON.stringify(text)}.`;
  const advice = await suggestStatus(status, "the cases that contain it", async () => {
    const { cases: rows, hasMoreResults } = await searchCases(context, { text, type, pageSize: MAX_EXAMPLES });
    return { rows, hasMoreResults };
  });
  return `No case that contains ${JSON.stringify(text)} matches${flags}. ${advice}`.trimEnd();
}

interface CasePage {
  readonly cases: readonly JsonObject[];
  readonly hasMoreResults: boolean;
}

async function searchCases(context: CommandContext, params: WorkFindParams): Promise<CasePage> {
  const readOwn = () => findInService(context, params);
  const found = await readIfEmbedded(context, readOwn) ?? await searchElsewhere(context, params, readOwn);
  if (found !== undefined) return found;
  throw new SvcError("NOT_FOUND", "This service cannot search for cases.", {
    hint: {
      text: "Query a data view of the application instead: 'svc data query --help' explains it.",
      commands: [{ args: ["inbox", "--text", params.text ?? ""], purpose: "to search your open work" }],
    },
  });
}

async function findInService(context: CommandContext, params: WorkFindParams): Promise<CasePage> {
  const reply = await callOperation(context, { name: "work.find", operation: work.find }, { ...params });
  const { cases, hasMoreResults } = checkAnswer(work.find.answer, reply);
  return { cases: filterObjects(cases), hasMoreResults };
}

/** Searches data views. If they have no such case, the profile may be wrong about the service. */
async function searchElsewhere(
  context: CommandContext,
  params: WorkFindParams,
  readOwn: () => Promise<CasePage>,
): Promise<CasePage | undefined> {
  const found = await searchDataViews(context, params);
  return found !== undefined && found.cases.length > 0 ? found : await readIfSkipped(context, readOwn) ?? found;
}

/** Searches the number and the label, because the data views of cases have these columns in every service. */
async function searchDataViews(
  context: CommandContext,
  { text, type, status, page = 1, pageSize = 50 }: WorkFindParams,
): Promise<CasePage | undefined> {
  const { searchCaseViews } = await import("../handles/case_views.ts");
  const found = await searchCaseViews(context, { text, type, status });
  if (found === undefined) return undefined;
  if (found.refused.length > 0) {
    context.note(`Warning: These data views refused the search: ${found.refused.join(", ")}.`);
  }
  const end = page * pageSize;
  return { cases: found.cases.slice(end - pageSize, end), hasMoreResults: found.cases.length > end };
}
