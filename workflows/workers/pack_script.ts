/** Scripts that travel with their imports to the workers. */
import { dirname } from "node:path";
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, isString } from "../../utils/json.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";

/** A script in a folder. */
export interface UnpackedScript {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that it imports. */
  readonly root: string;
}

/** Packs the files of a checked script into a text. */
export async function packScript({ files }: OpenWorkflow): Promise<string> {
  const packed = await Promise.all(files.map(async ({ path, copy }) => [path, (await Deno.readFile(copy)).toBase64()]));
  return JSON.stringify({ script: files[0]?.path, files: Object.fromEntries(packed) });
}

/** Writes the files of a packed script into an empty folder. */
export async function unpackScript(text: string, folder: string): Promise<UnpackedScript> {
  const { script, files } = parsePacked(text);
  for (const [path, content] of files) {
    await Deno.mkdir(`${folder}/${dirname(path)}`, { recursive: true, mode: 0o700 });
    await Deno.writeFile(`${folder}/${path}`, Uint8Array.fromBase64(content), { mode: 0o600, createNew: true });
  }
  return { script: `${folder}/${script}`, root: folder };
}

function parsePacked(
  text: string,
): { readonly script: string; readonly files: readonly (readonly [string, string])[] } {
  const packed: unknown = JSON.parse(text);
  if (isJsonObject(packed) && isString(packed.script) && isJsonObject(packed.files)) {
    const files = Object.entries(packed.files).flatMap(([path, content]) =>
      isString(content) && isBelow(path) ? [[path, content] as const] : []
    );
    if (files.length === Object.keys(packed.files).length && isBelow(packed.script)) {
      return { script: packed.script, files };
    }
  }
  throw new SvcError("JOURNAL_DAMAGED", "The recorded script is damaged.", { hint: "Start a new run." });
}

/** Reports whether a path stays below its folder. */
function isBelow(path: string): boolean {
  return path !== "" && !/^[/\\]|^[A-Za-z]:|\\/.test(path) && !path.split("/").includes("..");
}
