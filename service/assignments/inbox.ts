/** The open work of an operator. */
import { isString, type JsonObject } from "../../utils/json.ts";
import { isTimestamp, toUtc } from "../../utils/time/timestamps.ts";
import { mayWork } from "../access/case_rights.ts";
import { buildCaseFilter, type CaseConditions } from "../cases/case_filter.ts";
import { describeDrafts, getLockHolder } from "../cases/case_work.ts";
import { type PageValues, readPage } from "../cases/list_page.ts";
import { formatUrgency } from "../cases/views/case.ts";
import { readRows } from "../data/query_rows.ts";
import { Invalid } from "../errors.ts";
import type { HandlerContext } from "../http/handler.ts";
import type { Column, Filter, RowQuery } from "../store/query.ts";
import type { StoredAssignment } from "../store/store.ts";

type Assignee = StoredAssignment["assignee"];

const COLUMNS = [
  { name: "ID", field: { property: "id" } },
  { name: "caseID", field: { property: "caseId" } },
  { name: "name", field: { content: ["task"] } },
  { name: "urgency", field: { property: "urgency" } },
  { name: "createTime", field: { property: "createdAt" } },
  { name: "dueTime", field: { content: ["due"] } },
] as const satisfies readonly Column[];

/** Conditions on the work to list. */
export interface InboxValues extends CaseConditions, PageValues {
  /** Time until which it is due. */
  readonly due?: string;
}

/** An assignment, and who has it. */
interface Entry {
  readonly row: JsonObject;
  readonly assignee: Assignee;
}

/**
 * Lists a page of the assignments that the caller has or may take from a queue, the most urgent first, then the oldest.
 * A page is shorter if it has assignments of cases that the caller may see but not change.
 */
export async function listInbox(values: InboxValues, context: HandlerContext): Promise<JsonObject> {
  const { app, caller } = context;
  const due = values.due === undefined ? undefined : readTime(values.due);
  const { offset, size } = readPage(values);
  const cases = buildCaseFilter(app, values);
  const lists: Assignee[] = [
    { kind: "operator", id: caller.id },
    ...caller.queues.map((id) => ({ kind: "queue", id } as const)),
  ];
  const entries: Entry[] = [];
  for (const assignee of lists) {
    const query = buildListQuery(assignee, cases, due);
    const rows = await readRows(context.tx, query, { offset: 0, limit: offset + size + 1 });
    entries.push(...rows.map((row) => ({ row, assignee })));
  }
  const page = entries.sort(compareTurns).slice(offset, offset + size);
  const described = await Promise.all(page.map((entry) => describeEntry(entry, context)));
  return {
    assignments: described.filter((one) => one !== undefined),
    hasMoreResults: entries.length > offset + size,
  };
}

/** Builds the query of one worklist or queue, in the order of its index. */
export function buildListQuery({ kind, id }: Assignee, cases: readonly Filter[], due?: string): RowQuery {
  const isDue: Filter[] = due === undefined
    ? []
    : [{ left: { content: ["due"] }, comparator: "LTE", right: { value: due } }];
  return {
    source: { kind: "assignments" },
    columns: COLUMNS,
    filter: { and: [equals("assignee.kind", kind), equals("assignee.id", id), ...isDue] },
    ...(cases.length > 0 && { cases: { and: cases } }),
    sort: [{ column: "urgency", descending: true }, { column: "createTime", descending: false }],
  };
}

function readTime(text: string): string {
  const time = isTimestamp(text) ? toUtc(text) : undefined;
  if (time === undefined) throw new Invalid("due must be a time such as 2026-01-31T17:00:00Z");
  return time;
}

function equals(property: string, value: string): Filter {
  return { left: { property }, comparator: "EQ", right: { value } };
}

function compareTurns({ row: a }: Entry, { row: b }: Entry): number {
  const [left, right] = [String(a.createTime), String(b.createTime)];
  return Number(b.urgency) - Number(a.urgency) || (left < right ? -1 : left > right ? 1 : 0);
}

/** Describes an assignment. Returns undefined for one that the caller may not take. */
async function describeEntry({ row, assignee }: Entry, context: HandlerContext): Promise<JsonObject | undefined> {
  const { app, tx, caller } = context;
  const stored = isString(row.caseID) ? await tx.getCase(row.caseID) : undefined;
  const type = stored && app.caseTypes.get(stored.typeId);
  if (stored === undefined || type === undefined) return undefined;
  if (assignee.kind === "queue" && !mayWork({ type, stored, context })) return undefined;
  const who = assignee.kind === "queue"
    ? { ID: assignee.id, name: app.queues.get(assignee.id) ?? assignee.id, type: "workbasket" }
    : { ID: caller.id, name: caller.name, type: "worklist" };
  const { dueTime, ...facts } = row;
  // A draft locks its case.
  const isDrafted = assignee.kind === "operator" && getLockHolder(stored) !== undefined;
  const assignment = isDrafted ? (await tx.listAssignments(stored.id)).find(({ id }) => id === row.ID) : undefined;
  return {
    ...facts,
    ...(isString(dueTime) && { dueTime }),
    ...(assignment !== undefined && describeDrafts(assignment)),
    businessID: stored.businessId,
    label: stored.content.pyLabel,
    caseTypeID: type.id,
    caseTypeName: type.name,
    status: stored.status,
    stageLabel: type.stages.get(stored.stageId)?.name,
    urgency: formatUrgency(app.platformVersion, Number(row.urgency)),
    assigneeInfo: who,
  };
}
