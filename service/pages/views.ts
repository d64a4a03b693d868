/** Responses with pages, dashboards, insights, portals and channels: their data and their resources. */
import type { JsonObject } from "../../utils/json.ts";
import { computeInsight } from "../data/insights.ts";
import type {
  Application,
  Channel,
  Dashboard,
  Insight,
  PageComponent,
  Portal,
  Scope,
  UiPage,
} from "../application/model/application.ts";
import { createLink } from "../cases/views/ui.ts";
import { listCreatableTypes } from "../cases/creatable_types.ts";
import type { HandlerContext } from "../http/handler.ts";
import { openDataContext } from "./data_context.ts";
import { UiResources } from "./ui_resources.ts";

/** Describes a page in a data context. */
export async function describePage(
  page: UiPage,
  dataContext: string | undefined,
  context: HandlerContext,
): Promise<JsonObject> {
  const { id, name, classId } = page;
  const { scope, caseInfo } = await openDataContext(page, dataContext, context);
  const ui = new UiResources(id, classId, "DefaultPage", context.app);
  for (const component of page.components) addComponent(ui, component, scope);
  return { id, data: { name, pageClass: classId, caseInfo }, uiResources: ui.toJson() };
}

/** Describes an insight with its rows. */
export async function describeInsight(insight: Insight, context: HandlerContext): Promise<JsonObject> {
  const { id, view, chart } = insight;
  const ui = new UiResources(id, view.classId, chart, context.app);
  return { id, data: await computeInsight(insight, context), uiResources: ui.toJson() };
}

/** Describes a dashboard with the rows of its insights. */
export async function describeDashboard(dashboard: Dashboard, context: HandlerContext): Promise<JsonObject> {
  const { id, name } = dashboard;
  const ui = new UiResources(id, "Data-Portal", "Dashboard", context.app);
  const insights: JsonObject[] = [];
  for (const insight of dashboard.insights) {
    ui.addReference("insight", insight.id);
    insights.push(await computeInsight(insight, context));
  }
  return { id, data: { name, insights }, uiResources: ui.toJson() };
}

/** Describes a portal with its pages, dashboards and case types. */
export function describePortal({ id, name, pages, dashboards }: Portal, app: Application): JsonObject {
  const ui = new UiResources(id, "Data-Portal", "AppShell", app);
  for (const page of pages) ui.addReference("page", page.id);
  const data = {
    name,
    pxApplicationLabel: app.name,
    pages: pages.map((page) => ({ ...describeEntry(page, `/pages/${page.id}`), pageClass: page.classId })),
    dashboards: dashboards.map((dashboard) => describeEntry(dashboard, `/dashboard/${dashboard.id}`)),
    caseTypes: listCreatableTypes(app).map((type) => ({ ID: type.id, name: type.name })),
  };
  return { id, data, uiResources: ui.toJson("") };
}

/** Describes a channel and its portal. */
export function describeChannel({ id, name, type, portal }: Channel, app: Application): JsonObject {
  const ui = new UiResources(id, "Data-Channel", "Channel", app);
  if (portal !== undefined) ui.addReference("portal", portal.id);
  const data = { name, type, ...(portal && { portal: describeEntry(portal, `/portals/${portal.id}`) }) };
  return { id, data, uiResources: ui.toJson() };
}

function addComponent(ui: UiResources, component: PageComponent, scope: Scope): void {
  switch (component.kind) {
    case "text":
      return ui.addText(component.text(scope));
    case "view":
      return ui.addView(component.view);
    case "insight":
      return ui.addReference("insight", component.insight.id);
    case "list":
      return ui.addList(component.list);
  }
}

function describeEntry({ id, name }: { readonly id: string; readonly name: string }, href: string): JsonObject {
  return { ID: id, name, links: { open: createLink(href, "GET", `Open ${name}`) } };
}
