/** A small OAuth-protected service on loopback whose answers a test chooses. */
import assert from "node:assert/strict";
import type { Session } from "../../lib/auth/session.ts";
import type { SessionOptions } from "../../lib/auth/settings.ts";
import { SvcError } from "../../lib/errors.ts";
import { type CommandResult, svc, type SvcOptions } from "./svc.ts";
import { within } from "./wait.ts";

/** The client that the service accepts. Its secret has characters that need encoding. */
export const CLIENT = { clientId: "client one", clientSecret: "s3cret: +/%&ü" } as const;

/**
 * An address where nothing listens. Unlike a port that was just closed, port 2 is never given to a server of another test.
 */
export const NO_SERVICE = { baseUrl: "http://127.0.0.1:2" } as const;

/** Start of the hint of an error after which the outcome of a change is unknown. */
export const OUTCOME_UNKNOWN_HINT = "The change may have been applied: check before you repeat it.";

/** Behaviour of a fake service. */
export interface FakeServiceOptions {
  /** Answers requests to the token endpoint. */
  token?: (request: Request) => Response | Promise<Response>;
  /** Answers API calls with a valid token. */
  api?: (request: Request) => Response | Promise<Response>;
  /** Makes the service use https with this certificate. */
  certificate?: { readonly cert: string; readonly key: string };
  /** The token to issue. Default: a new one for each exchange. */
  accessToken?: string;
  /** Further or other members of a token response. */
  grant?: Record<string, unknown>;
}

/** A running fake service. */
export interface FakeService extends AsyncDisposable {
  /** Base URL of the service. */
  readonly baseUrl: string;
  /** Number of requests to the token endpoint. */
  exchanges: number;
  /** Number of API calls, rejected ones included. */
  calls: number;
  /** Tokens that the service has issued. */
  readonly issued: string[];
  /** Makes all issued tokens invalid. */
  revoke(): void;
}

/** Starts a fake service on a free port. */
export function startFakeService(options: FakeServiceOptions = {}): FakeService {
  const valid = new Set<string>();
  const address = { hostname: "127.0.0.1", port: 0, onListen() {}, ...options.certificate };
  const server = Deno.serve(address, (request) => {
    return new URL(request.url).pathname === "/oauth2/token" ? grantToken(request) : answerCall(request);
  });
  const service: FakeService = {
    baseUrl: `${options.certificate ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    exchanges: 0,
    calls: 0,
    issued: [],
    revoke: () => valid.clear(),
    [Symbol.asyncDispose]: () => within("the requests of the fake service end", server.shutdown()),
  };

  async function grantToken(request: Request): Promise<Response> {
    service.exchanges++;
    if (options.token) return await options.token(request);
    const isGrant = request.method === "POST" && await request.text() === "grant_type=client_credentials";
    if (!isGrant || !isClient(request.headers.get("authorization"))) {
      return Response.json({ error: "invalid_client", error_description: "Unknown client" }, { status: 401 });
    }
    const { accessToken = `tok-${crypto.randomUUID()}` } = options;
    valid.add(accessToken);
    service.issued.push(accessToken);
    return Response.json({ access_token: accessToken, token_type: "Bearer", expires_in: 3600, ...options.grant });
  }

  async function answerCall(request: Request): Promise<Response> {
    service.calls++;
    const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    if (!valid.has(bearer)) return Response.json({ localizedValue: "Invalid or expired token" }, { status: 401 });
    if (options.api) return await options.api(request);
    return new URL(request.url).pathname === "/dx-api/v2/casetypes"
      ? Response.json({ caseTypes: [] })
      : Response.json({ localizedValue: "The resource cannot be found." }, { status: 404 });
  }

  return service;
}

/** Starts a fake service that answers every call with one JSON body. */
export function startAnswering(body: unknown, init?: ResponseInit): FakeService {
  return startFakeService({ api: () => Response.json(body, init) });
}

/** Returns the environment of a command line that calls a fake service. */
export function clientEnvironment({ baseUrl }: Pick<FakeService, "baseUrl">): Record<string, string> {
  return { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: CLIENT.clientId, SVC_CLIENT_SECRET: CLIENT.clientSecret };
}

/** Runs a command line against a fake service. */
export function callFakeService(
  service: Pick<FakeService, "baseUrl">,
  line: string,
  options: SvcOptions = {},
): Promise<CommandResult> {
  return svc(line.split(" "), { ...options, env: { ...clientEnvironment(service), ...options.env } });
}

/** Creates the options of a session with a service, with a new configuration directory. */
export async function createSessionOptions(service: Pick<FakeService, "baseUrl">): Promise<SessionOptions> {
  return { baseUrl: service.baseUrl, ...CLIENT, configDirectory: await Deno.makeTempDir({ prefix: "svc-auth-" }) };
}

/** Returns the path of a directory that does not exist yet, in a temporary one. */
export async function freshDirectory(): Promise<string> {
  return `${await Deno.makeTempDir({ prefix: "svc-auth-" })}/config`;
}

/** Returns the `SvcError` that a function throws or a promise rejects with. */
export async function catchError(run: Promise<unknown> | (() => unknown)): Promise<SvcError> {
  const result = typeof run === "function" ? Promise.resolve().then(run) : run;
  const error = await result.then(() => undefined, (thrown: unknown) => thrown);
  assert(error instanceof SvcError, `not an SvcError: ${Deno.inspect(error)}`);
  return error;
}

/** Lists the case types through a session, and returns the status of the response. */
export async function callApi(session: Session, signal?: AbortSignal): Promise<number> {
  const { baseUrl, apiRoot } = session.target;
  const url = `${baseUrl}${apiRoot}/casetypes`;
  const response = await session.fetch({
    method: "GET",
    url,
    headers: {},
    signal: signal ?? new AbortController().signal,
  });
  await response.text();
  return response.status;
}

/** Checks Basic credentials as RFC 6749, section 2.3.1, specifies them: each half form-encoded. */
function isClient(authorization: string | null): boolean {
  const halves = atob(authorization?.replace(/^Basic /, "") ?? "").split(":");
  const [id, secret] = halves.map((half) => decodeURIComponent(half.replaceAll("+", "%20")));
  return halves.length === 2 && id === CLIENT.clientId && secret === CLIENT.clientSecret;
}
