/**
 * The operations of the service without HTTP, with a clock of the test, and with a store that runs each unit of work twice
 * if it is embedded.
 */
import { SvcError } from "../../lib/errors.ts";
import type { Operation } from "../../lib/operation/operation.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { loadServedApplication } from "../../service/sample/served_application.ts";
import type { Application } from "../../service/application/model/application.ts";
import { parseApplication } from "../../service/application/load.ts";
import { restrict } from "../../service/access/caller_transaction.ts";
import type { Issue } from "../../service/errors.ts";
import { createRequestCheck } from "../../service/http/accepted.ts";
import { isKnownError, toStatus } from "../../service/http/status.ts";
import type { HandlerContext, LaterWork, Outcome } from "../../service/http/handler.ts";
import { handlers } from "../../service/http/routes.ts";
import { openBytes } from "../../service/store/bytes_on_disk.ts";
import { CHECKOUT } from "./svc.ts";
import { openTestStore } from "./test_store.ts";
import { within } from "./wait.ts";

/** Path of the sample application. */
export const PERMIT_FILE: string = `${CHECKOUT}/service/sample/permit.yaml`;

/** Context of a call. */
export interface CallContext {
  /** Operator who calls. Default: the first one. */
  as?: string;
  /** Query parameters. */
  query?: Record<string, string>;
  /** Body of the request. */
  body?: JsonValue;
  /** Milliseconds since the previous call. Default: 1000. */
  wait?: number;
}

/** Error of an operation, with the status of its response. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly details: readonly Issue[];
}

/** Operations under test. */
export interface Engine extends AsyncDisposable {
  /** Application of the service. */
  readonly app: Application;
  /** Calls an operation, e.g. `cases.create`. */
  call(name: string, values: object, context?: CallContext): Promise<Outcome>;
  /** Calls an operation and returns the body of its response. */
  body(name: string, values: object, context?: CallContext): Promise<JsonObject>;
  /** Calls an operation that must fail, and returns its error. */
  refused(name: string, values: object, context?: CallContext): Promise<Refusal>;
  /** Returns the history of a case. */
  history(caseId: string): Promise<JsonObject[]>;
  /** Waits until the work in the background has ended. */
  settle(): Promise<void>;
}

/** Opens the operations of the sample application, or of a definition in YAML. */
export async function openEngine(yaml?: string): Promise<Engine> {
  const app = yaml === undefined ? await loadServedApplication(undefined) : parseApplication(yaml, "test.yaml");
  const store = await openTestStore();
  const bytes = store.server?.files ?? openBytes();
  const background: Promise<void>[] = [];
  let time = Date.parse("2026-01-02T03:04:05.678Z");

  async function call(
    name: string,
    values: object,
    { as, query, body, wait = 1000 }: CallContext = {},
  ): Promise<Outcome> {
    const caller = app.operators.get(as ?? [...app.operators.keys()][0] ?? "");
    if (caller === undefined) throw new TypeError(`No operator ${as}`);
    let later: LaterWork[] = [];
    const serve = findHandler(name);
    const search = new URLSearchParams(query);
    time += wait;
    const now = new Date(time);
    const transaction = store.transact(async (tx) => {
      later = [];
      checkQuery(name, search);
      return await serve(values, {
        app,
        tx: restrict(tx, app, { caller, now }),
        bytes,
        assets: { find: () => Promise.resolve(undefined), list: () => [] },
        caller,
        apiRoot: "/api",
        maxFileBytes: 1024,
        strict: false,
        needsTag: findOperation(name)?.tagDemand === "always",
        now,
        query: search,
        body,
        runLater: (work) => void later.push(work),
      });
    });
    const outcome = await within(`${name} returns`, transaction);
    for (const work of later) background.push(runAll(work));
    return outcome;
  }

  async function runAll(work: LaterWork): Promise<void> {
    for (let next: LaterWork | void = work; next;) next = await next(store);
  }

  async function callForBody(name: string, values: object, context?: CallContext): Promise<JsonObject> {
    const { body } = await call(name, values, context);
    if (isJsonObject(body)) return body;
    throw new TypeError(`The body of ${name} is not an object.`);
  }

  return {
    app,
    call,
    body: callForBody,
    async refused(name, values, context) {
      try {
        await call(name, values, context);
      } catch (error) {
        if (isKnownError(error)) return { status: toStatus(error), message: error.message, details: error.details };
        throw error;
      }
      throw new TypeError(`${name} did not fail.`);
    },
    async history(caseId) {
      const data = { dataViewParameters: { CaseInstanceKey: caseId } };
      const { data: rows } = await callForBody("data.query", { dataViewId: "D_pyWorkHistory", data });
      return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
    },
    async settle() {
      await within("the work in the background ends", Promise.all(background));
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await bytes.close();
    },
  };
}

/** Returns the member at a path of a JSON value, such as `data.caseInfo.content.Fee` or `assignments.0.ID`. */
export function valueAt(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of path.split(".")) {
    here = Array.isArray(here) ? here[Number(key)] : isJsonObject(here) ? here[key] : undefined;
  }
  return here;
}

/** Returns the text at a path of a JSON value. */
export function textAt(value: JsonValue | undefined, path: string): string {
  const text = valueAt(value, path);
  if (typeof text === "string") return text;
  throw new TypeError(`${path} is not a text: ${JSON.stringify(text)}`);
}

/** Returns the object at a path of a JSON value. Default: an empty object. */
export function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  const found = valueAt(value, path);
  return isJsonObject(found) ? found : {};
}

/** Returns the error that rejects a definition, `app.yaml`. */
export function catchDefinitionError(yaml: string, mistake = "The definition"): SvcError {
  try {
    parseApplication(yaml, "app.yaml");
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new TypeError(`${mistake} was accepted.`);
}

/** Creates a permit and returns its ID. */
export async function createPermit(engine: Engine, data: JsonObject = {}, parentCaseId?: string): Promise<string> {
  return textAt(await engine.body("cases.create", { type: "City-Permit-Work-Permit", data, parentCaseId }), "id");
}

/** Declares handlers as methods, so that a test can call any of them by name. */
interface AnyHandler {
  serve(values: object, context: HandlerContext): Outcome | Promise<Outcome>;
}

const resources = await loadResources();

/** Checks the query parameters for which an operation has no flag, as the decoder does. */
function checkQuery(name: string, query: URLSearchParams): void {
  const operation = findOperation(name);
  if (operation !== undefined) createRequestCheck(operation, false)({ query, body: undefined });
}

function findOperation(name: string): Operation | undefined {
  const [group = "", operation = ""] = name.split(".");
  return resources[group]?.[operation];
}

function findHandler(name: string): AnyHandler["serve"] {
  const [group, operation] = name.split(".");
  const groups: Readonly<Record<string, Readonly<Record<string, AnyHandler["serve"]>>>> = handlers;
  const serve = groups[group ?? ""]?.[operation ?? ""];
  if (serve === undefined) throw new TypeError(`No operation ${name}`);
  return serve;
}
