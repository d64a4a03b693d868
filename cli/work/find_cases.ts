import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import work, { type WorkFindParams } from "../../lib/resources/work.ts";
import { filterObjects, isNonEmptyString, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { readIfEmbedded } from "../handles/if_served.ts";
import { formatValue } from "../view/format_value.ts";
import type { PrintedList } from "./print_list.ts";

/** Cases that were found. */
export interface FoundCases {
  /** The cases of one page. */
  readonly list: PrintedList;
  /** True if another page follows. */
  readonly hasMoreResults: boolean;
}

/** Finds cases. If there is only one, it becomes the last case. */
export async function findCases(context: CommandContext, params: WorkFindParams): Promise<FoundCases> {
  const ref = { name: "work.find", operation: work.find };
  const found = await readIfEmbedded(context, async () => {
    const reply = await callOperation(context, ref, { ...params });
    return checkAnswer(work.find.answer, reply);
  });
  const { cases, hasMoreResults } = found === undefined
    ? await searchDataViews(context, params)
    : { ...found, cases: filterObjects(found.cases) };
  const [only, ...others] = cases;
  if (isNonEmptyString(only?.ID) && others.length === 0) rememberCase(context, context.caller.getTarget(), only.ID);
  const rows = cases.map(({ businessID, label, status, stageLabel, createTime }) => ({
    case: formatValue(businessID),
    label: formatValue(label),
    status: formatValue(status),
    stage: formatValue(stageLabel),
    created: formatValue(createTime),
  }));
  const empty = (params.page ?? 1) > 1
    ? `Page ${params.page} has no cases.`
    : `No case contains ${JSON.stringify(params.text)}.`;
  return { list: { result: { cases, hasMoreResults }, rows, empty }, hasMoreResults };
}

/** Searches the number and the label, because the data views of cases have these columns in every service. */
async function searchDataViews(
  context: CommandContext,
  { text, type, status, page = 1, pageSize = 50 }: WorkFindParams,
): Promise<{ cases: JsonObject[]; hasMoreResults: boolean }> {
  const { searchCaseViews } = await import("../handles/case_views.ts");
  const found = await searchCaseViews(context, { text, type, status });
  if (found === undefined) {
    throw new SvcError("NOT_FOUND", "This service cannot search for cases.", {
      hint: {
        text: "Query a data view of the application instead: 'svc data query --help' explains it.",
        commands: [{ args: ["inbox", "--text", text ?? ""], purpose: "to search your open work" }],
      },
    });
  }
  if (found.refused.length > 0) context.note(`Warning: not searched, because refused: ${found.refused.join(", ")}.`);
  const end = page * pageSize;
  return { cases: found.cases.slice(end - pageSize, end), hasMoreResults: found.cases.length > end };
}
