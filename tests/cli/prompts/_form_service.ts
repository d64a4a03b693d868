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

const FIELDS: JsonObject = {
  Name: [{ type: "Text", label: "Applicant", maxLength: 10 }],
  Count: [{ type: "Integer", label: "Count", min: 1 }],
  Amount: [{ type: "Decimal", label: "Amount" }],
  Urgent: [{ type: "True-False", label: "Urgent" }],
  Visit: [{ type: "Date", label: "Visit" }],
  Channel: [{
    type: "Text",
    label: "Channel",
    datasource: { tableType: "PromptList", records: [{ key: "D", value: "Desk" }, { key: "P", value: "Post\x1b[2J" }] },
  }],
  Contact: [{ type: "Page", label: "Contact", fields: { City: [{ type: "Text", label: "City" }] } }],
  Items: [{ type: "Page List", label: "Items" }],
  Note: [{ type: "Text", label: "Note" }],
};

function shown(path: string, required: boolean, children?: JsonObject[]): JsonObject {
  return {
    type: "Any",
    config: { value: `@P ${path}`, label: `@FL ${path}`, required },
    ...(children && { children }),
  };
}

const FORM: JsonObject = {
  root: { type: "reference", config: { type: "view", name: "Enter" } },
  resources: {
    fields: FIELDS,
    views: {
      Enter: [{
        type: "View",
        children: [{
          type: "Region",
          children: [
            ...["Name", "Count", "Amount", "Urgent", "Visit", "Channel"].map((name) => shown(`.${name}`, true)),
            shown(".Contact", false, [shown(".Contact.City", true)]),
            shown(".Items", false, [shown(".Title", true)]),
            shown(".Note", false),
          ],
        }],
      }],
      Reject: [{ type: "View", children: [shown(".Items", true)] }],
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
  const data = { caseInfo: { ID: "C-1", assignments, content: { Name: applicant, Contact: { City: "Oslo" } } } };
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
      const root = { type: "reference", config: { type: "view", name: action ?? "" } };
      const body = action ? { data, uiResources: { ...FORM, root } } : { ...(alone && { id: ASSIGNMENT }), data };
      return Response.json(body, { headers: { etag: "tag-7" } });
    },
  });
  return { service, submitted };
}
