/** Builds responses with forms in the shapes of a real server, for an invented application of ACME. */
import type { JsonObject, JsonValue } from "../../../lib/forms/mod.ts";

export const TRIP = "ACME-Demo-Work-Trip";
export const STOP = "ACME-Demo-Data-Stop";
export const HOME = "ACME-Demo-Data-Home";
export const DEPOT = "ACME-Demo-Data-Depot";
export const SKILL = "ACME-Demo-Data-Skill";
export const CASE = "ACME-DEMO-WORK T-7";
export const ASSIGNMENT = `ASSIGN-WORKLIST ${CASE}!BOOK_FLOW`;

/** Creates a field component, e.g. `field("TextInput", ".City")`. Members of `config` replace the usual ones. */
export function field(type: string, path: string, config: JsonObject = {}): JsonObject {
  const testId = `T${path.replaceAll(/\W/g, "")}`;
  return { type, config: { value: `@P ${path}`, label: `@FL ${path}`, labelOption: "default", testId, ...config } };
}

/** Creates a slot of a view. */
export function region(name: string, ...children: JsonObject[]): JsonObject {
  return { name, type: "Region", children };
}

/** Creates a block of components under a heading. */
export function group(heading: string, config: JsonObject, ...children: JsonObject[]): JsonObject {
  const own = { id: `G${heading}`, heading: `@L ${heading}`, showHeading: true, collapsible: false, type: "any" };
  return { type: "Group", config: { ...own, instructions: "none", visibility: true, ...config }, children };
}

/** Creates a reference to a view. */
export function reference(name: string, config: JsonObject = {}): JsonObject {
  return { type: "reference", config: { type: "view", name, ruleClass: TRIP, ...config } };
}

/** Creates properties that a reference gives to its view. */
export function inherit(props: JsonObject): JsonObject {
  return { inheritedProps: Object.entries(props).map(([prop, value]) => ({ prop, value: value ?? "" })) };
}

/** Options of a view. */
export interface ViewOptions {
  readonly classID?: string;
  readonly template?: string;
  readonly config?: JsonObject;
}

/** Creates a view with one slot for its components. */
export function view(name: string, children: JsonObject[], options: ViewOptions = {}): JsonObject {
  return rawView(name, [region("Fields", ...children)], options);
}

/** Creates a view with the given children. */
export function rawView(name: string, children: JsonObject[], options: ViewOptions = {}): JsonObject {
  const { classID = TRIP, template = "DefaultForm", config = {} } = options;
  const localeReference = `@LR ${classID.toUpperCase()}!VIEW!${name.toUpperCase()}`;
  return {
    name,
    type: "View",
    classID,
    config: { ...(template !== "" && { template }), ruleClass: classID, localeReference, ...config },
    children,
  };
}

const DISPLAYS: Readonly<Record<string, string>> = {
  Text: "pxTextInput",
  Identifier: "pxTextInput",
  Integer: "pxInteger",
  Decimal: "pxNumber",
  "True-False": "pxCheckbox",
  Date: "pxDateTime",
  "Date Time": "pxDateTime",
  TimeOfDay: "pxDateTime",
};

/** Declares a property. Members of `more` replace the usual ones. */
export function declare(type: string, label: string, more: JsonObject = {}): JsonObject {
  return {
    classID: TRIP,
    type,
    displayAs: DISPLAYS[type] ?? "",
    label,
    ...((type === "Text" || type === "Identifier") && { maxLength: 256 }),
    additionalInformation: "",
    ...more,
  };
}

/** Declares an embedded page. */
export function declarePage(label: string, pageClass: string, more: JsonObject = {}): JsonObject {
  return declare("Page", label, { isPageProp: true, pageClass, dataRetrievalType: "manual", ...more });
}

/** Declares a list of embedded pages. */
export function declareList(label: string, pageClass: string, more: JsonObject = {}): JsonObject {
  return declare("Page List", label, { isPageProp: true, pageClass, dataRetrievalType: "manual", ...more });
}

/** The contents of a response. */
export interface BodyOptions {
  /** Views. The first one is the root, unless `root` names another one. */
  readonly views: readonly JsonObject[];
  /** Declarations by property name: one, or several for different classes. */
  readonly fields?: { readonly [name: string]: JsonObject | JsonObject[] };
  readonly content?: JsonObject;
  /** Name of the root view, or its configuration. */
  readonly root?: string | JsonObject;
  readonly paragraphs?: { readonly [name: string]: JsonValue };
  readonly datapages?: JsonObject;
  readonly dataTypes?: JsonObject;
  /** Results of conditions and sent choices, by page. */
  readonly context?: JsonObject;
  readonly actionID?: string;
  /** Members of `data` beside `caseInfo`. */
  readonly data?: JsonObject;
  readonly caseInfo?: JsonObject;
  readonly action?: JsonObject;
  /** Members of `uiResources` that replace the usual ones. */
  readonly ui?: JsonObject;
}

/** Creates the response to opening an action with `viewType=form`. */
export function body(options: BodyOptions): JsonObject {
  const { views, fields = {}, content = {}, paragraphs = {}, datapages = {}, dataTypes = {}, context } = options;
  const first = String(views[0]?.name ?? "");
  const { root = first, actionID = first, data = {}, caseInfo = {}, action = {}, ui = {} } = options;
  const rootConfig = typeof root === "string" ? { name: root, context: "caseInfo.content" } : root;
  return {
    data: {
      caseInfo: {
        ...CASE_INFO,
        content: { classID: TRIP, pyLabel: "Trip to Oslo", pyID: "T-7", pxObjClass: TRIP, ...content },
        assignments: [{ ...WORK, actions: [{ ...describeAction(actionID), ...action }] }],
        ...caseInfo,
      },
      referencedUsers: [{ UserID: "rep@acme", UserName: "Rita Rep" }],
      ...data,
    },
    uiResources: {
      resources: {
        views: listByName(views),
        fields: Object.fromEntries(
          Object.entries(fields).map(([name, entry]) => [name, Array.isArray(entry) ? entry : [entry]]),
        ),
        paragraphs: Object.fromEntries(
          Object.entries(paragraphs).map(([name, text]) => [name, [{ name, classID: TRIP, content: text }]]),
        ),
        datapages,
        dataTypes,
      },
      components: [...new Set(["View", "Region", ...listTypes(views)])],
      localeReferences: [],
      root: { type: "reference", config: { type: "view", ...rootConfig } },
      context_data: context === undefined ? {} : { caseInfo: { content: context } },
      actionButtons: BUTTONS,
      ...ui,
    },
  };
}

/** Creates the partial response of a refresh. Only these members are in it. */
export function refreshed(options: BodyOptions): JsonObject {
  const { data, uiResources } = body(options);
  const { caseInfo: { content } } = data as { caseInfo: { content: JsonObject } };
  const { actionButtons: _, ...ui } = uiResources as JsonObject;
  const { classID: _c, pyLabel: _l, pyID: _i, pxObjClass: _o, ...rest } = content;
  return { data: { caseInfo: { content: rest } }, uiResources: ui };
}

/** Groups entries by their name, as `resources.views` does. */
export function listByName(entries: readonly JsonObject[]): JsonObject {
  const named: { [name: string]: JsonObject[] } = {};
  for (const entry of entries) (named[String(entry.name)] ??= []).push(entry);
  return named;
}

function listTypes(nodes: JsonValue | readonly JsonValue[] | undefined): string[] {
  if (Array.isArray(nodes)) return nodes.flatMap((node) => listTypes(node));
  if (typeof nodes !== "object" || nodes === null) return [];
  const { type, children } = nodes as JsonObject;
  return [...(typeof type === "string" && type !== "reference" ? [type] : []), ...listTypes(children)];
}

export const BUTTONS: JsonObject = {
  main: [{ jsAction: "finishAssignment", name: "Submit", actionID: "submit" }],
  secondary: [{ jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" }],
};

function describeAction(ID: string): JsonObject {
  const href = `/assignments/${ASSIGNMENT}/actions/${ID}`;
  return {
    ID,
    name: "Book trip",
    type: "FlowAction",
    links: {
      submit: { rel: "self", href, type: "PATCH", title: "Submit assignment action " },
      open: { rel: "self", href, type: "GET", title: "Get assignment action details" },
    },
  };
}

const WORK: JsonObject = {
  ID: ASSIGNMENT,
  name: "Book",
  processID: "Book_Flow",
  processName: "Book",
  instructions: "",
  context: "",
  canPerform: "true",
  isMultiStep: "false",
  urgency: 10,
  createTime: "2031-01-02T03:04:05.680Z",
  assigneeInfo: { ID: "rep@acme", name: "Rita Rep", type: "worklist" },
  links: {
    open: { rel: "self", href: `/assignments/${ASSIGNMENT}`, type: "GET", title: "Get assignment details" },
  },
};

const CASE_INFO: JsonObject = {
  ID: CASE,
  businessID: "T-7",
  caseTypeID: TRIP,
  caseTypeName: "Trip",
  caseTypeIcon: "cmicons/pycase.svg",
  name: "Trip to Oslo",
  status: "New",
  urgency: 10,
  owner: "rep@acme",
  createdBy: "rep@acme",
  createTime: "2031-01-02T03:04:05.678Z",
  lastUpdatedBy: "rep@acme",
  lastUpdateTime: "2031-01-02T03:04:05.900Z",
  stageID: "PRIM0",
  stageLabel: "Create",
  sla: { goal: "", deadline: "" },
  associations: { follows: false },
  hasNewAttachments: false,
  WidgetsToRefresh: [],
  stages: [{
    ID: "PRIM0",
    name: "Create",
    type: "Primary",
    transitionType: "create",
    visited_status: "active",
    entryTime: "2031-01-02T03:04:05.678Z",
    links: { open: { rel: "self", href: `/cases/${CASE}/stages/PRIM0`, type: "PUT", title: "Jump to this stage" } },
  }],
  availableActions: [{
    ID: "pyUpdateCaseDetails",
    name: "Edit details",
    type: "Case",
    links: {
      open: {
        rel: "self",
        href: `/cases/${CASE}/actions/pyUpdateCaseDetails`,
        type: "GET",
        title: "Get case action details",
      },
    },
  }],
};
