/** The HTTP side of the service: a route per operation, the token endpoint, and JSON for everything else. */
import { addLoadedChoices } from "../cases/views/forms/loaded_choices.ts";
import { SvcError } from "../../lib/errors.ts";
import { hasEffect } from "../../lib/operation/operation.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { VERSION } from "../../lib/version.ts";
import { abortable } from "../../utils/async/abort.ts";
import type { JsonObject } from "../../utils/json.ts";
import { isFileLimit } from "../connections/limits.ts";
import type { ServiceRequest } from "../connections/received_request.ts";
import type { ServiceResponse } from "../connections/service_response.ts";
import { isFileSizeLimit } from "../../utils/fs/file_size_limit.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import type { Tokens } from "../access/tokens.ts";
import { restrict } from "../access/caller_transaction.ts";
import type { Application, Operator } from "../application/model/application.ts";
import { Forbidden, Invalid, NotFound, OperationFailed } from "../errors.ts";
import type { Assets } from "../pages/assets.ts";
import { type ByteStore, BytesUnavailable } from "../store/bytes.ts";
import { QueryTooSlow } from "../store/query.ts";
import type { ServiceClock } from "../store/service_clock.ts";
import {
  OutcomeUnknown,
  type Store,
  StoreBusy,
  StoreFull,
  type StoreServer,
  StoreUnavailable,
  type Transaction,
} from "../store/store.ts";
import { startStream } from "../../utils/async/start_stream.ts";
import { checkHost } from "./check_host.ts";
import { createOptionsResponse, permitOrigin } from "./cross_origin.ts";
import { createDecoder } from "./decode.ts";
import type { HandlerContext, Handlers, LaterWork, Outcome, RunLater } from "./handler.ts";
import type { ObservedCall } from "./observed_call.ts";
import { type CallSteps, KeyedCalls, type Unit } from "./idempotency.ts";
import { FailureLog } from "./failure_log.ts";
import type { Form } from "./multipart.ts";
import { createReceiver, createSegmentReader, digestRequest, getPath, parseQuery, receiveBody } from "./receive.ts";
import {
  createJsonResponse,
  createResponse,
  createUnauthorizedResponse,
  createUnchangedResponse,
  prepareErrorResponse,
  prepareResponse,
  respond,
} from "./responses.ts";
import { RouteTable } from "./route_table.ts";
import { buildRoutes, type Route } from "./routes.ts";
import { isKnownError, type KnownError, RequestError } from "./status.ts";
import { getRevocationPath, TokenEndpoint } from "./token.ts";

/** Options of the HTTP application. */
export interface AppOptions {
  readonly app: Application;
  readonly handlers: Handlers;
  readonly store: Store;
  /** Clock that determines when stored responses expire. */
  readonly clock: ServiceClock;
  readonly bytes: ByteStore;
  /** Maximum size of an uploaded file in bytes. */
  readonly maxFileBytes: number;
  /** The static files of the application. */
  readonly assets: Assets;
  readonly tokens: Tokens;
  /** Demands the entity tags of the published API, and refuses names and paging that it does not have. */
  readonly strict?: boolean;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** Names by which clients may reach the service, besides loopback addresses. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call the service, or `*`. */
  readonly corsOrigins?: readonly string[];
  /** Logs unexpected errors. */
  readonly log: Log;
  /** Schedules work that runs after the response. */
  readonly runLater: RunLater;
  /** Runs the continuation of a call. The service ends only after it; the signal aborts when the service stops. */
  readonly runContinuation: <T>(continuation: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Maximum size of a token request in bytes. */
const MAX_TOKEN_REQUEST_BYTES = 16 * 1024;

/** Path of the health check, which needs no token. It succeeds while the process lives. */
export const HEALTH = "/health";

/** Path of the check for load balancers, which needs no token. It succeeds while the service can serve calls. */
export const READY = "/ready";

/** Milliseconds to wait for the database in a check. */
const CHECK_TIMEOUT = 1000;

/** Responds to the requests of a route. HEAD is served as GET: the connection sends no body. */
type Serve = (request: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>;

/** A route with the name of its calls. */
interface NamedRoute {
  readonly name: string;
  readonly serve: Serve;
}

/** Creates the function that responds to requests. */
export async function createApp(
  options: AppOptions,
): Promise<(request: ServiceRequest, call?: ObservedCall) => Promise<ServiceResponse>> {
  const { apiRoot, tokenPath, allowedHosts = [], corsOrigins = [] } = options;
  const table = new RouteTable<NamedRoute>();
  const keyed = new KeyedCalls(options.store, options.clock);
  for (const route of await buildRoutes(options.handlers)) {
    const { name, operation } = route;
    table.add(operation.method, apiRoot + operation.path, { name, serve: createHandler(route, options, keyed) });
  }
  const tokenEndpoint = new TokenEndpoint(options);
  const readForm = async (request: ServiceRequest) => {
    return new TextDecoder().decode(await receiveBody(request, MAX_TOKEN_REQUEST_BYTES));
  };
  table.add("POST", tokenPath, {
    name: "token",
    async serve(request) {
      const response = await tokenEndpoint.exchange(await readForm(request), request.header("authorization"));
      if (response.status === 200) request.trust();
      return response;
    },
  });
  table.add("POST", getRevocationPath(tokenPath), {
    name: "revoke-token",
    serve: async (request) => await tokenEndpoint.revoke(await readForm(request), request.header("authorization")),
  });
  const health = { status: "ok", version: VERSION, application: options.app.name, pid: Deno.pid };
  const { server } = options.store;
  table.add("GET", HEALTH, {
    name: "health",
    async serve() {
      if (server === undefined) return createJsonResponse(200, health);
      return createJsonResponse(200, { ...health, database: await isReachable(server) ? "reachable" : "unreachable" });
    },
  });
  table.add("GET", READY, {
    name: "ready",
    async serve() {
      if (server !== undefined && !await isReachable(server)) throw new StoreUnavailable("The check failed.");
      return createJsonResponse(200, { status: "ready" });
    },
  });
  const failures = new FailureLog(options.log);
  const dispatch = async (request: ServiceRequest, call?: ObservedCall) => {
    const path = getPath(request.target);
    const route = table.find(request.method === "HEAD" ? "GET" : request.method, path);
    if (route === undefined) {
      const methods = table.listMethods(path);
      if (methods.length === 0) throw new NotFound(`There is nothing at ${path}.`);
      return refuseMethod(request, methods);
    }
    if (call !== undefined) call.operation = route.name;
    return await route.serve(request);
  };
  return async (request, call) => {
    const permission = permitOrigin(request.header("origin"), corsOrigins);
    let response: ServiceResponse;
    try {
      checkHost(request.header("host"), allowedHosts);
      const methods = request.method === "OPTIONS" ? table.listMethods(getPath(request.target)) : [];
      response = methods.length === 0
        ? await dispatch(request, call)
        : createOptionsResponse(addMethods(methods), "access-control-allow-origin" in permission);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      const known = isKnownError(error) ? error : toKnownError(error);
      response = known === undefined ? reportUnexpected(error, failures) : fail(known);
    }
    return corsOrigins.length === 0 ? response : { ...response, headers: { ...response.headers, ...permission } };
  };
}

/** Reports whether a database server answers soon. */
async function isReachable(server: StoreServer): Promise<boolean> {
  const signal = AbortSignal.timeout(CHECK_TIMEOUT);
  return await abortable(server.readTime(), signal).then(() => true, () => false);
}

/** Adds the methods that every path has. */
function addMethods(methods: readonly string[]): string[] {
  return [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();
}

/** Creates the handler of a route. */
function createHandler(route: Route, options: AppOptions, keyed: KeyedCalls): Serve {
  const { operation } = route;
  const serve = createCall(route, options, keyed);
  const labelled = operation.labelled ? addLabel(serve, options.app) : serve;
  if (!hasEffect(operation)) return labelled;
  return (request) => request.method === "HEAD" ? refuseMethod(request, [operation.method]) : labelled(request);
}

/** Adds the name of the application to the errors of an operation. */
function addLabel(serve: Serve, { name }: Application): Serve {
  return async (request) => {
    try {
      return await serve(request);
    } catch (error) {
      if (!isKnownError(error)) throw error;
      return fail(error, { members: { pxApplicationLabel: name } });
    }
  };
}

/** Tells a client that an earlier request has received the same response. */
const REPLAYED = { "idempotent-replayed": "true" };

/** Creates the function that serves the calls of an operation. */
function createCall({ name, operation, serve }: Route, options: AppOptions, keyed: KeyedCalls): Serve {
  const { app, store, bytes, assets, apiRoot, maxFileBytes, strict = false } = options;
  const receive = createReceiver(operation, options);
  const { variant, platformVersion } = app;
  const decode = createDecoder(operation, { variant, platformVersion, strict });
  const readSegment = createSegmentReader(apiRoot + operation.path);
  const isServed = operation.variant === undefined || operation.variant === variant;
  const status = operation.status ?? 200;
  const needsTag = operation.tagDemand === "always" || (strict && operation.tagDemand !== undefined);
  const prepare = (outcome: Outcome) => prepareResponse(outcome, status, apiRoot);

  return async (request) => {
    const requestId = crypto.randomUUID();
    const caller = await findCaller(request, options, requestId);
    if ("body" in caller) return caller;
    if (!isServed) throw new NotFound(`${name} is available only in the ${operation.variant} variant.`);

    const { target } = request;
    const query = parseQuery(target);
    const { key, text, body, form } = await receive(request); // Last: any failure after it must delete the uploaded file.
    try {
      let later: LaterWork[] = [];
      const runLater = (work: LaterWork) => void later.push(work);
      const createContext = (tx: Transaction): HandlerContext => {
        later = []; // The store may run a unit of work again.
        const now = new Date();
        const restricted = restrict(tx, app, { caller, now });
        const site = { app, bytes, assets, apiRoot, maxFileBytes, strict };
        return { ...site, tx: restricted, caller, needsTag, now, query, body, runLater };
      };
      const ifMatch = request.header("if-match");
      const values = decode({ segment: (variable) => readSegment(target, variable), query, body, form, ifMatch });
      const start: Unit = async (tx) => {
        const context = createContext(tx);
        return await addLoadedChoices(await serve(values, context), context);
      };
      const scheduleLater = () => later.splice(0).forEach(options.runLater);
      const complete = createCompletion(createContext, scheduleLater, options);
      let response: ServiceResponse;
      if (key === undefined) {
        const first = await (hasEffect(operation) ? store.transact(start) : store.read(start, caller.id));
        const outcome = await complete(first, store.transact);
        const isKnownToClient = isUnchanged(operation.method, outcome.tag, request.header("if-none-match"));
        response = isKnownToClient
          ? createUnchangedResponse(outcome, apiRoot, requestId)
          : respond(await startContent(outcome), status, apiRoot, requestId);
      } else {
        const digest = digestRequest({ method: operation.method, target, text, form });
        const result = await keyed.perform({ caller: caller.id, key, request: digest }, { start, complete, prepare });
        if (result.isReplay) await deleteFile(form, bytes);
        response = createResponse(result.response, requestId, result.isReplay ? REPLAYED : undefined);
      }
      scheduleLater();
      return response;
    } catch (error) {
      await deleteFile(form, bytes);
      throw error;
    }
  };
}

/** Reads the first chunk of the content, so that a failed read becomes an error response. */
async function startContent(outcome: Outcome): Promise<Outcome> {
  if (outcome.content === undefined) return outcome;
  return { ...outcome, content: { ...outcome.content, stream: await startStream(outcome.content.stream) } };
}

/** Reports whether a client that reads a resource has its current state already. */
function isUnchanged(method: string, tag: string | undefined, ifNoneMatch: string | undefined): boolean {
  if (method !== "GET" || tag === undefined || ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((one) => one.trim().replace(/^W\//, "").replace(/^"(.*)"$/, "$1"));
  return tags.includes(tag) || ifNoneMatch.trim() === "*";
}

/** Finds the operator of a request's token, or returns the response for a missing or invalid token. */
async function findCaller(
  request: ServiceRequest,
  { app, tokens }: AppOptions,
  requestId: string,
): Promise<Operator | ServiceResponse> {
  const token = /^Bearer +(\S+)$/i.exec(request.header("authorization") ?? "")?.[1];
  if (token === undefined) return createUnauthorizedResponse("An access token is required.", false, requestId);
  const operator = await tokens.findOperator(token);
  if (operator === undefined) return createUnauthorizedResponse("Invalid or expired token", true, requestId);
  request.trust();
  const caller = app.operators.get(operator);
  if (!caller) throw new Forbidden(`The application has no operator ${operator}.`);
  return caller;
}

/**
 * Creates the function that completes a call after its first unit of work. No unit of work is open while the call waits for
 * another system, because other units may wait for it. `scheduleLater` schedules what the last unit has left to do.
 */
function createCompletion(
  createContext: (tx: Transaction) => HandlerContext,
  scheduleLater: () => void,
  { runContinuation }: AppOptions,
): CallSteps["complete"] {
  return async (first, transact) => {
    if (first.afterCommit === undefined) return first;
    return await runContinuation(async (signal) => {
      let outcome = first;
      while (outcome.afterCommit !== undefined) {
        scheduleLater();
        const next = await outcome.afterCommit(signal);
        outcome = await transact(async (tx) => await next(createContext(tx))).catch((cause) => {
          const isLost = cause instanceof StoreBusy || cause instanceof StoreUnavailable;
          throw isLost ? new OutcomeUnknown(cause.message, { cause }) : cause; // The first unit has made changes.
        });
      }
      return outcome;
    });
  };
}

/** Deletes the uploaded file of a form. */
async function deleteFile(form: Form | undefined, bytes: ByteStore): Promise<void> {
  const file = form?.get("file");
  if (file !== undefined && typeof file !== "string") await bytes.remove(file.id);
}

function refuseMethod({ method, target }: ServiceRequest, methods: readonly string[]): ServiceResponse {
  const allow = methods.join(", ");
  const error = new RequestError("MethodNotAllowed", `${getPath(target)} allows ${allow}, not ${method}.`);
  return fail(error, { headers: { allow } });
}

function reportUnexpected(error: Error, failures: FailureLog): ServiceResponse {
  const requestId = crypto.randomUUID();
  const condition = toCondition(error);
  if (condition === undefined) failures.reportError(error, requestId);
  else failures.reportCondition(condition.message, requestId);
  const sentence = `The service failed. For the reason, search its log for request ${requestId}.`;
  return createResponse(prepareErrorResponse(condition ?? new OperationFailed(sentence)), requestId);
}

/** Converts an error that the machine causes, such as a full disk, and that affects many requests. */
function toCondition(error: Error): KnownError | undefined {
  if (isFileSizeLimit(error)) {
    const sentence = "A file of the service has reached the limit of file sizes.";
    return new RequestError("InsufficientStorage", `${sentence} Raise it with 'ulimit -f' and restart the service.`);
  }
  if (error instanceof StoreFull || isDiskFull(error)) {
    return new RequestError("InsufficientStorage", "The disk of the service is full. Free some space on it.");
  }
  if (error instanceof SvcError && error.code === "STORE_DAMAGED") return new RequestError("Damaged", error.message);
  if (isFileLimit(error)) {
    return new RequestError("Unavailable", "The service has too many open files.", { retryAfter: 1 });
  }
  return undefined;
}

/** Converts an error of the store to which a client can respond. */
function toKnownError(error: Error): KnownError | undefined {
  if (error instanceof QueryTooSlow) {
    return new Invalid(
      "The query takes too long. Add conditions, for example on a field with 'indexed: true', or request fewer rows.",
    );
  }
  if (error instanceof StoreBusy) return new RequestError("Unavailable", error.message, { retryAfter: 1 });
  if (error instanceof StoreUnavailable) {
    return new RequestError("Unavailable", "The database of the service cannot be reached.", { retryAfter: 1 });
  }
  if (error instanceof BytesUnavailable) {
    return new RequestError("Unavailable", "The file storage of the service cannot be reached.", { retryAfter: 1 });
  }
  // Without Retry-After, which would tell the client that nothing was changed.
  if (error instanceof OutcomeUnknown) return new RequestError("Unavailable", error.message);
  return undefined;
}

function fail(
  error: KnownError,
  { headers, members }: { headers?: Record<string, string>; members?: JsonObject } = {},
): ServiceResponse {
  return createResponse(prepareErrorResponse(error, members), crypto.randomUUID(), headers);
}
