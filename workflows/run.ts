/** Runs a workflow script: opens it, decides what it may call, and gives each input a sandbox of its own. */
import type { Caller } from "../lib/client/caller.ts";
import { SvcError } from "../lib/errors.ts";
import type { JsonValue } from "../lib/json.ts";
import { checkGraph } from "./graph.ts";
import {
  decideGrants,
  grantedOperation,
  type GrantOptions,
  type Grants,
  loadOperations,
  type Operations,
} from "./permissions.ts";
import type { Limits, Place } from "./sandbox/command.ts";
import { type CallAnswer, Sandbox } from "./sandbox/sandbox.ts";
import { localLibrary } from "./sandbox/library.ts";
import type { CallRequest, Declaration } from "./sandbox/messages.ts";

/** What a run may use unless it is said otherwise. */
export const DEFAULT_LIMITS: Limits = { timeoutSeconds: 300, maxMemoryMiB: 256 };

/** Less than this and the engine cannot even start. */
const MIN_MEMORY_MIB = 16;

/** How to open a workflow. */
export interface WorkflowOptions extends GrantOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder that holds everything that the script imports; the script's own without it. */
  readonly root?: string;
  /** Makes the calls. */
  readonly caller: Caller;
  /** What each run may use; `DEFAULT_LIMITS` for what is not given. */
  readonly limits?: Partial<Limits>;
  /** Stops everything. */
  readonly signal?: AbortSignal;
}

/** How to run a workflow once. */
export interface RunOptions {
  /** Takes what the script prints: one or more lines, safe for a terminal. */
  readonly onLog?: (text: string) => void;
}

/** Runs a script once: opens it, runs it on the input, closes it. */
export async function runWorkflow(
  options: WorkflowOptions & RunOptions,
  input?: JsonValue,
): Promise<JsonValue | undefined> {
  await using workflow = await openWorkflow(options);
  return await workflow.run(input, options);
}

/** Opens a script: checks what it imports, loads it once, and decides what it may call. */
export async function openWorkflow(options: WorkflowOptions): Promise<OpenWorkflow> {
  const limits = checkLimits({ ...DEFAULT_LIMITS, ...options.limits });
  const { script, folder: root } = await findScript(options.script, options.root);
  const workflow = new OpenWorkflow(await makePlace(script), limits, options);
  try {
    const operations = await loadOperations();
    const { name, allow } = await workflow.declaration(root);
    workflow.allow(operations, await decideGrants(name, allow, operations, options));
    return workflow;
  } catch (error) {
    await workflow[Symbol.asyncDispose]();
    throw error;
  }
}

/** A script that is loaded and may run, once or many times. */
export class OpenWorkflow implements AsyncDisposable {
  /** Sandboxes to have loaded before they are needed. */
  reserve = 0;
  readonly #place: Place;
  readonly #limits: Limits;
  readonly #caller: Caller;
  readonly #signal?: AbortSignal;
  readonly #sandboxes = new Set<Sandbox>();
  readonly #loaded: Sandbox[] = [];
  #operations: Operations = new Map();
  #grants: Grants = new Set();
  readonly #interrupt = () => this.#stop(interrupted());

  /** Use `openWorkflow`. */
  constructor(place: Place, limits: Limits, { caller, signal }: WorkflowOptions) {
    this.#place = place;
    this.#limits = limits;
    this.#caller = caller;
    this.#signal = signal;
    signal?.addEventListener("abort", this.#interrupt, { once: true });
  }

  /** What the script says of itself. It is loaded for that, while its imports are checked. */
  async declaration(root: string): Promise<Declaration> {
    const sandbox = this.#start();
    this.#loaded.push(sandbox);
    const checked = checkGraph(this.#place, root, this.#signal);
    const [graph, declared] = await Promise.allSettled([checked, sandbox.ready]);
    if (this.#signal?.aborted) throw interrupted();
    // A missing file makes both fail; the check of the imports says it better.
    if (graph.status === "rejected") throw graph.reason;
    if (declared.status === "rejected") throw declared.reason;
    return declared.value;
  }

  /** Grants calls to all further runs. */
  allow(operations: Operations, grants: Grants): void {
    this.#operations = operations;
    this.#grants = grants;
  }

  /** Runs the script on an input, in a sandbox that nothing has run in before. */
  async run(input: JsonValue | undefined, { onLog = () => {} }: RunOptions = {}): Promise<JsonValue | undefined> {
    if (this.#signal?.aborted) this.#interrupt();
    const sandbox = this.#loaded.shift() ?? this.#start();
    while (this.#loaded.length < this.reserve) this.#loaded.push(this.#start());
    try {
      return await sandbox.run(input, { call: (request, _, signal) => this.#call(request, signal), log: onLog });
    } finally {
      sandbox.stop();
      this.#sandboxes.delete(sandbox);
    }
  }

  /** Ends all sandboxes and removes their folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#signal?.removeEventListener("abort", this.#interrupt);
    const sandboxes = [...this.#sandboxes];
    this.#stop();
    await Promise.all(sandboxes.map((sandbox) => sandbox.gone()));
    await Deno.remove(this.#place.folder, { recursive: true });
  }

  async #call({ operation, values, timeoutSeconds }: CallRequest, signal: AbortSignal): Promise<CallAnswer> {
    const granted = grantedOperation(operation, this.#operations, this.#grants);
    return await this.#caller.call(granted, values, { signal, timeoutSeconds });
  }

  #start(): Sandbox {
    const sandbox = new Sandbox(this.#place, this.#limits);
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  #stop(reason?: SvcError): void {
    for (const sandbox of this.#sandboxes) sandbox.stop(reason);
    this.#sandboxes.clear();
    this.#loaded.length = 0;
  }
}

function interrupted(): SvcError {
  return new SvcError("INTERRUPTED", "The workflow was interrupted.");
}

function checkLimits(limits: Limits): Limits {
  if (!(limits.timeoutSeconds > 0 && limits.timeoutSeconds <= 1_000_000)) {
    throw new SvcError("INVALID_ARGS", "--timeout must be a number of seconds above 0.");
  }
  if (!(limits.maxMemoryMiB >= MIN_MEMORY_MIB)) {
    throw new SvcError("INVALID_ARGS", `--max-memory must be at least ${MIN_MEMORY_MIB} (MiB).`);
  }
  return limits;
}

/** The script and the folder of its imports, by their real paths: both must exist. */
async function findScript(path: string, root?: string): Promise<{ script: URL; folder: string }> {
  const { pathToFileURL } = await import("node:url");
  const script = await realPath(path, "script");
  if ((await Deno.stat(script)).isDirectory) {
    throw new SvcError("INVALID_ARGS", `${path} is a folder.`, { hint: "Name the script's file." });
  }
  return {
    script: pathToFileURL(script),
    folder: root === undefined ? parentOf(script) : await realPath(root, "root"),
  };
}

function parentOf(path: string): string {
  return path.replace(/[\\/][^\\/]*$/, "") || "/";
}

async function realPath(path: string, what: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) throw cause;
    throw new SvcError("INVALID_ARGS", `The ${what} ${path} does not exist.`, { cause, hint: "Check the path." });
  }
}

/** A folder for what Deno caches. Where Deno would keep storage for scripts is a file, so that there is none. */
async function makePlace(script: URL): Promise<Place> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-workflow-" }));
  try {
    await Deno.writeTextFile(`${folder}/location_data`, "");
    return { script, folder, library: await localLibrary(folder) };
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}
