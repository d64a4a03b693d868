/** The real embedded service on a free port: in the process of the test, or as a process that is killed and restarted. */
import assert from "node:assert/strict";
import { INSTALLED_PERMISSIONS } from "../../tasks/support/installed_permissions.ts";
import { join } from "node:path";
import { type Client, createClient } from "../../mod.ts";
import { addClient } from "../../service/access/clients.ts";
import { Tokens } from "../../service/access/tokens.ts";
import { restrict } from "../../service/access/caller_transaction.ts";
import { scheduleBulkJob } from "../../service/case_types/bulk_jobs.ts";
import type { LaterWork } from "../../service/http/handler.ts";
import { handlers } from "../../service/http/routes.ts";
import { type RunningService, type ServiceOptions, startService } from "../../service/mod.ts";
import { loadServedApplication, openServedAssets } from "../../service/sample/served_application.ts";
import { serve } from "../../service/server/server.ts";
import type { ConnectionLimits } from "../../service/connections/limits.ts";
import type { ByteStore } from "../../service/store/bytes.ts";
import { openBytes } from "../../service/store/bytes_on_disk.ts";
import { ServiceClock } from "../../service/store/service_clock.ts";
import type { Store } from "../../service/store/store.ts";
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import { SharedCommands } from "./command_process.ts";
import {
  CHECKOUT,
  commandPermissions,
  type CommandResult,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  PROGRAM,
  runCommand,
  splitWords,
  svc,
  type SvcOptions,
} from "./svc.ts";
import { chooseStore, openStoreOf, openTestStore } from "./test_store.ts";
import { within } from "./wait.ts";

/** A response. */
export interface ApiAnswer {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Body. Undefined when it is empty. */
  readonly body: JsonValue | undefined;
}

/** Options of a request. */
export interface ApiCallOptions {
  /** JSON body. */
  readonly body?: JsonValue;
  /** Body in another format. */
  readonly text?: BodyInit;
  /** Further headers. */
  readonly headers?: Record<string, string>;
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

/** Calls the API of a service as one client. */
export interface ApiCaller {
  /** Base URL of the API. */
  readonly api: string;
  /** Token of the client. */
  readonly token: string;
  /** Calls the API with the token. */
  call(method: string, path: string, options?: ApiCallOptions): Promise<ApiAnswer>;
}

/** Part of the lines about new tables on a server. They are left out, so that the log is the same with each store. */
const PREPARATION = "Preparing the database: ";

/** A service under test. */
export interface TestService extends ApiCaller, AsyncDisposable {
  /** The service. */
  readonly service: RunningService;
  /** Lines that the service has logged. */
  readonly log: string[];
  /** Queries a data view and returns its rows. */
  rows(view: string, body: JsonObject): Promise<JsonObject[]>;
}

/** Options of a service under test. */
export interface TestServiceOptions extends ServiceOptions {
  /** Definition of the application. Default: the one of `app`, or the sample application. */
  readonly yaml?: string;
}

/** Starts a service. Calls use the first operator. */
export async function openService(options: TestServiceOptions = {}): Promise<TestService> {
  const { yaml, ...given } = options;
  const log: string[] = [];
  await using folder = yaml === undefined ? undefined : await makeFolder({ "app.yaml": yaml });
  const service = await startService({
    log: (line) => {
      if (!line.includes(PREPARATION)) log.push(line);
    },
    ...(folder !== undefined && { app: `${folder.path}/app.yaml` }),
    ...(given.store === undefined && await chooseStore(given.data)),
    ...given,
  });
  const token = await requestToken(service, await service.addClient(service.operators[0] ?? ""));
  const caller = createApiCaller(service.url + service.apiRoot, token);
  return {
    ...caller,
    service,
    log,
    async rows(view, body) {
      const answer = await caller.call("POST", `/data_views/${view}`, { body });
      const data = isJsonObject(answer.body) ? answer.body.data : undefined;
      if (answer.status === 200 && Array.isArray(data)) return data.filter(isJsonObject);
      throw new TypeError(`${answer.status} ${JSON.stringify(answer.body)}`);
    },
    [Symbol.asyncDispose]: () => within("the service closes", service.close()),
  };
}

/** Parts of a service that differ from the default. */
export interface ServiceParts {
  /** Store of uploaded files. */
  readonly bytes?: ByteStore;
  /** Limits of connections. */
  readonly limits?: Partial<ConnectionLimits>;
  /** The database. Default: an empty one. */
  readonly store?: Store;
}

/** Starts a service of the sample application with other parts. */
export async function openServiceOn(
  { limits, ...parts }: ServiceParts,
): Promise<ApiCaller & AsyncDisposable> {
  const resources = new AsyncDisposableStack();
  const store = parts.store ?? await openTestStore();
  const bytes = parts.bytes ?? store.server?.files ?? openBytes();
  const app = await loadServedApplication(undefined);
  resources.defer(() => store.close());
  resources.defer(() => bytes.close());
  const tokenPath = "/token";
  const { url } = resources.use(
    await serve({
      app,
      store,
      clock: await ServiceClock.open(store),
      bytes,
      assets: await openServedAssets(undefined),
      maxFileBytes: 1024,
      handlers,
      tokens: new Tokens(store, 60),
      apiRoot: "/api",
      tokenPath,
      hostname: "127.0.0.1",
      port: 0,
      log: console.error,
      ...(limits && { limits }),
    }),
  );
  const token = await requestToken({ url, tokenPath }, await addClient(store, app, "clerk@city"));
  const close = () => within("the service closes", resources.disposeAsync());
  return { ...createApiCaller(`${url}/api`, token), [Symbol.asyncDispose]: close };
}

/** Creates the caller of an API with a token. */
export function createApiCaller(api: string, token: string): ApiCaller {
  return {
    api,
    token,
    async call(method, path, { body, text, headers, signal } = {}) {
      return await sendRequest(method, api + path, {
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
        body: body === undefined ? text : JSON.stringify(body),
        ...(signal && { signal }),
      });
    },
  };
}

/** Exchanges the credentials of a client for a token. */
export async function requestToken(
  { url, tokenPath }: Pick<RunningService, "url" | "tokenPath">,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<string> {
  const { body } = await sendRequest("POST", url + tokenPath, {
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials" }),
  });
  if (isJsonObject(body) && typeof body.access_token === "string") return body.access_token;
  throw new TypeError(`No token: ${JSON.stringify(body)}`);
}

/** Sends a request. The body of the response must be JSON or empty. */
export async function sendRequest(method: string, url: string, init: RequestInit = {}): Promise<ApiAnswer> {
  const { response, text } = await within(
    `${method} ${url} is answered`,
    fetch(url, { method, ...init }).then(async (response) => ({ response, text: await response.text() })),
  );
  const body: JsonValue | undefined = text === "" ? undefined : parseJson(text);
  return { status: response.status, headers: response.headers, body };
}

/** Returns the details of an error body. */
export function readErrorDetails(body: JsonValue | undefined): JsonObject[] {
  const found = isJsonObject(body) ? body.errorDetails : undefined;
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
}

/** A running service of the sample application, and `svc` for its operators. */
export interface Live extends AsyncDisposable {
  /** Folder that commands of `clerk@city` may write. */
  readonly folder: string;
  /** Folder that all commands may write. */
  readonly root: string;
  /** Runs a command line as an operator. Default: `clerk@city`. Single quotes quote words. */
  run(line: string, operator?: string, options?: SvcOptions): Promise<CommandResult>;
  /** Runs a command line that must succeed, and returns its JSON output. */
  json(line: string, operator?: string): Promise<JsonValue>;
  /** Runs a command line that must succeed, and returns the JSON object that it prints. */
  object(line: string, operator?: string): Promise<JsonObject>;
  /** Runs a command line that must fail, and returns its error. */
  refused(line: string, operator?: string): Promise<Record<string, unknown>>;
  /** Returns the environment of the commands of an operator. Default: `clerk@city`. */
  environment(operator?: string): Promise<Record<string, string>>;
  /** Creates a client of the library for an operator. Default: `clerk@city`. */
  openClient(operator?: string): Promise<Client>;
  /** Creates a permit and returns its handle. */
  createPermit(data?: JsonObject): Promise<string>;
}

/** Starts a service for all tests of a file. It closes after the last one. */
export async function openLiveForAll(): Promise<Live> {
  const live = await openLive();
  Deno.test.afterAll(async () => await live[Symbol.asyncDispose]());
  return live;
}

/**
 * Starts a service of the sample application. Its commands share a process, except for those that need standard input or
 * further permissions.
 */
export async function openLive(options: Pick<ServiceOptions, "strict"> = {}): Promise<Live> {
  const service = await startService({ ...await chooseStore(), ...options });
  const commands = new SharedCommands(commandPermissions);
  const root = await commands.getFolder();
  const environments = new Map<string, Promise<Record<string, string>>>();

  async function createEnvironment(operator: string): Promise<Record<string, string>> {
    const { clientId, clientSecret } = await service.addClient(operator);
    const config = `${root}/${operator}`;
    await Deno.mkdir(config, { mode: 0o700 });
    const client = { SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
    return { ...client, SVC_BASE_URL: service.url, SVC_CONFIG_DIR: config };
  }

  async function getEnvironment(operator = "clerk@city"): Promise<Record<string, string>> {
    const environment = environments.get(operator) ?? createEnvironment(operator);
    environments.set(operator, environment);
    return await environment;
  }

  async function run(line: string, operator?: string, options: SvcOptions = {}): Promise<CommandResult> {
    const args = splitWords(line);
    const env = { ...await getEnvironment(operator), ...options.env };
    const { cwd, stdin, permissions } = options;
    const isPlain = stdin === undefined && permissions === undefined && env.SVC_CONFIG_DIR?.startsWith(root);
    const runAlone = () => svc(args, { ...options, env });
    return isPlain ? await commands.run({ args, env, cwd }, runAlone) : await runAlone();
  }

  async function json(line: string, operator?: string): Promise<JsonValue> {
    const { code, stdout, stderr } = await run(line, operator);
    assert.deepEqual([code, stderr], [0, ""], `svc ${line}`);
    const answer: JsonValue = JSON.parse(stdout);
    return answer;
  }

  async function object(line: string, operator?: string): Promise<JsonObject> {
    const answer = await json(line, operator);
    assert.ok(isJsonObject(answer), `svc ${line}`);
    return answer;
  }

  return {
    folder: `${root}/clerk@city`,
    root,
    run,
    json,
    object,
    environment: getEnvironment,
    async refused(line, operator) {
      const result = await run(line, operator);
      assert.equal(result.stdout, "", `svc ${line}`);
      assert.notEqual(result.code, 0, `svc ${line}`);
      return parseErrorRecord(result);
    },
    async openClient(operator = "clerk@city") {
      return createClient({ baseUrl: service.url, ...await service.addClient(operator), noCache: true });
    },
    async createPermit(data = { Applicant: "Ada" }) {
      const line = `cases create --type City-Permit-Work-Permit --data '${JSON.stringify(data)}' --fields id`;
      return String((await object(line)).id);
    },
    async [Symbol.asyncDispose]() {
      await commands[Symbol.asyncDispose]();
      await within("the service closes", service.close());
    },
  };
}

const SERVICE_PROGRAM = "data:application/typescript," + encodeURIComponent(`
  import { startService } from ${JSON.stringify(import.meta.resolve("../../service/mod.ts"))};
  const [data, app, store] = Deno.args;
  const service = await startService({ data, ...(app && { app }), ...(store && { store }) });
  const client = await service.addClient(service.operators[0]);
  console.log(JSON.stringify({ ...service, ...client }));`);

/** A service that runs as a process. */
export interface ServiceProcess extends ApiCaller {
  /** Kills the process and waits until it has ended. */
  kill(): Promise<void>;
}

/**
 * Starts a service as a process on a data directory, with an application's file or the sample application, and with the
 * location of a PostgreSQL database or an embedded one.
 */
export async function spawnService(data: string, app = "", store = ""): Promise<ServiceProcess> {
  const child = new LimitedCommand(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      ...INSTALLED_PERMISSIONS,
      "--config",
      `${CHECKOUT}/deno.json`,
      SERVICE_PROGRAM,
      data,
      app,
      store,
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await within("the service starts", reader.read());
  const facts = JSON.parse(value);
  return {
    ...createApiCaller(facts.url + facts.apiRoot, await requestToken(facts, facts)),
    async kill() {
      child.kill("SIGKILL");
      await within("the killed service ends", child.status);
      await reader.cancel();
    },
  };
}

/** Arguments of `svc` that start a service in the background. */
export const START_ARGUMENTS = ["service", "start", "--port", "0", "--detach"];

/** Arguments of `svc` that create a case. */
export const CREATE_ARGUMENTS = ["cases", "create", "--type", "City-Permit-Work-Permit", "--fields", "id,status"];

/** Result of a command that prints an object or an error. */
export interface ParsedResult {
  /** Exit code. */
  readonly code: number;
  /** Object on standard output. */
  readonly out: Record<string, unknown>;
  /** Error on standard error. */
  readonly error: Record<string, unknown>;
}

/** A configuration directory, and `svc service` in it. Disposing it stops the services that are still running. */
export class ServiceHome implements AsyncDisposable {
  /** The directory. */
  readonly directory: string;
  /** Other folders that `svc` may write. */
  readonly writable: string[] = [];
  /** Further variables of `svc`. */
  readonly variables: Record<string, string> = {};

  private constructor(directory: string) {
    this.directory = directory;
  }

  /** Makes an empty configuration directory. Default of its parent: that of the system. */
  static async open(parent?: string): Promise<ServiceHome> {
    return new ServiceHome(await Deno.makeTempDir({ dir: parent, prefix: "svc-test-" }));
  }

  /** Returns the command line that starts `svc` with these arguments. */
  commandLine(args: readonly string[]): string[] {
    const write = `--allow-write=${[this.directory, ...this.writable].join(",")}`;
    const permissions = INSTALLED_PERMISSIONS.map((one) => one === "--allow-write" ? write : one);
    return [Deno.execPath(), "run", "--quiet", ...permissions, PROGRAM, ...args];
  }

  /** Prepares `svc` with these arguments. */
  command(args: readonly string[]): LimitedCommand {
    const [program = "", ...rest] = this.commandLine(args);
    return new LimitedCommand(program, {
      args: rest,
      env: { SVC_CONFIG_DIR: this.directory, ...this.variables },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    });
  }

  /** Runs `svc` with these arguments. */
  async svc(...args: string[]): Promise<ParsedResult> {
    const { code, stdout, stderr } = await runCommand(this.command(args));
    return { code, out: stdout ? JSON.parse(stdout) : {}, error: stderr ? JSON.parse(stderr).error : {} };
  }

  /** Reads the profiles by name. */
  async profiles(): Promise<Record<string, Record<string, unknown>>> {
    return JSON.parse(await Deno.readTextFile(join(this.directory, "config.json"))).profiles;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { code, stderr } = await runCommand(this.command(["service", "stop", "--all"]));
    assert.equal(code, 0, stderr);
    await Deno.remove(this.directory, { recursive: true });
  }
}

/** Progress of a bulk action that a killed service has left unfinished. */
export interface UnfinishedBulkJob {
  /** Time of the request. Default: now. */
  readonly promised?: Date;
  /** Number of cases that the action was applied to. Default: 0. */
  readonly done?: number;
  /** ID of the job. */
  readonly id?: string;
  /** Channel that the action sets. */
  readonly channel?: string;
}

/** Writes an unfinished bulk action on cases to a data directory. */
export async function leaveBulkJob(
  data: string,
  cases: readonly string[],
  progress: UnfinishedBulkJob = {},
): Promise<void> {
  const store = await openStoreOf(data);
  await leaveBulkJobIn(store, cases, progress);
  await store.close();
}

/** Writes an unfinished bulk action on cases to a store. */
export async function leaveBulkJobIn(
  store: Store,
  cases: readonly string[],
  { promised = new Date(), done = 0, id = "J", channel = "Post" }: UnfinishedBulkJob = {},
): Promise<void> {
  const app = await loadServedApplication(undefined);
  const [caller] = app.operators.values();
  assert.ok(caller);
  const submission = { content: { Channel: channel } };
  const job = { id, cases, action: "pyUpdateCaseDetails", submission };
  const parts: LaterWork[] = [];
  const context = { app, caller, now: promised };
  await store.transact((tx) => {
    const restricted = restrict(tx, app, context);
    return scheduleBulkJob({ ...context, tx: restricted }, job, (work) => void parts.push(work));
  });
  let next: LaterWork | void = parts[0];
  for (let turn = 0; turn <= done && next; turn++) next = await next(store); // The first part only starts the job.
}

/** A server with the chat-completions interface. */
export interface ModelServer extends AsyncDisposable {
  /** Base URL of the interface: the value of the variable that a definition names. */
  readonly address: string;
  /** Requests that the server has received, with the header that carries the key. */
  readonly asked: { readonly path: string; readonly authorization: string | null; readonly body: JsonObject }[];
  /** Answers further requests. Default: repeats the question. */
  answer: (question: string) => Response | Promise<Response>;
}

/** Creates the response of a model. */
export function completion(content: unknown): Response {
  return Response.json({ id: "c-1", object: "chat.completion", choices: [{ index: 0, message: { content } }] });
}

/** Starts a model server. */
export function startModel(): ModelServer {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body: unknown = await request.json();
    if (!isJsonObject(body)) return new Response(null, { status: 400 });
    const { pathname: path } = new URL(request.url);
    model.asked.push({ path, authorization: request.headers.get("authorization"), body });
    const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
    return await model.answer(isJsonObject(last) ? String(last.content) : "");
  });
  const model: ModelServer = {
    address: `http://127.0.0.1:${server.addr.port}/v1`,
    asked: [],
    answer: (question) => completion(`You said: ${question}`),
    [Symbol.asyncDispose]: () => within("the requests of the model server end", server.shutdown()),
  };
  return model;
}

/** Returns the definition of an application with one agent. A variable names the address of its model. */
export function oracleApplication(addressVariable: string): string {
  return `
application: { id: Talk, name: Talk, organisation: Org }
operators: { ada@talk: { name: Ada } }
caseTypes: {}
agents:
  "@baseclass!Oracle":
    name: Oracle
    model: { addressVariable: ${addressVariable}, name: small-1, instructions: Be brief. }
`;
}
