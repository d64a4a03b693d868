/** The columns that do not come from fields of the application, and the data views of every application. */
import type { RowProperties } from "../../store/query.ts";
import type { ComputedSource, DataViewColumn } from "../model/data_view.ts";
import type { FieldType } from "../model/field.ts";
import type { DataViewDefinition, ParameterDefinitions } from "../schema/data_format.ts";

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
  ["pxRefObjectInsName", "Text", "Case ID", { property: "case.businessId" }],
  ["pxRefObjectClass", "Text", "Case type", { property: "case.typeId" }],
];

type ComputedColumn = readonly [name: string, type: FieldType, label: string];

const ATTACHMENT: readonly ComputedColumn[] = [
  ["pzInsKey", "Text", "Handle"],
  ["pyMemo", "Text", "Name"],
  ["pyFileName", "Text", "File name"],
  ["pyFileCategory", "Text", "File or link"],
  ["pyCategory", "Text", "Category ID"],
  ["pyLabel", "Text", "Category"],
  ["pyTopic", "Text", "Media type"],
  ["pxLinkedRefFrom", "Text", "Case"],
  ["pxCreateOperator", "Text", "Operator who added it"],
  ["pxCreateOpName", "Text", "Added by"],
  ["pxCreateDateTime", "DateTime", "Added"],
];

/** The class and the columns of the rows that the service computes. */
const COMPUTED: Readonly<Record<ComputedSource, readonly [classId: string, columns: readonly ComputedColumn[]]>> = {
  attachments: ["Link-Attachment", ATTACHMENT],
  attachment: ["Link-Attachment", ATTACHMENT],
  operators: ["Data-Admin-Operator-ID", [
    ["pyUserIdentifier", "Text", "Operator ID"],
    ["pyUserName", "Text", "Name"],
    ["pyEmailAddress", "Email", "E-mail"],
  ]],
  operator: ["Data-Admin-Operator-ID", [
    ["pyUserIdentifier", "Text", "Operator ID"],
    ["pyUserName", "Text", "Name"],
    ["pyLabel", "Text", "Label"],
    ["pyOrganization", "Text", "Organization"],
    ["pyAddresses", "PageGroup", "Addresses"],
  ]],
  operatorProfile: ["Data-Admin-Operator-ID", [["pyOperatorInfo", "Page", "Operator"]]],
  creatableTypes: ["Data-Portal", [["pyCaseTypesAvailableToCreate", "List", "Case types"]]],
  callingCodes: ["Data-Country", [["pyCallingCode", "Text", "Calling code"]]],
  bootstrap: ["Data-Portal", [["pyConfigJSON", "TextArea", "Configuration"]]],
};

/** A data view whose rows the service computes. */
type ComputedViewDefinition =
  & { readonly source: ComputedSource }
  & Pick<
    Extract<DataViewDefinition, { source: "history" | "assignments" }>,
    Exclude<keyof DataViewDefinition, "source">
  >;

/** A data view in a definition, or a computed one. */
export type AnyViewDefinition = DataViewDefinition | ComputedViewDefinition;

const COMMON = { structure: "list", queryable: true } as const;

function computed(source: ComputedSource, name: string, parameters: ParameterDefinitions = {}): ComputedViewDefinition {
  return { ...COMMON, source, name, parameters, filter: [] };
}

function text(description: string, required = false): ParameterDefinitions[string] {
  return { type: "Text", description, required };
}

/** The parameters that name an operator. Some clients use the second spelling. */
const OPERATOR = {
  OperatorId: text("Operator ID (default: the caller)"),
  OperatorID: text("Operator ID, if OperatorId is missing"),
};

/** The data views that every application has, because clients expect them. A definition can replace them. */
export const BUILT_IN_VIEWS: Readonly<Record<string, AnyViewDefinition>> = {
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
  D_AttachmentList: computed("attachments", "Attachments of a case", { LinkRefFrom: text("Case handle", true) }),
  D_AttachmentFieldInfo: {
    ...computed("attachment", "Attachment of a field", {
      AttachmentKey: text("Attachment ID", true),
      AttachmentFieldName: text("Name of the field"),
      AttachmentCategory: text("Category ID"),
      ClassName: text("Class of the page with the field"),
    }),
    structure: "page",
  },
  D_pyC11nOperatorsList: computed("operators", "Operators"),
  D_pxOperatorDetails: { ...computed("operator", "Operator", OPERATOR), structure: "page" },
  D_pyOperatorMiniProfile: { ...computed("operatorProfile", "Profile of an operator", OPERATOR), structure: "page" },
  D_pxAvailableCaseTypesForPortal: {
    ...computed("creatableTypes", "Case types that can be created", { PortalName: text("Portal ID") }),
    structure: "page",
  },
  D_pyCountryCallingCodeList: computed("callingCodes", "Calling codes of countries"),
  D_pxBootstrapConfig: { ...computed("bootstrap", "Configuration of web clients"), structure: "page" },
};

/** Creates the columns that every case has. */
export function createCaseColumns(): Map<string, DataViewColumn> {
  return createColumns(CASE);
}

/** Creates the columns of rows that do not depend on the definition, with the class of these rows. */
export function createFixedColumns(
  source: "history" | "assignments" | ComputedSource,
): { classId: string; columns: Map<string, DataViewColumn> } {
  if (source === "history") return { classId: "History-Work-", columns: createColumns(HISTORY) };
  if (source === "assignments") return { classId: "Assign-", columns: createColumns(ASSIGNMENTS) };
  const [classId, columns] = COMPUTED[source];
  return {
    classId,
    columns: createColumns(columns.map(([name, type, label]) => [name, type, label, { content: [name] }])),
  };
}

function createColumns(columns: readonly Column<keyof RowProperties>[]): Map<string, DataViewColumn> {
  return new Map(
    columns.map(([name, type, label, place]) => [name, { field: { name, type, label, required: false }, place }]),
  );
}
