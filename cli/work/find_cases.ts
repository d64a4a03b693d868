import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import work, { type WorkFindParams } from "../../lib/resources/work.ts";
import { filterObjects } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { isUnsupported } from "../handles/is_unsupported.ts";
import { formatTime } from "../view/format_time.ts";
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
  try {
    const reply = await callOperation(context, ref, { ...params });
    const { cases, hasMoreResults } = checkAnswer(work.find.answer, reply);
    const [only, ...others] = cases;
    if (only !== undefined && others.length === 0) rememberCase(context, reply.head, only.ID);
    const rows = cases.map(({ businessID, label, status, stageLabel, createTime }) => ({
      ...{ case: businessID, label, status, stage: stageLabel },
      created: formatTime(createTime ?? ""),
    }));
    const empty = (params.page ?? 1) > 1
      ? `Page ${params.page} has no cases.`
      : `No case contains ${JSON.stringify(params.text)}.`;
    return { list: { result: { cases: filterObjects(cases), hasMoreResults }, rows, empty }, hasMoreResults };
  } catch (error) {
    if (!(error instanceof SvcError) || error.status === 403 || !isUnsupported(error)) throw error;
    throw error.with(
      { hint: "Query a data view of the application instead: 'svc data query --help' explains it." },
      "This service cannot search for cases.",
    );
  }
}
