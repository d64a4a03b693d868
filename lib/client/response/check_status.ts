/** What the service refuses, as errors of the family. */
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

/** Levels of a finding of a refused call. */
const MAX_LEVELS = 32;

/**
 * Statuses by which a service refuses a call that it has looked at. All others may come from before that: from a gateway,
 * a lock or a limit.
 */
const JUDGEMENTS: readonly number[] = [400, 404, 409, 410, 412, 415, 422, 428];

/** Whether the service itself has judged a call. A gateway has pages of its own, but no entity tags. */
function isJudgement(status: number, body: JsonObject | undefined): boolean {
  return status === 412 || (body !== undefined && JUDGEMENTS.includes(status));
}

/** Throws what the service refused. */
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
  const body = parseJsonObject(text); // The status alone says enough: a proxy's error page is no JSON.
  const findings = body?.errorDetails ?? body?.errors; // Errors of the first DX API have another name for them.
  const details = filterObjects(findings).map(readable);
  return new SvcError(
    code,
    composeMessage(body, details) ?? `The service answered ${status} ${reason}`.trimEnd() + ".",
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

/** A finding that can be written wherever an error goes: of one that is nested beyond reason, its plain members. */
function readable(finding: JsonObject): JsonObject {
  if (isNestedWithin(finding, MAX_LEVELS)) return finding;
  return Object.fromEntries(Object.entries(finding).filter(([, value]) => isScalar(value)));
}

/** What the service says: its own general sentence, and the particular one where there is but one. */
function composeMessage(body: JsonObject | undefined, details: readonly JsonObject[]): string | undefined {
  const [detail] = details;
  const [general, particular] = [body?.localizedValue, detail?.localizedValue].filter(isNonEmptyString);
  if (general === undefined) return isNonEmptyString(detail?.message) ? detail.message : undefined;
  if (particular === undefined || particular === general || details.length > 1) return general;
  return `${general.replace(/[.:]$/, "")}: ${particular}`;
}

/** What the user can do about a status. */
function hintFor(status: number, headers: Headers, sent: Destination): string | undefined {
  const location = headers.get("location");
  if (status < 400 && location !== null) return explainRedirect(location, sent);
  const retryAfter = headers.get("retry-after") ?? undefined;
  // A server that fails without a Retry-After may have done the call: no hint says to repeat it.
  if (status === 429 || (status === 503 && retryAfter !== undefined)) return createRetryHint(retryAfter);
  return HINTS[status];
}

const HINTS: Readonly<Record<number, string>> = {
  401:
    "The service refuses a token that its token endpoint has issued: check baseUrl, tokenPath and what the client may do.",
  412: "It was changed by somebody else. Read it again, then decide.",
  428: "Give the entity tag that you last read with --if-match.",
};
