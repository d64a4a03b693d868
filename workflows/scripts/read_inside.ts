import { joinBytes } from "../sandbox/protocol/frames.ts";

/** Number of times that the place of an open file is checked. */
const PLACE_CHECKS = 16;

/** Number of times that a file is opened which is replaced meanwhile, e.g. by an editor that saves it. */
const ATTEMPTS = 3;

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file of a folder, and at most one chunk more than `maxBytes`. Throws the error of the file system if it cannot be
 * read.
 */
export function readInside(path: string, folder: string, maxBytes: number): Uint8Array<ArrayBuffer> {
  for (let attempt = 1;; attempt++) {
    const real = findRealPath(path, folder);
    if (!isInside(real, folder)) throw new Deno.errors.NotFound(`${real} is outside ${folder} (os error 2)`);
    using file = openFile(real);
    if (isAt(file, real)) return readBytes(file, maxBytes);
    if (attempt === ATTEMPTS) throw new Deno.errors.NotFound(`${path} was replaced while it was read (os error 2)`);
  }
}

/** Reports whether a real path is below a folder. */
export function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.replace(/[\\/]?$/, Deno.build.os === "windows" ? "\\" : "/"));
}

/** Returns the real path of a file. Outside of the folder, it can be one that Deno shows only to trusted programs. */
function findRealPath(path: string, folder: string): string {
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable && !isInside(path, folder)) return path;
    throw error;
  }
}

function openFile(path: string): Deno.FsFile {
  const { isFile, isDirectory } = Deno.lstatSync(path);
  if (isDirectory) throw new Deno.errors.IsADirectory(`${path} is a directory`);
  if (!isFile) throw new Deno.errors.NotFound(`${path} is not a regular file (os error 2)`); // Opening a pipe would block.
  return Deno.openSync(path);
}

/**
 * Reports whether an open file is the one at a path without links. A process that keeps replacing a directory of the
 * path with a link could deceive one check. The probability is a quarter, so a number of checks excludes it.
 */
function isAt(file: Deno.FsFile, path: string): boolean {
  const { dev, ino } = file.statSync();
  try {
    for (let check = 0; check < PLACE_CHECKS; check++) {
      if (Deno.realPathSync(path) !== path) return false;
      const found = Deno.lstatSync(path);
      if (found.dev !== dev || found.ino !== ino) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

function readBytes(file: Deno.FsFile, maxBytes: number): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size <= maxBytes;) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const length = file.readSync(chunk);
    if (length === null) break;
    size += length;
    chunks.push(chunk.subarray(0, length));
  }
  return joinBytes(chunks);
}
