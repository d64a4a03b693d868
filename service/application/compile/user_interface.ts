/** The user interface in an application definition. */
import { z } from "zod";
import type { CaseType, DataType, DataView } from "../model/application.ts";
import type { Report } from "../findings.ts";
import {
  compileDashboards,
  compileInsights,
  type Dashboard,
  dashboardSchema,
  type Insight,
  insightSchema,
} from "./insights.ts";
import { type Bundle, compileLocales, localesSchema } from "./locales.ts";
import {
  type Channel,
  channelSchema,
  compileChannels,
  compilePages,
  compilePortals,
  type Page,
  pageSchema,
  type Portal,
  portalSchema,
} from "./pages.ts";
import { referable } from "./references.ts";
import { compileUiLists, type UiList, uiListSchema } from "./ui_lists.ts";
import { identifier } from "../schema/words.ts";

/** The members of a definition that describe the user interface. */
export const userInterface = {
  pages: z.record(identifier, pageSchema).default({}),
  insights: z.record(identifier, insightSchema).default({}),
  dashboards: z.record(identifier, dashboardSchema).default({}),
  portals: z.record(identifier, portalSchema).default({}),
  channels: z.record(identifier, channelSchema).default({}),
  uiLists: z.record(identifier, uiListSchema).default({}),
  locales: localesSchema.default({}).describe("Texts by locale and key"),
};

const schema = z.object(userInterface);

/** The user interface of an application. */
export interface UserInterface {
  /** Pages by ID. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Insights by ID. */
  readonly insights: ReadonlyMap<string, Insight>;
  /** Dashboards by ID. */
  readonly dashboards: ReadonlyMap<string, Dashboard>;
  /** Portals by ID. */
  readonly portals: ReadonlyMap<string, Portal>;
  /** Channels by ID. */
  readonly channels: ReadonlyMap<string, Channel>;
  /** UI lists by ID. */
  readonly uiLists: ReadonlyMap<string, UiList>;
  /** Bundles of texts by locale. */
  readonly locales: ReadonlyMap<string, Bundle>;
}

/** Compiles the user interface over the cases and data of an application. */
export function compileUserInterface(
  written: z.infer<typeof schema> & { readonly dataViews: Readonly<Record<string, unknown>> },
  application: {
    readonly caseTypes: ReadonlyMap<string, CaseType>;
    readonly dataTypes: ReadonlyMap<string, DataType>;
    readonly dataViews: ReadonlyMap<string, DataView>;
  },
  report: Report,
): UserInterface {
  const dataViews = referable("data view", written.dataViews, application.dataViews);
  const insights = referable("insight", written.insights, compileInsights(written.insights, dataViews, report));
  const uiLists = referable("UI list", written.uiLists, compileUiLists(written.uiLists, dataViews, report));
  const dashboards = compileDashboards(written.dashboards, insights, report);
  const pages = compilePages(written.pages, { ...application, insights, uiLists }, report);
  const portals = compilePortals(written.portals, {
    pages: referable("page", written.pages, pages),
    dashboards: referable("dashboard", written.dashboards, dashboards),
  }, report);
  return {
    pages,
    insights: insights.compiled,
    dashboards,
    portals,
    channels: compileChannels(written.channels, referable("portal", written.portals, portals), report),
    uiLists: uiLists.compiled,
    locales: compileLocales(written.locales),
  };
}
