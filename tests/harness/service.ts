/** The embedded service on a free port, called over HTTP as any program calls it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/mod.ts";

/** What came back. */
export interface Answer {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Body; undefined where it is empty. */
  readonly body: JsonValue | undefined;
}

/** What goes with a call. */
export interface CallOptions {
  /** JSON body. */
  readonly body?: JsonValue;
  /** Body as it is. */
  readonly text?: BodyInit;
  /** Further headers. */
  readonly headers?: Record<string, string>;
  /** Gives it up. */
  readonly signal?: AbortSignal;
}

/** A service that can be called. */
export interface Callable {
  /** Address of the API. */
  readonly api: string;
  /** Token of the first operator's client. */
  readonly token: string;
  /** Calls the API with the token. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** A service under test. */
export interface TestService extends Callable, AsyncDisposable {
  /** The service. */
  readonly service: RunningService;
  /** What the service has logged. */
  readonly log: string[];
  /** Queries a data view and answers its rows. */
  rows(view: string, body: JsonObject): Promise<JsonObject[]>;
}

/** Starts a service, of the sample application unless a definition's YAML text is given. */
export async function openService(options: ServiceOptions & { yaml?: string } = {}): Promise<TestService> {
  const { yaml, ...given } = options;
  const log: string[] = [];
  const file = yaml === undefined ? undefined : await Deno.makeTempFile({ suffix: ".yaml" });
  if (file !== undefined) await Deno.writeTextFile(file, yaml ?? "");
  const service = await startService({
    log: (line) => log.push(line),
    ...(file !== undefined && { app: file }),
    ...given,
  });
  if (file !== undefined) await Deno.remove(file);
  const token = await tokenOf(service, await service.addClient(service.operators[0] ?? ""));
  const calls = callable(service.url + service.apiRoot, token);
  return {
    ...calls,
    service,
    log,
    async rows(view, body) {
      const answer = await calls.call("POST", `/data_views/${view}`, { body });
      const data = isJsonObject(answer.body) ? answer.body.data : undefined;
      if (answer.status === 200 && Array.isArray(data)) return data.filter(isJsonObject);
      throw new TypeError(`${answer.status} ${JSON.stringify(answer.body)}`);
    },
    [Symbol.asyncDispose]: () => service.close(),
  };
}

/** Calls of a service with a token. */
export function callable(api: string, token: string): Callable {
  return {
    api,
    token,
    async call(method, path, { body, text, headers, signal } = {}) {
      return await send(method, api + path, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: body === undefined ? text : JSON.stringify(body),
        ...(signal && { signal }),
      });
    },
  };
}

/** Exchanges credentials for a token. */
export async function tokenOf(
  { url, tokenPath }: Pick<RunningService, "url" | "tokenPath">,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const { body } = await send("POST", url + tokenPath, {
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  if (isJsonObject(body) && typeof body.access_token === "string") return body.access_token;
  throw new TypeError(`No token: ${JSON.stringify(body)}`);
}

/** Sends a request; every body that comes back must be JSON, or nothing. */
export async function send(method: string, url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, { method, ...init });
  const text = await response.text();
  const body: JsonValue | undefined = text === "" ? undefined : JSON.parse(text);
  return { status: response.status, headers: response.headers, body };
}

/** A path segment. */
export function segment(value: string): string {
  return encodeURIComponent(value);
}

/** The details of an error body. */
export function details(body: JsonValue | undefined): JsonObject[] {
  const found = isJsonObject(body) ? body.errorDetails : undefined;
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}
