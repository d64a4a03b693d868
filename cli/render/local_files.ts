/** Files of the command line. Uploads are read in chunks. Files are written completely or not at all. */
import { SvcError } from "../../lib/errors.ts";
import { isFileSizeLimit, RAISE_SIZE_LIMIT } from "../../utils/fs/file_size_limit.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import { resolveLink } from "../../utils/fs/resolve_link.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { readChunks, writeAll } from "../../utils/fs/chunks.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** Opens a file to upload, which a flag such as `--file` names. */
export async function openFile(flag: string, path: string): Promise<FileInput> {
  const { isFile, isDirectory, size } = await Deno.stat(path).catch((error) => {
    throw unreadable(flag, path, error);
  });
  if (!isFile) {
    const reason = isDirectory ? "it is a directory" : "it is not a regular file";
    throw new SvcError("INVALID_ARGS", `${flag} cannot read ${path}: ${reason}.`, { hint: "Name a file." });
  }
  // Checks that the file can be read before anything is sent.
  (await Deno.open(path).catch((error) => {
    throw unreadable(flag, path, error);
  })).close();
  return { name: path.replace(/^.*[\\/]/, ""), size, stream: () => readChunks(() => Deno.open(path)) };
}

/** Checks that a path can be written, before the call is made. */
export async function checkTarget(path: string): Promise<void> {
  const place = await resolvePlace(path);
  if (place === undefined) return;
  const { temporary, file } = await openBeside(path, place.folder);
  file.close();
  await Deno.remove(temporary).catch(ignoreMissing);
}

/** Writes a file under a temporary name and renames it, so that an incomplete file is never visible. */
export async function writeWhole(path: string, pieces: Pieces): Promise<void> {
  const place = await resolvePlace(path);
  if (place === undefined) return await writeTo(path, await openTo(path, { write: true }), pieces);
  const { target, folder, mode } = place;
  const { temporary, file } = await openBeside(path, folder);
  try {
    // The new file has the permissions of the old one.
    if (mode !== undefined) await Deno.chmod(temporary, mode);
    await writeTo(path, file, pieces);
    await Deno.rename(temporary, target).catch((error) => {
      throw unwritable(path, error);
    });
  } catch (error) {
    await Deno.remove(temporary).catch(ignoreMissing);
    throw error;
  }
}

/** The chunks to write. */
type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface Place {
  readonly target: string;
  readonly folder: string;
  /** Permissions of the replaced file; undefined if there is no such file, or no permissions. */
  readonly mode?: number;
}

/**
 * Resolves the path of a file to write. Returns undefined for a device or a pipe, which is never replaced. Its folder is
 * not checked, because Deno rarely permits reading `/dev`.
 */
async function resolvePlace(path: string): Promise<Place | undefined> {
  const found = await findPath(path, Deno.stat(path));
  if (found?.isDirectory || /[\\/]$/.test(path)) throw unwritable(path, "it is a directory");
  if (found && !found.isFile) return undefined;
  const real = await resolveLink(path).catch((error) => {
    throw unwritable(path, error);
  });
  const slash = Math.max(real.lastIndexOf("/"), Deno.build.os === "windows" ? real.lastIndexOf("\\") : -1);
  const folder = slash < 0 ? "." : real.slice(0, slash) || "/";
  const parent = await findPath(path, Deno.stat(folder));
  if (parent === undefined) {
    const hint = `Choose another file, or create the directory: mkdir -p ${shellQuote(folder)}`;
    throw unwritable(path, "there is no such directory", hint);
  }
  if (!parent.isDirectory) throw unwritable(path, "part of the path is a file");
  const mode = found?.isFile && found.mode !== null ? found.mode & 0o777 : undefined;
  return { target: real, folder, mode };
}

/** Returns undefined if nothing exists at the path. */
async function findPath<T>(path: string, found: Promise<T>): Promise<T | undefined> {
  return await found.catch(ignoreMissing).catch((error) => {
    throw unwritable(path, error);
  });
}

/** Creates a file under a temporary name. Only its owner can read it: it may contain the data of cases. */
async function openBeside(path: string, folder: string): Promise<{ temporary: string; file: Deno.FsFile }> {
  const temporary = `${folder}/.svc-${crypto.randomUUID()}.part`;
  return { temporary, file: await openTo(path, { write: true, createNew: true, mode: 0o600 }, temporary) };
}

async function openTo(path: string, options: Deno.OpenOptions, actual = path): Promise<Deno.FsFile> {
  return await Deno.open(actual, options).catch((error) => {
    throw unwritable(path, error);
  });
}

async function writeTo(path: string, file: Deno.FsFile, pieces: Pieces): Promise<void> {
  using open = file;
  for await (const piece of pieces) {
    await writeAll(open, piece).catch((error) => {
      throw unwritable(path, error);
    });
  }
  if ((await open.stat()).isFile) await open.sync();
}

function unreadable(flag: string, path: string, error: unknown): unknown {
  const reason = describeReadError(error);
  if (reason === undefined) return error;
  return new SvcError("INVALID_ARGS", `${flag} cannot read ${path}: ${reason}.`, {
    cause: error,
    hint: "Check the path.",
  });
}

function unwritable(path: string, cause: unknown, hint = "Choose another file."): unknown {
  if (cause instanceof Deno.errors.NotCapable) return cause;
  const isReason = typeof cause === "string";
  const problem = isReason ? cause : describeWriteError(cause) ?? String(cause);
  const isFull = isDiskFull(cause);
  return new SvcError(isFull ? "OUTPUT_FAILED" : "INVALID_ARGS", `--output cannot write ${path}: ${problem}.`, {
    ...(!isReason && { cause }),
    hint: isFileSizeLimit(cause) ? RAISE_SIZE_LIMIT : isFull ? "Free some space, or choose another file." : hint,
  });
}
