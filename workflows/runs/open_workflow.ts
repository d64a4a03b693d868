/** Opens a workflow script: decides what it may call, and gives each input a sandbox of its own. */
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { onAbort } from "../../utils/async/on_abort.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { lowerFirst } from "../../utils/text/wording.ts";
import { listScriptFiles } from "../scripts/graph.ts";
import {
  decideGrants,
  type GrantOptions,
  type Grants,
  loadOperations,
  type Operations,
} from "../scripts/permissions.ts";
import { interrupted } from "./interruption.ts";
import { checkLimits, DEFAULT_LIMITS, type Limits } from "./limits.ts";
import { ScriptFiles } from "../scripts/script_files.ts";
import type { Place } from "../sandbox/host/command.ts";
import { type Beginning, type RunHandlers, Sandbox } from "../sandbox/host/sandbox.ts";
import { type Library, localLibrary } from "../sandbox/host/library.ts";
import type { Declaration } from "../sandbox/protocol/messages.ts";

/** How to open a workflow. */
export interface WorkflowOptions extends GrantOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder that holds everything that the script imports; the script's own without it. */
  readonly root?: string;
  /** What each run may use; `DEFAULT_LIMITS` for what is not given. */
  readonly limits?: Partial<Limits>;
  /** What the sandboxes load beside the script; what is found beside this program without it. */
  readonly library?: Library;
  /** Stops the loading. */
  readonly signal?: AbortSignal;
}

/** Opens a script: checks what it imports, loads it once, and decides what it may call. */
export async function openWorkflow(options: WorkflowOptions): Promise<OpenWorkflow> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  checkLimits(limits);
  const { script, folder: root } = await findScript(options.script, options.root);
  const workflow = new OpenWorkflow(await makePlace(script, options.library), limits, options);
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

/** A script that is loaded and may run, once or many times. */
export class OpenWorkflow implements AsyncDisposable {
  /** Sandboxes to have loaded before they are needed. */
  reserve = 0;
  /** All operations. */
  operations: Operations = new Map();
  /** Those of them that the script may call. */
  grants: Grants = new Set();
  /** What the script calls itself. */
  name = "";
  readonly #files = new ScriptFiles();
  readonly #place: Place;
  readonly #limits: Limits;
  readonly #signal?: AbortSignal;
  /** Those whose processes are not gone: one that was killed may still write into the folder. */
  readonly #sandboxes = new Set<Sandbox>();
  readonly #loaded: Sandbox[] = [];

  /** Use `openWorkflow`. */
  constructor(place: Place, limits: Limits, { signal }: WorkflowOptions) {
    this.#place = place;
    this.#limits = limits;
    this.#signal = signal;
  }

  /** Digest of the script's files. */
  get digest(): string {
    return this.#files.digest;
  }

  /** What the script says of itself. It is loaded for that, while its imports are checked. */
  async load(root: string): Promise<Declaration> {
    const sandbox = this.#start();
    this.#loaded.push(sandbox);
    using _listening = this.#signal && onAbort(this.#signal, () => this.#stop(interrupted()));
    const checked = listScriptFiles(this.#place, root, this.#signal);
    const [graph, declared] = await Promise.allSettled([checked, sandbox.ready]);
    if (this.#signal?.aborted) throw interrupted();
    // A missing file makes both fail; the check of the imports says it better.
    if (graph.status === "rejected") throw graph.reason;
    if (declared.status === "rejected") throw declared.reason;
    this.name = declared.value.name;
    await this.#files.record(graph.value);
    return declared.value;
  }

  /**
   * Runs the script on an input, in a sandbox that nothing has run in before. The handlers are made for it, and get what
   * ends it, and what tells when the script does nothing but wait.
   */
  async run(
    input: JsonValue | undefined,
    beginning: Beginning,
    handlersFor: (stop: (reason: SvcError) => void, rested: () => Promise<void>) => RunHandlers,
  ): Promise<JsonValue | undefined> {
    const sandbox = this.#takeLoaded() ?? this.#start();
    while (this.#loaded.length < this.reserve) this.#loaded.push(this.#start());
    try {
      const handlers = handlersFor((reason) => sandbox.stop(reason), () => sandbox.rested()); // Now it can be interrupted.
      await sandbox.ready.finally(() => this.#files.check()); // It may fail to load for what was done to them.
      return await sandbox.run(input, handlers, beginning, this.operations);
    } finally {
      sandbox.stop();
    }
  }

  /** Ends all sandboxes and removes their folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop();
    await Promise.all(this.#sandboxes.values().map((sandbox) => sandbox.gone()));
    await Deno.remove(this.#place.folder, { recursive: true }).catch(ignoreMissing); // What tidies up /tmp was faster.
  }

  /** A sandbox in reserve; one that somebody has killed meanwhile is none. */
  #takeLoaded(): Sandbox | undefined {
    for (let sandbox = this.#loaded.shift(); sandbox !== undefined; sandbox = this.#loaded.shift()) {
      if (!sandbox.hasEnded) return sandbox;
    }
    return undefined;
  }

  #start(): Sandbox {
    const sandbox = new Sandbox(this.#place, this.#limits);
    this.#sandboxes.add(sandbox);
    void sandbox.gone().then(() => this.#sandboxes.delete(sandbox));
    return sandbox;
  }

  #stop(reason?: SvcError): void {
    for (const sandbox of this.#sandboxes) sandbox.stop(reason);
    this.#loaded.length = 0;
  }
}

/** The script and the folder of its imports, by their real paths. */
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
    const fault = describeReadError(cause);
    if (fault === undefined) throw cause;
    throw new SvcError("INVALID_ARGS", `The ${what} ${path} cannot be read: ${fault}.`, {
      cause,
      hint: "Check the path.",
    });
  }
}

/** Where Deno would keep storage for scripts, and the modules that they make up. */
const BARRED = ["location_data", "gen/data", "gen/blob"];

/** A folder for what Deno caches. What it shall not keep has a file where its folder would be. */
async function makePlace(script: URL, library?: Library): Promise<Place> {
  const folder = await makeTemporaryFolder();
  try {
    await Deno.mkdir(`${folder}/gen`);
    await Promise.all(BARRED.map((name) => Deno.writeTextFile(`${folder}/${name}`, "")));
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
    const fault = describeWriteError(cause) ?? lowerFirst(getErrorMessage(cause)); // Of a TMPDIR that is empty, Deno says so.
    throw new SvcError("INVALID_CONFIG", `No folder for temporary files can be made: ${fault}.`, {
      cause,
      hint: "Name a directory in TMPDIR that is there and can be written.",
    });
  }
}
