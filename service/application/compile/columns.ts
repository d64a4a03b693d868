/** The columns that do not come from an application's fields, and the data views that every application has. */
import type { Column, ColumnPlace, FieldType } from "../model/application.ts";
import type { DataViewDefinition } from "../schema/schema.ts";

type Row = readonly [name: string, type: FieldType, label: string, place: ColumnPlace];

const CASE: readonly Row[] = [
  ["pyID", "Text", "ID", { property: "businessId" }],
  ["pzInsKey", "Text", "Handle", { property: "id" }],
  ["pyLabel", "Text", "Label", { content: ["pyLabel"] }],
  ["pxObjClass", "Text", "Case type", { property: "typeId" }],
  ["pyStatusWork", "Text", "Status", { property: "status" }],
  ["pxUrgencyWork", "Integer", "Urgency", { property: "urgency" }],
  ["pxCurrentStage", "Text", "Stage", { property: "stageId" }],
  ["pxCoverInsKey", "Text", "Parent case", { property: "parentId" }],
  ["pxCreateOperator", "Text", "Created by", { property: "createdBy" }],
  ["pxCreateDateTime", "DateTime", "Created", { property: "createdAt" }],
  ["pxUpdateOperator", "Text", "Updated by", { property: "updatedBy" }],
  ["pxUpdateDateTime", "DateTime", "Updated", { property: "updatedAt" }],
];

const HISTORY: readonly Row[] = [
  ["pxHistoryForReference", "Text", "Case", { property: "caseId" }],
  ["pxTimeCreated", "DateTime", "Time", { property: "at" }],
  ["pyPerformer", "Text", "Performer", { property: "by" }],
  ["pyHistoryType", "Text", "Kind", { property: "kind" }],
  ["pyMessageKey", "Text", "Message", { property: "text" }],
  ["pyActionID", "Text", "Action", { content: ["action"] }],
  ["pyContent", "Page", "Submitted content", { content: ["content"] }],
];

const ASSIGNMENTS: readonly Row[] = [
  ["pzInsKey", "Text", "Handle", { property: "id" }],
  ["pxRefObjectKey", "Text", "Case", { property: "caseId" }],
  ["pyLabel", "Text", "Label", { content: ["label"] }],
  ["pxTaskLabel", "Text", "Task", { content: ["task"] }],
  ["pxUrgencyAssign", "Integer", "Urgency", { property: "urgency" }],
  ["pxCreateDateTime", "DateTime", "Created", { property: "createdAt" }],
  ["pxAssignedOperatorID", "Text", "Assigned to", { property: "assignee.id" }],
  ["pyAssignmentType", "Text", "Worklist or queue", { property: "assignee.kind" }],
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
