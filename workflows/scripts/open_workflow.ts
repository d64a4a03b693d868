import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { exists } from "../../utils/fs/exists.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { describeReadError } from "../../utils/fs/describe_error.ts";
import { checkGraph, type CopiedFiles, type Graph, listFailed, readGraph } from "./graph.ts";
import { decideGrants, type GrantOptions, type Grants, loadOperations, type Operations } from "./permissions.ts";
import { PrivateFolder } from "./private_folder.ts";
import { digestFiles, ScriptCopy } from "./script_copy.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import { checkLimits, DEFAULT_LIMITS, type Limits } from "../sandbox/host/limits.ts";
import { type GuestFiles, type GuestLibrary, lostFolder, MAX_REUSE_SECONDS } from "../sandbox/host/guest_process.ts";
import { Guest } from "../sandbox/host/guest.ts";
import { SharedGuest } from "../sandbox/host/shared_guest.ts";
import { type RunHandlers, Sandbox, type StartState } from "../sandbox/host/sandbox.ts";
import { localLibrary } from "../sandbox/host/library.ts";
import type { Declaration } from "../sandbox/protocol/messages.ts";

/** Options of `openWorkflow`. */
export interface WorkflowOptions extends GrantOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Limits of each input. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<Limits>;
  /** Modules that sandboxes load beside the script. Default: those of this program. */
  readonly library?: GuestLibrary;
  /** Aborts loading. */
  readonly signal?: AbortSignal;
}

/** Opens a script: copies it, checks its imports, loads it once, and decides which operations it may call. */
export async function openWorkflow(options: WorkflowOptions): Promise<OpenWorkflow> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  checkLimits(limits);
  const { script, root } = await findScript(options.script, options.root);
  const folder = await PrivateFolder.create();
  let owner: AsyncDisposable = folder;
  try {
    const copy = new ScriptCopy(script, root, await makeFolders(folder));
    const library = options.library ?? await localLibrary(folder.path);
    const guestFiles = { script: copy.script, paths: copy.paths, folder: folder.path, library };
    const workflow = owner = new OpenWorkflow(guestFiles, folder, limits, options);
    const operations = await loadOperations();
    const { name, allow } = await workflow.load(copy, root);
    workflow.grants = await decideGrants(name, allow, operations, options);
    workflow.operations = operations;
    return workflow;
  } catch (error) {
    await owner[Symbol.asyncDispose]();
    throw error;
  }
}

/** The outcomes of loading the copy of a script, and of listing its modules. */
interface LoadedCopy {
  readonly graph: PromiseSettledResult<Graph>;
  readonly declared: PromiseSettledResult<Declaration>;
  /** URLs of the modules that cannot be loaded. */
  readonly failed: readonly string[];
}

/** A loaded script, which can run any number of times. */
export class OpenWorkflow implements AsyncDisposable {
  /** All operations. */
  operations: Operations = new Map();
  /** Operations that the script may call. */
  grants: Grants = new Set();
  /** Name of the workflow. */
  name = "";
  /** True if a process may run many inputs at the same time. */
  isStateless = false;
  /** Digest of the script and its imports. */
  digest = "";
  /** The files of the script: their paths below the folder of its imports, and those of their copies. The script is first. */
  files: readonly { readonly path: string; readonly copy: string }[] = [];
  #guestFiles: GuestFiles;
  readonly #folder: AsyncDisposable;
  /** Limits of each input. */
  readonly limits: Limits;
  readonly #signal?: AbortSignal;
  /** Number of processes that were started. */
  startedProcesses = 0;
  /** Processes that exist: a killed one may still write into the folder. */
  readonly #guests = new Set<Guest>();
  /** Sandboxes that have not ended. */
  readonly #sandboxes = new Set<Sandbox>();
  /** When the process of a sandbox started. */
  readonly #starts = new WeakMap<Sandbox, number>();
  /** Sandboxes that wait for an input. */
  readonly #loaded: Sandbox[] = [];
  /** Processes that run many inputs at the same time. */
  #shared: SharedGuest[] = [];
  /** Number of such processes. */
  #maxShared = 0;
  #copy?: ScriptCopy;
  #reserve = 0;
  /** Settles when the script has its further instances. */
  #adding?: Promise<void>;

  /** Use `openWorkflow`. The workflow removes its folder. */
  constructor(guestFiles: GuestFiles, folder: AsyncDisposable, limits: Limits, { signal }: WorkflowOptions) {
    this.#guestFiles = guestFiles;
    this.#folder = folder;
    this.limits = limits;
    this.#signal = signal;
  }

  /** Loads a copy of the script to get its declaration, and checks the imports of the copy. */
  async load(copy: ScriptCopy, root: string): Promise<Declaration> {
    this.#copy = copy;
    const guestFiles = { ...this.#guestFiles, paths: copy.paths };
    let loaded: LoadedCopy;
    do {
      this.#stop();
      if (copy.hasHiddenImports) await this.#copyHidden(copy, guestFiles);
      loaded = await this.#loadCopy(guestFiles);
    } while (loaded.failed.filter((url) => copy.add(copy.paths.toSource(url))).length > 0);
    if (this.#signal?.aborted) throw interrupted();
    // A missing file makes both fail. The check of the imports has the better message.
    if (loaded.graph.status === "rejected") throw loaded.graph.reason;
    const files = await checkGraph(loaded.graph.value, guestFiles, root);
    if (loaded.declared.status === "rejected") throw loaded.declared.reason;
    this.name = loaded.declared.value.name;
    this.isStateless = loaded.declared.value.isStateless;
    this.digest = await digestFiles(files);
    this.files = copy.list();
    return loaded.declared.value;
  }

  /** Copies the imports that only Deno finds. */
  async #copyHidden(copy: ScriptCopy, guestFiles: CopiedFiles): Promise<void> {
    const script = new URL(copy.paths.toSource(copy.script.href));
    const { modules } = await readGraph({ ...guestFiles, script, paths: undefined }, this.#signal);
    for (const url of modules.keys()) copy.add(url);
  }

  /** Loads the copy in a sandbox and lists its modules, both at the same time. */
  async #loadCopy(guestFiles: CopiedFiles): Promise<LoadedCopy> {
    const sandbox = this.#start();
    this.#loaded.push(sandbox);
    using _listening = this.#signal && onAbort(this.#signal, () => this.#stop(interrupted()));
    const [graph, declared] = await Promise.allSettled([readGraph(guestFiles, this.#signal), sandbox.ready]);
    return { graph, declared, failed: graph.status === "fulfilled" ? listFailed(graph.value) : [] };
  }

  /**
   * Prepares for many inputs: keeps a number of sandboxes in reserve, and gives the script more instances, so that a process
   * can run several inputs one after another. For a stateless script, starts this number of processes instead. Each runs
   * many inputs at the same time.
   */
  expectInputs(reserve: number): void {
    if (this.isStateless) {
      this.#maxShared = Math.max(this.#maxShared, reserve);
      while (this.#shared.length < reserve) this.#startShared();
      return;
    }
    this.#reserve = reserve;
    if (reserve === 0 || this.#adding !== undefined) return;
    this.#adding = this.#addInstances();
    this.#adding.catch(() => {}); // Thrown when a process needs the instances.
  }

  /** Makes the copies while the first input runs, and then starts the processes in reserve. */
  async #addInstances(): Promise<void> {
    const instances = await this.#copy?.addInstances();
    this.#guestFiles = { ...this.#guestFiles, instances };
    this.#fillReserve();
  }

  #fillReserve(): void {
    // A process that starts before the instances exist could run only one input.
    if (this.#guestFiles.instances === undefined) return;
    while (this.#loaded.length < this.#reserve) this.#loaded.push(this.#start());
  }

  /**
   * Runs the script on an input in a new sandbox. `createHandlers` gets a function that stops the sandbox, and one that
   * resolves when the script only waits. With `mayShare`, other inputs of a stateless script may run in the same process. If
   * the process ends, the input fails with the cause `LostSharedProcess`.
   */
  async run(
    input: JsonValue | undefined,
    start: StartState,
    createHandlers: (stop: (reason: SvcError) => void, whenIdle: () => Promise<void>) => RunHandlers,
    { mayShare = false }: { readonly mayShare?: boolean } = {},
  ): Promise<JsonValue | undefined> {
    const isShared = mayShare && this.#maxShared > 0;
    const sandbox = isShared ? this.#openShared() : this.#takeLoaded() ?? await this.#startNext();
    this.#fillReserve();
    try {
      const handlers = createHandlers((reason) => sandbox.stop(reason), () => sandbox.whenIdle());
      await sandbox.ready.catch((error) => this.#explainFailure(error));
      return await sandbox.run(input, handlers, start, this.operations);
    } finally {
      sandbox.stop();
      this.#sandboxes.delete(sandbox);
      if (sandbox.next !== undefined) this.#keep(sandbox.next, this.#starts.get(sandbox));
    }
  }

  /** Keeps the sandbox of a next input, unless its process has started long ago: its processor time is limited. */
  #keep(next: Sandbox, startedAt = -Infinity): void {
    if (performance.now() - startedAt > MAX_REUSE_SECONDS * 1000) return next.stop();
    this.#starts.set(next, startedAt);
    this.#sandboxes.add(next);
    this.#loaded.push(next);
  }

  /** Stops all sandboxes and removes their folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#reserve = 0;
    this.#stop();
    await this.#adding?.catch(() => {});
    await Promise.all(this.#guests.values().map((guest) => guest.gone()));
    await this.#folder[Symbol.asyncDispose]();
  }

  /** Throws the error of a sandbox that cannot load the script. It was loaded before, so its copy may be gone. */
  async #explainFailure(error: unknown): Promise<never> {
    if (await exists(fileURLToPath(this.#guestFiles.script))) throw error;
    throw lostFolder(error);
  }

  /** Takes a sandbox from the reserve, unless it was killed from outside. */
  #takeLoaded(): Sandbox | undefined {
    for (let sandbox = this.#loaded.shift(); sandbox !== undefined; sandbox = this.#loaded.shift()) {
      if (!sandbox.hasEnded) return sandbox;
    }
    return undefined;
  }

  /** Takes or starts a sandbox, when the script has its further instances if it gets any. */
  async #startNext(): Promise<Sandbox> {
    await this.#adding;
    return this.#takeLoaded() ?? this.#start();
  }

  #start(): Sandbox {
    const sandbox = new Sandbox(this.#startGuest());
    this.#starts.set(sandbox, performance.now());
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  #startGuest(): Guest {
    const guest = new Guest(this.#guestFiles, this.limits);
    this.startedProcesses++;
    this.#guests.add(guest);
    void guest.gone().then(() => this.#guests.delete(guest));
    return guest;
  }

  /** Opens a sandbox in the process with the fewest inputs. */
  #openShared(): Sandbox {
    this.#shared = this.#shared.filter(({ isFull }) => !isFull);
    while (this.#shared.length < this.#maxShared) this.#startShared();
    const guest = this.#shared.reduce((one, other) => other.size < one.size ? other : one);
    const sandbox = new Sandbox(guest.open());
    this.#sandboxes.add(sandbox);
    return sandbox;
  }

  #startShared(): void {
    this.#shared.push(new SharedGuest(this.#startGuest()));
  }

  #stop(reason?: SvcError): void {
    for (const guest of this.#shared) guest.kill();
    for (const sandbox of this.#sandboxes) sandbox.stop(reason);
    this.#sandboxes.clear();
    this.#loaded.length = 0;
  }
}

/** Resolves the real paths of the script and its import folder. */
async function findScript(path: string, root?: string): Promise<{ script: string; root: string }> {
  const script = await realPath(path, "script");
  if ((await Deno.stat(script).catch(ignoreMissing))?.isDirectory) {
    throw new SvcError("INVALID_ARGS", `${path} is a folder.`, { hint: "Name the script's file." });
  }
  return { script, root: root === undefined ? dirname(script) : await realPath(root, "root") };
}

async function realPath(path: string, what: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (cause) {
    const reason = describeReadError(cause);
    if (reason === undefined) throw cause;
    throw new SvcError("INVALID_ARGS", `The ${what} ${path} cannot be read: ${reason}.`, {
      cause,
      hint: "Check the path.",
    });
  }
}

/** Folders in which Deno would store data and generated modules of scripts. A file with the same path prevents that. */
const BARRED_FOLDERS = ["location_data", "gen/data", "gen/blob"];

/**
 * Databases in which Deno would cache what a sandbox does not use again. Creating one takes longer than it saves. A folder
 * with the same path prevents that.
 */
const BARRED_CACHES = ["v8_code_cache_v2", "node_analysis_cache_v2"];

/** Creates the cache folder of the sandboxes, and returns the folder for the copy of the script. */
async function makeFolders({ path }: PrivateFolder): Promise<string> {
  await Deno.mkdir(`${path}/gen`);
  await Promise.all([
    ...BARRED_FOLDERS.map((name) => Deno.writeTextFile(`${path}/${name}`, "")),
    ...BARRED_CACHES.map((name) => Deno.mkdir(`${path}/${name}`)),
  ]);
  const copies = `${path}/files`;
  await Deno.mkdir(copies);
  return copies;
}
