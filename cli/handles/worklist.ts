/** The worklist of the caller: a data view that every service has. */
import { isUnserved } from "../../lib/client/refusals.ts";
import { isNonEmptyString, isScalar, type JsonObject } from "../../utils/json.ts";
import { parseTimestamp } from "../../utils/time/parse_timestamp.ts";
import type { CommandContext } from "../commands/command.ts";
import { getCaseHandle, getShortId } from "./handles.ts";
import { queryRows } from "./query_rows.ts";

const WORKLIST = "D_pyMyWorkList";

/** Open assignments, in the form of the inbox. */
export interface Worklist {
  /** The assignments: the most urgent first, then the oldest. */
  readonly assignments: readonly JsonObject[];
  /** True if the service has more of them. */
  readonly hasMoreResults: boolean;
}

/** Reads the worklist of the caller. */
export async function readWorklist(context: CommandContext): Promise<Worklist> {
  try {
    const { rows, hasMoreResults } = await queryRows(context, WORKLIST);
    return { assignments: rows.flatMap(toAssignment).sort(compareUrgency), hasMoreResults };
  } catch (error) {
    if (!isUnserved(error)) throw error;
    const hint = {
      text: "Name a case instead, e.g. svc show 'ACME-WORK C-1'.",
      commands: [{ args: ["next"], purpose: "to get your next assignment" }],
    };
    throw error.with({ hint }, `The worklist ${WORKLIST} cannot be read: ${error.message}`);
  }
}

/** Services differ in the columns. A row that names neither a case nor an assignment is left out. */
function toAssignment(row: JsonObject): JsonObject[] {
  const id = [row.pzInsKey].find(isNonEmptyString);
  const caseId = [row.pxRefObjectKey, id && getCaseHandle(id)].find(isNonEmptyString);
  if (id === undefined && caseId === undefined) return [];
  const assignment: JsonObject = {
    ID: id,
    caseID: caseId,
    name: row.pxTaskLabel,
    urgency: row.pxUrgencyAssign,
    createTime: row.pxCreateDateTime,
    businessID: [row.pxRefObjectInsName, caseId && getShortId(caseId)].find(isNonEmptyString),
    label: row.pyLabel,
    assigneeInfo: isNonEmptyString(row.pxAssignedOperatorID)
      ? { ID: row.pxAssignedOperatorID, type: "worklist" }
      : undefined,
  };
  return [Object.fromEntries(Object.entries(assignment).filter(([, value]) => value !== undefined && value !== null))];
}

function compareUrgency(one: JsonObject, other: JsonObject): number {
  return readUrgency(other) - readUrgency(one) || (readTime(one) < readTime(other) ? -1 : 1);
}

/** Services send the urgency as a number or as text. */
function readUrgency({ urgency }: JsonObject): number {
  return isScalar(urgency) && Number.isFinite(Number(urgency)) ? Number(urgency) : 0;
}

/** An assignment without a time counts as new. */
function readTime({ createTime }: JsonObject): string {
  return (isNonEmptyString(createTime) ? parseTimestamp(createTime) : undefined) ?? "9999";
}
