/** A service with one assignment whose form has a field of every kind, for tests of `--interactive`. */
import { type JsonObject, parseJson } from "../../../utils/json.ts";
import { type FakeService, startFakeService } from "../../harness/fake_service.ts";

/** The assignment. */
export const ASSIGNMENT = "ASSIGN-WORKLIST ACME-WORK C-1!INTAKE";

/** Options of the form service. */
export const PERFORMED = { id: "C-1", type: "T", status: "Open", urgency: 10, data: { caseInfo: {} } };

/** The service, and what reached it. */
export interface FormService {
  /** The service. */
  readonly service: FakeService;
  /** Requests that change something: entity tag and body. */
  readonly submitted: { readonly path: string; readonly tag: string | null; readonly body: unknown }[];
}

const CASE = "ACME-Demo-Work-Trip";
const CONTACT = "ACME-Demo-Data-Contact";
const ITEM = "ACME-Demo-Data-Item";

const CHANNELS = [{ key: "D", value: "Desk" }, { key: "P", value: "Post\x1b[2J" }];

const FIELDS: JsonObject = {
  Name: [{ classID: CASE, type: "Text", label: "Applicant", maxLength: 10 }],
  Count: [{ classID: CASE, type: "Integer", label: "Count" }],
  Amount: [{ classID: CASE, type: "Decimal", label: "Amount" }],
  Urgent: [{ classID: CASE, type: "True-False", label: "Urgent" }],
  Visit: [{ classID: CASE, type: "Date", label: "Visit" }],
  Channel: [{
    classID: CASE,
    type: "Text",
    label: "Channel",
    datasource: { tableType: "PromptList", records: CHANNELS },
  }],
  Contact: [{ classID: CASE, type: "Page", label: "Contact", pageClass: CONTACT, dataRetrievalType: "manual" }],
  City: [{ classID: CONTACT, type: "Text", label: "City" }],
  Items: [{ classID: CASE, type: "Page List", label: "Items", pageClass: ITEM, dataRetrievalType: "manual" }],
  Title: [{ classID: ITEM, type: "Text", label: "Title" }],
  Note: [{ classID: CASE, type: "Text", label: "Note" }],
};

function shown(type: string, name: string, required: boolean): JsonObject {
  return { type, config: { value: `@P .${name}`, label: `@FL .${name}`, required } };
}

function view(name: string, classID: string, config: JsonObject, children: JsonObject[]): JsonObject[] {
  return [{
    name,
    type: "View",
    classID,
    config: { template: "DefaultForm", ruleClass: classID, ...config },
    children: [{ name: "Fields", type: "Region", children }],
  }];
}

const FORM: JsonObject = {
  root: { type: "reference", config: { type: "view", name: "Enter", context: "caseInfo.content" } },
  resources: {
    fields: FIELDS,
    views: {
      Enter: view("Enter", CASE, {}, [
        shown("TextInput", "Name", true),
        shown("Integer", "Count", true),
        shown("Decimal", "Amount", true),
        shown("Checkbox", "Urgent", true),
        shown("Date", "Visit", true),
        { type: "Dropdown", config: { value: "@P .Channel", datasource: "@ASSOCIATED .Channel", required: true } },
        { type: "reference", config: { type: "view", name: "Contact", context: ".Contact", ruleClass: CONTACT } },
        { type: "reference", config: { type: "view", name: "Items", authorContext: ".Items" } },
        shown("TextInput", "Note", false),
      ]),
      Contact: view("Contact", CONTACT, {}, [shown("TextInput", "City", true)]),
      Items: view("Items", CASE, {
        template: "SimpleTable",
        type: "multirecordlist",
        referenceList: "@P .Items",
        contextClass: ITEM,
        renderMode: "Editable",
        multiRecordDisplayAs: "table",
        editMode: "tableRows",
        children: [{ name: "Columns", type: "Region", children: [shown("TextInput", "Title", true)] }],
      }, []),
      Reject: view("Reject", CASE, {}, [shown("Puzzle", "Items", true)]),
    },
  },
};

/** How the service differs from one that has but one assignment. */
export interface FormServiceOptions {
  /** If false, the case has another assignment before this one, and the response does not mark the requested one. */
  readonly alone?: boolean;
  /** Response to the performed assignment, instead of the usual one. */
  readonly performed?: string;
  /** Current value of the first field. */
  readonly applicant?: string;
}

/** Starts the service; the actions are those of the assignment, the refusals the findings for the first submissions. */
export function startFormService(
  actions: readonly string[] = ["Enter"],
  refusals: readonly JsonObject[][] = [],
  { alone = true, performed = JSON.stringify(PERFORMED), applicant = "Ada" }: FormServiceOptions = {},
): FormService {
  const submitted: FormService["submitted"] = [];
  const info = { ID: ASSIGNMENT, name: "Intake", actions: actions.map((ID) => ({ ID, name: `${ID} it` })) };
  const other = {
    ID: "ASSIGN-WORKLIST ACME-WORK C-1!OTHER",
    name: "Other",
    actions: [{ ID: "Reject", name: "Reject" }],
  };
  const assignments = alone ? [info] : [other, info];
  const content = { classID: CASE, Name: applicant, Contact: { classID: CONTACT, City: "Oslo" } };
  const data = { caseInfo: { ID: "C-1", assignments, content } };
  const service = startFakeService({
    async api(request) {
      const path = decodeURIComponent(new URL(request.url).pathname);
      if (request.method === "PATCH") {
        submitted.push({ path, tag: request.headers.get("if-match"), body: parseJson(await request.text()) });
        const errorDetails = refusals[submitted.length - 1];
        if (errorDetails) return Response.json({ localizedValue: "Validation failed.", errorDetails }, { status: 422 });
        return new Response(performed, { headers: { "content-type": "application/json" } });
      }
      const action = /\/actions\/(\w+)$/.exec(path)?.[1];
      const root = { type: "reference", config: { type: "view", name: action ?? "", context: "caseInfo.content" } };
      const body = action ? { data, uiResources: { ...FORM, root } } : { ...(alone && { id: ASSIGNMENT }), data };
      return Response.json(body, { headers: { etag: "tag-7" } });
    },
  });
  return { service, submitted };
}
