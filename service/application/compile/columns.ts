/** The columns that do not come from fields of the application, and the data views of every application. */
import type { RowProperties } from "../../store/query.ts";
import type { DataViewColumn } from "../model/data_view.ts";
import type { FieldType } from "../model/field.ts";
import type { DataViewDefinition } from "../schema/data_format.ts";

type Column<S extends keyof RowProperties> = readonly [
  name: string,
  type: FieldType,
  label: string,
  place: { readonly property: RowProperties[S] } | { readonly content: readonly string[] },
];

const CASE: readonly Column<"cases">[] = [
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

const HISTORY: readonly Column<"events">[] = [
  ["pxHistoryForReference", "Text", "Case", { property: "caseId" }],
  ["pxTimeCreated", "DateTime", "Time", { property: "at" }],
  ["pyPerformer", "Text", "Performer", { property: "by" }],
  ["pyHistoryType", "Text", "Kind", { property: "kind" }],
  ["pyMessageKey", "Text", "Message", { property: "text" }],
  ["pyActionID", "Text", "Action", { content: ["action"] }],
  ["pyContent", "Page", "Submitted content", { content: ["content"] }],
  ["pyChanges", "Page", "Changed fields", { content: ["changes"] }],
];

const ASSIGNMENTS: readonly Column<"assignments">[] = [
  ["pzInsKey", "Text", "Handle", { property: "id" }],
  ["pxRefObjectKey", "Text", "Case", { property: "caseId" }],
  ["pyLabel", "Text", "Label", { content: ["label"] }],
  ["pxTaskLabel", "Text", "Task", { content: ["task"] }],
  ["pxUrgencyAssign", "Integer", "Urgency", { property: "urgency" }],
  ["pxCreateDateTime", "DateTime", "Created", { property: "createdAt" }],
  ["pxAssignedOperatorID", "Text", "Assigned to", { property: "assignee.id" }],
  ["pyAssignmentType", "Text", "Worklist or queue", { property: "assignee.kind" }],
];

const COMMON = { structure: "list", queryable: true } as const;

/** The data views of every application. A definition can replace them. */
export const BUILT_IN_VIEWS: Readonly<Record<string, DataViewDefinition>> = {
  D_pyWorkHistory: {
    ...COMMON,
    name: "History of a case",
    source: "history",
    parameters: { CaseInstanceKey: { type: "Text", description: "Case handle", required: true } },
    filter: [{ field: "pxHistoryForReference", comparator: "EQ", parameter: "CaseInstanceKey" }],
  },
  D_pyMyWorkList: {
    ...COMMON,
    name: "My worklist",
    source: "assignments",
    parameters: {},
    filter: [
      { field: "pyAssignmentType", comparator: "EQ", value: "operator" },
      { field: "pxAssignedOperatorID", comparator: "EQ", caller: true },
    ],
  },
};

/** Creates the columns that every case has. */
export function createCaseColumns(): Map<string, DataViewColumn> {
  return createColumns(CASE);
}

/** Creates the columns of history entries or of assignments, with the class of these rows. */
export function createFixedColumns(
  source: "history" | "assignments",
): { classId: string; columns: Map<string, DataViewColumn> } {
  return source === "history"
    ? { classId: "History-Work-", columns: createColumns(HISTORY) }
    : { classId: "Assign-", columns: createColumns(ASSIGNMENTS) };
}

function createColumns(columns: readonly Column<keyof RowProperties>[]): Map<string, DataViewColumn> {
  return new Map(
    columns.map(([name, type, label, place]) => [name, { field: { name, type, label, required: false }, place }]),
  );
}
