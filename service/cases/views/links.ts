/** Links: what can be done next, and at which path below the API root. */
import type { JsonObject } from "../../../utils/json.ts";

/** A link. */
export function link(href: string, type: string, title: string): JsonObject {
  return { rel: "self", href, type, title };
}

/** The link to a case. */
export function caseLink(caseId: string): JsonObject {
  return link(`/cases/${caseId}`, "GET", "Get case details");
}
