/** The format of the user interface: pages, insights, dashboards, portals, channels, UI lists and texts. */
import { z } from "zod";
import { SUMMARY_FUNCTIONS } from "../model/data_view.ts";
import { CHANNEL_TYPES, CHARTS } from "../model/user_interface.ts";
import { plainFilter } from "./data_format.ts";
import {
  atLeastOne,
  className,
  distinct,
  identifier,
  nonEmptyText,
  requireExactlyOne,
  right,
  template,
} from "./primitives.ts";

const component = requireExactlyOne(
  z.strictObject({
    text: template.optional(),
    view: identifier.optional().describe("A view of the page's class"),
    insight: identifier.optional(),
    list: identifier.optional().describe("A UI list"),
  }),
  "text",
  "view",
  "insight",
  "list",
);

const page = z.strictObject({
  name: nonEmptyText.optional(),
  class: className.describe("The class whose fields expressions can use: of a case type, of a data type or any other"),
  components: z.array(component).min(1),
});

const insightValue = z.strictObject({
  function: z.enum(SUMMARY_FUNCTIONS),
  field: identifier.optional().describe("The field that is summed up; COUNT needs none"),
  label: nonEmptyText.optional(),
}).refine((value) => value.function === "COUNT" || value.field !== undefined, {
  error: "needs a 'field', unless its function is COUNT",
});

const insight = z.strictObject({
  name: nonEmptyText.optional(),
  dataView: identifier.describe("The data view whose rows are summed up"),
  filter: plainFilter,
  groupBy: distinct(identifier).default([]).describe("Fields whose equal values make a group (default: one group)"),
  values: atLeastOne(z.record(identifier, insightValue), "value").describe(
    "Values of each group, by the name of their column",
  ),
  sort: z.array(z.strictObject({ column: identifier, descending: z.boolean().default(false) })).default([]),
  chart: z.enum(CHARTS).default("Table"),
});

const dashboard = z.strictObject({ name: nonEmptyText.optional(), insights: z.array(identifier).min(1) });

const portal = z.strictObject({
  name: nonEmptyText.optional(),
  pages: z.array(identifier).min(1).describe("Pages; the portal opens with the first"),
  dashboards: z.array(identifier).default([]),
});

const channel = z.strictObject({
  name: nonEmptyText.optional(),
  type: z.enum(CHANNEL_TYPES).default("Web"),
  portal: identifier.optional().describe("The portal that the channel opens"),
});

const uiList = z.strictObject({
  name: nonEmptyText.optional(),
  dataView: identifier,
  columns: z.array(identifier).min(1).optional().describe("Columns in order (default: all of the data view)"),
  setAppDefault: right.default(false).describe(
    "Whether the caller may make a personalization the default for everyone",
  ),
});

const locale = z.string().regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, "must be like nl or nl_NL");
const texts = z.record(
  nonEmptyText.refine((key) => key !== "id", "is the ID of the bundle: choose another name"),
  z.string(),
);

/** The members of a definition that describe the user interface. */
export const userInterface = {
  pages: z.record(identifier, page).default({}),
  insights: z.record(identifier, insight).default({}),
  dashboards: z.record(identifier, dashboard).default({}),
  portals: z.record(identifier, portal).default({}),
  channels: z.record(identifier, channel).default({}),
  uiLists: z.record(identifier, uiList).default({}),
  locales: z.record(locale, texts).default({}).describe("Texts by locale and key"),
};

/** A page in the definition. */
export type PageDefinition = z.infer<typeof page>;
/** An insight in the definition. */
export type InsightDefinition = z.infer<typeof insight>;
