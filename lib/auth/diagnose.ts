/** What `svc auth diagnose` does: it tries each layer of a connection in turn and says what to do about the first that fails. */
import { checkAnswer } from "../client/check_answer.ts";
import caseTypes from "../resources/case_types.ts";
import { type ErrorCode, SvcError, toSvcError } from "../errors.ts";
import { type AuthOptions, listCaseTypes, signalOf, takeToken } from "./commands.ts";
import { tokenUrl } from "./oauth.ts";
import { type Proxy, proxyTo } from "./proxy.ts";
import { orAbort, within } from "./shared.ts";
import { type Credentials, profileOf, readSettings, withCredentials } from "./settings.ts";
import { TokenSource } from "./token_source.ts";

const STEPS = ["configuration", "dns", "tcp", "tls", "token", "api"] as const;

/** A layer of a connection. */
export type StepName = typeof STEPS[number];

/** What became of one layer. */
export type DiagnosisStep = {
  /** The layer. */
  step: StepName;
  /** Whether it works. */
  ok: boolean;
  /** What was found, in one sentence. */
  result: string;
  /** Code of the error, where it does not work. */
  code?: ErrorCode;
  /** What to do about it. */
  hint?: string;
  /** How long it took. */
  milliseconds: number;
};

/** What `auth diagnose` answers. */
export type DiagnosisResult = {
  /** Name of the profile. */
  profile: string;
  /** Whether every layer works. */
  ok: boolean;
  /** All layers, in order. */
  steps: DiagnosisStep[];
};

/** What a step found: for people, and for the next step. */
interface Finding<T> {
  readonly result: string;
  readonly value: T;
}

/** Tries each layer; a failure is part of the result, not an error. The token cache is neither used nor changed. */
export async function diagnose(options: AuthOptions = {}): Promise<DiagnosisResult> {
  const log = new StepLog(signalOf(options));
  await tryLayers(options, log);
  const steps = log.complete();
  return { profile: profileOf(options), ok: steps.every((step) => step.ok), steps };
}

async function tryLayers(options: AuthOptions, log: StepLog): Promise<void> {
  const credentials = await log.check("configuration", () => readConfiguration(options));
  if (!credentials) return;
  const { target } = credentials;
  const way = await wayTo(new URL(target.baseUrl));
  if (!await tryWay(credentials, way, options, log)) return;
  const tokens = new TokenSource({ ...credentials, cacheDirectory: undefined });
  const hintOf = (unreached: string, other?: string) => (error: SvcError) => {
    return isUnreached(error) ? way.hint ?? unreached : other;
  };
  if (!await log.check("token", () => exchange(credentials, tokens, options), hintOf(TOKEN_HINT))) return;
  const apiHint = `Check apiRoot in the profile: the API was looked for at ${target.baseUrl}${target.apiRoot}.`;
  await log.check("api", () => callApi(credentials, tokens, options), hintOf(apiHint, apiHint));
}

/** How calls get to a service. */
interface Way {
  /** The proxy on the way, where one is known of. */
  readonly proxy?: Proxy;
  /** What to do where nothing gets through because of a proxy, if there may be one. */
  readonly hint?: string;
}

async function wayTo(url: URL): Promise<Way> {
  try {
    const proxy = await proxyTo(url);
    return proxy === undefined ? {} : {
      proxy,
      hint:
        `Check the address in ${proxy.variable} and that this proxy lets calls to ${url.hostname} through. If its ` +
        "certificates are its own, name their authority with DENO_CERT=<file>. Hosts in NO_PROXY are reached without it.",
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
    return { hint: `If a proxy leads to ${url.hostname}, install svc with --allow-env to see what becomes of that.` };
  }
}

/** Tries the layers below HTTP, but where a proxy does that; whether they work. */
async function tryWay(credentials: Credentials, way: Way, options: AuthOptions, log: StepLog): Promise<boolean> {
  const { target } = credentials;
  if (way.proxy !== undefined) {
    const { host, variable } = way.proxy;
    const value = { result: `left to the proxy ${host}, which ${variable} names`, value: true };
    for (const step of ["dns", "tcp", "tls"] as const) await log.check(step, () => value);
    return true;
  }
  const url = new URL(target.baseUrl);
  const timed = <T>(what: string, run: (signal: AbortSignal) => Promise<T>) => () =>
    within(target, signalOf(options), what, run);
  const hintOf = (hint: string) => () => way.hint === undefined ? hint : `${hint} ${way.hint}`;

  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (!await log.check("dns", timed(`Looking up ${host}`, () => resolve(host)), hintOf(DNS_HINT))) return false;
  const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
  const connecting = timed(`Connecting to ${host}:${port}`, (signal) => connect(host, port, signal));
  const connection = await log.check("tcp", connecting, hintOf(TCP_HINT));
  if (!connection) return false;
  const secured = url.protocol === "https:"
    ? timed(`TLS with ${host}:${port}`, (signal) => secure(connection, host, signal))
    : () => plain(connection);
  return await log.check("tls", secured, hintOf(TLS_HINT)) === true;
}

const DNS_HINT = "Check the host name in baseUrl, and the name server of this machine.";
const TCP_HINT = "Check the port in baseUrl and that the service runs; a firewall may stand between.";
const TLS_HINT =
  "Check that the port speaks https. A certificate authority of your own is named with DENO_CERT=<file>.";

const TOKEN_HINT =
  "Check baseUrl and tokenPath in the profile, and that the service answers; raise timeoutSeconds where " +
  "it, or the program of clientSecretCommand, takes longer.";

/** The steps so far. */
class StepLog {
  readonly #steps: DiagnosisStep[] = [];
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Takes one step; its value, or undefined where it failed. */
  async check<T>(
    step: StepName,
    run: () => Finding<T> | Promise<Finding<T>>,
    hintOf: (error: SvcError) => string | undefined = () => undefined,
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
      const code = thrown instanceof Error && !isOurs(thrown) ? "NETWORK_ERROR" : error.code;
      this.#steps.push({
        step,
        ok: false,
        result,
        code,
        hint: adviceFor(error, hintOf(error)),
        milliseconds: elapsed(),
      });
      return undefined;
    }
  }

  /** All steps: those that were not reached are shown as skipped. */
  complete(): DiagnosisStep[] {
    const failed = this.#steps.at(-1)?.step;
    const rest = STEPS.slice(this.#steps.length);
    return [
      ...this.#steps,
      ...rest.map((step) => ({ step, ok: false, result: `skipped: ${failed} failed`, milliseconds: 0 })),
    ];
  }
}

/** Whether an error says what it is; others are what the network layers of the platform throw. */
function isOurs(error: Error): boolean {
  return error instanceof SvcError || error instanceof Deno.errors.NotCapable;
}

/** The status of a proxy that wants to know who asks. */
const PROXY_REFUSES = 407;

/** Whether a call has not come as far as to the service, or its answer not back. */
function isUnreached({ code, status }: SvcError): boolean {
  return status === PROXY_REFUSES || (status === undefined && (code === "NETWORK_ERROR" || code === "TIMEOUT"));
}

/** The step's own advice, unless Deno refused, or the service was found and itself refused. */
function adviceFor(error: SvcError, hint: string | undefined): string {
  if (error.code === "PERMISSION_DENIED" && error.hint !== undefined) return error.hint;
  const refused = error.status !== undefined && error.status !== 404 && error.code !== "INVALID_RESPONSE" &&
    !isUnreached(error);
  return (refused ? undefined : hint) ?? error.hint ?? "Ask the people who run the service: it works, but refuses.";
}

function readConfiguration(options: AuthOptions): Finding<Credentials> {
  const value = withCredentials(readSettings(options));
  const { target, clientId } = value;
  return { result: `client ${clientId} of ${target.baseUrl}, API at ${target.apiRoot || "/"}`, value };
}

/** The system's own resolver, so that its hosts file counts too. */
async function resolve(host: string): Promise<Finding<true>> {
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(host, { all: true }).catch((cause: unknown) => {
    const isDenied = cause instanceof Error && "code" in cause && cause.code === "EPERM"; // So Node says it.
    if (!isDenied) throw cause;
    throw new SvcError("PERMISSION_DENIED", `svc may not reach ${host}.`, {
      cause,
      hint: `Install it with --allow-net=${host}.`,
    });
  });
  const addresses = found.map(({ address }) => address);
  return { result: `${host} is ${addresses.join(", ")}`, value: true };
}

async function connect(hostname: string, port: number, signal: AbortSignal): Promise<Finding<Deno.TcpConn>> {
  const value = await Deno.connect({ hostname, port, signal });
  return { result: `${hostname}:${port} accepts connections`, value };
}

async function secure(connection: Deno.TcpConn, hostname: string, signal: AbortSignal): Promise<Finding<true>> {
  using secured = await Deno.startTls(connection, { hostname });
  await orAbort(secured.handshake(), signal);
  return { result: `the certificate is valid for ${hostname}`, value: true };
}

function plain(connection: Deno.TcpConn): Promise<Finding<true>> {
  connection.close();
  return Promise.resolve({ result: "not used: the address begins with http://", value: true });
}

async function exchange(credentials: Credentials, tokens: TokenSource, options: AuthOptions): Promise<Finding<true>> {
  const { expiresAt } = await takeToken(credentials, tokens, options);
  return { result: `${tokenUrl(credentials)} issued a token that ends ${expiresAt}`, value: true };
}

async function callApi(credentials: Credentials, tokens: TokenSource, options: AuthOptions): Promise<Finding<true>> {
  const reply = await listCaseTypes(credentials, tokens, options);
  const answer = checkAnswer(caseTypes.list.answer, reply);
  return {
    result:
      `GET ${credentials.target.apiRoot}/casetypes answered ${reply.head.status}; case types: ${answer.caseTypes.length}`,
    value: true,
  };
}
