/** Parts of responses: links, content as it is shown, and the resources of views for a user interface. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import type { Application, CONTENT_FACTS, Field, Scope, View } from "../../application/model/application.ts";
import { mapPages } from "../../application/expressions/field_values.ts";
import { type CaseWork, getOperatorName } from "../case_work.ts";
import { pickFitting } from "../content/content.ts";
import { describeContextData } from "./forms/context_data.ts";
import { type Frame, getViewResources } from "./forms/frames.ts";

/** A view with the content that it shows. */
export interface ShownForm {
  readonly app: Application;
  readonly view: View;
  readonly classId: string;
  readonly content: JsonObject;
  readonly scope: Scope;
}

/** Describes a view for a user interface. */
export function describeForm({ app, view, classId, content, scope }: ShownForm, frame: Frame = "form"): JsonObject {
  return {
    ...getViewResources(view, classId, app, frame),
    context_data: describeContextData(view, content, scope),
  };
}

/** Describes a view of a case for a user interface. */
export function describeCaseForm(work: CaseWork, view: View, entered: JsonObject, frame: Frame = "form"): JsonObject {
  const content = pickFitting(work.type.fields, entered);
  const scope = { ...work.scope(), fields: content };
  return describeForm({ app: work.context.app, view, classId: work.type.id, content, scope }, frame);
}

/** Returns the members of content that tell clients which form a page shows: none in the page of a case. */
export function describeShownView({ id, page }: View, frame: Frame): JsonObject {
  const pyViewContext = page === undefined ? "" : `.${page}`;
  if (frame === "casePage") return { pyViewName: "", pyViewContext: "" };
  return frame === "page" || frame === "createPage" ? { pyViewName: id, pyViewContext } : {};
}

/** Lists the operators that a view of a case shows. */
export function listReferencedUsers(
  { stored, context: { app } }: CaseWork,
  view: View,
  content: JsonObject,
): JsonObject[] {
  const ids = new Set([stored.createdBy, stored.updatedBy]);
  collectOperators(listFields(view), content, ids);
  return [...ids].map((id) => ({ UserID: id, UserName: getOperatorName(app, id) }));
}

function collectOperators(fields: ReadonlyMap<string, Field>, content: JsonObject, ids: Set<string>): void {
  for (const field of fields.values()) {
    const { name, type, embedded } = field;
    const value = content[name];
    if (type === "UserReference" && typeof value === "string" && value !== "") ids.add(value);
    if (embedded === undefined || value === undefined) continue;
    mapPages(field, value, (page) => {
      collectOperators(embedded.fields, page, ids);
      return page;
    });
  }
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
  for (const { field } of view.fields.values()) {
    const list = field.copy && type.fields.get(field.copy.list);
    if (list !== undefined) shown[list.name] = showValue(list, content[list.name]);
    shown[field.name] = showValue(field, content[field.name]);
  }
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

/** Shows a missing value as an empty one: `false`, a list or a page without values, or an empty text. */
function showValue(field: Field, value: JsonValue | undefined): JsonValue {
  const { type, embedded, category } = field;
  if (embedded !== undefined) {
    const empty = type === "List" ? [] : {};
    const shown = mapPages(field, value ?? empty, (page) => showValues(embedded.fields, page, embedded.classId));
    return type === "Attachment" && isJsonObject(shown)
      ? { ...shown, pyCategoryName: category, pyCount: shown.ID === "" ? "0" : "1" }
      : shown;
  }
  return value ?? (type === "Boolean" ? false : "");
}

/** Creates a link. */
export function createLink(href: string, type: string, title: string): JsonObject {
  return { rel: "self", href, type, title };
}

/** Creates the link to a case. */
export function createCaseLink(caseId: string): JsonObject {
  return createLink(`/cases/${caseId}`, "GET", "Get case details");
}
