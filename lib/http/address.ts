/** Addresses of requests, as logs and hints have them. */

/** Path and query of an address, as the first line of its request has them. */
export function lineOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** Where a request was sent. */
export interface Destination {
  /** Its whole address. */
  readonly url: string;
  /** What of that is the base URL. */
  readonly baseUrl: string;
}

/** What to do about a redirect: it may name the same request elsewhere, or another page. */
export function hintOfRedirect(location: string, { url, baseUrl }: Destination): string {
  const address = URL.parse(location, url)?.href ?? location;
  const below = url.slice(baseUrl.length);
  const base = address.slice(0, -below.length);
  const isSame = address.endsWith(below) && base !== baseUrl && !/[?#]/.test(base);
  return `It redirects to ${address}: ` +
    (isSame ? `set the base URL to ${base}.` : "the base URL may be wrong, or a login page stands before the service.");
}
