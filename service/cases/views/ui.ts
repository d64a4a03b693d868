/** Parts of responses: links, content as it is shown, and the resources of views for a user interface. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { CONTENT_FACTS, Field, FieldType, View, ViewField } from "../../application/model/application.ts";
import { toViewField, VALUE_KINDS } from "../../application/model/field.ts";
import type { CaseWork } from "../case_work.ts";

/** How a field of each type is declared and shown. */
const SHOWN: Record<FieldType, readonly [type: string, displayAs: string, component: string]> = {
  Text: ["Text", "pxTextInput", "TextInput"],
  TextArea: ["Text", "pxTextArea", "TextArea"],
  Integer: ["Integer", "pxInteger", "Integer"],
  Decimal: ["Decimal", "pxNumber", "Decimal"],
  Currency: ["Decimal", "pxCurrency", "Currency"],
  Boolean: ["True-False", "pxCheckbox", "Checkbox"],
  Date: ["Date", "pxDateTime", "Date"],
  DateTime: ["Date Time", "pxDateTime", "DateTime"],
  Dropdown: ["Text", "pxDropdown", "Dropdown"],
  Email: ["Text", "pxEmail", "Email"],
  Phone: ["Text", "pxPhone", "Phone"],
  Url: ["Text", "pxURL", "URL"],
  Page: ["Page", "Scalar", "Group"],
  List: ["Page List", "Scalar", "SimpleTableSelect"],
};

/** A view never changes while the service runs, and neither do its resources. */
const cache = new WeakMap<View, JsonObject>();

/** The resources of one view of a class: its components and its fields. */
export function viewResources(view: View, classId: string): JsonObject {
  const resources = cache.get(view) ?? buildResources(view, classId);
  cache.set(view, resources);
  return resources;
}

/** The component that shows a view, at a place in the answer. */
export function viewRoot(view: Pick<View, "id">, context: string): JsonObject & { type: string } {
  return { type: "reference", config: { type: "view", name: view.id, context } };
}

/** Resources of a view, which a response with several views combines. */
export interface ViewParts {
  /** The view by its ID. */
  readonly views: JsonObject;
  /** Its fields by name. */
  readonly fields: JsonObject;
  /** The components that it needs. */
  readonly components: readonly string[];
  /** References to the translations of its labels. */
  readonly localeReferences: readonly string[];
}

/** The parts of one view of a class. */
export function viewParts(view: View, classId: string): ViewParts {
  const shown = [...view.fields.values()];
  const components = new Set(["View", "Region", "reference"]);
  const children = shown.map((field) => component(field, "", components));
  return {
    views: { [view.id]: [viewComponent(view, classId, "DefaultForm", children)] },
    fields: Object.fromEntries(shown.map(({ field }) => [field.name, [fieldResource(field, classId)]])),
    components: [...components],
    localeReferences: [localeReference(view, classId)],
  };
}

/** A view with what is in it. */
export function viewComponent(
  view: Pick<View, "id">,
  classId: string,
  template: string,
  children: JsonObject[],
): JsonObject {
  return {
    name: view.id,
    type: "View",
    classID: classId,
    config: { template, ruleClass: classId, localeReference: localeReference(view, classId) },
    children: [{ name: "Fields", type: "Region", children }],
  };
}

/** Returns the reference to the translations of a view's labels. */
export function localeReference({ id }: Pick<View, "id">, classId: string): string {
  return `@LR ${classId.toUpperCase()}!VIEW!${id.toUpperCase()}`;
}

function buildResources(view: View, classId: string): JsonObject {
  const { views, fields, components, localeReferences } = viewParts(view, classId);
  return {
    resources: { views, fields, paragraphs: {}, datapages: {}, dataTypes: {} },
    components: [...components],
    localeReferences: [...localeReferences],
    root: viewRoot(view, "caseInfo.content"),
    context_data: {},
  };
}

function component({ field, label, required, readOnly }: ViewField, path: string, components: Set<string>): JsonObject {
  const [, , type] = SHOWN[field.type];
  components.add(type);
  const place = `${path}.${field.name}`;
  const inner = field.embedded &&
    [...field.embedded.fields.values()].map((member) =>
      component(toViewField(member, { readOnly }), field.type === "Page" ? place : "", components)
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

function fieldResource(field: Field, classId: string): JsonObject {
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
        [...embedded.fields.values()].map((inner) => [inner.name, [fieldResource(inner, embedded.classId)]]),
      ),
    }),
  };
}

/** The fields of a view, with the facts that every view carries. */
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
  for (const { field } of view.fields.values()) shown[field.name] = shownValue(field, content[field.name]);
  return shown;
}

/** The fields of a view, by name. */
export function listFields(view: View): ReadonlyMap<string, Field> {
  return new Map([...view.fields].map(([name, { field }]) => [name, field]));
}

/** Values of a class, each as it is shown. */
export function shownValues(fields: ReadonlyMap<string, Field>, content: JsonObject, classId: string): JsonObject {
  const shown: JsonObject = { classID: classId };
  for (const field of fields.values()) shown[field.name] = shownValue(field, content[field.name]);
  return shown;
}

/** No text is an empty one, no rows are an empty list; a number, a choice of yes or no and a page are just not there. */
function shownValue(field: Field, value: JsonValue | undefined): JsonValue | undefined {
  const { type, embedded } = field;
  if (embedded !== undefined && isJsonObject(value)) return shownValues(embedded.fields, value, embedded.classId);
  if (embedded !== undefined && Array.isArray(value)) {
    return value.map((row) => isJsonObject(row) ? shownValues(embedded.fields, row, embedded.classId) : row);
  }
  if (value !== undefined) return value;
  if (type === "List") return [];
  return type === "Page" || type === "Boolean" || VALUE_KINDS[type] === "number" ? undefined : "";
}

/** A link. */
export function link(href: string, type: string, title: string): JsonObject {
  return { rel: "self", href, type, title };
}

/** The link to a case. */
export function caseLink(caseId: string): JsonObject {
  return link(`/cases/${caseId}`, "GET", "Get case details");
}
