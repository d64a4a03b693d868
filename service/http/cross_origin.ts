/** Cross-origin requests of web pages (CORS). The service allows only the origins that it was started with. */
import type { ServiceResponse } from "../connections/service_response.ts";

/** Request headers that a page may send. */
const REQUEST_HEADERS = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Origin-Channel";

/** Response headers that a page may read, besides those that every page may read. */
const RESPONSE_HEADERS = "ETag, Location, Retry-After, Content-Disposition, Idempotent-Replayed, X-Request-Id, Allow";

/** Seconds for which a browser may remember the permission. */
const MAX_AGE = 600;

/** Allows any origin. No request carries cookies, so that a page needs a token of its own. */
const ANY = "*";

/** Reports whether a value is an origin, e.g. `https://desk.example`, or `*`. */
export function isOrigin(value: string): boolean {
  return value === ANY || (URL.canParse(value) && new URL(value).origin === value);
}

/** Returns the headers that permit a page of an origin to read a response. Returns none for other origins. */
export function permitOrigin(origin: string | undefined, allowed: readonly string[]): Record<string, string> {
  if (allowed.length === 0) return {};
  const isAllowed = origin !== undefined && (allowed.includes(ANY) || allowed.includes(origin));
  if (!isAllowed) return { vary: "Origin" };
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers": RESPONSE_HEADERS,
    vary: "Origin",
  };
}

/** Creates the response to `OPTIONS`: the methods of the path, and for an allowed origin the permission to use them. */
export function createOptionsResponse(methods: readonly string[], isPermitted: boolean): ServiceResponse {
  const allow = methods.join(", ");
  const permission = isPermitted && {
    "access-control-allow-methods": allow,
    "access-control-allow-headers": REQUEST_HEADERS,
    "access-control-max-age": String(MAX_AGE),
  };
  return { status: 204, headers: { allow, ...permission }, body: "" };
}
