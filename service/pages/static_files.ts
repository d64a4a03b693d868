/** The files that come with an application: those of the folder `static/` beside its definition, known since the start. */
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { readChunks } from "../../utils/fs/chunks.ts";
import type { SentContent } from "../http/handler.ts";
import { mediaTypeOf } from "../attachments/media_types.ts";

/** The kinds of files, each a folder of its own. */
export const STATIC_KINDS = ["components", "files", "profile-images"] as const;

/** A kind of files. */
export type StaticKind = (typeof STATIC_KINDS)[number];

/** The files of an application. */
export interface StaticFiles {
  /** A file by its name, if the application has it. */
  find(kind: StaticKind, name: string): Promise<SentContent | undefined>;
  /** The names of a kind. */
  names(kind: StaticKind): readonly string[];
}

/**
 * The files of a folder. A name is looked up among those that were found there: it never becomes a path, and a link that
 * leads out of the folder is not found at all.
 */
export async function openStaticFiles(folder: string): Promise<StaticFiles> {
  const found = new Set<string>();
  const root = await Deno.realPath(folder).catch(ignoreMissing);
  for (const kind of STATIC_KINDS) {
    for (const name of await namesIn(`${folder}/${kind}`)) {
      if (await fileIn(folder, root, `${kind}/${name}`) !== undefined) found.add(`${kind}/${name}`);
    }
  }
  return {
    names: (kind) => namesOf(found, kind),
    async find(kind, name) {
      if (!found.has(`${kind}/${name}`)) return undefined;
      const file = await fileIn(folder, root, `${kind}/${name}`); // It may be another since the start, or a link.
      if (file === undefined) return undefined;
      return { type: mediaTypeOf(name), name, size: file.size, stream: readChunks(() => Deno.open(file.path)) };
    },
  };
}

/** Where a file of a folder really is, and its size; nothing where that is not below the folder, or no file. */
async function fileIn(
  folder: string,
  root: string | undefined,
  name: string,
): Promise<{ path: string; size: number } | undefined> {
  const path = await Deno.realPath(`${folder}/${name}`).catch(ignoreMissing);
  if (root === undefined || path === undefined || !isBelow(path, root)) return undefined;
  const file = await Deno.lstat(path).catch(ignoreMissing);
  return file?.isFile ? { path, size: file.size } : undefined;
}

/** Files that are kept as base64, by their paths. */
export function keptStaticFiles(kept: Readonly<Record<string, string>>): StaticFiles {
  const files = new Map(Object.entries(kept));
  return {
    names: (kind) => namesOf(files.keys(), kind),
    find(kind, name) {
      const file = files.get(`${kind}/${name}`);
      if (file === undefined) return Promise.resolve(undefined);
      const bytes = new Blob([Uint8Array.fromBase64(file)]);
      return Promise.resolve({ type: mediaTypeOf(name), name, size: bytes.size, stream: bytes.stream() });
    },
  };
}

async function namesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  return entries.map(({ name }) => name).sort();
}

function namesOf(paths: Iterable<string>, kind: StaticKind): string[] {
  return [...paths].filter((path) => path.startsWith(`${kind}/`)).map((path) => path.slice(kind.length + 1));
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}
