/** Checks who can change a file: its owner, and the permissions of the file and of all directories above it. */
import { ignoreMissing } from "./ignore_missing.ts";

/** A file or directory that others can change. */
export interface UntrustedPath {
  /** Path of the file or directory. */
  readonly path: string;
  /** True if another user owns it. Otherwise its permissions allow others to change it. */
  readonly isForeign: boolean;
}

/** Permission to write for the group and for others. */
const WRITABLE = 0o022;

/** In a directory with this bit, only the owner of a file can rename or remove it. */
const STICKY = 0o1000;

const ROOT_UID = 0;

/**
 * Finds the first of a file and the directories above it that others can change: it belongs to a user other than root and
 * this one, or its permissions let others write it. For a link, both its directory and its target count. Returns undefined
 * for a missing file, and on Windows, where Deno reads no permissions.
 */
export function findUntrusted(path: string): UntrustedPath | undefined {
  if (Deno.build.os === "windows" || readMetadata(path) === undefined) return undefined;
  const directory = resolvePath(getParent(path) || ".");
  // Without the permission to read the user, all files must have one owner.
  const uid = findUid() ?? readMetadata(directory)?.uid ?? ROOT_UID;
  const target = resolvePath(path);
  for (const start of getParent(target) === directory ? [target] : [target, directory]) {
    for (let current = start; current !== ""; current = current === "/" ? "" : getParent(current)) {
      const found = readMetadata(current);
      if (found === undefined) break; // The program may not read it.
      const isForeign = found.uid !== null && found.uid !== ROOT_UID && found.uid !== uid;
      if (isForeign || isWritable(found)) return { path: current, isForeign };
    }
  }
  return undefined;
}

/** Describes why others can change a path, e.g. `/tmp/a can be changed by others`. */
export function describeUntrusted({ path, isForeign }: UntrustedPath): string {
  return `${path} ${isForeign ? "belongs to another user" : "can be changed by others"}`;
}

function isWritable({ mode, isDirectory, isSymlink }: Deno.FileInfo): boolean {
  if (mode === null || isSymlink || (mode & WRITABLE) === 0) return false;
  return !isDirectory || (mode & STICKY) === 0;
}

/** Returns the identifier of the user, if the program may read it. */
function findUid(): number | undefined {
  const { state } = Deno.permissions.querySync({ name: "sys", kind: "uid" });
  return state === "granted" ? Deno.uid() ?? undefined : undefined;
}

function readMetadata(path: string): Deno.FileInfo | undefined {
  return tryRead(path, Deno.lstatSync);
}

/** Resolves links. Returns the path as it is if the program may not. */
function resolvePath(path: string): string {
  return tryRead(path, Deno.realPathSync) ?? path;
}

function tryRead<T>(path: string, read: (path: string) => T): T | undefined {
  // Deno would prompt the user for the permission.
  if (Deno.permissions.querySync({ name: "read", path }).state !== "granted") return undefined;
  try {
    return read(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable || error instanceof Deno.errors.PermissionDenied) return undefined;
    return ignoreMissing(error);
  }
}

/** Returns the directory of a path, and an empty text for one without a directory. */
function getParent(path: string): string {
  const slash = path.replace(/\/+$/, "").lastIndexOf("/");
  return slash === 0 ? "/" : path.slice(0, Math.max(slash, 0));
}
