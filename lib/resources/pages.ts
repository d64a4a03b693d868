/** The operations of `svc pages`. */
import type { Group } from "../operation.ts";

const pageID = { name: "pageID", help: "Page ID", type: "string", to: "path:pageID", required: true } as const;

/** The operations by name. */
export const operations = {
  get: {
    summary: "Read a page",
    method: "GET",
    path: "/pages/{pageID}",
    args: [pageID],
    flags: { pageClass: { help: "Class in which the page lives", type: "string", to: "query:pageClass" } },
    answer: "object",
    example: "Welcome",
  },
  getWithContext: {
    summary: "Read a page in a data context",
    method: "POST",
    reads: true,
    path: "/pages/{pageID}",
    args: [pageID],
    flags: { dataContext: { help: "Data context", type: "string", to: "body:dataContext", required: true } },
    answer: "object",
    example: "CaseSummary --data-context 'CITY-PERMIT-WORK P-1'",
  },
  dashboard: {
    summary: "Read a dashboard",
    method: "GET",
    path: "/dashboard/{dashboardID}",
    args: [{ name: "dashboardID", help: "Dashboard ID", type: "string", to: "path:dashboardID", required: true }],
    answer: "object",
    example: "Permits",
  },
  insight: {
    summary: "Read an insight with its numbers",
    method: "GET",
    path: "/insight/{insightID}",
    args: [{ name: "insightID", help: "Insight ID", type: "string", to: "path:insightID", required: true }],
    answer: "object",
    example: "PermitsByStatus",
  },
  channel: {
    summary: "Read a channel",
    method: "GET",
    path: "/channels/{channelID}",
    args: [{ name: "channelID", help: "Channel ID", type: "string", to: "path:channelID", required: true }],
    answer: "object",
    example: "Web",
  },
  portal: {
    summary: "Read a portal",
    method: "GET",
    path: "/portals/{portalID}",
    args: [{ name: "portalID", help: "Portal ID", type: "string", to: "path:portalID", required: true }],
    answer: "object",
    example: "Desk",
  },
  localization: {
    summary: "Read a bundle of texts in a language",
    method: "GET",
    path: "/localizations/{locale}",
    args: [{ name: "locale", help: "Bundle, e.g. nl_NL", type: "string", to: "path:locale", required: true }],
    answer: "object",
    example: "nl_NL",
  },
} as const satisfies Group;
