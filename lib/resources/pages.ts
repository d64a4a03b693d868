/** The operations of `svc pages`. */
import type { AnswerOf, Group, ParamsOf } from "../operation/operation.ts";
import type { JsonAnswer } from "../operation/answer.ts";
import type { Members, ObjectShape } from "../../utils/shape.ts";
import type { JsonObject } from "../../utils/json.ts";

import { objectAnswer } from "./shared/case.ts";

const pageID = { name: "pageID", help: "Page ID", type: "string", to: "path:pageID", required: true } as const;

const caseInfo = {
  unchecked: {
    /** Case handle. */
    ID: "string",
    /** The fields of the page's views. */
    content: "open",
  },
} as const satisfies ObjectShape;

const uiResources = {
  /** Views and components that show the data. */
  uiResources: "object",
} as const satisfies Members;

const entry = {
  unchecked: {
    /** ID. */
    ID: "string",
    /** Display name. */
    name: "string",
    /** Class of the page. */
    pageClass: "string",
    /** Requests that it offers. */
    links: "object",
  },
} as const satisfies ObjectShape;

const pageAnswer = {
  shape: {
    required: {
      /** Data of the page. */
      data: {
        unchecked: {
          /** Display name. */
          name: "string",
          /** Class of the page. */
          pageClass: "string",
          /** The data context. */
          caseInfo,
        },
      },
    },
    unchecked: {
      /** Page ID. Some services omit it. */
      id: "string",
      ...uiResources,
    },
  },
  fill: "page",
} as const satisfies JsonAnswer;

const column = {
  unchecked: {
    /** Member of the rows. */
    name: "string",
    /** Display name. */
    label: "string",
    /** Field from which it is computed. */
    field: "string",
    /** How numbers are summed up. */
    summaryFunction: { values: ["COUNT", "DISTINCT_COUNT", "MIN", "MAX", "SUM", "AVG"] },
  },
} as const satisfies ObjectShape;

const insightData = {
  optional: {
    /** One row per group. Some services omit them. */
    rows: { list: "open" },
    /** Members of the rows: groups first, then numbers. */
    columns: { list: column },
  },
  unchecked: {
    /** Insight ID. */
    ID: "string",
    /** Display name. */
    name: "string",
    /** Kind of chart. */
    chart: "string",
    /** Data view whose rows are summed up. */
    dataView: "string",
    /** Time of the query. */
    fetchDateTime: "string",
    /** Number of rows. */
    resultCount: "number",
    /** True if there are more rows. */
    hasMoreResults: "boolean",
  },
} as const satisfies ObjectShape;

const insightAnswer = {
  shape: {
    required: {
      /** The numbers. */
      data: insightData,
    },
    unchecked: {
      /** Insight ID. Some services omit it. */
      id: "string",
      ...uiResources,
    },
  },
} as const satisfies JsonAnswer;

const dashboardAnswer = {
  shape: {
    required: {
      /** Data of the dashboard. */
      data: {
        unchecked: {
          /** Display name. */
          name: "string",
          /** Insights with their numbers. */
          insights: { list: insightData },
        },
      },
    },
    unchecked: {
      /** Dashboard ID. Some services omit it. */
      id: "string",
      ...uiResources,
    },
  },
  fill: "page",
} as const satisfies JsonAnswer;

const channelAnswer = {
  shape: {
    required: {
      /** Data of the channel. */
      data: {
        unchecked: {
          /** Display name. */
          name: "string",
          /** Kind of channel, e.g. `Web`. */
          type: "string",
          /** Portal to which it leads. */
          portal: entry,
        },
      },
    },
    unchecked: {
      /** Channel ID. Some services omit it. */
      id: "string",
      ...uiResources,
    },
  },
  fill: "page",
} as const satisfies JsonAnswer;

const portalAnswer = {
  shape: {
    required: {
      /** Data of the portal. */
      data: {
        unchecked: {
          /** Display name. */
          name: "string",
          /** Display name of the application. */
          pxApplicationLabel: "string",
          /** Pages. */
          pages: { list: entry },
          /** Dashboards. */
          dashboards: { list: entry },
          /** Case types that can be created. */
          caseTypes: { list: entry },
        },
      },
    },
    unchecked: {
      /** Portal ID. Some services omit it. */
      id: "string",
      ...uiResources,
    },
  },
  fill: "page",
} as const satisfies JsonAnswer;

const operations = {
  /**
   * Reads a page without a data context: `data`, and in `uiResources` its texts, views and lists.
   *
   * Errors: `NOT_FOUND` for an unknown page, or a page of another class than `pageClass`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const page = await svc.pages.get("Welcome", { pageClass: "Data-Portal" });
   * console.log(page.data.name);
   * ```
   */
  get: {
    summary: "Read a page",
    method: "GET",
    path: "/pages/{pageID}",
    args: [pageID],
    flags: {
      /** Class of the page. */
      pageClass: { help: "Class of the page", type: "string", to: "query:pageClass" },
    },
    answer: pageAnswer,
    example: ["Welcome", "Welcome --format yaml"],
  },
  /**
   * Reads a page in a data context: a case by its handle, a data record by its key as JSON, or values of the page's class
   * as JSON, e.g. `{"Applicant":"Ada"}`. The content of the page's views is in `data.caseInfo.content`.
   *
   * Errors: `NOT_FOUND` for an unknown page, `BAD_REQUEST` for a context that does not fit the page,
   * `VALIDATION_FAIL` for invalid values.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada" } });
   * const page = await svc.pages.getWithContext("CaseSummary", { dataContext: id });
   * console.log(page.data.caseInfo);
   * ```
   */
  getWithContext: {
    summary: "Read a page in a data context",
    method: "POST",
    reads: true,
    path: "/pages/{pageID}",
    args: [pageID],
    flags: {
      /** A case handle, or JSON: a record's key, or values of fields. */
      dataContext: {
        help: "A case handle, or JSON: a record's key, or values of fields",
        type: "string",
        namesCase: true,
        to: "body:dataContext",
        required: true,
      },
    },
    accepts: { body: ["dataContextParameters"] },
    answer: pageAnswer,
    example: [
      "CaseSummary --data-context 'CITY-PERMIT-WORK P-1'",
      "CaseSummary --data-context 'CITY-PERMIT-WORK P-1' | jq .data.caseInfo.status",
    ],
  },
  /**
   * Reads a dashboard: `data.insights` has its insights with current numbers.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data } = await svc.pages.dashboard("Permits");
   * console.log(data.insights);
   * ```
   */
  dashboard: {
    summary: "Read a dashboard",
    method: "GET",
    path: "/dashboard/{dashboardID}",
    args: [{ name: "dashboardID", help: "Dashboard ID", type: "string", to: "path:dashboardID", required: true }],
    answer: dashboardAnswer,
    example: ["Permits", "Permits | jq '.data.insights[].ID'"],
  },
  /**
   * Reads an insight: `data.rows` has a row per group, which the service computes from the current rows.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data } = await svc.pages.insight("PermitsByStatus");
   * for (const row of data.rows ?? []) console.log(row.pyStatusWork, row.Permits);
   * ```
   */
  insight: {
    summary: "Read an insight with its numbers",
    method: "GET",
    path: "/insight/{insightID}",
    args: [{ name: "insightID", help: "Insight ID", type: "string", to: "path:insightID", required: true }],
    answer: insightAnswer,
    example: ["PermitsByStatus", "FeesByChannel | jq '.data.rows'"],
  },
  /**
   * Reads a channel: its type, and the portal to which it leads.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data } = await svc.pages.channel("Web");
   * console.log(data.type, data.portal);
   * ```
   */
  channel: {
    summary: "Read a channel",
    method: "GET",
    path: "/channels/{channelID}",
    args: [{ name: "channelID", help: "Channel ID", type: "string", to: "path:channelID", required: true }],
    answer: channelAnswer,
    example: ["Web", "Web --format yaml"],
  },
  /**
   * Reads a portal: its pages and dashboards, and the case types that can be created from it.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const { data } = await svc.pages.portal("Desk");
   * console.log(data.pages);
   * ```
   */
  portal: {
    summary: "Read a portal",
    method: "GET",
    path: "/portals/{portalID}",
    args: [{ name: "portalID", help: "Portal ID", type: "string", to: "path:portalID", required: true }],
    answer: portalAnswer,
    labelled: true,
    example: ["Desk", "Desk | jq '.data.pages[].ID'"],
  },
  /**
   * Reads the texts of a locale by their keys. If a country has no texts of its own (`en_GB`), the texts of its
   * language (`en`) are returned. `id` names the bundle.
   *
   * Errors: `NOT_FOUND`.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   *
   * const svc = createClient();
   * const texts = await svc.pages.localization("nl_NL");
   * console.log(texts.Permits);
   * ```
   */
  localization: {
    summary: "Read the texts of a locale",
    method: "GET",
    path: "/localizations/{locale}",
    args: [{ name: "locale", help: "Bundle, e.g. nl_NL", type: "string", to: "path:locale", required: true }],
    accepts: { query: { v: "text" } },
    answer: objectAnswer,
    example: ["nl_NL", "nl_NL --fields Fee"],
  },
} as const satisfies Group;

export default operations;

/** @internal */
type Operations = typeof operations;

/** A page: the data it shows, and the components that show it. */
export type PageAnswer<Content = JsonObject> = AnswerOf<Operations["get"], Content>;

/** A dashboard: its insights, and the components that show them. */
export type DashboardAnswer<Row = JsonObject> = AnswerOf<Operations["dashboard"], Row>;

/** An insight with its numbers. */
export type InsightAnswer<Row = JsonObject> = AnswerOf<Operations["insight"], Row>;

/** The numbers of an insight. */
export type InsightData<Row = JsonObject> = InsightAnswer<Row>["data"];

/** A column of an insight. */
export type InsightColumn = NonNullable<InsightData["columns"]>[number];

/** A channel. */
export type ChannelAnswer = AnswerOf<Operations["channel"]>;

/** A portal and its contents. */
export type PortalAnswer = AnswerOf<Operations["portal"]>;

/** A page, dashboard or portal that another one lists. */
export type PageEntry = NonNullable<PortalAnswer["data"]["pages"]>[number];

/** Parameters of `pages.get`. */
export type PagesGetParams = ParamsOf<Operations["get"]>;

/** Parameters of `pages.getWithContext`. */
export type PagesGetWithContextParams = ParamsOf<Operations["getWithContext"]>;
