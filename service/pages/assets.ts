/** Static files of an application, which are in the folder `static/` beside its definition. */
import { readChunks } from "../../utils/fs/chunks.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { guessMediaType } from "../../utils/media_type.ts";

/** The kinds of assets. Each has its own folder. */
export const ASSET_KINDS = ["components", "files", "profile-images"] as const;

/** A kind of assets. */
export type AssetKind = (typeof ASSET_KINDS)[number];

/** The assets of an application. */
export interface Assets {
  /** Finds an asset by its name. */
  find(kind: AssetKind, name: string): Promise<Asset | undefined>;
  /** Lists the names of a kind. */
  list(kind: AssetKind): readonly string[];
}

/** A static file. */
export interface Asset {
  /** Media type. */
  readonly type: string;
  readonly name: string;
  /** Number of bytes. */
  readonly size: number;
  readonly stream: ReadableStream<Uint8Array>;
}

/**
 * Opens the assets of a folder. A name is looked up among the files that are found now, so it cannot be a path to another
 * place. A link that leaves the folder is not found.
 */
export async function openAssets(folder: string): Promise<Assets> {
  const known = new Set<string>();
  const root = await Deno.realPath(folder).catch(ignoreMissing);
  for (const kind of ASSET_KINDS) {
    for (const name of await listNames(`${folder}/${kind}`)) {
      if (await findFile(folder, root, `${kind}/${name}`) !== undefined) known.add(`${kind}/${name}`);
    }
  }
  return {
    list: (kind) => filterKind(known, kind),
    async find(kind, name) {
      if (!known.has(`${kind}/${name}`)) return undefined;
      // A link may have replaced the file.
      const file = await findFile(folder, root, `${kind}/${name}`);
      if (file === undefined) return undefined;
      return { type: guessMediaType(name), name, size: file.size, stream: readChunks(() => Deno.open(file.path)) };
    },
  };
}

/** Finds the real path and the size of a file. Returns undefined if it is missing or outside of the folder. */
async function findFile(
  folder: string,
  root: string | undefined,
  name: string,
): Promise<{ path: string; size: number } | undefined> {
  const path = await Deno.realPath(`${folder}/${name}`).catch(ignoreMissing);
  if (root === undefined || path === undefined || !isBelow(path, root)) return undefined;
  const file = await Deno.lstat(path).catch(ignoreMissing);
  return file?.isFile ? { path, size: file.size } : undefined;
}

/** Opens assets that are packed as base64, by their paths. */
export function openPackedAssets(packed: Readonly<Record<string, string>>): Assets {
  const files = new Map(Object.entries(packed));
  return {
    list: (kind) => filterKind(files.keys(), kind),
    find(kind, name) {
      const file = files.get(`${kind}/${name}`);
      if (file === undefined) return Promise.resolve(undefined);
      const bytes = new Blob([Uint8Array.fromBase64(file)]);
      return Promise.resolve({ type: guessMediaType(name), name, size: bytes.size, stream: bytes.stream() });
    },
  };
}

async function listNames(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(folder)).catch(ignoreMissing) ?? [];
  return entries.map(({ name }) => name).sort();
}

function filterKind(paths: Iterable<string>, kind: AssetKind): string[] {
  return [...paths].filter((path) => path.startsWith(`${kind}/`)).map((path) => path.slice(kind.length + 1));
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder) && /^[\\/]/.test(path.slice(folder.length));
}
