/** The HTTP side of the service: a route per operation, the token endpoint, and JSON for everything else. */
import { type Context, Hono } from "hono";
import { hasEffect } from "../../lib/operation/operation.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { VERSION } from "../../lib/version.ts";
import type { Application } from "../application/model/application.ts";
import { NotFound, OperationFailed } from "../errors.ts";
import type { Handlers } from "./handler.ts";
import { createResponse, failureAnswer, jsonResponse } from "./responses.ts";
import { receiveBody } from "./receive.ts";
import { type CallOptions, createCall, type ServeCall } from "./calls.ts";
import { KeyedCalls } from "./idempotency.ts";
import { allowedMethods, getTarget, rawPath } from "./urls.ts";
import { buildRoutes, type Route } from "./routes.ts";
import { isKnownError, type KnownError, RequestError } from "./status.ts";
import { exchange } from "./token.ts";

/** Options of the HTTP application. */
export interface AppOptions extends CallOptions {
  /** The handlers of all operations. */
  readonly handlers: Handlers;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** Logs unexpected errors. */
  readonly log: (line: string) => void;
}

/** Path of the health check, which needs no token. */
const HEALTH = "/health";

/** Makes the function that answers requests. */
export async function createApp(options: AppOptions): Promise<(request: Request) => Response | Promise<Response>> {
  const { apiRoot, tokenPath } = options;
  const hono = new Hono<Asked>({ getPath: rawPath });
  const routes = await buildRoutes(options.handlers);
  const keyed = new KeyedCalls(options.store);
  for (const route of routes) {
    const path = apiRoot + route.operation.path.replace(/\{(\w+)\}/g, ":$1");
    hono.on(route.operation.method, path, createHandler(route, options, keyed)); // One alone: the short way through Hono.
  }
  hono.post(tokenPath, async (c) => {
    const form = new TextDecoder().decode(await receiveBody(c.req.raw));
    return await exchange(options, form, c.req.header("authorization"));
  });
  const health = { status: "ok", version: VERSION, application: options.app.name, pid: Deno.pid };
  hono.get(HEALTH, () => jsonResponse(200, health));
  const served = [
    ...routes.map(({ operation: { method, path } }) => ({ method, path: apiRoot + path })),
    { method: "POST", path: tokenPath },
    { method: "GET", path: HEALTH },
  ];
  hono.notFound((c) => unknownRoute(c, served));
  hono.onError((error) => isKnownError(error) ? fail(error) : reportUnexpected(error, options));
  return (request) => {
    if (request.method !== "HEAD") return hono.fetch(request, NO_HEAD);
    // Not made from the request itself: to follow its signal makes Deno print a warning. Its host may be none at all.
    return hono.fetch(new Request(`http://service${getTarget(request.url)}`, { headers: request.headers }), HEAD);
  };
}

/** HEAD is served as a marked GET: Hono would drop the body, and the server derives `Content-Length` from it. */
interface Asked {
  Bindings: { readonly isHead: boolean };
}

const HEAD: Asked["Bindings"] = { isHead: true };
const NO_HEAD: Asked["Bindings"] = { isHead: false };

type Handler = (c: Context<Asked>) => Response | Promise<Response>;

/** Serves the requests of one route. */
function createHandler(route: Route, options: AppOptions, keyed: KeyedCalls): Handler {
  const { operation } = route;
  const serve = createCall(route, options, keyed);
  const labelled = operation.labelled ? withLabel(serve, options.app) : serve;
  if (!hasEffect(operation)) return labelled;
  return (c) => c.env.isHead ? notAllowed(c, [operation.method]) : labelled(c);
}

/** The errors of some operations name the application. */
function withLabel(serve: ServeCall, { name }: Application): ServeCall {
  return async (c) => {
    try {
      return await serve(c);
    } catch (error) {
      if (!isKnownError(error)) throw error;
      return fail(error, { members: { pxApplicationLabel: name } });
    }
  };
}

function unknownRoute(c: Context<Asked>, routes: readonly { method: string; path: string }[]): Response {
  const methods = allowedMethods(c.req.url, routes);
  if (methods.length === 0) return fail(new NotFound(`There is nothing at ${c.req.path}.`));
  return notAllowed(c, methods);
}

function notAllowed(c: Context<Asked>, methods: readonly string[]): Response {
  const allow = methods.join(", ");
  const method = c.env.isHead ? "HEAD" : c.req.method;
  return fail(new RequestError("MethodNotAllowed", `${c.req.path} takes ${allow}, not ${method}.`), {
    headers: { allow },
  });
}

function reportUnexpected(error: Error, { log }: AppOptions): Response {
  const requestId = crypto.randomUUID();
  log(`Request ${requestId} failed: ${error.stack ?? error.message}`);
  const sentence = isDiskFull(error)
    ? "The service's disk is full: free some space on it."
    : `The service failed. Its log has the reason at request ${requestId}.`;
  return createResponse(failureAnswer(new OperationFailed(sentence)), requestId);
}

function fail(
  error: KnownError,
  { headers, members }: { headers?: Record<string, string>; members?: JsonObject } = {},
): Response {
  return createResponse(failureAnswer(error, members), crypto.randomUUID(), headers);
}
