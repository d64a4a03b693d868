/**
 * The part of this library that a sandbox loads. A sandbox loads nothing from the network: where svc itself came from
 * there, it gets a copy in its throw-away folder, and all else is as it is for a checkout.
 */
import { SvcError } from "../../lib/errors.ts";
import { readSource } from "../../lib/import_unseen.ts";
import { builtModule, ownModule } from "../../lib/own_files.ts";

/** What the modules of `Library` load, themselves included: nothing but files of ours. */
export const SANDBOX_FILES: readonly string[] = [
  "lib/answers.ts",
  "lib/client/body.ts",
  "lib/errors.ts",
  "lib/json.ts",
  "lib/json_text.ts",
  "lib/names.ts",
  "lib/param_types.ts",
  "workflows/mod.ts",
  "workflows/sandbox/calls.ts",
  "workflows/sandbox/channel.ts",
  "workflows/sandbox/client.ts",
  "workflows/sandbox/clock.ts",
  "workflows/sandbox/deliveries.ts",
  "workflows/sandbox/fail.ts",
  "workflows/sandbox/files.ts",
  "workflows/sandbox/frames.ts",
  "workflows/sandbox/host.ts",
  "workflows/sandbox/lane.ts",
  "workflows/sandbox/local_work.ts",
  "workflows/sandbox/lockdown.ts",
  "workflows/sandbox/messages.ts",
  "workflows/sandbox/randomness.ts",
  "workflows/sandbox/script.ts",
  "workflows/sandbox/script_error.ts",
  "workflows/sandbox/stand_in.ts",
  "workflows/sandbox/steps.ts",
  "workflows/sandbox/timers.ts",
  "workflows/sandbox/turn.ts",
  "workflows/sandbox/waiting.ts",
];

/**
 * Never called. Deno loads what a literal `import()` names, and all that this loads, together with this module, and it
 * compares a published package's code with what was published. It does not do so for texts, which come from its cache.
 */
const _checked = () => import("./host.ts");

/** Modules of the library that are named from outside of it, by their addresses. */
export interface Library {
  /** What runs in the sandbox in front of the script, and what scripts import. */
  readonly host: string;
  /** What the script takes the place of. */
  readonly script: string;
}

/** The library as files of this machine; where it is none, a copy below the folder. */
export async function localLibrary(folder: string): Promise<Library> {
  if (ownModule("").protocol === "file:") return libraryAt(ownModule);
  await copyTo(`${folder}/library`);
  const { pathToFileURL } = await import("node:url");
  const copies = pathToFileURL(`${folder}/library/`);
  return libraryAt((path) => new URL(path, copies));
}

/** The library as part of a built program, from the address of its `cli.js`. */
export function builtLibrary(program: URL): Library {
  return libraryAt((path) => builtModule(path, program.href));
}

function libraryAt(address: (path: string) => URL): Library {
  const host = address("workflows/sandbox/host.ts").href;
  return { host, script: address("workflows/sandbox/script.ts").href };
}

async function copyTo(folder: string): Promise<void> {
  const sources = await Promise.all(SANDBOX_FILES.map(async (file) => ({ file, source: await sourceOf(file) })));
  for (const { file, source } of sources) {
    const path = `${folder}/${file}`;
    await Deno.mkdir(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(path, source);
  }
}

/** The source as Deno has it in its cache. */
async function sourceOf(file: string): Promise<string> {
  const source = await readSource(file);
  if (typeof source === "string") return source;
  throw new SvcError("INTERNAL_ERROR", `${file} was not loaded as a text.`);
}
