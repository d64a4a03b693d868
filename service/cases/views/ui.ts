/** Parts of responses: links, content as it is shown, and the resources of views for a user interface. */
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import type { CONTENT_FACTS, Field, FieldType, View, ViewField } from "../../application/model/application.ts";
import { holdsPage, toViewField, VALUE_KINDS } from "../../application/model/field.ts";
import { mapPages } from "../../application/expressions/field_values.ts";
import type { CaseWork } from "../case_work.ts";

/** The declaration and the component of each type of field. */
const SHOWN: Record<FieldType, readonly [type: string, displayAs: string, component: string]> = {
  Text: ["Text", "pxTextInput", "TextInput"],
  TextArea: ["Text", "pxTextArea", "TextArea"],
  RichText: ["Text", "pxRichTextEditor", "RichText"],
  Integer: ["Integer", "pxInteger", "Integer"],
  Decimal: ["Decimal", "pxNumber", "Decimal"],
  Currency: ["Decimal", "pxCurrency", "Currency"],
  Percentage: ["Decimal", "pxNumber", "Percentage"],
  Boolean: ["True-False", "pxCheckbox", "Checkbox"],
  Date: ["Date", "pxDateTime", "Date"],
  DateTime: ["Date Time", "pxDateTime", "DateTime"],
  Time: ["TimeOfDay", "pxDateTime", "Time"],
  Dropdown: ["Text", "pxDropdown", "Dropdown"],
  Email: ["Text", "pxEmail", "Email"],
  Phone: ["Text", "pxPhone", "Phone"],
  Url: ["Text", "pxURL", "URL"],
  UserReference: ["Identifier", "HarnessOperator", "UserReference"],
  Page: ["Page", "Scalar", "Group"],
  List: ["Page List", "Scalar", "SimpleTableSelect"],
  PageGroup: ["Page Group", "Scalar", "Group"],
  Attachment: ["Page", "pxAttachContent", "Attachment"],
};

/** Resources by view. Views do not change while the service runs. */
const cache = new WeakMap<View, JsonObject>();

/** Returns the resources of a view: its components and fields. */
export function getViewResources(view: View, classId: string): JsonObject {
  const resources = cache.get(view) ?? buildResources(view, classId);
  cache.set(view, resources);
  return resources;
}

/** Describes the component that shows a view. `context` is the path of its content in the response. */
export function describeRoot(view: Pick<View, "id">, context: string): JsonObject & { type: string } {
  return { type: "reference", config: { type: "view", name: view.id, context } };
}

/** Resources of a view, which a response with several views combines. */
export interface ViewParts {
  readonly views: JsonObject;
  /** Fields by name. */
  readonly fields: JsonObject;
  readonly components: readonly string[];
  /** References to the translations of its labels. */
  readonly localeReferences: readonly string[];
}

/** Builds the parts of a view. */
export function buildViewParts(view: View, classId: string): ViewParts {
  const shown = [...view.fields.values()];
  const components = new Set(["View", "Region", "reference"]);
  const children = shown.map((field) => describeComponent(field, "", components));
  return {
    views: { [view.id]: [describeViewComponent(view, classId, "DefaultForm", children)] },
    fields: Object.fromEntries(shown.map(({ field }) => [field.name, [describeFieldResource(field, classId)]])),
    components: [...components],
    localeReferences: [buildLocaleReference(view, classId)],
  };
}

/** Describes the component of a view with its children. */
export function describeViewComponent(
  view: Pick<View, "id">,
  classId: string,
  template: string,
  children: JsonObject[],
): JsonObject {
  return {
    name: view.id,
    type: "View",
    classID: classId,
    config: { template, ruleClass: classId, localeReference: buildLocaleReference(view, classId) },
    children: [{ name: "Fields", type: "Region", children }],
  };
}

/** Returns the reference to the translations of a view's labels. */
export function buildLocaleReference({ id }: Pick<View, "id">, classId: string): string {
  return `@LR ${classId.toUpperCase()}!VIEW!${id.toUpperCase()}`;
}

function buildResources(view: View, classId: string): JsonObject {
  const { views, fields, components, localeReferences } = buildViewParts(view, classId);
  return {
    resources: { views, fields, paragraphs: {}, datapages: {}, dataTypes: {} },
    components: [...components],
    localeReferences: [...localeReferences],
    root: describeRoot(view, "caseInfo.content"),
    context_data: {},
  };
}

function describeComponent(
  { field, label, required, readOnly }: ViewField,
  path: string,
  components: Set<string>,
): JsonObject {
  const [, , type] = SHOWN[field.type];
  components.add(type);
  const place = `${path}.${field.name}`;
  const inner = field.embedded &&
    [...field.embedded.fields.values()].map((member) =>
      describeComponent(toViewField(member, { readOnly }), holdsPage(field.type) ? place : "", components)
    );
  return {
    type,
    config: {
      value: `@P ${place}`,
      label: label === field.label ? `@FL ${place}` : label,
      labelOption: "default",
      ...(required && { required }),
      ...(readOnly && { readOnly }),
      ...(field.values && { datasource: `@ASSOCIATED ${place}` }),
    },
    ...(inner && { children: inner }),
  };
}

function describeFieldResource(field: Field, classId: string): JsonObject {
  const [type, displayAs] = SHOWN[field.type];
  const { label, maxLength, min, max, calculated, values, embedded } = field;
  return {
    classID: classId,
    type,
    displayAs,
    label,
    ...(maxLength !== undefined && { maxLength }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(calculated && { isDeclarativeTarget: true }),
    ...(values && { datasource: { tableType: "PromptList", records: values.map((value) => ({ key: value, value })) } }),
    ...(embedded && {
      pageClass: embedded.classId,
      fields: Object.fromEntries(
        [...embedded.fields.values()].map((inner) => [inner.name, [describeFieldResource(inner, embedded.classId)]]),
      ),
    }),
  };
}

/** Returns the content of a view: its fields, and the facts that every view has. */
export function showContent(work: CaseWork, view: View, content: JsonObject = work.stored.content): JsonObject {
  const { stored, type } = work;
  const facts: Record<typeof CONTENT_FACTS[number], JsonValue | undefined> = {
    classID: type.id,
    pxObjClass: type.id,
    pyID: stored.businessId,
    pyLabel: stored.content.pyLabel,
    pyStatusWork: stored.status,
    pxUrgencyWork: stored.urgency,
    pxCreateOperator: stored.createdBy,
    pxCreateDateTime: stored.createdAt,
    pxUpdateOperator: stored.updatedBy,
    pxUpdateDateTime: stored.updatedAt,
  };
  const shown: JsonObject = facts;
  for (const { field } of view.fields.values()) shown[field.name] = showValue(field, content[field.name]);
  return shown;
}

/** Returns the fields of a view by name. */
export function listFields(view: View): ReadonlyMap<string, Field> {
  return new Map([...view.fields].map(([name, { field }]) => [name, field]));
}

/** Returns the content of a class as responses show it. */
export function showValues(fields: ReadonlyMap<string, Field>, content: JsonObject, classId: string): JsonObject {
  const shown: JsonObject = { classID: classId };
  for (const field of fields.values()) shown[field.name] = showValue(field, content[field.name]);
  return shown;
}

/** Shows a missing text as an empty text, and a missing list as an empty list. Leaves out other missing values. */
function showValue(field: Field, value: JsonValue | undefined): JsonValue | undefined {
  const { type, embedded } = field;
  if (embedded !== undefined && value !== undefined) {
    return mapPages(field, value, (page) => showValues(embedded.fields, page, embedded.classId));
  }
  if (value !== undefined) return value;
  if (type === "List") return [];
  if (type === "PageGroup") return {};
  return holdsPage(type) || type === "Boolean" || VALUE_KINDS[type] === "number" ? undefined : "";
}

/** Creates a link. */
export function createLink(href: string, type: string, title: string): JsonObject {
  return { rel: "self", href, type, title };
}

/** Creates the link to a case. */
export function createCaseLink(caseId: string): JsonObject {
  return createLink(`/cases/${caseId}`, "GET", "Get case details");
}
