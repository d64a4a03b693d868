/**
 * The part of this library that a sandbox loads. A sandbox loads nothing from the network: where svc itself came from
 * there, it gets a copy in its throw-away folder, and all else is as it is for a checkout.
 */
import { SvcError } from "../../../lib/errors.ts";
import { readSource } from "../../../lib/import_unseen.ts";
import { builtModule, ownModule } from "../../../lib/own_files.ts";

/** What the modules of `Library` load, themselves included: nothing but files of ours. */
export const SANDBOX_FILES: readonly string[] = [
  "lib/answers/answers.ts",
  "lib/client/body.ts",
  "lib/errors.ts",
  "utils/json.ts",
  "lib/client/json_text.ts",
  "lib/operation/names.ts",
  "lib/operation/param_types.ts",
  "workflows/mod.ts",
  "workflows/sandbox/guest/calls.ts",
  "workflows/sandbox/guest/channel.ts",
  "workflows/sandbox/guest/client.ts",
  "workflows/sandbox/guest/clock.ts",
  "workflows/sandbox/guest/deliveries.ts",
  "workflows/sandbox/guest/fail.ts",
  "workflows/sandbox/protocol/files.ts",
  "workflows/sandbox/protocol/frames.ts",
  "workflows/sandbox/guest/main.ts",
  "workflows/sandbox/guest/lane.ts",
  "workflows/sandbox/guest/local_work.ts",
  "workflows/sandbox/guest/lockdown.ts",
  "workflows/sandbox/protocol/messages.ts",
  "workflows/sandbox/guest/randomness.ts",
  "workflows/sandbox/guest/script.ts",
  "workflows/sandbox/guest/script_error.ts",
  "workflows/sandbox/guest/placeholder.ts",
  "workflows/sandbox/guest/steps.ts",
  "workflows/sandbox/guest/timers.ts",
  "workflows/sandbox/guest/turn.ts",
  "workflows/sandbox/guest/waiting.ts",
];

/**
 * Never called. Deno loads what a literal `import()` names, and all that this loads, together with this module, and it
 * compares a published package's code with what was published. It does not do so for texts, which come from its cache.
 */
const _checked = () => import("../guest/main.ts");

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
  const host = address("workflows/sandbox/guest/main.ts").href;
  return { host, script: address("workflows/sandbox/guest/script.ts").href };
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
