/** The open work of the caller: from the service's inbox, or from the worklist that every service has. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import { toKebab } from "../../lib/operation/operation.ts";
import work, { type WorkInboxParams } from "../../lib/resources/work.ts";
import { filterObjects, isNonEmptyString, type JsonObject } from "../../utils/json.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { hasDraft } from "../handles/handles.ts";
import { readIfEmbedded, readIfSkipped } from "../handles/if_served.ts";
import { formatAge } from "../view/format_time.ts";
import { EMPTY, formatTimestamp, formatValue, toIsoTime } from "../view/format_value.ts";
import { type MemberNames, renameMembers, renameShape } from "./list_members.ts";
import type { PrintedList } from "./print_list.ts";

/** Number of rows from which statuses are suggested. */
export const MAX_EXAMPLES = 200;

const NAMES: MemberNames = { businessID: "case", name: "task", createTime: "created", dueTime: "due" };

/** Description of what `svc inbox` prints. */
export const INBOX: Answer = {
  shape: {
    required: {
      assignments: {
        list: {
          unchecked: {
            ...renameShape(work.inbox.answer.shape.required.assignments.list, NAMES).unchecked,
            queue: "string",
          },
        },
      },
      hasMoreResults: "boolean",
    },
  },
};

/** Open assignments. */
export interface Inbox {
  /** The assignments of one page. */
  readonly assignments: readonly JsonObject[];
  /** True if another page follows. */
  readonly hasMoreResults: boolean;
}

/** Reads the inbox. A service without one has a worklist, which has no status and no case type to filter by. */
export async function readInbox(context: CommandContext, params: WorkInboxParams): Promise<Inbox> {
  const readOwn = () => readOwnInbox(context, params);
  const inbox = await readIfEmbedded(context, readOwn);
  if (inbox !== undefined) return inbox;
  try {
    return await filterWorklist(context, params);
  } catch (error) {
    const skipped = await readIfSkipped(context, readOwn);
    if (skipped !== undefined) return skipped;
    throw error;
  }
}

async function readOwnInbox(context: CommandContext, params: WorkInboxParams): Promise<Inbox> {
  const reply = await callOperation(context, { name: "work.inbox", operation: work.inbox }, { ...params });
  const { assignments, hasMoreResults } = checkAnswer(work.inbox.answer, reply);
  return { assignments: filterObjects(assignments), hasMoreResults };
}

async function filterWorklist(context: CommandContext, params: WorkInboxParams): Promise<Inbox> {
  const filter = (["type", "status", "due"] as const).find((name) => params[name] !== undefined);
  if (filter !== undefined) {
    throw new SvcError("INVALID_ARGS", `The worklist of this service cannot be filtered with --${filter}.`, {
      hint: "Use --text, which looks at the label, the task and the case.",
    });
  }
  const { page = 1, pageSize = 50, text = "" } = params;
  const { readWorklist } = await import("../handles/worklist.ts");
  const { assignments, hasMoreResults } = await readWorklist(context);
  const found = assignments.filter(({ label, name, caseID }) =>
    [label, name, caseID].some((part) => caseFold(String(part ?? "")).includes(caseFold(text)))
  );
  const end = page * pageSize;
  return { assignments: found.slice(end - pageSize, end), hasMoreResults: found.length > end || hasMoreResults };
}

/** Describes an inbox for printing. */
export function describeInbox({ assignments, hasMoreResults }: Inbox): Omit<PrintedList, "empty"> {
  const elements = assignments.map(toElement);
  const rows = elements.map(toRow);
  const hasDue = rows.some(({ due }) => due !== "");
  return {
    result: { assignments: elements, hasMoreResults },
    rows: hasDue ? rows : rows.map(({ due: _, ...row }) => row),
  };
}

/** Explains an empty inbox. It need not mean that there is no work: a filter may be misspelt. */
export async function explainNoWork(
  context: CommandContext,
  { page: _page, pageSize: _size, ...filters }: WorkInboxParams,
): Promise<string> {
  const flags = formatFilters(filters);
  if (flags === "") return "No open work.";
  const advice = await suggestStatus(filters.status, "your open work", async () => {
    const { assignments, hasMoreResults } = await readInbox(context, { pageSize: MAX_EXAMPLES });
    return { rows: assignments, hasMoreResults };
  });
  return `No open work matches${flags}. ${advice}'svc inbox' lists all work.`;
}

/** Rows without the filter of a status. */
interface Examples {
  readonly rows: readonly JsonObject[];
  readonly hasMoreResults: boolean;
}

/** Suggests the statuses that rows have, if none of them begins as the filter says. */
export async function suggestStatus(
  status: string | undefined,
  what: string,
  readExamples: () => Promise<Examples>,
): Promise<string> {
  if (status === undefined) return "";
  const { rows, hasMoreResults } = await readExamples();
  const known = [...new Set(rows.map((row) => row.status).filter(isNonEmptyString))].sort();
  if (known.length === 0 || known.some((one) => one.startsWith(status))) return "";
  const beginnings = known.map((one) => one.split("-")[0] ?? one);
  const question = didYouMean(status, [...new Set([...known, ...beginnings])], (name) => `'${name}'`);
  return `${question}Statuses of ${what}: ${known.join(", ")}${hasMoreResults ? " and others" : ""}. `;
}

/** Formats flags that select rows, each after a space. */
export function formatFilters(filters: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(filters).map(([name, value]) =>
    value === undefined ? "" : ` --${toKebab(name)} ${shellQuote(value)}`
  ).join("");
}

/** Returns an assignment as `svc inbox` prints it. */
export function toElement(assignment: JsonObject): JsonObject {
  const [assignee = {}] = filterObjects([assignment.assigneeInfo]);
  const isQueued = assignee.type === "workbasket" && assignee.ID !== undefined;
  return { ...renameMembers(assignment, NAMES), ...(isQueued && { queue: assignee.ID }) };
}

/** The urgency is left out: it orders the rows. Queue and due time are often missing, so they get no dash. */
function toRow(element: JsonObject): JsonObject {
  const { case: id, label, task, status, created, due, queue } = element;
  return {
    case: formatValue(id),
    label: formatValue(label),
    task: describeTask({ ...element, name: task }),
    status: formatValue(status),
    created: isNonEmptyString(created) ? formatAge(toIsoTime(created)) : EMPTY,
    due: isNonEmptyString(due) ? formatTimestamp(due) : "",
    queue: queue === undefined ? "" : formatValue(queue),
  };
}

/** Describes the task of an assignment. */
export function describeTask(assignment: JsonObject): string {
  return (hasDraft(assignment) ? "Draft: " : "") + formatValue(assignment.name);
}
