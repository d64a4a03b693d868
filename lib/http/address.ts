/** Returns path and query of a URL, as they appear in the first line of a request. */
export function getRequestPath(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

/** The address that a request was sent to. */
export interface Destination {
  /** The complete URL. */
  readonly url: string;
  /** The base URL that it starts with. */
  readonly baseUrl: string;
}

/** Explains a redirect: it may lead to the same path at another base URL, or to another page. */
export function explainRedirect(location: string, { url, baseUrl }: Destination): string {
  const address = URL.parse(location, url)?.href ?? location;
  const path = url.slice(baseUrl.length);
  const base = address.slice(0, -path.length);
  const isSamePath = address.endsWith(path) && base !== baseUrl && !/[?#]/.test(base);
  const advice = isSamePath
    ? `set the base URL to ${base}.`
    : "the base URL may be wrong, or a login page may be in front of the service.";
  return `It redirects to ${address}: ${advice}`;
}
