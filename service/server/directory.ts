/** A data directory: the database, a lock that says whether a service works on it, and where that service is. */
import { resolve } from "node:path";
import { findConfigDirectory, getConfigDirectory } from "../../lib/auth/config.ts";
import { warnIfOpenToOthers } from "../../lib/auth/file_access.ts";
import type { Warn } from "../../lib/client/callback.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { makePrivateDirectory, writePrivateFile } from "../../utils/fs/private_file.ts";
import { SvcError } from "../../lib/errors.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { MEMORY } from "./settings.ts";
import { removeBytes } from "../store/bytes_on_disk.ts";

/** Milliseconds to wait for a lock: another command may hold it briefly. */
const LOCK_PATIENCE = 300;

/** State of the service that runs, or last ran, on a directory. */
export interface ServiceState extends JsonObject {
  /** Its process; 0 while none is ready. */
  pid: number;
  /** Its address. */
  url: string;
  /** Path of the API. */
  apiRoot: string;
  /** Path of the token endpoint. */
  tokenPath: string;
  /** File of the application definition. */
  app: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  startedAt: string;
}

/** The files of a data directory. */
export interface DirectoryFiles {
  /** The directory. */
  readonly path: string;
  /** The database. */
  readonly database: string;
  /** Folder of uploaded files. */
  readonly files: string;
  /** Log of a detached service. */
  readonly log: string;
}

/** The directory of the service that a person starts without naming one. */
export function defaultDataDirectory(): string {
  return `${getConfigDirectory()}/service`;
}

/** The data directory that is meant, as an absolute path. */
export function resolveDataDirectory(data: string | undefined): string {
  return data === MEMORY ? MEMORY : resolve(data ?? defaultDataDirectory());
}

/** Returns the paths of the files of a directory. */
export function locateFiles(path: string): DirectoryFiles {
  return { path, database: `${path}/service.db`, files: `${path}/files`, log: `${path}/service.log` };
}

/** Takes the directory, made if need be, for this process alone; refuses, with a hint, when a service works on it. */
export async function lockDirectory(path: string, hint?: string): Promise<FileLock> {
  await make(path);
  const lock = await tryLock(path, LOCK_PATIENCE);
  if (lock) return lock;
  const state = await readState(path);
  throw new SvcError(
    "CONFLICT",
    `A service works on ${path} already${state ? ` (${state.url}, process ${state.pid})` : ""}.`,
    { hint: hint ?? otherwise(path) },
  );
}

/** Returns the hint for a directory that is in use. */
function otherwise(path: string): string {
  const isDefault = findConfigDirectory() !== undefined && path === defaultDataDirectory();
  const which = isDefault ? "" : ` --data ${shellQuote(path)}`;
  return `Use it, stop it with 'svc service stop${which}', or choose another directory with --data.`;
}

/** Waits until no service works on the directory, for some milliseconds; nothing when one still does. */
export async function tryLock(path: string, patience: number): Promise<FileLock | undefined> {
  try {
    return await FileLock.acquire(lockFile(path), AbortSignal.timeout(patience));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw unreadable(path, error);
  }
}

/** Checks whether a service runs on the directory. */
export async function isInUse(path: string): Promise<boolean> {
  if (!await orUnreadable(path, exists(lockFile(path)))) return false;
  return await orUnreadable(path, FileLock.isHeld(lockFile(path)));
}

/** Reads the state of the directory's service. Returns undefined if none was ever started. */
export async function readState(path: string): Promise<ServiceState | undefined> {
  const text = await orUnreadable(path, Deno.readTextFile(stateFile(path)).catch(ignoreMissing));
  if (text === undefined) return undefined;
  const state = parseJsonObject(text);
  if (isState(state)) return state;
  throw new SvcError("INVALID_CONFIG", `${stateFile(path)} is damaged.`, {
    hint: "Delete it; 'svc service start' creates it again.",
  });
}

/** The application of a directory: the file that is named, or else what was served from it last; nothing for the sample. */
export async function findApplication(path: string, named: string | undefined): Promise<string | undefined> {
  return named ?? ((await readState(path))?.app || undefined);
}

/** Tells other processes where the directory's service is: it is ready. */
export async function announce(
  path: string,
  service: Pick<ServiceState, "url" | "apiRoot" | "tokenPath" | "app">,
): Promise<void> {
  const { url, apiRoot, tokenPath, app } = service;
  await writeState(path, { pid: Deno.pid, url, apiRoot, tokenPath, app, startedAt: new Date().toISOString() });
}

/**
 * Clears the process ID of a service that has ended, because another process may have it now. Returns whether a service was
 * announced.
 */
export async function withdraw(path: string): Promise<boolean> {
  const state = await readState(path);
  if (state && state.pid !== 0) await writeState(path, { ...state, pid: 0 });
  return state !== undefined;
}

/** Warns of a directory that others can change, and of a database that they can read too. */
export function warnIfOpen(path: string, warn: Warn): void {
  const what = "holds what the service keeps";
  warnIfOpenToOthers(path, what, warn, ["change"]);
  warnIfOpenToOthers(locateFiles(path).database, what, warn);
}

/** Makes the file to which a detached service writes, unless it is there. */
export async function makeLog(path: string): Promise<void> {
  try {
    (await Deno.open(locateFiles(path).log, { append: true, create: true, mode: 0o600 })).close();
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

/**
 * Deletes the files of a service, and no other files of the directory. The lock file stays, because another process may wait
 * for it.
 */
export async function removeData(path: string): Promise<void> {
  const { database, files, log } = locateFiles(path);
  for (const file of [database, `${database}-wal`, `${database}-shm`, log]) {
    await Deno.remove(file).catch(ignoreMissing);
  }
  await removeBytes(files);
  await Deno.remove(stateFile(path)).catch(ignoreMissing); // Last: it says whose directory this is.
}

async function writeState(path: string, state: ServiceState): Promise<void> {
  try {
    await writePrivateFile(stateFile(path), JSON.stringify(state, null, 2) + "\n");
  } catch (cause) {
    throw unwritable(path, cause);
  }
}

async function make(path: string): Promise<void> {
  await makePrivateDirectory(path).catch((cause) => {
    throw unusable(path, "made", describeWriteError(cause), "Choose another one with --data.", cause);
  });
}

/** Awaits a read of the directory. Throws an explanation if the directory cannot be read. */
async function orUnreadable<T>(path: string, looked: Promise<T>): Promise<T> {
  return await looked.catch((error) => {
    throw unreadable(path, error);
  });
}

function unreadable(path: string, cause: unknown): unknown {
  return unusable(
    path,
    "read",
    describeReadError(cause),
    "Check who owns it, or choose another one with --data.",
    cause,
  );
}

function unwritable(path: string, cause: unknown): unknown {
  const hint = "Check who owns it and whether its disk has room, or choose another one with --data.";
  return unusable(path, "written", describeWriteError(cause), hint, cause);
}

/** The error of a directory that is at fault; what has no known fault stays what it is. */
function unusable(path: string, wanted: string, fault: string | undefined, hint: string, cause: unknown): unknown {
  if (fault === undefined) return cause;
  return new SvcError("INVALID_CONFIG", `The data directory ${path} cannot be ${wanted}: ${fault}.`, { cause, hint });
}

function isState(value: unknown): value is ServiceState {
  return isJsonObject(value) && isPid(value.pid) &&
    [value.url, value.apiRoot, value.tokenPath, value.app, value.startedAt].every((text) => typeof text === "string");
}

/** Checks whether a value is a process ID or 0. A negative number would be a process group. */
function isPid(value: unknown): boolean {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 31;
}

function lockFile(path: string): string {
  return `${path}/service.lock`;
}

function stateFile(path: string): string {
  return `${path}/service.json`;
}
