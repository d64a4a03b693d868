import { checkAnswer } from "../client/response/check_answer.ts";
import caseTypes from "../resources/case_types.ts";
import { type ErrorCode, SvcError, toSvcError } from "../errors.ts";
import { runWithDeadline } from "../http/limits.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { abortable } from "../../utils/async/abort.ts";
import { type AuthOptions, getSignal, listCaseTypes, obtainToken } from "./commands.ts";
import { findProxy, type Proxy } from "./proxy.ts";
import {
  type Credentials,
  getProfileName,
  getTokenUrl,
  readSettings,
  requireCredentials,
  type Sources,
} from "./settings.ts";
import { TokenSource } from "./session.ts";
import { CHECK_CREDENTIALS } from "./token_exchange.ts";

const STEPS = ["configuration", "dns", "tcp", "tls", "token", "api"] as const;

/** A layer of a connection. */
export type StepName = typeof STEPS[number];

/** Result of the test of one layer. */
export type DiagnosisStep = {
  /** The layer. */
  step: StepName;
  /** True if it works. */
  ok: boolean;
  /** One sentence that describes the result. */
  result: string;
  /** Code of the error, if it does not work. */
  code?: ErrorCode;
  /** Advice on the error. */
  hint?: string;
  /** Duration of the test. */
  milliseconds: number;
};

/** Result of `diagnose`. */
export type DiagnosisResult = {
  /** Name of the profile, if the service and the client are its own. */
  profile?: string;
  /** The sources of address and credentials, if variables replace those of the profile. */
  sources?: Sources;
  /** True if every layer works. */
  ok: boolean;
  /** All layers in order. */
  steps: DiagnosisStep[];
};

/** A successful test: its description, and a value for the next one. */
interface Success<T> {
  readonly result: string;
  readonly value: T;
}

/**
 * Tests each layer of a connection in turn. A failure is part of the result, not an error. The token cache is neither
 * used nor changed.
 */
export async function diagnose(options: AuthOptions = {}): Promise<DiagnosisResult> {
  const log = new StepLog(getSignal(options));
  const credentials = await testLayers(options, log);
  const steps = log.complete();
  const { sources } = credentials ?? {};
  const origin = sources === undefined ? { profile: getProfileName(options) } : { sources };
  return { ...origin, ok: steps.every((step) => step.ok), steps };
}

async function testLayers(options: AuthOptions, log: StepLog): Promise<Credentials | undefined> {
  const credentials = await log.test("configuration", () => testConfiguration(options));
  if (credentials !== undefined) await testConnection(credentials, options, log);
  return credentials;
}

async function testConnection(credentials: Credentials, options: AuthOptions, log: StepLog): Promise<void> {
  const { target } = credentials;
  const route = await findRoute(new URL(target.baseUrl));
  if (!await testNetwork(credentials, route, options, log)) return;
  const tokens = new TokenSource({ ...credentials, cacheDirectory: undefined });
  const chooseHint = (ifUnreached: string, otherwise?: string) => (error: SvcError) => {
    return isUnreached(error) ? route.hint ?? ifUnreached : otherwise;
  };
  const isIssued = await log.test("token", () => testToken(credentials, tokens, options), chooseHint(TOKEN_HINT));
  if (!isIssued) return await adviseOnMethod(credentials, options, log);
  const apiHint = `Check apiRoot in the profile. The API was expected at ${target.baseUrl}${target.apiRoot}.`;
  await log.test("api", () => testApi(credentials, tokens, options), chooseHint(apiHint, apiHint));
}

/** The route of calls to a service. */
interface Route {
  /** The proxy, if one is known. */
  readonly proxy?: Proxy;
  /** Advice for a service that a proxy may make unreachable. */
  readonly hint?: string;
}

async function findRoute(url: URL): Promise<Route> {
  try {
    const proxy = await findProxy(url);
    return proxy === undefined ? {} : {
      proxy,
      hint: `Check the address in ${proxy.variable} and that this proxy lets calls to ${url.hostname} through. ` +
        "If its certificates have an authority of their own, set DENO_CERT=<file> to the certificate of the authority. " +
        "Hosts in NO_PROXY are reached without the proxy.",
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return { hint: `If ${url.hostname} is behind a proxy, install svc with --allow-env so that it can be diagnosed.` };
  }
}

/** Tests the layers below HTTP, unless a proxy handles them. Reports whether they work. */
async function testNetwork(
  { target }: Credentials,
  route: Route,
  options: AuthOptions,
  log: StepLog,
): Promise<boolean> {
  if (route.proxy !== undefined) {
    const { host, variable } = route.proxy;
    const success = { result: `handled by the proxy ${host} from ${variable}`, value: true };
    for (const step of ["dns", "tcp", "tls"] as const) await log.test(step, () => success);
    return true;
  }
  const limited = <T>(name: string, run: (signal: AbortSignal) => Promise<T>) => () =>
    runWithDeadline(target, getSignal(options), name, run);
  const addRouteHint = (hint: string) => () => route.hint === undefined ? hint : `${hint} ${route.hint}`;

  const url = new URL(target.baseUrl);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const resolving = limited(`Looking up ${host}`, () => testDns(host));
  if (!await log.test("dns", resolving, addRouteHint(DNS_HINT))) return false;
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const connecting = limited(`Connecting to ${host}:${port}`, (signal) => connect(host, port, signal));
  const connection = await log.test("tcp", connecting, addRouteHint(TCP_HINT));
  if (!connection) return false;
  const securing = url.protocol === "https:"
    ? limited(`TLS with ${host}:${port}`, (signal) => testTls(connection, host, signal))
    : () => skipTls(connection);
  return await log.test("tls", securing, addRouteHint(TLS_HINT)) === true;
}

const DNS_HINT = "Check the host name in baseUrl, and the name server of this machine.";
const TCP_HINT = "Check the port in baseUrl, that the service runs, and that no firewall blocks the connection.";
const TLS_HINT = "Check that the port speaks https. For a certificate authority of your own, set DENO_CERT=<file>.";

const TOKEN_HINT = "Check baseUrl and tokenPath in the profile, and that the service responds. Raise timeoutSeconds " +
  "if it or the program of clientSecretCommand takes longer.";

/** The results of the steps so far. */
class StepLog {
  readonly #steps: DiagnosisStep[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Runs the test of a step. Returns its value, or undefined if it failed. */
  async test<T>(
    step: StepName,
    run: () => Success<T> | Promise<Success<T>>,
    chooseHint: (error: SvcError) => string | undefined = () => undefined,
  ): Promise<T | undefined> {
    const started = performance.now();
    const elapsed = () => Math.round(performance.now() - started);
    try {
      const { result, value } = await run();
      this.#steps.push({ step, ok: true, result, milliseconds: elapsed() });
      return value;
    } catch (thrown) {
      const error = toSvcError(thrown);
      if (this.#signal.aborted) throw error;
      const result = error.message;
      const code = thrown instanceof Error && !isExplained(thrown) ? "NETWORK_ERROR" : error.code;
      const hint = selectHint(error, chooseHint(error));
      this.#steps.push({ step, ok: false, result, code, hint, milliseconds: elapsed() });
      return undefined;
    }
  }

  /** The last step, if it has failed. */
  get failure(): DiagnosisStep | undefined {
    const last = this.#steps.at(-1);
    return last?.ok === false ? last : undefined;
  }

  /** Replaces the hint of the step that failed. */
  advise(hint: string): void {
    const failed = this.#steps.pop();
    if (failed !== undefined) this.#steps.push({ ...failed, hint });
  }

  /** Returns all steps. Those after a failure are marked as skipped. */
  complete(): DiagnosisStep[] {
    const failed = this.#steps.at(-1)?.step;
    const rest = STEPS.slice(this.#steps.length);
    return [
      ...this.#steps,
      ...rest.map((step) => ({ step, ok: false, result: `skipped: ${failed} failed`, milliseconds: 0 })),
    ];
  }
}

/** Reports whether an error explains itself. Others come from the network layers of the platform. */
function isExplained(error: Error): boolean {
  return error instanceof SvcError || error instanceof Deno.errors.NotCapable;
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** Reports whether a call did not reach the service, or its response did not come back. */
function isUnreached({ code, status }: SvcError): boolean {
  return status === PROXY_AUTHENTICATION_REQUIRED ||
    (status === undefined && (code === "NETWORK_ERROR" || code === "TIMEOUT"));
}

/** Prefers the hint of the step, unless Deno denied the access or the service itself rejected the call. */
function selectHint(error: SvcError, hint: string | undefined): string {
  if (error.code === "PERMISSION_DENIED" && error.hint !== undefined) return error.hint;
  const isRejected = error.status !== undefined && error.status !== 404 && error.code !== "INVALID_RESPONSE" &&
    !isUnreached(error);
  return (isRejected ? undefined : hint) ?? error.hint ??
    "Ask the operators of the service: it works, but rejects the call.";
}

function testConfiguration(options: AuthOptions): Success<Credentials> {
  const value = requireCredentials(readSettings(options));
  const { target, clientId, sources = {} } = value;
  const origins = Object.entries(sources).map(([member, source]) => `; ${member} from ${source}`).join("");
  return { result: `client ${clientId} of ${target.baseUrl}, API at ${target.apiRoot || "/"}${origins}`, value };
}

/** Uses the resolver of the system, which also reads the hosts file. */
async function testDns(host: string): Promise<Success<true>> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    const isDenied = cause instanceof Error && "code" in cause && cause.code === "EPERM";
    if (!isDenied) throw cause;
    throw new SvcError("PERMISSION_DENIED", `Requires net access to "${host}".`, {
      cause,
      hint: `Install svc with --allow-net=${host}.`,
    });
  });
  const addresses = found.map(({ address }) => address);
  return { result: `${host} is ${addresses.join(", ")}`, value: true };
}

async function connect(hostname: string, port: number, signal: AbortSignal): Promise<Success<Deno.TcpConn>> {
  const value = await Deno.connect({ hostname, port, signal });
  return { result: `${hostname}:${port} accepts connections`, value };
}

async function testTls(connection: Deno.TcpConn, hostname: string, signal: AbortSignal): Promise<Success<true>> {
  using secured = await Deno.startTls(connection, { hostname });
  await abortable(secured.handshake(), signal);
  return { result: `the certificate is valid for ${hostname}`, value: true };
}

function skipTls(connection: Deno.TcpConn): Promise<Success<true>> {
  connection.close();
  return Promise.resolve({ result: "not used: the address starts with http://", value: true });
}

async function testToken(credentials: Credentials, tokens: TokenSource, options: AuthOptions): Promise<Success<true>> {
  const { expiresAt } = await obtainToken(credentials, tokens, options);
  const { clientAuth } = credentials;
  const issued = `${getTokenUrl(credentials)} issued a token that expires ${expiresAt}`;
  return { result: `${issued} (clientAuth ${clientAuth})`, value: true };
}

/** Tries the other methods of authentication after the server has rejected that of the profile. */
async function adviseOnMethod(credentials: Credentials, options: AuthOptions, log: StepLog): Promise<void> {
  if (log.failure?.code !== "UNAUTHORIZED") return;
  const { tryOtherMethods } = await import("./renewal.ts");
  const { accepted, tried } = await tryOtherMethods(credentials, getSignal(options));
  const { profile } = credentials.target;
  if (accepted !== undefined) {
    const command = `svc profile set ${shellQuote(profile)} --client-auth ${accepted}`;
    log.advise(`The server accepts the client with clientAuth ${accepted}. To change the profile, run: ${command}`);
  } else if (log.failure.hint?.startsWith(CHECK_CREDENTIALS)) {
    log.advise(`${CHECK_CREDENTIALS} The server also rejects them with clientAuth ${tried.join(" and ")}.`);
  }
}

async function testApi(credentials: Credentials, tokens: TokenSource, options: AuthOptions): Promise<Success<true>> {
  const reply = await listCaseTypes(credentials, tokens, options);
  const answer = checkAnswer(caseTypes.list.answer, reply);
  const request = `GET ${credentials.target.apiRoot}/casetypes`;
  const count = answer.caseTypes.length;
  return { result: `${request} responded with ${reply.head.status}; case types: ${count}`, value: true };
}
