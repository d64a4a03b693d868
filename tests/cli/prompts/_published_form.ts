/** A server that describes a form with every construct as published servers do, for tests in a terminal. */
import { filterObjects, isJsonObject, type JsonObject, parseJson } from "../../../utils/json.ts";
import { type FakeService, startFakeService } from "../../harness/fake_service.ts";

/** The assignment. */
export const ASSIGNMENT = "ASSIGN-WORKLIST ACME-DEMO-WORK T-1!PLAN_FLOW";

const TRIP = "ACME-Demo-Work-Trip";
const HOME = "ACME-Demo-Data-Home";
const STOP = "ACME-Demo-Data-Stop";
const GUEST = "ACME-Demo-Data-Guest";
const DEPOT = "ACME-Demo-Data-Depot";
const SKILL = "ACME-Demo-Data-Skill";

function declare(classID: string, label: string, type: string, more: JsonObject = {}): JsonObject {
  return { classID, type, label, displayAs: "pxTextInput", ...more };
}

function records(...values: string[]): JsonObject {
  return { datasource: { tableType: "PromptList", records: values.map((value) => ({ key: value[0] ?? "", value })) } };
}

const FIELDS: JsonObject = {
  Purpose: [declare(TRIP, "Purpose", "Text", { maxLength: 20 })],
  Notes: [declare(TRIP, "Notes", "Text", { displayAs: "pxTextArea" })],
  Letter: [declare(TRIP, "Letter", "Text", { displayAs: "pxRichTextEditor" })],
  Persons: [declare(TRIP, "Persons", "Integer")],
  Distance: [declare(TRIP, "Distance", "Decimal", { displayAs: "pxNumber" })],
  Discount: [declare(TRIP, "Discount", "Decimal")],
  Budget: [declare(TRIP, "Budget", "Decimal", { displayAs: "pxCurrency" })],
  Abroad: [declare(TRIP, "Abroad", "True-False")],
  Day: [declare(TRIP, "Day", "Date", { displayAs: "pxDateTime" })],
  Start: [declare(TRIP, "Start", "Date Time", { displayAs: "pxDateTime" })],
  Alarm: [declare(TRIP, "Alarm", "TimeOfDay", { displayAs: "pxDateTime" })],
  Mobile: [declare(TRIP, "Mobile", "Text", { displayAs: "pxPhone", validateAs: "ValidPhoneNumber" })],
  Mail: [declare(TRIP, "Mail", "Text", { displayAs: "pxEmail" })],
  Site: [declare(TRIP, "Site", "Text", { displayAs: "pxURL" })],
  Grade: [{ type: "Unknown" }],
  Kind: [declare(TRIP, "Kind", "Text", records("Air", "Rail"))],
  Visa: [declare(TRIP, "Visa number", "Text")],
  Country: [declare(TRIP, "Country", "Text", records("Norway", "Sweden"))],
  Town: [declare(TRIP, "Town", "Integer", {
    datasource: {
      tableType: "DataPage",
      name: "D_Towns",
      propertyForDisplayText: "@P .City",
      propertyForValue: "@P .ID",
      parameters: [{ name: "country", value: "@P .Country" }],
    },
  })],
  Zip: [declare(TRIP, "Zip", "Text"), declare(HOME, "Zip", "Text")],
  Lead: [declare(TRIP, "Lead", "Identifier")],
  Doc: [declare(TRIP, "Doc", "Page", { pageClass: "Embed-Attach-File", dataRetrievalType: "refer" })],
  Home: [declare(TRIP, "Home", "Page", { pageClass: HOME, dataRetrievalType: "manual" })],
  Stops: [declare(TRIP, "Stops", "Page List", { pageClass: STOP, dataRetrievalType: "manual" })],
  Guests: [declare(TRIP, "Guests", "Page List", { pageClass: GUEST, dataRetrievalType: "manual" })],
  Depot: [declare(TRIP, "Depot", "Page", { pageClass: DEPOT, dataRetrievalType: "refer" })],
  Hotel: [declare(TRIP, "Hotel", "Page", { pageClass: DEPOT, dataRetrievalType: "refer" })],
  Skills: [declare(TRIP, "Skills", "Page List", { pageClass: SKILL, dataRetrievalType: "refer" })],
  Status: [declare(TRIP, "Progress", "Text")],
  City: [HOME, STOP, DEPOT].map((classID) => declare(classID, "City", "Text")),
  Fee: [declare(STOP, "Fee", "Decimal", { displayAs: "pxCurrency" })],
  Nights: [declare(STOP, "Nights", "Integer")],
  Name: [declare(GUEST, "Name", "Text"), declare(SKILL, "Name", "Text")],
  ID: [declare(DEPOT, "ID", "Integer", { isClassKey: true }), declare(SKILL, "ID", "Text", { isClassKey: true })],
};

function shown(type: string, name: string, more: JsonObject = {}): JsonObject {
  return { type, config: { value: `@P .${name}`, label: `@FL .${name}`, labelOption: "default", ...more } };
}

function refer(name: string, more: JsonObject = {}): JsonObject {
  return { type: "reference", config: { type: "view", name, ...more } };
}

function labelled(label: string): JsonObject {
  return { inheritedProps: [{ prop: "label", value: `@L ${label}` }, { prop: "showLabel", value: true }] };
}

function view(name: string, classID: string, children: JsonObject[], config: JsonObject = {}): JsonObject {
  return {
    name,
    type: "View",
    classID,
    config: { template: "DefaultForm", ruleClass: classID, ...config },
    children: [{ name: "Fields", type: "Region", children }],
  };
}

function reference(name: string, config: JsonObject, picker: JsonObject): JsonObject {
  return {
    name,
    type: "View",
    classID: TRIP,
    config: { template: "DataReference", ruleClass: TRIP, contextClass: DEPOT, classKeys: [{ name: "ID" }], ...config },
    children: [picker, { name: "Views", type: "Region", children: [] }],
  };
}

const VIEWS: Readonly<Record<string, JsonObject>> = {
  Plan: view("Plan", TRIP, [
    shown("TextInput", "Purpose", { required: true }),
    shown("TextArea", "Notes"),
    shown("RichText", "Letter"),
    shown("Integer", "Persons"),
    shown("Decimal", "Distance"),
    shown("Percentage", "Discount"),
    shown("Currency", "Budget", { isoCodeSelection: "constant", currencyISOCode: "NOK", allowDecimals: true }),
    shown("Checkbox", "Abroad", {
      label: "@L ",
      hideLabel: true,
      captionOption: "custom",
      caption: "@L Do you leave the country?",
      trueLabel: "@L Abroad",
      falseLabel: "@L Home",
    }),
    {
      type: "Group",
      config: { id: "visa", heading: "@L Papers", visibility: "@E .Abroad == true", instructions: "none", type: "any" },
      children: [shown("TextInput", "Visa")],
    },
    shown("Date", "Day"),
    shown("DateTime", "Start"),
    shown("Time", "Alarm"),
    shown("Phone", "Mobile"),
    shown("Email", "Mail"),
    shown("URL", "Site"),
    shown("Dropdown", "Grade", { listType: "associated", datasource: "@ASSOCIATED .Grade", deferDatasource: true }),
    shown("RadioButtons", "Kind", { listType: "associated", datasource: "@ASSOCIATED .Kind", deferDatasource: true }),
    shown("Dropdown", "Country", { listType: "associated", datasource: "@ASSOCIATED .Country" }),
    shown("AutoComplete", "Town", { listType: "associated", datasource: "@ASSOCIATED .Town", deferDatasource: true }),
    {
      type: "UserReference",
      config: { value: "@USER .Lead", label: "@FL .Lead", displayAs: "Search box", referenceList: "D_Operators" },
    },
    { type: "Attachment", config: { value: "@P .Doc", label: "@FL .Doc", allowMultiple: "false", extensions: "txt" } },
    refer("EditHome", { context: ".Home", displayAs: "Form", ruleClass: HOME, ...labelled("Home") }),
    refer("Plan_Stops", { authorContext: ".Stops", ...labelled("Stops") }),
    refer("Plan_Depot", { authorContext: ".Depot", ...labelled("Depot") }),
    refer("Plan_Hotel", { authorContext: ".Hotel", ...labelled("Hotel") }),
    refer("Plan_Skills", { authorContext: ".Skills", ...labelled("Skills") }),
    refer("Facts", { readOnly: true }),
    { type: "MoonPhase", config: { label: "@L Moon" } },
  ]),
  EditHome: view("EditHome", HOME, [shown("TextInput", "City"), shown("TextInput", "Zip")]),
  Plan_Stops: {
    ...view("Plan_Stops", TRIP, [], {
      type: "multirecordlist",
      template: "SimpleTable",
      name: "Stops",
      referenceList: "@P .Stops",
      contextClass: STOP,
      renderMode: "Editable",
      multiRecordDisplayAs: "table",
      editMode: "modal",
      editModeConfig: { defaultView: "StopForm" },
      dataRetrievalType: "MANUAL",
      targetClassLabel: "@L stop",
      children: [{
        name: "Columns",
        type: "Region",
        children: [shown("TextInput", "City"), shown("Currency", "Fee")],
      }],
    }),
    children: [],
  },
  StopForm: view("StopForm", STOP, [
    shown("TextInput", "City", { required: true }),
    shown("Integer", "Nights"),
    shown("Currency", "Fee", { visibility: "@E .Nights > 1" }),
    refer("Stop_Guests", { authorContext: ".Guests", ...labelled("Guests") }),
  ]),
  Stop_Guests: {
    ...view("Stop_Guests", STOP, [], {
      type: "multirecordlist",
      template: "FieldGroupTemplate",
      referenceList: "@P .Guests",
      contextClass: GUEST,
      renderMode: "Editable",
      multiRecordDisplayAs: "fieldGroup",
      targetClassLabel: "@L guest",
    }),
    children: [{ name: "view", type: "Region", children: [refer("GuestForm", { context: `@CLASS ${GUEST}` })] }],
  },
  GuestForm: view("GuestForm", GUEST, [shown("TextInput", "Name")]),
  Plan_Depot: reference(
    "Plan_Depot",
    { name: "Depot", referenceList: "D_Depots", mode: "singleselect", selectionMode: "single", displayAs: "dropdown" },
    {
      type: "Dropdown",
      config: {
        value: "@P .Depot.ID",
        contextPage: "@P .Depot",
        primaryField: "@P .Depot.City",
        label: "@L ",
        listType: "datapage",
        deferDatasource: true,
        datasource: "D_Depots",
        columns: [
          { value: ".ID", key: "true", setProperty: "Associated property" },
          { value: ".City", display: "true", primary: "true", useForSearch: true },
        ],
      },
    },
  ),
  Plan_Hotel: reference(
    "Plan_Hotel",
    { name: "Hotel", referenceList: "D_Depots", mode: "singleselect", selectionMode: "single", displayAs: "table" },
    {
      type: "SimpleTableSelect",
      config: {
        value: "@P .Hotel.ID",
        selectionKey: "@P .Hotel.ID",
        contextPage: "@P .Hotel",
        label: "@L ",
        referenceList: "D_Depots",
        presets: [{
          children: [{
            name: "Columns",
            type: "Region",
            children: [shown("TextInput", "City", { readOnly: true }), shown("TextInput", "Zip", { readOnly: true })],
          }],
        }],
      },
    },
  ),
  Plan_Skills: reference(
    "Plan_Skills",
    { name: "Skills", contextClass: SKILL, referenceList: "D_Skills", mode: "multiselect", displayAs: "combobox" },
    {
      type: "Multiselect",
      config: {
        selectionMode: "multi",
        selectionList: ".Skills",
        selectionKey: ".ID",
        primaryField: ".Name",
        readonlyContextList: "@P .Skills",
        referenceList: "D_Skills",
        label: "@L ",
      },
    },
  ),
  Facts: view("Facts", TRIP, [shown("TextInput", "Status"), shown("TextInput", "Purpose")], { template: "Details" }),
};

const CONTENT: JsonObject = {
  classID: TRIP,
  pyLabel: "Trip",
  Purpose: "",
  Abroad: false,
  Status: "On time",
  Home: { classID: HOME, City: "", Zip: "" },
  Stops: [{ classID: STOP, City: "Oslo", Fee: "90", Nights: 2, Guests: [] }],
  Depot: { classID: DEPOT, ID: "", City: "" },
  Hotel: { classID: DEPOT, ID: "", City: "" },
  Skills: [{ classID: SKILL, ID: "s1", Name: "Ski" }],
  Doc: { classID: "Embed-Attach-File", pyCount: "0", pyLabel: "" },
};

const ROWS: Readonly<Record<string, JsonObject[]>> = {
  D_Towns: [{ ID: 1, City: "Bergen", country: "N" }, { ID: 2, City: "Lund", country: "S" }],
  D_Depots: [{ ID: 5, City: "Oslo", Zip: "0150" }, { ID: 6, City: "Molde", Zip: "6411" }],
  D_Skills: [{ ID: "s1", Name: "Ski" }, { ID: "s2", Name: "Sail" }, { ID: "s3", Name: "Swim" }],
  D_Operators: [{ pyUserIdentifier: "ada@acme", pyUserName: "Ada" }],
};

/** The server, and the requests that reached it. */
export interface PublishedServer {
  /** The server. */
  readonly service: FakeService;
  /** Bodies of submissions. */
  readonly submitted: unknown[];
  /** Number of calls that computed the form. */
  readonly refreshes: string[];
}

/** Starts the server. */
export function startPublishedServer(): PublishedServer {
  const submitted: unknown[] = [];
  const refreshes: string[] = [];
  const actions = [{ ID: "Plan", name: "Plan the trip", type: "FlowAction" }];
  const assignment = { ID: ASSIGNMENT, name: "Plan", canPerform: "true", isMultiStep: "false", actions };
  const caseInfo = {
    ID: "ACME-DEMO-WORK T-1",
    businessID: "T-1",
    caseTypeID: TRIP,
    name: "Trip",
    status: "New",
    assignments: [assignment],
    availableActions: [],
    stages: [],
    content: CONTENT,
  };
  const uiResources = {
    root: refer("Plan", { context: "caseInfo.content" }),
    resources: {
      views: Object.fromEntries(Object.entries(VIEWS).map(([name, view]) => [name, [view]])),
      fields: FIELDS,
      paragraphs: {},
      datapages: {},
      dataTypes: {},
    },
    components: [],
    localeReferences: [],
    context_data: {},
    actionButtons: {
      main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
      secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
    },
  };
  const service = startFakeService({
    async api(request) {
      const path = decodeURIComponent(new URL(request.url).pathname);
      if (path.endsWith("/refresh")) refreshes.push(path);
      const [, dataView] = /\/data_views\/(\w+)$/.exec(path) ?? [];
      if (dataView !== undefined) return Response.json({ data: findRows(dataView, parseJson(await request.text())) });
      if (path.endsWith("/upload")) {
        await request.arrayBuffer();
        return Response.json({ ID: "file-1" }, { status: 201 });
      }
      const headers = { etag: "20260102T030405.678 GMT" };
      if (request.method === "PATCH") {
        submitted.push(parseJson(await request.text()));
        const done = { ...caseInfo, status: "Resolved-Completed", assignments: [] };
        return Response.json({ data: { caseInfo: done }, confirmationNote: "Thank you." }, { headers });
      }
      return Response.json({ data: { caseInfo }, uiResources }, { headers });
    },
  });
  return { service, submitted, refreshes };
}

function findRows(name: string, request: unknown): JsonObject[] {
  const parameters = isJsonObject(request) ? request.dataViewParameters : undefined;
  const country = isJsonObject(parameters) ? parameters.country : undefined;
  return filterObjects(ROWS[name]).filter((row) => country === undefined || country === "" || row.country === country);
}
