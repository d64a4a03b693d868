/** What the service answers about cases, assignments, case types and data: the members that callers may rely on. */
import type { ErrorDetail } from "../errors.ts";
import type { JsonObject } from "../../utils/json.ts";

/** An action of an assignment or of a case. */
export interface ActionInfo extends JsonObject {
  /** Action ID, e.g. `EnterDetails`: what `--action` takes. */
  ID: string;
  /** Name for people. */
  name: string;
}

/** An open assignment, as a case lists it. */
export interface AssignmentInfo extends JsonObject {
  /** Assignment handle, e.g. `ASSIGN-WORKLIST ACME-WORK C-3!INTAKE_FLOW`. */
  ID: string;
  /** Name for people. */
  name: string;
  /** Who has it: a person's worklist or a queue. */
  assigneeInfo?: JsonObject;
  /** Whether the caller may perform it, as text. */
  canPerform?: "true" | "false";
  /** Its actions; absent where the caller may not perform it. */
  actions?: ActionInfo[];
}

/** A stage of a case. */
export interface StageInfo extends JsonObject {
  /** Stage ID, e.g. `PRIM0`. */
  ID: string;
  /** Name for people; `stage-go` takes it too. */
  name: string;
  /** `active`, `completed` or `future`. */
  visited_status?: string;
}

/** The whole case, in the shape of DX API v2. */
export interface CaseInfo extends JsonObject {
  /** Case handle, e.g. `ACME-WORK C-3`. */
  ID?: string;
  /** The part of the handle that people use, e.g. `C-3`. */
  businessID?: string;
  /** Case type ID. */
  caseTypeID?: string;
  /** Status, e.g. `Open` or `Resolved-Completed`. */
  status?: string;
  /** Current stage's ID. */
  stageID?: string;
  /** Current stage's name. */
  stageLabel?: string;
  /** The fields of the view that was asked for. */
  content?: JsonObject;
  /** Open assignments. */
  assignments?: AssignmentInfo[];
  /** All stages of the case's type. */
  stages?: StageInfo[];
  /** Case-wide and stage-wide actions. */
  availableActions?: ActionInfo[];
}

/** The envelope in which a case travels. */
export interface CaseData extends JsonObject {
  /** The whole case. */
  caseInfo: CaseInfo;
}

/** A case. */
export interface CaseAnswer extends JsonObject {
  /** Case handle: what the other operations take as `caseId`. */
  id: string;
  /** Case type ID. */
  type: string;
  /** Status, e.g. `Open` or `Resolved-Completed`. */
  status: string;
  /** Urgency, 0 to 100; some platform versions answer it as text. */
  urgency: number | string;
  /** Entity tag, for `ifMatch`. */
  etag?: string;
  /** The assignment that is next for the caller, if there is one. */
  nextAssignmentInfo?: NextAssignmentInfo;
  /** What to tell the person when there is no next assignment. */
  confirmationNote?: string;
  /** The whole case. */
  data: CaseData;
}

/** A reference to the next assignment. */
export interface NextAssignmentInfo extends JsonObject {
  /** Assignment handle. */
  ID: string;
}

/** An assignment, with its case. */
export interface AssignmentAnswer extends JsonObject {
  /** Assignment handle: what the other operations take as `assignmentId`. */
  id: string;
  /** Entity tag, for `ifMatch`. */
  etag?: string;
  /** The assignment's case. */
  data: CaseData;
  /** The views of its actions, where they were asked for. */
  uiResources?: JsonObject;
}

/** Content of a view, and the view itself. */
export interface ViewAnswer extends JsonObject {
  /** Entity tag, for `ifMatch`. */
  etag?: string;
  /** Content: `data.caseInfo.content`. */
  data: CaseData;
  /** The view: fields with types, and the components that show them. */
  uiResources?: JsonObject;
}

/** The parent of a case, its parent, and so on. */
export interface AncestorsAnswer extends JsonObject {
  /** The nearest first; missing for a case without parent. */
  ancestors?: FamilyCase[];
}

/** The children of a case. */
export interface DescendantsAnswer extends JsonObject {
  /** In the order in which they were created; missing for a case without children. */
  childCases?: ChildCase[];
}

/** A case among the ancestors or descendants of another. */
export interface FamilyCase extends JsonObject {
  /** Case handle. */
  ID: string;
  /** Name of its case type. */
  name?: string;
}

/** A case among the descendants of another, with its own. */
export interface ChildCase extends FamilyCase, DescendantsAnswer {
  /** Its status. */
  status?: string;
  /** Its open assignments. */
  assignments?: AssignmentInfo[];
}

/** The stages of a case. */
export interface StagesAnswer extends JsonObject {
  /** In order. */
  stages: StageInfo[];
}

/** The case types that the caller may create. */
export interface CaseTypesAnswer extends JsonObject {
  /** In the order of the application. */
  caseTypes: CaseTypeAnswer[];
}

/** A case type. */
export interface CaseTypeAnswer extends JsonObject {
  /** Case type ID: what `cases.create` takes as `type`. */
  ID: string;
  /** Name for people. */
  name: string;
}

/** What became of each case of a bulk call. */
export interface BulkAnswer extends JsonObject {
  /** One element per case; some services only count. */
  results?: BulkResult[];
  /** Cases on which the action was performed. */
  successCount?: number;
  /** Cases on which it was not. */
  failureCount?: number;
  /** The job that does the work, where it is done in the background. */
  jobID?: string;
}

/** What became of one case of a bulk call. */
export interface BulkResult extends JsonObject {
  /** Case handle. */
  ID?: string;
  /** HTTP status of the case; some services answer it as text. */
  status?: number | string;
  /** Of a case that failed: why. */
  errorDetails?: ErrorDetail[];
}

/** The actions that can be performed on several cases. */
export interface BulkActionsAnswer extends JsonObject {
  /** In the order of the case type; some services leave out an empty list. */
  bulkActions?: BulkActionInfo[];
}

/** An action that can be performed on several cases: what `bulkPerform` takes as `action`. */
export interface BulkActionInfo extends ActionInfo {
  /** Where it belongs, e.g. `Case`. */
  type?: string;
}

/** The attachment categories of a case. */
export interface AttachmentCategoriesAnswer extends JsonObject {
  /** In the order of the case type; some services leave out an empty list. */
  attachment_categories?: AttachmentCategoryInfo[];
}

/** An attachment category, and what the caller may do in it. */
export interface AttachmentCategoryInfo extends JsonObject {
  /** Category ID: what an attachment has as `category`. */
  ID: string;
  /** Name for people. */
  name?: string;
  /** Whether the caller may see its attachments. */
  canView?: boolean;
  /** Whether the caller may attach to it. */
  canCreate?: boolean;
  /** Whether the caller may change its attachments. */
  canEdit?: boolean;
  /** Whether the caller may delete the caller's own attachments. */
  canDeleteOwn?: boolean;
  /** Whether the caller may delete all attachments. */
  canDeleteAll?: boolean;
}

/** Rows of a data view. */
export interface RowsAnswer extends JsonObject {
  /** The rows of this page; some services answer null for none. */
  data: JsonObject[] | null;
  /** All matching rows, if `includeTotal` was given. */
  totalCount?: number;
  /** Whether more rows match than the answer holds. */
  hasMoreResults?: boolean;
}

/** Rows of a data view, through one of its views. */
export interface ViewRowsAnswer extends JsonObject {
  /** The rows of this page, with the fields of the view; some services answer one record, or null. */
  data?: JsonObject[] | JsonObject | null;
  /** All matching rows, if `includeTotal` was given. */
  totalCount?: number;
  /** Whether more rows match than the answer holds. */
  hasMoreResults?: boolean;
  /** The view: fields with types, and the components that show them. */
  uiResources?: JsonObject;
}

/** The number of rows of a data view. */
export interface CountAnswer extends JsonObject {
  /** Rows that match. */
  resultCount: number;
}

/** The single page of a data view, such as a record: its members. */
export interface DataPageAnswer extends JsonObject {
  /** Of a record: its entity tag, for `ifMatch`. */
  etag?: string;
}

/** The form of a record's action. */
export interface RecordFormAnswer extends JsonObject {
  /** What identifies the record. */
  id?: string;
  /** Entity tag of the record, for `ifMatch`. */
  etag?: string;
  /** Content. */
  data?: JsonObject;
  /** The form: fields with types, and the components that show them. */
  uiResources?: JsonObject;
}

/** A data record. */
export interface RecordAnswer extends JsonObject {
  /** What identifies it. */
  id?: string;
  /** Entity tag, for `ifMatch`. */
  etag?: string;
  /** The record as it is stored now. */
  responseData?: JsonObject;
}

/** The actions of a data view's records. */
export interface RecordActionsAnswer extends JsonObject {
  /** In the order of the application; some services leave out an empty list. */
  actions?: ActionInfo[];
}

/** The data objects of an application. */
export interface DataObjectsAnswer extends JsonObject {
  /** Records first, then cases; some services leave out an empty list. */
  dataObjects?: DataObjectInfo[];
}

/** A data object: a class of records or of cases. */
export interface DataObjectInfo extends JsonObject {
  /** Class ID. */
  classID?: string;
  /** Data object ID. */
  dataObjectID?: string;
  /** Name for people. */
  name?: string;
  /** What it is, for people. */
  description?: string;
  /** The data view that lists it: what the other operations take as `dataViewId`; empty without one. */
  defaultListDataView?: string;
  /** Whether that data view takes a `query`. */
  isDefaultListDataViewQueryable?: boolean;
}

/** The data pages of an application. */
export interface DataPagesAnswer extends JsonObject {
  /** In the order of the application; some services leave out an empty list. */
  dataPages?: DataPageInfo[];
}

/** A data page. */
export interface DataPageInfo extends JsonObject {
  /** Data view ID: what the other operations take as `dataViewId`. */
  ID?: string;
  /** Name for people. */
  name?: string;
  /** The class of its rows. */
  classID?: string;
  /** `list` or `page`. */
  structure?: string;
  /** Whether it takes a `query`. */
  isQueryable?: boolean;
  /** Whether its records can be changed. */
  isSavable?: boolean;
}
