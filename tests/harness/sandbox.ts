/** One sandbox without all that stands around it: its test is the parent. */
import type { JsonValue } from "../../utils/json.ts";
import { loadOperations } from "../../workflows/scripts/permissions.ts";
import type { Limits } from "../../workflows/runs/limits.ts";
import { localLibrary } from "../../workflows/sandbox/host/library.ts";
import { type Beginning, type RunHandlers, Sandbox } from "../../workflows/sandbox/host/sandbox.ts";
import { LIBRARY } from "./program.ts";
import { makeFolder } from "./workflow.ts";

/** Loads `script.ts` of these files and runs it on an input. */
export async function runInSandbox(
  files: Readonly<Record<string, string>>,
  handlers: RunHandlers,
  beginning: Beginning,
  { input, limits }: { input?: JsonValue; limits?: Partial<Limits> } = {},
): Promise<JsonValue | undefined> {
  await using folder = await makeFolder(files);
  await using cache = await makeFolder();
  const place = {
    script: new URL(`file://${folder.path}/script.ts`),
    folder: cache.path,
    library: LIBRARY ?? await localLibrary(cache.path),
  };
  const sandbox = new Sandbox(place, { timeoutSeconds: 20, maxMemoryMiB: 128, ...limits });
  try {
    return await sandbox.run(input, handlers, beginning, await loadOperations());
  } finally {
    sandbox.stop();
    await sandbox.gone();
  }
}
