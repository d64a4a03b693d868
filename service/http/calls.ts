/** The calls of one operation: who calls, what comes with the request, the handler's units of work, the answer. */
import type { Context } from "hono";
import { isRead } from "../../lib/operation/operation.ts";
import type { Tokens } from "../access/tokens.ts";
import type { Application, Operator } from "../application/model/application.ts";
import { Forbidden, NotFound } from "../errors.ts";
import type { Background, HandlerContext, LaterWork, NextUnit, Outcome } from "./handler.ts";
import type { Assets } from "../pages/assets.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store, Transaction } from "../store/store.ts";
import { createResponse, prepareResponse, respond, unauthorized } from "./responses.ts";
import { createDecoder } from "./decode.ts";
import { discard, keepingForm } from "./multipart.ts";
import type { KeyedCalls, Steps, Unit } from "./idempotency.ts";
import { getTarget, parseQuery, segmentReader } from "./urls.ts";
import { createReceiver, digestRequest } from "./receive.ts";
import type { Route } from "./routes.ts";

/** Options of all calls. */
export interface CallOptions {
  /** The application. */
  readonly app: Application;
  /** Its state. */
  readonly store: Store;
  /** The bytes of its files. */
  readonly bytes: ByteStore;
  /** Bytes that an uploaded file may have. */
  readonly maxFileBytes: number;
  /** The files that come with the application. */
  readonly assets: Assets;
  /** Gives out tokens and knows them. */
  readonly tokens: Tokens;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Takes the work that is done after an answer. */
  readonly background: Background;
  /** Sees the rest of a call through that waits for more than the store; its signal aborts when the service stops. */
  readonly seeThrough: <T>(rest: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** Serves one call. */
export type ServeCall = (c: Context) => Promise<Response>;

/** Makes what serves the calls of one operation. */
export function createCall({ name, operation, serve }: Route, options: CallOptions, keyed: KeyedCalls): ServeCall {
  const { app, store, bytes, assets, apiRoot } = options;
  const receive = createReceiver(operation, options);
  const decode = createDecoder(operation, app);
  const segment = segmentReader(apiRoot + operation.path);
  const run = isRead(operation) ? store.read : store.transact;
  const isServed = operation.variant === undefined || operation.variant === app.variant;
  const status = operation.status ?? 200;
  const answer = (outcome: Outcome) => prepareResponse(outcome, status, apiRoot);

  return async (c) => {
    const requestId = crypto.randomUUID();
    const caller = await findCaller(c, options, requestId);
    if (caller instanceof Response) return caller;
    if (!isServed) throw new NotFound(`${name} is served by the ${operation.variant} variant only.`);

    const { url, raw } = c.req;
    const query = parseQuery(url);
    const { key, text, body, form } = await receive(raw); // Last: any failure after it must delete the uploaded file.
    const later: LaterWork[] = [];
    const background = (work: LaterWork) => void later.push(work);
    const createContext = (tx: Transaction): HandlerContext => {
      return { app, tx, bytes, assets, caller, now: new Date(), query, body, background };
    };
    const rest = createRest(createContext, options);
    const response = await keepingForm(form, bytes, async () => {
      const ifMatch = c.req.header("if-match");
      const values = decode({ segment: (variable) => segment(url, variable), query, body, form, ifMatch });
      const first: Unit = async (tx) => await serve(values, createContext(tx));
      if (key === undefined) {
        return respond(await rest(await run(first), store.transact), status, apiRoot, requestId);
      }
      const request = digestRequest({ method: operation.method, target: getTarget(url), text, form });
      const given = await keyed.answer({ caller: caller.id, key, request }, { first, rest, answer });
      if (given.isReplay) await discard(form, bytes);
      return createResponse(given.answer, requestId, given.isReplay ? REPLAYED : undefined);
    });
    later.forEach(options.background);
    return response;
  };
}

/** Finds the operator of a request's token, or returns the response for a missing or invalid token. */
async function findCaller(
  c: Context,
  { app, tokens }: CallOptions,
  requestId: string,
): Promise<Operator | Response> {
  const token = readBearer(c);
  if (token === undefined) return unauthorized("An access token is needed.", false, requestId);
  const operator = await tokens.operatorOf(token);
  if (operator === undefined) return unauthorized("Invalid or expired token", true, requestId);
  const caller = app.operators.get(operator);
  if (!caller) throw new Forbidden(`The application has no operator ${operator}.`);
  return caller;
}

/** Creates the function that completes a call after its first unit of work. */
function createRest(createContext: (tx: Transaction) => HandlerContext, { seeThrough }: CallOptions): Steps["rest"] {
  return async (outcome, transact) => {
    if (outcome.afterCommit === undefined) return outcome;
    return await seeThrough((signal) => {
      return finish(outcome, signal, (next) => transact(async (tx) => await next(createContext(tx))));
    });
  };
}

/** Tells a client that this answer is the one of an earlier request. */
const REPLAYED = { "idempotent-replayed": "true" };

/** Completes a call that waits for other systems. No unit of work is open meanwhile, because they are serial. */
async function finish(
  outcome: Outcome,
  signal: AbortSignal,
  transact: (next: NextUnit) => Promise<Outcome>,
): Promise<Outcome> {
  while (outcome.afterCommit !== undefined) outcome = await transact(await outcome.afterCommit(signal));
  return outcome;
}

function readBearer(c: Context): string | undefined {
  return /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}
