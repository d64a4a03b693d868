import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { lowerFirst } from "../../utils/text/wording.ts";
import { listScriptFiles } from "./graph.ts";
import { decideGrants, type GrantOptions, type Grants, loadOperations, type Operations } from "./permissions.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import { checkLimits, DEFAULT_LIMITS, type Limits } from "../sandbox/host/limits.ts";
import { ScriptFiles } from "./script_files.ts";
import type { GuestFiles, GuestLibrary } from "../sandbox/host/guest_process.ts";
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

/** Opens a script: checks its imports, loads it once, and decides which operations it may call. */
export async function openWorkflow(options: WorkflowOptions): Promise<OpenWorkflow> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  checkLimits(limits);
  const { script, folder: root } = await findScript(options.script, options.root);
  const workflow = new OpenWorkflow(await createGuestFiles(script, options.library), limits, options);
  try {
    const operations = await loadOperations();
    const { name, allow } = await workflow.load(root);
    workflow.grants = await decideGrants(name, allow, operations, options);
    workflow.operations = operations;
    return workflow;
  } catch (error) {
    await workflow[Symbol.asyncDispose]();
    throw error;
  }
}

/** A loaded script, which can run any number of times. */
export class OpenWorkflow implements AsyncDisposable {
  /** Number of sandboxes to load in advance. */
  reserve = 0;
  /** All operations. */
  operations: Operations = new Map();
  /** Operations that the script may call. */
  grants: Grants = new Set();
  /** Name of the workflow. */
  name = "";
  readonly #files = new ScriptFiles();
  readonly #guestFiles: GuestFiles;
  readonly #limits: Limits;
  readonly #signal?: AbortSignal;
  /** Sandboxes whose processes exist: a killed one may still write into the folder. */
  readonly #sandboxes = new Set<Sandbox>();
  readonly #loaded: Sandbox[] = [];

  /** Use `openWorkflow`. */
  constructor(guestFiles: GuestFiles, limits: Limits, { signal }: WorkflowOptions) {
    this.#guestFiles = guestFiles;
    this.#limits = limits;
    this.#signal = signal;
  }

  /** Digest of the script and its imports. */
  get digest(): string {
    return this.#files.digest;
  }

  /** Loads the script to get its declaration, and checks its imports at the same time. */
  async load(root: string): Promise<Declaration> {
    const sandbox = this.#start();
    this.#loaded.push(sandbox);
    using _listening = this.#signal && onAbort(this.#signal, () => this.#stop(interrupted()));
    const checked = listScriptFiles(this.#guestFiles, root, this.#signal);
    const [graph, declared] = await Promise.allSettled([checked, sandbox.ready]);
    if (this.#signal?.aborted) throw interrupted();
    // A missing file makes both fail. The check of the imports has the better message.
    if (graph.status === "rejected") throw graph.reason;
    if (declared.status === "rejected") throw declared.reason;
    this.name = declared.value.name;
    await this.#files.record(graph.value);
    return declared.value;
  }

  /**
   * Runs the script on an input in a new sandbox. `createHandlers` gets a function that stops the sandbox, and one that
   * resolves when the script only waits.
   */
  async run(
    input: JsonValue | undefined,
    start: StartState,
    createHandlers: (stop: (reason: SvcError) => void, whenIdle: () => Promise<void>) => RunHandlers,
  ): Promise<JsonValue | undefined> {
    const sandbox = this.#takeLoaded() ?? this.#start();
    while (this.#loaded.length < this.reserve) this.#loaded.push(this.#start());
    try {
      const handlers = createHandlers((reason) => sandbox.stop(reason), () => sandbox.whenIdle());
      await sandbox.ready.finally(() => this.#files.check()); // A changed file may be the reason of a failed load.
      return await sandbox.run(input, handlers, start, this.operations);
    } finally {
      sandbox.stop();
    }
  }

  /** Stops all sandboxes and removes their folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all(this.#sandboxes.values().map((sandbox) => sandbox.gone()));
    await Deno.remove(this.#guestFiles.folder, { recursive: true }).catch(ignoreMissing); // Already removed by a tmp cleaner.
  }

  /** Takes a sandbox from the reserve, unless it was killed from outside. */
  #takeLoaded(): Sandbox | undefined {
    for (let sandbox = this.#loaded.shift(); sandbox !== undefined; sandbox = this.#loaded.shift()) {
      if (!sandbox.hasEnded) return sandbox;
    }
    return undefined;
  }

  #start(): Sandbox {
    const sandbox = new Sandbox(this.#guestFiles, this.#limits);
    this.#sandboxes.add(sandbox);
    void sandbox.gone().then(() => this.#sandboxes.delete(sandbox));
    return sandbox;
  }

  #stop(reason?: SvcError): void {
    for (const sandbox of this.#sandboxes) sandbox.stop(reason);
    this.#loaded.length = 0;
  }
}

/** Resolves the real paths of the script and its import folder. */
async function findScript(path: string, root?: string): Promise<{ script: URL; folder: string }> {
  const [{ pathToFileURL }, { dirname }] = await Promise.all([import("node:url"), import("node:path")]);
  const script = await realPath(path, "script");
  if ((await Deno.stat(script)).isDirectory) {
    throw new SvcError("INVALID_ARGS", `${path} is a folder.`, { hint: "Name the script's file." });
  }
  return {
    script: pathToFileURL(script),
    folder: root === undefined ? dirname(script) : await realPath(root, "root"),
  };
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

/** Creates the cache folder of the sandboxes. */
async function createGuestFiles(script: URL, library?: GuestLibrary): Promise<GuestFiles> {
  const folder = await makeTemporaryFolder();
  try {
    await Deno.mkdir(`${folder}/gen`);
    await Promise.all(BARRED_FOLDERS.map((name) => Deno.writeTextFile(`${folder}/${name}`, "")));
    return { script, folder, library: library ?? await localLibrary(folder) };
  } catch (error) {
    await Deno.remove(folder, { recursive: true });
    throw error;
  }
}

async function makeTemporaryFolder(): Promise<string> {
  try {
    return await Deno.realPath(await Deno.makeTempDir({ prefix: "svc-workflow-" }));
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    const reason = describeWriteError(cause) ?? lowerFirst(getErrorMessage(cause)); // E.g. an empty TMPDIR.
    throw new SvcError("INVALID_CONFIG", `The folder for temporary files cannot be created: ${reason}.`, {
      cause,
      hint: "Set TMPDIR to a writable directory.",
    });
  }
}
