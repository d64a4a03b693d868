/** Files that the command line names: those to send are read piece by piece, those to write appear whole or not at all. */
import { SvcError } from "../../lib/errors.ts";
import { resolveLink } from "../../utils/fs/resolve_link.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { readChunks, writeAll } from "../../utils/fs/chunks.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** A file to send, named by a flag such as `--file`. */
export async function openFile(flag: string, path: string): Promise<FileInput> {
  const { isFile, isDirectory, size } = await Deno.stat(path).catch((error) => {
    throw unreadable(flag, path, error);
  });
  if (!isFile) {
    const reason = isDirectory ? "it is a directory" : "it is no regular file";
    throw new SvcError("INVALID_ARGS", `${flag} cannot read ${path}: ${reason}.`, { hint: "Name a file." });
  }
  // Whether it may be read is better known before anything is sent.
  (await Deno.open(path).catch((error) => {
    throw unreadable(flag, path, error);
  })).close();
  return { name: path.replace(/^.*[\\/]/, ""), size, stream: () => readChunks(() => Deno.open(path)) };
}

/** Refuses a path that cannot be written, before anything is called for it. */
export async function checkTarget(path: string): Promise<void> {
  const place = await placeOf(path);
  if (place === undefined) return;
  const { temporary, file } = await openBeside(path, place.folder);
  file.close();
  await Deno.remove(temporary).catch(ignoreMissing);
}

/** Writes a file: under another name beside it first, so that nobody ever sees the half of it. */
export async function writeWhole(path: string, pieces: Pieces): Promise<void> {
  const place = await placeOf(path);
  if (place === undefined) return await writeTo(path, await openTo(path, { write: true }), pieces);
  const { target, folder, mode } = place;
  const { temporary, file } = await openBeside(path, folder);
  try {
    // Users who could not read the old file cannot read the new one.
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

/** What is to be written, as it comes. */
type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

interface Place {
  readonly target: string;
  readonly folder: string;
  /** Who may do what with the file that is replaced; undefined where there is none, or no such thing. */
  readonly mode?: number;
}

/**
 * Where a file is to be; undefined for a device or a pipe, which is written to and never replaced. The folder of that
 * is not looked at: Deno lets hardly anybody read `/dev`.
 */
async function placeOf(path: string): Promise<Place | undefined> {
  const found = await ifThere(path, Deno.stat(path));
  if (found?.isDirectory || /[\\/]$/.test(path)) throw unwritable(path, "it is a directory");
  if (found && !found.isFile) return undefined;
  const real = await resolveLink(path).catch((error) => {
    throw unwritable(path, error);
  });
  const slash = Math.max(real.lastIndexOf("/"), Deno.build.os === "windows" ? real.lastIndexOf("\\") : -1);
  const folder = slash < 0 ? "." : real.slice(0, slash) || "/";
  const parent = await ifThere(path, Deno.stat(folder));
  if (parent === undefined) {
    const hint = `Choose another file, or make its folder: mkdir -p ${shellQuote(folder)}`;
    throw unwritable(path, "there is no such directory", hint);
  }
  if (!parent.isDirectory) throw unwritable(path, "part of the path is a file");
  const mode = found?.isFile && found.mode !== null ? found.mode & 0o777 : undefined;
  return { target: real, folder, mode };
}

/** What is found on the way to a target; undefined where nothing is there. */
async function ifThere<T>(path: string, looked: Promise<T>): Promise<T | undefined> {
  return await looked.catch(ignoreMissing).catch((error) => {
    throw unwritable(path, error);
  });
}

/** A new file under another name. */
async function openBeside(path: string, folder: string): Promise<{ temporary: string; file: Deno.FsFile }> {
  const temporary = `${folder}/.svc-${crypto.randomUUID()}.part`;
  return { temporary, file: await openTo(path, { write: true, createNew: true }, temporary) };
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
  const fault = isReason ? cause : describeWriteError(cause) ?? String(cause);
  return new SvcError("INVALID_ARGS", `--output cannot write ${path}: ${fault}.`, {
    ...(!isReason && { cause }),
    hint,
  });
}
