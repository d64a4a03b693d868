/** The resources of a view for each place in which user interfaces show it. */
import type { JsonObject } from "../../../../utils/json.ts";
import type { Application, View } from "../../../application/model/application.ts";
import type { Component } from "./components.ts";
import { buildLocaleReference, describeRoot, FormResources } from "./form_resources.ts";

/**
 * The place of a view: a form alone, a form in a page, a form in a page of the create stage, the page of a case, the
 * details of a case or of a record, or the summary that is shown when there is no form.
 */
export type Frame = "form" | "page" | "createPage" | "casePage" | "details" | "summary";

/** The path of the content in responses. */
const CONTENT = "caseInfo.content";

const TEMPLATES: { readonly [F in Frame]?: string } = {
  casePage: "Details",
  details: "Details",
  summary: "CaseSummary",
};

/** Resources by view and frame. Views do not change while the service runs. */
const cache = new WeakMap<View, Map<Frame, JsonObject>>();

/** Returns the resources of a view. */
export function getViewResources(view: View, classId: string, app: Application, frame: Frame = "form"): JsonObject {
  const known = cache.get(view) ?? new Map<Frame, JsonObject>();
  cache.set(view, known);
  const resources = known.get(frame) ?? buildResources(view, classId, app, frame);
  known.set(frame, resources);
  return resources;
}

function buildResources(view: View, classId: string, app: Application, frame: Frame): JsonObject {
  const resources = new FormResources(app);
  if (view.page === undefined) resources.addView(view, classId, TEMPLATES[frame]);
  else resources.addPageForm(view, view.page, classId);
  if (frame === "page" || frame === "casePage") {
    const inner: Component = {
      type: "FlowContainer",
      config: { name: "workarea", routingInfo: "@ROUTING_INFO" },
      children: [{
        type: "reference",
        config: { type: "view", name: "@P .pyViewName", context: "@P .pyViewContext" },
      }],
    };
    resources.addDescribed(describeLink("pyEmbedAssignment", classId, "Work-", [toRegion(refer("pyCaseWorkarea"))]));
    resources.addDescribed(describeLink("pyCaseWorkarea", classId, "Work-", [toRegion(refer("pzFlowContainer"))]));
    resources.addDescribed(describeLink("pzFlowContainer", classId, "@baseclass", [inner]));
  }
  if (frame === "createPage") {
    resources.addDescribed(describeLink("pzCreateDetails", classId, "Work-", [toRegion()], "OneColumn"));
  }
  return resources.toJson(frame === "summary" ? undefined : describeFormRoot(view, frame));
}

function describeFormRoot({ id, page }: View, frame: Frame): Component {
  const root = ROOTS[frame];
  if (root !== undefined) return describeRoot({ id: root }, CONTENT);
  return describeRoot({ id }, page === undefined ? CONTENT : `${CONTENT}.${page}`);
}

const ROOTS: { readonly [F in Frame]?: string } = { page: "pyEmbedAssignment", createPage: "pzCreateDetails" };

function describeLink(
  name: string,
  classID: string,
  ruleClass: string,
  children: Component[],
  template?: string,
): JsonObject & { name: string; classID: string } {
  const localeReference = buildLocaleReference(name, ruleClass);
  const config = { ...(template !== undefined && { template }), ruleClass, localeReference };
  return { name, type: "View", classID, config, children };
}

function toRegion(...children: Component[]): Component {
  return { name: "A", type: "Region", children };
}

function refer(name: string): Component {
  return { type: "reference", config: { type: "view", name } };
}
