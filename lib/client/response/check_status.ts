/** Converts rejections of the service to errors. */
import { createRetryHint, getErrorCode, SvcError } from "../../errors.ts";
import { type Destination, explainRedirect } from "../../http/address.ts";
import {
  filterObjects,
  isNestedWithin,
  isNonEmptyString,
  isScalar,
  type JsonObject,
  parseJsonObject,
} from "../../../utils/json.ts";
import type { ReplyHead } from "./reply.ts";

/** Maximum depth of an error detail. */
const MAX_LEVELS = 32;

/**
 * Statuses with which a service rejects a call that it has examined. All others may come from a gateway, a lock or a
 * limit before that.
 */
const JUDGEMENTS: readonly number[] = [400, 404, 409, 410, 412, 415, 422, 428];

/** Reports whether the service itself rejected a call. A gateway sends pages, but knows no entity tags. */
function isJudgement(status: number, body: JsonObject | undefined): boolean {
  return status === 412 || (body !== undefined && JUDGEMENTS.includes(status));
}

/** Throws the error of a status outside 200 to 299. */
export function checkStatus(head: ReplyHead, { headers }: Response, text: string, sent: Destination): void {
  if (head.status < 200 || head.status >= 300) throw refusal(head, text, headers, sent);
}

function refusal(
  { status, reason, requestId }: ReplyHead,
  text: string,
  headers: Headers,
  sent: Destination,
): SvcError {
  const code = getErrorCode(status);
  const body = parseJsonObject(text); // The error page of a proxy is not JSON; its status is enough.
  const findings = body?.errorDetails ?? body?.errors; // The first version of the DX API calls them `errors`.
  const details = filterObjects(findings).map(readable);
  return new SvcError(
    code,
    composeMessage(body, details) ?? `The service responded with ${status} ${reason}`.trimEnd() + ".",
    {
      status,
      classification: isNonEmptyString(body?.errorClassification) ? body.errorClassification : undefined,
      details: details.length > 0 ? details : undefined,
      requestId,
      hint: hintFor(status, headers, sent),
      retryAfter: headers.get("retry-after") ?? undefined,
      rejectedByService: isJudgement(status, body) || undefined,
      replayed: headers.get("idempotent-replayed") === "true" || undefined,
    },
  );
}

/** Returns a detail that can be printed: only the scalar members of one that is nested too deeply. */
function readable(finding: JsonObject): JsonObject {
  if (isNestedWithin(finding, MAX_LEVELS)) return finding;
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => isScalar(value)));
}

/** Composes the message: the general sentence of the service, and the detail if there is exactly one. */
function composeMessage(body: JsonObject | undefined, details: readonly JsonObject[]): string | undefined {
  const [detail] = details;
  const [general, particular] = [body?.localizedValue, detail?.localizedValue].filter(isNonEmptyString);
  if (general === undefined) return isNonEmptyString(detail?.message) ? detail.message : undefined;
  if (particular === undefined || particular === general || details.length > 1) return general;
  return `${general.replace(/[.:]$/, "")}: ${particular}`;
}

/** Returns a hint for a status. */
function hintFor(status: number, headers: Headers, sent: Destination): string | undefined {
  const location = headers.get("location");
  if (status < 400 && location !== null) return explainRedirect(location, sent);
  const retryAfter = headers.get("retry-after") ?? undefined;
  // A server that fails without a Retry-After may have applied the call: do not suggest to repeat it.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return createRetryHint(retryAfter);
  return HINTS[status];
}

const HINTS: Readonly<Record<number, string>> = {
  401:
    "The service refuses a token that its token endpoint has issued: check baseUrl, tokenPath and what the client may do.",
  412: "The resource has changed since. Read it again, then decide.",
  428: "Give the entity tag that you last read with --if-match.",
};
