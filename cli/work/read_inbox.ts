/** The open work of the caller: from the service's inbox, or from the worklist that every service has. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import data from "../../lib/resources/data.ts";
import work, { type WorkInboxParams } from "../../lib/resources/work.ts";
import { filterObjects, isNonEmptyString, isScalar, type JsonObject, stringOrUndefined } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { callOperation } from "../context.ts";
import { getShortId } from "../handles/handles.ts";
import { isUnsupported } from "../handles/is_unsupported.ts";
import { formatAge, formatTime } from "../view/format_time.ts";
import type { PrintedList } from "./print_list.ts";

/** Open assignments. */
export interface Inbox {
  /** The assignments of one page. */
  readonly assignments: readonly JsonObject[];
  /** True if another page follows. */
  readonly hasMoreResults: boolean;
}

/** The worklist of every service. */
const WORKLIST = "D_pyMyWorkList";

/** Reads the inbox. A service without one has a worklist, which has no status and no case type to filter by. */
export async function readInbox(context: CommandContext, params: WorkInboxParams): Promise<Inbox> {
  try {
    const ref = { name: "work.inbox", operation: work.inbox };
    const reply = await callOperation(context, ref, { ...params });
    const { assignments, hasMoreResults } = checkAnswer(work.inbox.answer, reply);
    return { assignments: filterObjects(assignments), hasMoreResults };
  } catch (error) {
    if (!(error instanceof SvcError) || !isUnsupported(error)) throw error;
  }
  const filter = (["type", "status", "due"] as const).find((name) => params[name] !== undefined);
  if (filter !== undefined) {
    throw new SvcError("INVALID_ARGS", `The worklist of this service cannot be filtered with --${filter}.`, {
      hint: "Use --text, which looks at the label, the task and the case.",
    });
  }
  const { page = 1, pageSize = 50, text = "" } = params;
  const ref = { name: "data.query", operation: data.query };
  const reply = await callOperation(context, ref, { dataViewId: WORKLIST });
  const rows = filterObjects(checkAnswer(data.query.answer, reply).data).map(toAssignment);
  const found = rows.filter(({ label, name, caseID }) =>
    [label, name, caseID].some((part) => String(part ?? "").toLowerCase().includes(text.toLowerCase()))
  );
  const end = page * pageSize;
  return { assignments: found.slice(end - pageSize, end), hasMoreResults: found.length > end };
}

function toAssignment(row: JsonObject): JsonObject {
  const caseId = stringOrUndefined(row.pxRefObjectKey);
  const operator = row.pxAssignedOperatorID;
  return {
    ID: row.pzInsKey,
    caseID: caseId,
    name: row.pxTaskLabel,
    urgency: row.pxUrgencyAssign,
    createTime: row.pxCreateDateTime,
    businessID: row.pxRefObjectInsName ?? (caseId && getShortId(caseId)),
    label: row.pyLabel,
    ...(isNonEmptyString(operator) && { assigneeInfo: { ID: operator, type: "worklist" } }),
  };
}

/** Describes an inbox for printing. */
export function describeInbox({ assignments, hasMoreResults }: Inbox): PrintedList {
  const rows = assignments.map(toRow);
  const hasDue = rows.some(({ due }) => due !== "");
  return {
    result: { assignments: [...assignments], hasMoreResults },
    rows: hasDue ? rows : rows.map(({ due: _, ...row }) => row),
    empty: "No open work.",
  };
}

/** The urgency is left out: it orders the rows. */
function toRow({ businessID, label, name, status, createTime, dueTime, assigneeInfo }: JsonObject): JsonObject {
  const [assignee = {}] = filterObjects([assigneeInfo]);
  const due = isNonEmptyString(dueTime) ? formatTime(dueTime) : "";
  const queue = assignee.type === "workbasket" ? assignee.ID : "";
  const row = { case: businessID, label, task: name, status, age: formatAge(String(createTime)), due, queue };
  return Object.fromEntries(Object.entries(row).filter(([, value]) => isScalar(value)));
}
