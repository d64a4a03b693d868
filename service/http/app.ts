/** The HTTP side of the service: a route per operation, the token endpoint, and JSON for everything else. */
import { type Context, Hono } from "hono";
import { hasEffect, isRead } from "../../lib/operation.ts";
import { VERSION } from "../../lib/version.ts";
import type { Tokens } from "../access/tokens.ts";
import type { Application, Operator } from "../definition/application.ts";
import { ServiceError } from "../errors.ts";
import type { Background, HandlerContext, Handlers, LaterWork, NextUnit, Outcome } from "../handler.ts";
import type { StaticFiles } from "../static_files.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store, Transaction } from "../store/store.ts";
import { answerOf, failureOf, jsonOf, responseOf, responseTo, unauthorized } from "./answers.ts";
import { receiveBody } from "./body.ts";
import { decoderOf } from "./decode.ts";
import { discard, keepingForm } from "./multipart.ts";
import { KeyedCalls, type Steps, type Unit } from "./once.ts";
import { allowedMethods, queryOf, rawPath, segmentReader, targetOf } from "./paths.ts";
import { receiverOf } from "./received.ts";
import { digestOf } from "./request_key.ts";
import { type Route, routesOf } from "./routes.ts";
import { exchange } from "./token.ts";

/** What the HTTP side serves, and with what. */
export interface AppOptions {
  /** The application. */
  readonly app: Application;
  /** Its state. */
  readonly store: Store;
  /** The bytes of its files. */
  readonly bytes: ByteStore;
  /** Bytes that an uploaded file may have. */
  readonly maxFileBytes: number;
  /** The files that come with the application. */
  readonly statics: StaticFiles;
  /** The handlers of all operations. */
  readonly handlers: Handlers;
  /** Gives out tokens and knows them. */
  readonly tokens: Tokens;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** Takes the work that is done after an answer. */
  readonly background: Background;
  /** Sees the rest of a call through that waits for more than the store; its signal aborts when the service stops. */
  readonly seeThrough: <T>(rest: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  /** Is told of what nobody foresaw. */
  readonly log: (line: string) => void;
}

/** Where the service says without a token that it is there. */
const HEALTH = "/health";

/** Makes the function that answers requests. */
export async function createApp(options: AppOptions): Promise<(request: Request) => Response | Promise<Response>> {
  const { apiRoot, tokenPath } = options;
  const hono = new Hono<Asked>({ getPath: rawPath });
  const routes = await routesOf(options.handlers);
  const keyed = new KeyedCalls(options.store);
  for (const route of routes) {
    const path = apiRoot + route.operation.path.replace(/\{(\w+)\}/g, ":$1");
    const handle = handlerOf(route, options, keyed);
    const handler = LABELLED.has(route.name) ? labelled(handle, options.app) : handle;
    hono.on(route.operation.method, path, handler); // One alone: the short way through Hono.
  }
  hono.post(tokenPath, async (c) => {
    const form = new TextDecoder().decode(await receiveBody(c.req.raw));
    return await exchange(options, form, c.req.header("authorization"));
  });
  const health = { status: "ok", version: VERSION, application: options.app.name, pid: Deno.pid };
  hono.get(HEALTH, () => jsonOf(200, health));
  const served = [
    ...routes.map(({ operation: { method, path } }) => ({ method, path: apiRoot + path })),
    { method: "POST", path: tokenPath },
    { method: "GET", path: HEALTH },
  ];
  hono.notFound((c) => unknownRoute(c, served));
  hono.onError((error) => error instanceof ServiceError ? fail(error) : unforeseen(error, options));
  return (request) => {
    if (request.method !== "HEAD") return hono.fetch(request, NO_HEAD);
    // Not made from the request itself: to follow its signal makes Deno print a warning. Its host may be none at all.
    return hono.fetch(new Request(`http://service${targetOf(request.url)}`, { headers: request.headers }), HEAD);
  };
}

/** A HEAD is served as a marked GET: Hono would drop the body, from which the server takes the length that it tells. */
interface Asked {
  Bindings: { readonly isHead: boolean };
}

/** Serves the requests of one route. */
type Handle = (c: Context<Asked>) => Promise<Response>;

const HEAD: Asked["Bindings"] = { isHead: true };
const NO_HEAD: Asked["Bindings"] = { isHead: false };

function handlerOf({ name, operation, serve }: Route, options: AppOptions, keyed: KeyedCalls): Handle {
  const { app, store, bytes, statics, apiRoot } = options;
  const receive = receiverOf(operation, options);
  const decode = decoderOf(operation, app);
  const segment = segmentReader(apiRoot + operation.path);
  const run = isRead(operation) ? store.read : store.transact;
  const isServed = operation.variant === undefined || operation.variant === app.variant;
  const status = operation.status ?? 200;
  const answer = (outcome: Outcome) => answerOf(outcome, status, apiRoot);

  return async (c) => {
    if (c.env.isHead && hasEffect(operation)) return notAllowed(c, [operation.method]);
    const requestId = crypto.randomUUID();
    const caller = await callerOf(c, options, requestId);
    if (caller instanceof Response) return caller;
    if (!isServed) throw new ServiceError(404, `${name} is served by the ${operation.variant} variant only.`);

    const { url, raw } = c.req;
    const query = queryOf(url);
    const { key, text, body, form } = await receive(raw); // Last: what fails after it must let go of a file.
    const later: LaterWork[] = [];
    const background = (work: LaterWork) => void later.push(work);
    const contextOf = (tx: Transaction): HandlerContext => {
      return { app, tx, bytes, statics, caller, now: new Date(), query, body, background };
    };
    const rest = restOf(contextOf, options);
    const response = await keepingForm(form, bytes, async () => {
      const ifMatch = c.req.header("if-match");
      const values = decode({ segment: (variable) => segment(url, variable), query, body, form, ifMatch });
      const first: Unit = async (tx) => await serve(values, contextOf(tx));
      if (key === undefined) {
        return responseTo(await rest(await run(first), store.transact), status, apiRoot, requestId);
      }
      const request = digestOf({ method: operation.method, target: targetOf(url), text, form });
      const given = await keyed.answer({ caller: caller.id, key, request }, { first, rest, answer });
      if (given.isReplay) await discard(form, bytes);
      return responseOf(given.answer, requestId, given.isReplay ? REPLAYED : undefined);
    });
    later.forEach(options.background);
    return response;
  };
}

/** Operations whose errors name the application. */
const LABELLED: ReadonlySet<string> = new Set(["pages.portal", "social.get-feed"]);

function labelled(handle: Handle, { name }: Application): Handle {
  return async (c) => {
    try {
      return await handle(c);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      throw new ServiceError(error.status, error.details, { pxApplicationLabel: name });
    }
  };
}

/** The operator whose token a request has; the refusal where it has none that is valid. */
async function callerOf(
  c: Context<Asked>,
  { app, tokens }: AppOptions,
  requestId: string,
): Promise<Operator | Response> {
  const token = bearerOf(c);
  if (token === undefined) return unauthorized("An access token is needed.", false, requestId);
  const operator = await tokens.operatorOf(token);
  if (operator === undefined) return unauthorized("Invalid or expired token", true, requestId);
  const caller = app.operators.get(operator);
  if (!caller) throw new ServiceError(403, `The application has no operator ${operator}.`);
  return caller;
}

/** What follows the first unit of work of a call. */
function restOf(contextOf: (tx: Transaction) => HandlerContext, { seeThrough }: AppOptions): Steps["rest"] {
  return async (outcome, transact) => {
    if (outcome.goOn === undefined) return outcome;
    return await seeThrough((signal) => {
      return finish(outcome, signal, (next) => transact(async (tx) => await next(contextOf(tx))));
    });
  };
}

/** Tells a client that this answer is the one of an earlier request. */
const REPLAYED = { "idempotent-replayed": "true" };

/** Goes on until nothing is left to wait for. Nobody holds the store meanwhile: its units of work are serial. */
async function finish(
  outcome: Outcome,
  signal: AbortSignal,
  transact: (next: NextUnit) => Promise<Outcome>,
): Promise<Outcome> {
  while (outcome.goOn !== undefined) outcome = await transact(await outcome.goOn(signal));
  return outcome;
}

function bearerOf(c: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

function unknownRoute(c: Context<Asked>, routes: readonly { method: string; path: string }[]): Response {
  const methods = allowedMethods(c.req.url, routes);
  if (methods.length === 0) return fail(new ServiceError(404, `There is nothing at ${c.req.path}.`));
  return notAllowed(c, methods);
}

function notAllowed(c: Context<Asked>, methods: readonly string[]): Response {
  const allow = methods.join(", ");
  const method = c.env.isHead ? "HEAD" : c.req.method;
  return fail(new ServiceError(405, `${c.req.path} takes ${allow}, not ${method}.`), { allow });
}

function unforeseen(error: Error, { log }: AppOptions): Response {
  const requestId = crypto.randomUUID();
  log(`Request ${requestId} failed: ${error.stack ?? error.message}`);
  return failureOf(
    new ServiceError(500, `The service failed. Its log has the reason at request ${requestId}.`),
    requestId,
  );
}

function fail(failure: ServiceError, headers?: Record<string, string>): Response {
  return failureOf(failure, crypto.randomUUID(), headers);
}
