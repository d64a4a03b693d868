/** Pages, dashboards, insights, portals and channels as they are answered: their data, and what shows it. */
import type { JsonObject } from "../../utils/json.ts";
import { computeInsight } from "../data/insights.ts";
import type { Application, Scope } from "../application/model/application.ts";
import type { Dashboard, Insight } from "../application/model/application.ts";
import type { Channel, PageComponent, Portal, UiPage } from "../application/model/application.ts";
import { link } from "../cases/views/links.ts";
import { creatableTypes } from "../cases/create.ts";
import type { HandlerContext, Outcome } from "../http/handler.ts";
import { openDataContext } from "./data_context.ts";
import { UiResources } from "./resources.ts";

/** A page in a data context, or in none. */
export async function pageOutcome(
  page: UiPage,
  dataContext: string | undefined,
  context: HandlerContext,
): Promise<Outcome> {
  const { id, name, classId } = page;
  const { scope, caseInfo } = await openDataContext(page, dataContext, context);
  const ui = new UiResources(id, classId, "DefaultPage");
  for (const component of page.components) addComponent(ui, component, scope);
  return { body: { id, data: { name, pageClass: classId, caseInfo }, uiResources: ui.toJson() } };
}

/** An insight with its rows. */
export async function insightOutcome(insight: Insight, context: HandlerContext): Promise<Outcome> {
  const { id, view, chart } = insight;
  const ui = new UiResources(id, view.classId, chart);
  return { body: { id, data: await computeInsight(insight, context), uiResources: ui.toJson() } };
}

/** A dashboard with the rows of each insight. */
export async function dashboardOutcome(dashboard: Dashboard, context: HandlerContext): Promise<Outcome> {
  const { id, name } = dashboard;
  const ui = new UiResources(id, "Data-Portal", "Dashboard");
  const insights: JsonObject[] = [];
  for (const insight of dashboard.insights) {
    ui.addReference("insight", insight.id);
    insights.push(await computeInsight(insight, context));
  }
  return { body: { id, data: { name, insights }, uiResources: ui.toJson() } };
}

/** A portal with what a person finds in it. */
export function portalOutcome({ id, name, pages, dashboards }: Portal, app: Application): Outcome {
  const ui = new UiResources(id, "Data-Portal", "AppShell");
  for (const page of pages) ui.addReference("page", page.id);
  const data = {
    name,
    pxApplicationLabel: app.name,
    pages: pages.map((page) => ({ ...entry(page, `/pages/${page.id}`), pageClass: page.classId })),
    dashboards: dashboards.map((dashboard) => entry(dashboard, `/dashboard/${dashboard.id}`)),
    caseTypes: creatableTypes(app).map((type) => ({ ID: type.id, name: type.name })),
  };
  return { body: { id, data, uiResources: ui.toJson("") } };
}

/** A channel and the portal to which it leads. */
export function channelOutcome({ id, name, type, portal }: Channel): Outcome {
  const ui = new UiResources(id, "Data-Channel", "Channel");
  if (portal !== undefined) ui.addReference("portal", portal.id);
  const data = { name, type, ...(portal && { portal: entry(portal, `/portals/${portal.id}`) }) };
  return { body: { id, data, uiResources: ui.toJson() } };
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

function entry({ id, name }: { readonly id: string; readonly name: string }, href: string): JsonObject {
  return { ID: id, name, links: { open: link(href, "GET", `Open ${name}`) } };
}
