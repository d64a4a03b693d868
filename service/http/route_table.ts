/** Finds the route of a request. A fixed segment of a path goes before a variable. */

/** A segment of the paths of routes. */
class Segment<T> {
  readonly fixed = new Map<string, Segment<T>>();
  variable: Segment<T> | undefined;
  /** The routes that end here, by method. */
  readonly routes = new Map<string, T>();
}

/** The routes by method and path, such as `/cases/{caseID}`. */
export class RouteTable<T> {
  readonly #root = new Segment<T>();

  /** Adds a route. */
  add(method: string, path: string, route: T): void {
    let place = this.#root;
    for (const segment of path.split("/")) {
      if (segment.startsWith("{")) {
        place = place.variable ??= new Segment<T>();
      } else {
        const next = place.fixed.get(segment) ?? new Segment<T>();
        place.fixed.set(segment, next);
        place = next;
      }
    }
    place.routes.set(method, route);
  }

  /** Finds the route of a method and a path. */
  find(method: string, path: string): T | undefined {
    for (const routes of match(this.#root, path.split("/"))) {
      const route = routes.get(method);
      if (route !== undefined) return route;
    }
    return undefined;
  }

  /** Lists the methods that the routes have for a path. */
  listMethods(path: string): string[] {
    return [...new Set(match(this.#root, path.split("/")).flatMap((routes) => routes.keys()))].sort();
  }
}

function* match<T>(place: Segment<T>, path: readonly string[], depth = 0): Generator<ReadonlyMap<string, T>, void> {
  const segment = path[depth];
  if (segment === undefined) return yield place.routes;
  const fixed = place.fixed.get(segment);
  if (fixed !== undefined) yield* match(fixed, path, depth + 1);
  if (place.variable !== undefined && segment !== "") yield* match(place.variable, path, depth + 1);
}
