/** Iterates over the items of all pages of a list. */
import { cloneJson, isJsonObject, isString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { readBody, writeBody } from "./body_path.ts";
import type { Operation, Pages } from "./operation.ts";

/** All that the iteration needs to know of an operation, as plain data. */
export interface PagePlan extends Pages {
  /** Position of the parameters among the arguments of the operation's function. */
  readonly position: number;
  /** Flag that takes the whole body, and where page and size are in it. */
  readonly whole?: { readonly name: string; readonly page: string; readonly size: string; readonly limit?: string };
}

/** Returns the plan for an operation; undefined if it does not return pages. */
export function planPages({ pages, args = [], flags = {} }: Operation): PagePlan | undefined {
  if (pages === undefined) return undefined;
  const plan = { ...pages, position: args.length };
  const name = Object.keys(flags).find((name) => flags[name]?.to === "body:*");
  const findBodyPath = (flag: string) => flags[flag]?.to.replace(/^body:/, "") ?? "";
  if (name === undefined) return plan;
  const { page, size, limit } = pages;
  return {
    ...plan,
    whole: {
      name,
      page: findBodyPath(page),
      size: findBodyPath(size),
      ...(limit !== undefined && { limit: findBodyPath(limit) }),
    },
  };
}

/** Reports whether a value is a plan, which a host sends as JSON. */
export function isPagePlan(value: unknown): value is PagePlan {
  return isJsonObject(value) && isString(value.items) && isString(value.page) && isString(value.size) &&
    typeof value.position === "number";
}

/** Yields the items of all pages, given the arguments and the answer of the call for the first. */
export async function* iteratePages(
  plan: PagePlan,
  args: readonly unknown[],
  first: unknown,
  call: (args: readonly unknown[]) => Promise<unknown>,
): AsyncGenerator<unknown, void> {
  const given = args[plan.position];
  let params: JsonObject = isJsonObject(given) ? given : {};
  for (let answer = first;;) {
    const body = isJsonObject(answer) ? answer : {};
    const items = readItems(body, plan);
    yield* items;
    const next = nextPage(plan, params, body, items);
    if (next === undefined) return;
    params = next;
    const nextArgs = [...args];
    nextArgs[plan.position] = params;
    answer = await call(nextArgs);
  }
}

function readItems(body: JsonObject, { items: path }: PagePlan): readonly JsonValue[] {
  const items = readBody(body, path);
  if (items === undefined) return [];
  return Array.isArray(items) ? items : [items]; // Some services answer the only item.
}

/** Returns the parameters for the next page; undefined after the last. */
function nextPage(
  plan: PagePlan,
  params: JsonObject,
  body: JsonObject,
  items: readonly JsonValue[],
): JsonObject | undefined {
  const more = plan.more === undefined ? undefined : readBody(body, plan.more);
  const size = Number(readParam(plan, params, "size") ?? readParam(plan, params, "limit") ?? 0);
  if (items.length === 0 || more === false || (more !== true && items.length < size)) return undefined;
  const next = nextPosition(plan, params, items);
  if (next === undefined) return undefined;
  const paged = withParam(plan, params, "page", next);
  if (plan.cursor !== undefined) return paged;
  // A page without a size can have another size than the pages that are selected by their number.
  return withParam(plan, withParam(plan, paged, "limit", undefined), "size", size > 0 ? size : items.length);
}

function nextPosition(plan: PagePlan, params: JsonObject, items: readonly JsonValue[]): JsonValue | undefined {
  const current = readParam(plan, params, "page");
  if (plan.cursor === undefined) return Number(current ?? plan.first ?? 0) + 1;
  const last = items.at(-1);
  const next = isJsonObject(last) ? last[plan.cursor] : undefined;
  return next === current ? undefined : next;
}

/** A parameter that selects or limits a page. */
type PageParam = "page" | "size" | "limit";

function readParam({ whole, ...plan }: PagePlan, params: JsonObject, param: PageParam): JsonValue | undefined {
  const body = whole && params[whole.name];
  const [object, path] = whole && isJsonObject(body) ? [body, whole[param]] : [params, plan[param]];
  return path === undefined ? undefined : readBody(object, path);
}

function withParam(
  { whole, ...plan }: PagePlan,
  params: JsonObject,
  param: PageParam,
  value: JsonValue | undefined,
): JsonObject {
  const body = whole && params[whole.name];
  if (whole === undefined || !isJsonObject(body)) {
    const name = plan[param];
    return name === undefined ? params : { ...params, [name]: value };
  }
  const path = whole[param];
  if (path === undefined) return params;
  const copy = cloneJson(body);
  writeBody(copy, path, value);
  return { ...params, [whole.name]: copy };
}
