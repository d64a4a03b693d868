/** Runs workflow scripts: in the process of the test, in one sandbox, or as processes of `svc workflow`. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type Caller, createCaller, SINGLE_ATTEMPT } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";
import { createClient } from "../../mod.ts";
import { startService } from "../../service/mod.ts";
import { type JsonObject, type JsonValue, parseJson } from "../../utils/json.ts";
import { GrantedCalls } from "../../workflows/engine/live_calls.ts";
import type { InputClaim, Journal, RunRecord } from "../../workflows/journal/journal.ts";
import type { Limits } from "../../workflows/sandbox/host/limits.ts";
import { type OpenWorkflow, openWorkflow, type WorkflowOptions } from "../../workflows/scripts/open_workflow.ts";
import { Runner } from "../../workflows/runs/runner.ts";
import type { GuestLibrary } from "../../workflows/sandbox/host/guest_process.ts";
import { builtLibrary, localLibrary } from "../../workflows/sandbox/host/library.ts";
import { Guest } from "../../workflows/sandbox/host/guest.ts";
import { type RunHandlers, Sandbox, type StartState } from "../../workflows/sandbox/host/sandbox.ts";
import { loadOperations } from "../../workflows/scripts/permissions.ts";
import { sealAll } from "../../workflows/journal/sqlite/seal.ts";
import { isPostgresLocation } from "../../utils/postgres/location.ts";
import { inTransaction } from "../../utils/sqlite/in_transaction.ts";
import { shareCommands, type SharedCommands } from "./command_process.ts";
import {
  BUILT_PROGRAM,
  type CommandResult,
  LimitedCommand,
  makeFolder,
  PROGRAM,
  runCommand,
  VARIABLES,
} from "./svc.ts";
import { readUntil, within } from "./wait.ts";

/** Library that sandboxes of the built program load. Undefined when they find the sources themselves. */
export const LIBRARY: GuestLibrary | undefined = BUILT_PROGRAM === undefined
  ? undefined
  : builtLibrary(pathToFileURL(BUILT_PROGRAM));

/** Seconds that a run in the process of the test may take. */
const RUN_SECONDS = 180;

/** Creates the record of a run that has just started. */
export function newRun(id: string, script = "script.ts"): RunRecord {
  const limits = { timeoutSeconds: 60, maxMemoryMiB: 256 };
  const settings = { script, concurrency: 1, limits, grants: [], onUnknown: "stop" } as const;
  return { id, name: "test", digest: "", settings, state: "open", startedAt: 0 };
}

/** Claims an input, and writes about it. */
export async function writeInput(
  journal: Journal,
  runId: string,
  number: number,
  write: (claim: InputClaim) => void | Promise<void>,
): Promise<void> {
  await using claim = await journal.claimInput(runId, number);
  if (claim === undefined) throw new Error(`Another part of the test has claimed input ${number}.`);
  await write(claim);
}

/** Returns a script with the body of `run`, permissions, and lines before the workflow. */
export function scriptText(body: string, allow: readonly string[] = ["*"], before = ""): string {
  return `import { defineWorkflow, isSvcError, SvcError } from "@svc/lib/workflow";
${before}
export default defineWorkflow({
  name: "test",
  allow: ${JSON.stringify(allow)},
  async run({ svc, input, log, sleep, waitFor, receive, patched, continueAsNew }) {
${body}
  },
});
`;
}

/** A request that an API has received. */
export interface ReceivedRequest {
  /** Method and path below the API root. */
  readonly call: string;
  /** Body. Undefined when it was empty. */
  readonly body?: JsonValue;
}

/** An API on loopback that answers requests for cases, and records all requests. */
export class TinyApi implements AsyncDisposable {
  /** Requests, in order. */
  readonly received: ReceivedRequest[] = [];
  /** Highest number of concurrent requests. */
  mostAtOnce = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #now = 0;

  /** Starts the API. By default, a path that includes `missing` is answered with 404. */
  constructor(answer: (call: string, request: Request) => Promise<Response> | Response = answerCase) {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/oauth2/token") {
        return Response.json({ access_token: "t", token_type: "bearer", expires_in: 3600 });
      }
      const text = await request.text();
      const call = `${request.method} ${decodeURIComponent(pathname.replace("/dx-api/v2", ""))}`;
      this.received.push({ call, ...(text !== "" && { body: parseJson(text) }) });
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#now);
      try {
        return await answer(call, request);
      } finally {
        this.#now--;
      }
    });
  }

  /** Base URL of the API. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** A caller of the API. */
  get caller(): Caller {
    return createCaller({ baseUrl: this.baseUrl, clientId: "id", clientSecret: "secret", noCache: true });
  }

  /** Stops the API. */
  async [Symbol.asyncDispose](): Promise<void> {
    await within("the requests of the API end", this.#server.shutdown());
  }
}

function answerCase(call: string): Response {
  if (call.includes("missing")) {
    return Response.json({ localizedValue: "The resource cannot be found.", errorDetails: [] }, { status: 404 });
  }
  const id = call.replace(/^\w+ \/cases\/?/, "");
  return Response.json(createCaseBody(id), { headers: { etag: "tag-1" } });
}

/** Returns a case in the format of the API. */
export function createCaseBody(id: string): JsonObject {
  return { id, type: "T", status: "Open", urgency: 10, data: { caseInfo: { ID: id, content: {} } } };
}

/** A caller for scripts that make no calls. */
export const noCaller: Caller = {
  call: rejectCall,
  prepare: rejectCall,
  startAttempts: () => SINGLE_ATTEMPT,
  getTarget: () => {
    throw new SvcError("INTERNAL_ERROR", "This script has no service.");
  },
  supportsIdempotencyKeys: () => true,
};

function rejectCall(): Promise<never> {
  return Promise.reject(new SvcError("INTERNAL_ERROR", "This script must make no calls."));
}

/** Options of a run of one input. */
export interface RunOptions extends WorkflowOptions {
  /** Makes the calls of the script. */
  readonly caller: Caller;
  /** Receives what the script prints. */
  readonly onLog?: (text: string) => void;
}

/** Opens a script with sandboxes of the program under test. */
export function openScript(options: WorkflowOptions): Promise<OpenWorkflow> {
  return openWorkflow({ library: LIBRARY, ...options });
}

/** Opens a script, runs it with an input, and closes it. */
export async function runWorkflow(options: RunOptions, input?: JsonValue): Promise<JsonValue | undefined> {
  await using workflow = await openScript(options);
  const runner = createRunner(workflow, options.caller);
  options.signal?.addEventListener("abort", () => void runner.interrupt(), { once: true });
  const run = runner.run({ number: 1, place: "input", value: input }, options.onLog);
  const outcome = await within("the run ends", run, { seconds: RUN_SECONDS });
  if ("failure" in outcome) throw outcome.failure;
  return outcome.result;
}

/** Creates a runner without a journal. */
export function createRunner(workflow: OpenWorkflow, caller: Caller = noCaller): Runner {
  return new Runner({ workflow, live: new GrantedCalls(caller, workflow) });
}

/** Outcome of a run. */
export interface RunOutcome {
  /** Result of the script. */
  readonly result?: JsonValue;
  /** Error that the run failed with. */
  readonly error?: SvcError;
  /** Lines that the script printed. */
  readonly log: readonly string[];
}

/** Runs a script from its text, with all permissions that it declares unless the options grant others. */
export async function runText(
  text: string | Readonly<Record<string, string>>,
  options: Partial<RunOptions> = {},
  input?: JsonValue,
): Promise<RunOutcome> {
  await using folder = await makeFolder(typeof text === "string" ? { "script.ts": text } : text);
  const log: string[] = [];
  const onLog = (lines: string) => void log.push(...lines.split("\n"));
  const grants = options.allow === undefined && options.ask === undefined ? { allowDeclared: true } : {};
  try {
    const script = `${folder.path}/script.ts`;
    const result = await runWorkflow({ script, caller: noCaller, onLog, ...grants, ...options }, input);
    return { result, log };
  } catch (error) {
    if (error instanceof SvcError) return { error, log };
    throw error;
  }
}

/** Loads `script.ts` of these files in one sandbox, and runs it with an input. */
export async function runInSandbox(
  files: Readonly<Record<string, string>>,
  handlers: RunHandlers,
  start: StartState,
  { input, limits }: { input?: JsonValue; limits?: Partial<Limits> } = {},
): Promise<JsonValue | undefined> {
  await using folder = await makeFolder(files);
  await using cache = await makeFolder();
  const place = {
    script: new URL(`file://${folder.path}/script.ts`),
    folder: cache.path,
    library: LIBRARY ?? await localLibrary(cache.path),
  };
  const sandbox = new Sandbox(new Guest(place, { timeoutSeconds: 20, maxMemoryMiB: 128, ...limits }));
  try {
    const run = sandbox.run(input, handlers, start, await loadOperations());
    return await within("the sandbox returns a result", run, { seconds: RUN_SECONDS });
  } finally {
    sandbox.stop();
    await within("the sandbox ends", sandbox.gone());
  }
}

/** Options of a process of `svc workflow`. */
export interface WorkflowProcess {
  /** Directory that the process may write: for its configuration, and for temporary files. */
  readonly directory: string;
  /** Environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. */
  readonly cwd?: string;
  /** Standard input. Default: none. */
  readonly stdin?: "piped" | "null";
  /** Arguments of `deno run` that name the program. Default: the program under test. */
  readonly program?: readonly string[];
  /** Group of the command. Default: `workflow`. */
  readonly group?: "workflow" | "worker";
  /** Shell command that sets limits for the process, such as `ulimit -n 64`. */
  readonly shellLimit?: string;
}

/** Variables that the client of PostgreSQL may read. */
const POSTGRES_VARIABLES = ["PG*", "NODE_PG_FORCE_NATIVE", "USER", "USERNAME"];

/** Prepares `svc workflow` with no more permissions than docs/permissions.md lists. */
export function workflowCommand(
  args: readonly string[],
  { directory, env, cwd, program = [PROGRAM], stdin = "null", group = "workflow", shellLimit = ":" }: WorkflowProcess,
): LimitedCommand {
  const permissions = workflowPermissions(
    [directory, ...(env?.SVC_CONFIG_DIR === undefined ? [] : [env.SVC_CONFIG_DIR])],
    args.some(isPostgresLocation) ? POSTGRES_VARIABLES : [],
  );
  const deno = [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, ...program, group, ...args];
  return new LimitedCommand("/bin/sh", {
    args: ["-c", `${shellLimit} && exec "$0" "$@"`, ...deno],
    env: { TMPDIR: directory, SVC_CONFIG_DIR: directory, SVC_DEBUG: "", ...env },
    cwd,
    stdin,
    stdout: "piped",
    stderr: "piped",
  });
}

/** Returns the permissions of `svc workflow`, with folders that it may write, and further variables that it may read. */
function workflowPermissions(writable: readonly string[], variables: readonly string[] = []): string[] {
  return [
    "--allow-net=127.0.0.1",
    "--allow-read",
    `--allow-write=${writable.join(",")}`,
    `--allow-run=/bin/sh,${Deno.execPath()}`,
    "--allow-sys=uid",
    `--allow-env=${[...VARIABLES, ...variables].join(",")}`,
  ];
}

/** Runs `svc workflow` in a temporary directory, and checks that it leaves no sandbox there. */
export async function svcWorkflow(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program: readonly string[] = [PROGRAM],
): Promise<CommandResult> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const ended = await runCommand(workflowCommand(args, { directory, env, program }));
  assertNoSandbox(directory);
  await Deno.remove(directory, { recursive: true });
  return ended;
}

function assertNoSandbox(directory: string): void {
  const left = [...Deno.readDirSync(directory)].filter(({ name }) => name.startsWith("svc-workflow-"));
  assert.deepEqual(left, [], "the sandbox leaves nothing behind");
}

/** Script line that creates a case. */
export const CREATE_CASE =
  `const made = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "Ada", Address: "B" } });`;

/** Returns a script line that waits until there are as many cases. */
export const waitForCases = (count: number): string =>
  `while ((await svc.data.count("D_Permits")).resultCount < ${count}) await new Promise((again) => setTimeout(again, 20));`;

/** Script line that waits until the test has created a second case. */
export const WAIT_FOR_SECOND_CASE: string = waitForCases(2);

/** A service, a script that calls it, and `svc workflow` with a journal. */
export interface ScriptWorkspace extends AsyncDisposable {
  /** Folder of `script.ts`. */
  readonly folder: string;
  /** Configuration directory, with the journal. */
  readonly config: string;
  /** Replaces the body of the script. */
  write(body: string): Promise<void>;
  /** Runs `svc workflow`. */
  svc(...args: string[]): Promise<CommandResult>;
  /** Starts `svc workflow`. */
  start(...args: string[]): Deno.ChildProcess;
  /** Starts `svc worker`. */
  worker(...args: string[]): Deno.ChildProcess;
  /** Starts `svc workflow` with a pipe as its standard input. */
  pipe(...args: string[]): Deno.ChildProcess;
  /** Makes later commands call another service, or the same one as another client. */
  useService(other: { baseUrl?: string; clientId?: string }): void;
  /** Makes later commands call the first service again. */
  useOwnService(): void;
  /** Counts the permits. */
  permits(): Promise<number>;
  /** Creates a permit. */
  createPermit(): Promise<void>;
  /** Changes the journal, to what a process that was killed would have left. */
  sql(text: string): void;
}

/** Opens a workspace with a script from the body of its `run`. */
export type OpenScriptWorkspace = (body: string) => Promise<ScriptWorkspace>;

/**
 * Returns a function that opens workspaces for the tests of a file. The commands of `ScriptWorkspace.svc` share a process,
 * except for those that need PostgreSQL.
 */
export function prepareScriptWorkspaces(): OpenScriptWorkspace {
  const commands = shareWorkflowCommands();
  return (body) => openWorkspace(body, commands);
}

/** Returns a function that does the same as `svcWorkflow`. Its commands share a process. */
export function prepareSvcWorkflow(): typeof svcWorkflow {
  const commands = shareWorkflowCommands();
  return async (args, env = {}) => {
    await using folder = await makeFolder({}, await commands.getFolder());
    const { path } = folder;
    const request = { args: ["workflow", ...args], env: { TMPDIR: path, SVC_CONFIG_DIR: path, ...env } };
    const ended = await commands.run(request, () => svcWorkflow(args, env));
    assertNoSandbox(path);
    return ended;
  };
}

function shareWorkflowCommands(): SharedCommands {
  return shareCommands((folder) => workflowPermissions([folder], ["TMPDIR"]));
}

/** Opens a workspace whose commands are processes. */
export const openScriptWorkspace: OpenScriptWorkspace = (body) => openWorkspace(body);

async function openWorkspace(
  body: string,
  commands?: SharedCommands,
): Promise<ScriptWorkspace> {
  const service = await startService();
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const folder = await makeFolder({ "script.ts": scriptText(body) });
  const config = await makeFolder({}, await commands?.getFolder());
  const client = createClient({ baseUrl: service.url, clientId, clientSecret, noCache: true });
  const env = {
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  };
  const command = (args: string[], options: Pick<WorkflowProcess, "stdin" | "group"> = {}) => {
    return workflowCommand(args, { directory: config.path, env, cwd: folder.path, ...options });
  };
  const svc = async (...args: string[]) => {
    const runAlone = () => runCommand(command(args));
    if (commands === undefined || args.some(isPostgresLocation)) return await runAlone();
    const directories = { TMPDIR: config.path, SVC_CONFIG_DIR: config.path };
    const request = { args: ["workflow", ...args], env: { ...directories, ...env }, cwd: folder.path };
    return await commands.run(request, runAlone);
  };
  return {
    folder: folder.path,
    config: config.path,
    write: (text) => Deno.writeTextFile(`${folder.path}/script.ts`, scriptText(text)),
    svc,
    start: (...args) => command(args).spawn(),
    worker: (...args) => command(args, { group: "worker" }).spawn(),
    pipe: (...args) => command(args, { stdin: "piped" }).spawn(),
    useService({ baseUrl, clientId: other }) {
      if (baseUrl !== undefined) env.SVC_BASE_URL = baseUrl;
      if (other !== undefined) env.SVC_CLIENT_ID = other;
    },
    useOwnService: () => Object.assign(env, { SVC_BASE_URL: service.url, SVC_CLIENT_ID: clientId }),
    permits: async () => (await client.data.count("D_Permits")).resultCount,
    async createPermit() {
      await client.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: "B", Address: "C" } });
    },
    sql(text) {
      using db = new DatabaseSync(`${config.path}/workflows.db`, { timeout: 10_000 }); // A run may be writing.
      if (!/^\s*(DELETE|INSERT|UPDATE) /.test(text)) return db.exec(text);
      inTransaction(db, () => {
        db.exec(text);
        sealAll(db); // A journal whose records do not match their checksums is damaged.
      });
    },
    async [Symbol.asyncDispose]() {
      await within("the service closes", service.close());
      await folder[Symbol.asyncDispose]();
      await config[Symbol.asyncDispose]();
    },
  };
}

/** Reads the standard error of a process until it includes a text, and returns all that is written there. */
export async function waitForOutput(process: Deno.ChildProcess, expected: string): Promise<{ rest: Promise<string> }> {
  const { text, rest } = await readUntil(process.stderr, expected);
  return { rest: rest.then((more) => text + more) };
}

/** Kills a process as soon as its standard error includes a text, and waits until it has ended. */
export async function killAfterOutput(process: Deno.ChildProcess, expected: string): Promise<void> {
  const { rest } = await waitForOutput(process, expected);
  process.kill("SIGKILL");
  await within("the killed process ends", Promise.all([rest, process.stdout.cancel(), process.status]));
}

/** Arguments of `svc workflow` that start a run of the script. */
export const RUN_SCRIPT = ["run", "script.ts", "--allow-declared", "--run-id", "r1"];
