/** Paths as they were sent: decoded once, segment by segment, after they were split. */
import { Invalid } from "../errors.ts";

/** Returns the encoded path of a request: `%2F` does not separate segments. */
export function rawPath(request: Request): string {
  return getPath(request.url);
}

/** Parses the query of a URL. Throws `Invalid` for a repeated parameter. */
export function parseQuery(url: string): URLSearchParams {
  const mark = url.indexOf("?");
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark));
  const names = new Set<string>();
  for (const name of query.keys()) {
    if (names.has(name)) throw new Invalid(`The query has ${name} more than once.`);
    names.add(name);
  }
  return query;
}

/** Makes what reads the variables of a path such as `/cases/{caseID}`. */
export function segmentReader(template: string): (url: string, variable: string) => string | undefined {
  const places = new Map(template.split("/").map((segment, index) => [segment, index]));
  return (url, variable) => {
    const place = places.get(`{${variable}}`);
    const segment = place === undefined ? undefined : getPath(url).split("/")[place];
    return segment === undefined ? undefined : decode(segment);
  };
}

/** The methods that some route takes at a URL. */
export function allowedMethods(url: string, routes: readonly { method: string; path: string }[]): string[] {
  const given = getPath(url).split("/");
  const fits = (template: string) => {
    const segments = template.split("/");
    return segments.length === given.length &&
      segments.every((segment, index) => segment === given[index] || (segment.startsWith("{") && given[index] !== ""));
  };
  return [...new Set(routes.filter(({ path }) => fits(path)).map(({ method }) => method))].sort();
}

/** Path and query of a URL, as they were sent. */
export function getTarget(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  return start < 0 ? "/" : url.slice(start);
}

function getPath(url: string): string {
  const target = getTarget(url);
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Invalid(`The path contains ${segment}, which is not percent-encoded UTF-8.`);
  }
}
