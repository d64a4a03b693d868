/** The columns that do not come from an application's fields, and the data views that every application has. */
import type { Column, ColumnPlace, FieldType } from "./application.ts";
import type { DataViewDefinition } from "./schema.ts";

type Row = readonly [name: string, type: FieldType, label: string, place: ColumnPlace];

const CASE: readonly Row[] = [
  ["pyID", "Text", "ID", { member: "businessId" }],
  ["pzInsKey", "Text", "Handle", { member: "id" }],
  ["pyLabel", "Text", "Label", { json: "pyLabel" }],
  ["pxObjClass", "Text", "Case type", { member: "typeId" }],
  ["pyStatusWork", "Text", "Status", { member: "status" }],
  ["pxUrgencyWork", "Integer", "Urgency", { member: "urgency" }],
  ["pxCurrentStage", "Text", "Stage", { member: "stageId" }],
  ["pxCoverInsKey", "Text", "Parent case", { member: "parentId" }],
  ["pxCreateOperator", "Text", "Created by", { member: "createdBy" }],
  ["pxCreateDateTime", "DateTime", "Created", { member: "createdAt" }],
  ["pxUpdateOperator", "Text", "Updated by", { member: "updatedBy" }],
  ["pxUpdateDateTime", "DateTime", "Updated", { member: "updatedAt" }],
];

const HISTORY: readonly Row[] = [
  ["pxHistoryForReference", "Text", "Case", { member: "caseId" }],
  ["pxTimeCreated", "DateTime", "Time", { member: "at" }],
  ["pyPerformer", "Text", "Performer", { member: "by" }],
  ["pyHistoryType", "Text", "Kind", { member: "kind" }],
  ["pyMessageKey", "Text", "Message", { member: "text" }],
  ["pyActionID", "Text", "Action", { json: "action" }],
  ["pyContent", "Page", "Submitted content", { json: "content" }],
];

const ASSIGNMENTS: readonly Row[] = [
  ["pzInsKey", "Text", "Handle", { member: "id" }],
  ["pxRefObjectKey", "Text", "Case", { member: "caseId" }],
  ["pyLabel", "Text", "Label", { json: "label" }],
  ["pxTaskLabel", "Text", "Task", { json: "task" }],
  ["pxUrgencyAssign", "Integer", "Urgency", { member: "urgency" }],
  ["pxCreateDateTime", "DateTime", "Created", { member: "createdAt" }],
  ["pxAssignedOperatorID", "Text", "Assigned to", { member: "assignee.id" }],
  ["pyAssignmentType", "Text", "Worklist or queue", { member: "assignee.kind" }],
];

const CASE_KEY = { type: "Text", description: "Case handle", required: true } as const;

/** The data views that every application has, unless it defines its own under the name. */
export const BUILT_IN_VIEWS: Readonly<Record<string, DataViewDefinition>> = {
  D_pyWorkHistory: {
    name: "History of a case",
    source: "history",
    structure: "list",
    parameters: { CaseInstanceKey: CASE_KEY },
    filter: [{ field: "pxHistoryForReference", comparator: "EQ", parameter: "CaseInstanceKey" }],
    queryable: true,
  },
  D_pyMyWorkList: {
    name: "My worklist",
    source: "assignments",
    structure: "list",
    filter: [
      { field: "pyAssignmentType", comparator: "EQ", value: "operator" },
      { field: "pxAssignedOperatorID", comparator: "EQ", caller: true },
    ],
    queryable: true,
  },
};

/** The columns that every case has. */
export function caseColumns(): Map<string, Column> {
  return columns(CASE);
}

/** The columns of history lines or of assignments. */
export function fixedColumns(source: "history" | "assignments"): { classId: string; columns: Map<string, Column> } {
  return source === "history"
    ? { classId: "History-Work-", columns: columns(HISTORY) }
    : { classId: "Assign-", columns: columns(ASSIGNMENTS) };
}

function columns(rows: readonly Row[]): Map<string, Column> {
  return new Map(
    rows.map(([name, type, label, place]) => [name, { field: { name, type, label, required: false }, place }]),
  );
}
