/** What the tests of workflows share: scripts in a folder of their own, and an API small enough to watch. */
import { type Caller, createCaller } from "../../lib/client/caller.ts";
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";
import { GrantedCalls } from "../../workflows/engine/live_calls.ts";
import { Runner } from "../../workflows/runs/runner.ts";
import type { RunRecord } from "../../workflows/journal/journal.ts";
import { type OpenWorkflow, openWorkflow, type WorkflowOptions } from "../../workflows/runs/open_workflow.ts";
import { LIBRARY } from "./program.ts";

/** A folder with files, removed at the end. */
export interface Folder extends AsyncDisposable {
  /** Its path. */
  readonly path: string;
}

/** Makes a folder with these files, by relative path. */
export async function makeFolder(files: Readonly<Record<string, string>> = {}): Promise<Folder> {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-test-" }));
  for (const [name, text] of Object.entries(files)) {
    const file = `${path}/${name}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, text);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

/** A run as a journal has it when it begins. */
export function newRun(id: string, script = "script.ts"): RunRecord {
  const limits = { timeoutSeconds: 60, maxMemoryMiB: 256 };
  const settings = { script, concurrency: 1, limits, grants: [], onUnknown: "stop" } as const;
  return { id, name: "test", digest: "", settings, state: "open", startedAt: 0 };
}

/** A script whose `run` has this body, and before it these lines. */
export function scriptText(body: string, allow: readonly string[] = ["*"], before = ""): string {
  return `import { defineWorkflow, isSvcError, SvcError } from "@svc/lib/workflow";
${before}
export default defineWorkflow({
  name: "test",
  allow: ${JSON.stringify(allow)},
  async run({ svc, input, log, sleep, waitFor }) {
${body}
  },
});
`;
}

/** A request that the API of a test received. */
export interface Received {
  /** Method and path below the API root. */
  readonly call: string;
  /** Body, where there was one. */
  readonly body?: JsonValue;
}

/** An API on loopback that answers every case with itself, and writes down what it was asked. */
export class TinyApi implements AsyncDisposable {
  /** What it was asked, in order. */
  readonly received: Received[] = [];
  /** The most requests that it had at a time. */
  mostAtOnce = 0;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  #now = 0;

  /** Starts to listen. A path that holds `missing` is answered with 404. */
  constructor(answer: (call: string, request: Request) => Promise<Response> | Response = answerCase) {
    this.#server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/oauth2/token") {
        return Response.json({ access_token: "t", token_type: "bearer", expires_in: 3600 });
      }
      const text = await request.text();
      const call = `${request.method} ${decodeURIComponent(pathname.replace("/dx-api/v2", ""))}`;
      this.received.push({ call, ...(text !== "" && { body: JSON.parse(text) }) });
      this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#now);
      try {
        return await answer(call, request);
      } finally {
        this.#now--;
      }
    });
  }

  /** Its address. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Makes calls to it. */
  get caller(): Caller {
    return createCaller({ baseUrl: this.baseUrl, clientId: "id", clientSecret: "secret", noCache: true });
  }

  /** Stops listening. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

function answerCase(call: string): Response {
  if (call.includes("missing")) {
    return Response.json({ localizedValue: "The resource cannot be found.", errorDetails: [] }, { status: 404 });
  }
  const id = call.replace(/^\w+ \/cases\/?/, "");
  return Response.json(caseAnswer(id), { headers: { etag: "tag-1" } });
}

/** A case as the API answers it. */
export function caseAnswer(id: string): JsonObject {
  return { id, type: "T", status: "Open", urgency: 10, data: { caseInfo: { ID: id, content: {} } } };
}

/** A caller for scripts that make no calls. */
export const noCaller: Caller = {
  call: refuseCall,
  prepare: refuseCall,
  startAttempts: () => ({ succeeded: () => {}, next: (thrown) => Promise.reject(thrown) }),
  supportsIdempotencyKeys: () => true,
};

function refuseCall(): Promise<never> {
  return Promise.reject(new SvcError("INTERNAL_ERROR", "This script must make no calls."));
}

/** How to run a script once. */
export interface RunOptions extends WorkflowOptions {
  /** Makes its calls. */
  readonly caller: Caller;
  /** Takes what it prints. */
  readonly onLog?: (text: string) => void;
}

/** Opens a script; its sandboxes load what the program under test loads. */
export function openScript(options: WorkflowOptions): Promise<OpenWorkflow> {
  return openWorkflow({ library: LIBRARY, ...options });
}

/** Opens a script, runs it on an input, and closes it. */
export async function runWorkflow(options: RunOptions, input?: JsonValue): Promise<JsonValue | undefined> {
  await using workflow = await openScript(options);
  const runner = runnerOf(workflow, options.caller);
  options.signal?.addEventListener("abort", () => void runner.interrupt(), { once: true });
  const outcome = await runner.run({ number: 1, place: "input", value: input }, options.onLog);
  if ("failure" in outcome) throw outcome.failure;
  return outcome.result;
}

/** A runner without a journal. */
export function runnerOf(workflow: OpenWorkflow, caller: Caller = noCaller): Runner {
  return new Runner({ workflow, live: new GrantedCalls(caller, workflow) });
}

/** What became of a run. */
export interface Outcome {
  /** Its result. */
  readonly result?: JsonValue;
  /** What it failed with. */
  readonly error?: SvcError;
  /** What it printed, line by line. */
  readonly log: readonly string[];
}

/** Runs a script that is given as text, with everything granted unless the options say otherwise. */
export async function runText(
  text: string | Readonly<Record<string, string>>,
  options: Partial<RunOptions> = {},
  input?: JsonValue,
): Promise<Outcome> {
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
