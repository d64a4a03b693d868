/** What the service answers: the shapes that callers may rely on, and the check of each where it enters. */
import { SvcError } from "./errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";

/** A hypermedia link: what can be done next, and at which path. */
export interface Link extends JsonObject {
  /** Path below the API root, not encoded. */
  href: string;
  /** HTTP method. */
  type: string;
}

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
  /** Content: `data.caseInfo.content`. */
  data: CaseData;
  /** The view: fields with types, and the components that show them. */
  uiResources?: JsonObject;
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
  /** One element per case. */
  results?: JsonObject[];
  /** The job that does the work, where it is done in the background. */
  jobID?: string;
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

/** The number of rows of a data view. */
export interface CountAnswer extends JsonObject {
  /** Rows that match. */
  resultCount: number;
}

/** A data record. */
export interface RecordAnswer extends JsonObject {
  /** The record as it is stored now. */
  responseData?: JsonObject;
}

/** Answers by the name of their shape. */
export interface Answers {
  /** A case. */
  case: CaseAnswer;
  /** An assignment. */
  assignment: AssignmentAnswer;
  /** A view. */
  view: ViewAnswer;
  /** Stages. */
  stages: StagesAnswer;
  /** Case types. */
  caseTypes: CaseTypesAnswer;
  /** One case type. */
  caseType: CaseTypeAnswer;
  /** Outcome of a bulk call. */
  bulk: BulkAnswer;
  /** Rows. */
  rows: RowsAnswer;
  /** A number of rows. */
  count: CountAnswer;
  /** A record. */
  record: RecordAnswer;
  /** Any JSON object. */
  object: JsonObject;
  /** Nothing. */
  nothing: undefined;
}

/** Whether a value has the members that a shape promises. */
const SHAPES: { readonly [N in keyof Answers]: (value: unknown) => value is Answers[N] } = {
  case: (value): value is CaseAnswer =>
    hasCaseData(value) && typeof value.id === "string" && typeof value.type === "string" &&
    typeof value.status === "string",
  assignment: (value): value is AssignmentAnswer => hasCaseData(value) && typeof value.id === "string",
  view: (value): value is ViewAnswer => hasCaseData(value),
  stages: (value): value is StagesAnswer => isJsonObject(value) && Array.isArray(value.stages),
  caseTypes: (value): value is CaseTypesAnswer => isJsonObject(value) && Array.isArray(value.caseTypes),
  caseType: (value): value is CaseTypeAnswer => isJsonObject(value) && typeof value.ID === "string",
  bulk: (value): value is BulkAnswer => isJsonObject(value),
  rows: (value): value is RowsAnswer => isJsonObject(value) && (value.data === null || Array.isArray(value.data)),
  count: (value): value is CountAnswer => isJsonObject(value) && typeof value.resultCount === "number",
  record: (value): value is RecordAnswer => isJsonObject(value),
  object: isJsonObject,
  nothing: (value): value is undefined => value === undefined,
};

/** The body of an answer as the shape that its operation promises, or `INVALID_RESPONSE`. */
export function checkAnswer<N extends keyof Answers>(
  shape: N,
  answer: { readonly body: JsonValue | undefined; readonly etag?: string },
): Answers[N] {
  const value = shape === "nothing" ? undefined : completed(shape, answer.body, answer.etag);
  if (SHAPES[shape](value)) return value;
  throw new SvcError("INVALID_RESPONSE", `The service's answer is not of the shape "${shape}".`, {
    hint: "Check that the base URL and API root name a DX API v2 service. --verbose shows the answer.",
  });
}

/** The answer with its identifier and entity tag at the top: some servers give them only further down or in a header. */
function completed(shape: keyof Answers, body: JsonValue | undefined, etag?: string): unknown {
  if (!isJsonObject(body)) return body;
  return { ...identityOf(shape, body), ...(etag !== undefined && { etag }), ...body };
}

function identityOf(shape: keyof Answers, body: JsonObject): JsonObject {
  if (!hasCaseData(body)) return {};
  const { ID, caseTypeID, status, urgency, assignments } = body.data.caseInfo;
  if (shape === "case") return { id: ID, type: caseTypeID, status, urgency };
  return shape === "assignment" ? { id: assignments?.[0]?.ID } : {};
}

function hasCaseData(value: unknown): value is JsonObject & { data: CaseData } {
  return isJsonObject(value) && isJsonObject(value.data) && isJsonObject(value.data.caseInfo);
}
