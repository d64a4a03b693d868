/** Prompts for open work. */
import { SvcError } from "../../lib/errors.ts";
import { filterObjects, isNonEmptyString } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import type { Choice, Prompts } from "../prompts/prompts.ts";
import { formatValue } from "../view/format_value.ts";
import { describeTask, readInbox } from "./read_inbox.ts";

/** Most assignments to pick from. */
const MAX_WORK = 200;

/** Prompts for an open assignment, or one of the other choices. Returns the handle, or the value of the choice. */
export async function pickWork(
  context: CommandContext,
  prompts: Prompts,
  message: string,
  others: readonly Choice[] = [],
): Promise<string> {
  const { assignments, hasMoreResults } = await readInbox(context, { pageSize: MAX_WORK });
  if (hasMoreResults) prompts.warn(`Only the first ${MAX_WORK} assignments are listed. For others, name the case.`);
  const open = assignments.map((assignment) => {
    const { ID, caseID, businessID, label, assigneeInfo } = assignment;
    const [{ type, name: queue, ID: queueId } = {}] = filterObjects([assigneeInfo]);
    const waits = type === "workbasket" ? ` (in ${formatValue(queue ?? queueId)})` : "";
    const [title, task] = [[businessID, label].filter(isNonEmptyString).join(" "), describeTask(assignment)];
    return { value: String(ID ?? caseID), label: `${title}: ${task}${waits}` };
  });
  if (open.length + others.length === 0) {
    throw new SvcError("NOT_FOUND", "You have no open work to pick from.", {
      hint: { text: "Name a case.", commands: [{ args: ["find", "<text>"], purpose: "to search for one" }] },
    });
  }
  return await prompts.search(message, [...open, ...others]);
}
