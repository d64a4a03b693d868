/**
 * A service with only the published operations, in the documented shapes: urgencies as text, missing
 * members, no entity tags, errors of the first version of the API, and empty lists as `{}`.
 */
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { type FakeService, type FakeServiceOptions, startFakeService } from "./fake_service.ts";

/** The responses of the service, by method and path, e.g. `GET /casetypes`. */
export type PublishedAnswers = Readonly<Record<string, (() => Response) | JsonObject | JsonValue[]>>;

/** A running service with only the published operations. */
export interface PublishedService extends FakeService {
  /** Requests since the last `clear`, e.g. `GET /casetypes`. */
  readonly requests: string[];
  /** Bodies of the requests with one. */
  readonly bodies: string[];
}

/** The case on which the operator has work. */
export const CASE = "ACME-DEMO-WORK C-3";

/** The operator's assignment in the case. */
export const ASSIGNMENT = `ASSIGN-WORKLIST ${CASE}!INTAKE_FLOW`;

const HREF = `/assignments/${ASSIGNMENT}`;

/** The case, as a real server sends it. */
export const CASE_INFO: JsonObject = {
  ID: CASE,
  businessID: "C-3",
  caseTypeID: "ACME-Demo-Work-Ticket",
  caseTypeName: "Ticket",
  caseTypeIcon: "cmicons/pycase.svg",
  name: "Ticket",
  status: "New",
  urgency: "10",
  owner: "rep@acme.example",
  createdBy: "rep@acme.example",
  createTime: "2026-01-02T03:04:05.678Z",
  lastUpdatedBy: "rep@acme.example",
  lastUpdateTime: "2026-01-02T03:04:05.900Z",
  stageID: "PRIM0",
  stageLabel: "Create",
  sla: { goal: "", deadline: "" },
  associations: { follows: false },
  hasNewAttachments: false,
  WidgetsToRefresh: [],
  content: { classID: "ACME-Demo-Work-Ticket", pyLabel: "Broken bicycle", pyID: "C-3", Summary: "Flat tyre", Due: "" },
  assignments: [
    {
      ID: ASSIGNMENT,
      name: "Enter details",
      processID: "Intake_Flow",
      processName: "Intake",
      instructions: "",
      canPerform: "true",
      isMultiStep: "false",
      urgency: "10",
      assigneeInfo: { ID: "rep@acme.example", name: "Rita Rep", type: "worklist" },
      links: { open: { rel: "self", href: HREF, type: "GET", title: "Get assignment details" } },
      actions: [{ ID: "EnterDetails", name: "Enter details", type: "FlowAction" }],
    },
    {
      ID: `ASSIGN-WORKLIST ${CASE}!AUDIT`,
      name: "Audit",
      canPerform: "false",
      isMultiStep: "false",
      urgency: "10",
      assigneeInfo: { ID: "other@acme.example", name: "Otto Other", type: "worklist" },
    },
  ],
  stages: [{ ID: "PRIM0", name: "Create", type: "Primary", transitionType: "create", visited_status: "active" }],
  availableActions: [
    { ID: "pyUpdateCaseDetails", name: "Edit details", type: "Case" },
    { ID: "pyChangeStage", name: "Change stage", type: "Case" },
  ],
};

const LIST = { fetchDateTime: "2026-01-02T03:04:05.678Z", pxObjClass: "Pega-API-DataExploration-Data" };

/** The fields of the case. */
export const FORM: JsonObject = {
  resources: {
    views: {
      pyDetails: [{
        name: "pyDetails",
        type: "View",
        classID: "ACME-Demo-Work-Ticket",
        config: { template: "Details" },
        children: [{
          name: "A",
          type: "Region",
          children: [
            { type: "TextInput", config: { value: "@P .Summary", label: "@FL .Summary" } },
          ],
        }],
      }],
    },
    fields: {
      Summary: [{ classID: "ACME-Demo-Work-Ticket", type: "Text", displayAs: "pxTextInput", label: "What is wrong" }],
    },
  },
  components: ["View", "Region", "reference", "TextInput"],
  root: { type: "reference", config: { type: "view", name: "pyDetails", context: "caseInfo.content" } },
};

/** The usual responses, unless a test changes them. */
const ANSWERS: PublishedAnswers = {
  "GET /casetypes": {
    applicationIsConstellationCompatible: true,
    caseTypes: [{ ID: "ACME-Demo-Work-Ticket", name: "Ticket", links: {} }],
  },
  "POST /data_views/D_pyMyWorkList": {
    ...LIST,
    resultCount: 3,
    data: [
      {
        pyLabel: "Broken bicycle",
        pxRefObjectKey: CASE,
        pxUrgencyAssign: "10",
        pzInsKey: ASSIGNMENT,
        pxTaskLabel: "Enter details",
      },
      { pyLabel: null, pxRefObjectKey: "ACME-DEMO-WORK C-4", pxUrgencyAssign: "40", pxTaskLabel: "Review" },
      { pyLabel: "Lost key", pzInsKey: "ASSIGN-WORKLIST ACME-DEMO-WORK C-5!INTAKE_FLOW" },
    ],
    hasMoreResults: false,
  },
  "POST /data_views/D_pyWorkHistory": {
    ...LIST,
    data: [
      { pxTimeCreated: "20260102T030410.000 GMT", pyMessageKey: "Assignment completed" },
      { pxTimeCreated: "20260102T030405.678 GMT", pyMessageKey: "Case created", pyPerformer: "rep@acme.example" },
    ],
  },
  [`GET /cases/${CASE}`]: { data: { caseInfo: CASE_INFO, referencedUsers: [] } },
  [`GET /cases/${CASE}/views/pyDetails`]: { data: { caseInfo: { content: CASE_INFO.content } }, uiResources: FORM },
  "GET /cases/ACME-DEMO-WORK C-4": {
    data: { caseInfo: { ID: "ACME-DEMO-WORK C-4", caseTypeID: "ACME-Demo-Work-Ticket", status: "Open", content: {} } },
  },
  "GET /assignments/next": () => refuse(404, "Error_No_Assignment_Available"),
};

/** Starts a service with only the published operations. The responses of a test replace the usual ones. Other requests are refused with 404. */
export function startPublishedService(
  answers: PublishedAnswers = {},
  options: Omit<FakeServiceOptions, "api"> = {},
): PublishedService {
  const all = { ...ANSWERS, ...answers };
  const requests: string[] = [];
  const bodies: string[] = [];
  const service = startFakeService({
    ...options,
    async api(request) {
      const name = `${request.method} ${decodeURIComponent(new URL(request.url).pathname.replace("/dx-api/v2", ""))}`;
      requests.push(name);
      const body = await request.text();
      if (body !== "") bodies.push(body);
      const answer = all[name];
      if (answer === undefined) return refuseAsFirstVersion();
      return typeof answer === "function" ? answer() : Response.json(answer);
    },
  });
  return Object.assign(service, { requests, bodies });
}

/** Refuses a request, with an error of the second version of the API. */
export function refuse(status: number, message: string): Response {
  return Response.json({
    errorClassification: "",
    localizedValue: "The request was refused.",
    errorDetails: [{ message, localizedValue: "", erroneousInputOutputFieldInPage: "" }],
  }, { status });
}

function refuseAsFirstVersion(): Response {
  const errors = [{ ID: "Pega_API_023", message: "Invalid resource", pxObjClass: "Pega-API-Error" }];
  return Response.json({ pxObjClass: "Pega-API", errors }, { status: 404 });
}
