/** A little service over loopback: a token endpoint that counts, and an API that knows its tokens. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { SvcError } from "../../lib/errors.ts";
import type { Session } from "../../lib/auth/session.ts";
import type { SessionOptions } from "../../lib/auth/settings.ts";
import { type CliResult, variablesOfDeno } from "./cli.ts";
import { CHECKOUT } from "./readme.ts";
import { endOf } from "./workflow_process.ts";

/** The client that the service knows. The secret needs encoding wherever it goes. */
export const CLIENT = { clientId: "client one", clientSecret: "s3cret: +/%&ü" } as const;

/** How a service differs from a well-behaved one. */
export interface ServiceOptions {
  /** Answers the token endpoint instead. */
  token?: (request: Request) => Response | Promise<Response>;
  /** Answers calls with a valid token instead. */
  api?: (request: Request) => Response | Promise<Response>;
  /** Speaks https with this certificate. */
  certificate?: { readonly cert: string; readonly key: string };
  /** Members of a token response instead of, or beside, the usual ones. */
  grant?: Record<string, unknown>;
}

/** A running service. */
export interface TestService extends AsyncDisposable {
  /** Its address. */
  readonly baseUrl: string;
  /** Token exchanges so far. */
  exchanges: number;
  /** Calls of the API so far, refused ones included. */
  calls: number;
  /** Every token that was issued. */
  readonly issued: string[];
  /** Makes the service forget all tokens. */
  revoke(): void;
}

/** Starts a service on a free port. */
export function startService(options: ServiceOptions = {}): TestService {
  const valid = new Set<string>();
  const address = { hostname: "127.0.0.1", port: 0, onListen() {}, ...options.certificate };
  const server = Deno.serve(address, (request) => {
    return new URL(request.url).pathname === "/oauth2/token" ? token(request) : api(request);
  });
  const service: TestService = {
    baseUrl: `${options.certificate ? "https" : "http"}://127.0.0.1:${server.addr.port}`,
    exchanges: 0,
    calls: 0,
    issued: [],
    revoke: () => valid.clear(),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };

  async function token(request: Request): Promise<Response> {
    service.exchanges++;
    if (options.token) return await options.token(request);
    const isGrant = request.method === "POST" && await request.text() === "grant_type=client_credentials";
    if (!isGrant || !isClient(request.headers.get("authorization"))) {
      return Response.json({ error: "invalid_client", error_description: "Unknown client" }, { status: 401 });
    }
    const accessToken = `tok-${crypto.randomUUID()}`;
    valid.add(accessToken);
    service.issued.push(accessToken);
    return Response.json({ access_token: accessToken, token_type: "Bearer", expires_in: 3600, ...options.grant });
  }

  async function api(request: Request): Promise<Response> {
    service.calls++;
    const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
    const known = valid.has(bearer);
    if (!known) return Response.json({ localizedValue: "Invalid or expired token" }, { status: 401 });
    if (options.api) return await options.api(request);
    return new URL(request.url).pathname === "/dx-api/v2/casetypes"
      ? Response.json({ caseTypes: [] })
      : Response.json({ localizedValue: "The resource cannot be found." }, { status: 404 });
  }

  return service;
}

/** Options for a session with a service, with a configuration directory of its own. */
export async function optionsFor(service: Pick<TestService, "baseUrl">): Promise<SessionOptions> {
  return { baseUrl: service.baseUrl, ...CLIENT, configDirectory: await Deno.makeTempDir({ prefix: "svc-auth-" }) };
}

/** A directory that does not exist yet, inside one of the test's own. */
export async function freshDirectory(): Promise<string> {
  return `${await Deno.makeTempDir({ prefix: "svc-auth-" })}/config`;
}

/** The error that something fails with. */
export async function failure(run: Promise<unknown> | (() => unknown)): Promise<SvcError> {
  const result = typeof run === "function" ? Promise.resolve().then(run) : run;
  const error = await result.then(() => undefined, (thrown: unknown) => thrown);
  assert(error instanceof SvcError, `not an SvcError: ${Deno.inspect(error)}`);
  return error;
}

/** Lists the case types through a session; the status of the answer. */
export async function callApi(session: Session, signal?: AbortSignal): Promise<number> {
  const { baseUrl, apiRoot } = session.target;
  const url = `${baseUrl}${apiRoot}/casetypes`;
  const patient = signal ?? new AbortController().signal;
  const response = await session.fetch({ method: "GET", url, headers: {}, signal: patient });
  await response.text();
  return response.status;
}

/** Runs a script, by its path from the checkout, in a process with an environment of its own. */
export async function runScript(name: string, args: string[], env: Record<string, string>): Promise<CliResult> {
  const script = resolve(CHECKOUT, name);
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-all", script, ...args],
    clearEnv: true,
    env: { ...variablesOfDeno(), ...env },
    stdin: "null",
  });
  return await endOf(command);
}

/** Basic credentials as RFC 6749, section 2.3.1, wants them: each half form-encoded. */
function isClient(authorization: string | null): boolean {
  const halves = atob(authorization?.replace(/^Basic /, "") ?? "").split(":");
  const [id, secret] = halves.map((half) => decodeURIComponent(half.replaceAll("+", "%20")));
  return halves.length === 2 && id === CLIENT.clientId && secret === CLIENT.clientSecret;
}
