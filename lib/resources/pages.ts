/** The operations of `svc pages`. */
import type { Group } from "../operation/operation.ts";

const pageID = { name: "pageID", help: "Page ID", type: "string", to: "path:pageID", required: true } as const;

/** The operations by name. */
export const operations = {
  /**
   * Reads a page as it is without a data context: `data`, and in `uiResources` its texts, views and lists.
   *
   * Errors: `NOT_FOUND` for an unknown page, or one that lives in another class than `pageClass`.
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
    flags: { pageClass: { help: "Class in which the page lives", type: "string", to: "query:pageClass" } },
    answer: "page",
    example: "Welcome",
  },
  /**
   * Reads a page about something: a case by its handle, a data record by its key as JSON, or values of the page's class
   * as JSON, e.g. `{"Applicant":"Ada"}`. The content of the page's views is in `data.caseInfo.content`.
   *
   * Errors: `NOT_FOUND` for an unknown page, `BAD_REQUEST` for a context that names nothing the page is about,
   * `VALIDATION_FAIL` for values that do not fit.
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
      dataContext: {
        help: "A case handle, or JSON: a record's key, or values of fields",
        type: "string",
        to: "body:dataContext",
        required: true,
      },
    },
    answer: "page",
    example: "CaseSummary --data-context 'CITY-PERMIT-WORK P-1'",
  },
  /**
   * Reads a dashboard: its insights are in `data.insights`, each with its numbers as they are now.
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
    answer: "page",
    example: "Permits",
  },
  /**
   * Reads an insight: a row per group in `data.rows`, counted and summed up by the service from the rows that are there
   * now.
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
    answer: "insight",
    example: "PermitsByStatus",
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
    answer: "page",
    example: "Web",
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
    answer: "page",
    labelled: true,
    example: "Desk",
  },
  /**
   * Reads the texts of a locale by their keys. Where a country has none of its own (`en_GB`), those of its language
   * (`en`) are answered; `id` names the bundle.
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
    summary: "Read a bundle of texts in a language",
    method: "GET",
    path: "/localizations/{locale}",
    args: [{ name: "locale", help: "Bundle, e.g. nl_NL", type: "string", to: "path:locale", required: true }],
    answer: "object",
    example: "nl_NL",
  },
} as const satisfies Group;
