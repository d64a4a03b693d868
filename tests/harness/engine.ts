/** The engine on a store in memory, called through the handlers as the HTTP side calls them. */
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { loadServedApplication } from "../../service/sample/served_application.ts";
import type { Application } from "../../service/application/model/application.ts";
import { parseApplication } from "../../service/application/load.ts";
import { ServiceError } from "../../service/errors.ts";
import type { HandlerContext, LaterWork, Outcome } from "../../service/http/handler.ts";
import { handlers } from "../../service/http/handlers.ts";
import { openBytes } from "../../service/store/bytes_on_disk.ts";
import { openSqliteStore } from "../../service/store/sqlite/sqlite_store.ts";
import { CHECKOUT } from "./readme.ts";

/** The sample application. */
export const PERMIT_FILE: string = `${CHECKOUT}/service/sample/permit.yaml`;

/** What a test may say of a call besides its values. */
export interface CallContext {
  /** Operator who calls. */
  as?: string;
  /** Query parameters. */
  query?: Record<string, string>;
  /** The whole body. */
  body?: JsonValue;
  /** Milliseconds since the call before; a second without it. */
  wait?: number;
}

/** An engine under test. */
export interface Engine extends AsyncDisposable {
  /** The application that is served. */
  readonly app: Application;
  /** Calls an operation, e.g. `cases.create`. */
  call(name: string, values: object, context?: CallContext): Promise<Outcome>;
  /** Calls an operation and answers its body. */
  body(name: string, values: object, context?: CallContext): Promise<JsonObject>;
  /** Calls an operation that must be refused. */
  refused(name: string, values: object, context?: CallContext): Promise<ServiceError>;
  /** A case's history, as the API tells it. */
  history(caseId: string): Promise<JsonObject[]>;
  /** Waits for the work that is done after the answers. */
  settle(): Promise<void>;
}

/** An engine for an application: the sample application, or the one of a YAML text. */
export async function openEngine(yaml?: string): Promise<Engine> {
  const app = yaml === undefined ? await loadServedApplication(undefined) : parseApplication(yaml, "test.yaml");
  const store = openSqliteStore(":memory:");
  const bytes = openBytes();
  const background: Promise<void>[] = [];
  let time = Date.parse("2026-01-02T03:04:05.678Z");

  async function call(
    name: string,
    values: object,
    { as, query, body, wait = 1000 }: CallContext = {},
  ): Promise<Outcome> {
    const caller = app.operators.get(as ?? [...app.operators.keys()][0] ?? "");
    if (caller === undefined) throw new TypeError(`No operator ${as}`);
    const later: LaterWork[] = [];
    const serve = handlerOf(name);
    time += wait;
    const outcome = await store.transact(async (tx) =>
      await serve(values, {
        app,
        tx,
        bytes,
        assets: { find: () => Promise.resolve(undefined), list: () => [] },
        caller,
        now: new Date(time),
        query: new URLSearchParams(query),
        body,
        background: (work) => void later.push(work),
      })
    );
    for (const work of later) background.push(doAll(work));
    return outcome;
  }

  async function doAll(work: LaterWork): Promise<void> {
    for (let next: LaterWork | void = work; next;) next = await next(store);
  }

  async function bodyOf(name: string, values: object, context?: CallContext): Promise<JsonObject> {
    const { body } = await call(name, values, context);
    if (isJsonObject(body)) return body;
    throw new TypeError(`${name} answered no object`);
  }

  return {
    app,
    call,
    body: bodyOf,
    async refused(name, values, context) {
      try {
        await call(name, values, context);
      } catch (error) {
        if (error instanceof ServiceError) return error;
        throw error;
      }
      throw new TypeError(`${name} was not refused`);
    },
    async history(caseId) {
      const data = { dataViewParameters: { CaseInstanceKey: caseId } };
      const { data: rows } = await bodyOf("data.query", { dataViewId: "D_pyWorkHistory", data });
      return Array.isArray(rows) ? rows.filter(isJsonObject) : [];
    },
    async settle() {
      await Promise.all(background);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await bytes.close();
    },
  };
}

/** A member deep in a JSON value, e.g. `data.caseInfo.content.Fee` or `assignments.0.ID`. */
export function at(value: JsonValue | undefined, path: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of path.split(".")) {
    here = Array.isArray(here) ? here[Number(key)] : isJsonObject(here) ? here[key] : undefined;
  }
  return here;
}

/** A text deep in a JSON value. */
export function textAt(value: JsonValue | undefined, path: string): string {
  const text = at(value, path);
  if (typeof text === "string") return text;
  throw new TypeError(`${path} is ${JSON.stringify(text)}, no text`);
}

/** An object deep in a JSON value; one without members where there is none. */
export function objectAt(value: JsonValue | undefined, path: string): JsonObject {
  const found = at(value, path);
  return isJsonObject(found) ? found : {};
}

/** The error that refuses an application's definition, `app.yaml`, for what is wrong in it. */
export function refusalOf(yaml: string, wrong = "It"): SvcError {
  try {
    parseApplication(yaml, "app.yaml");
  } catch (error) {
    if (error instanceof SvcError) return error;
    throw error;
  }
  throw new TypeError(`${wrong} was accepted`);
}

/** Creates a case of the permit application; gives its ID. */
export async function createPermit(engine: Engine, data: JsonObject = {}, body: JsonObject = {}): Promise<string> {
  return textAt(await engine.body("cases.create", { type: "City-Permit-Work-Permit", data }, { body }), "id");
}

/** Handlers are declared as methods here, so that a test may call any of them by name. */
interface AnyHandler {
  serve(values: object, context: HandlerContext): Outcome | Promise<Outcome>;
}

function handlerOf(name: string): AnyHandler["serve"] {
  const [group, operation] = name.split(".");
  const groups: Readonly<Record<string, Readonly<Record<string, AnyHandler["serve"]>>>> = handlers;
  const serve = groups[group ?? ""]?.[operation ?? ""];
  if (serve === undefined) throw new TypeError(`No operation ${name}`);
  return serve;
}
