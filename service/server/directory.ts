/** A data directory: the database, the lock of the service that uses it, and the address of that service. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { findConfigDirectory, getConfigDirectory, getServiceDirectory } from "../../lib/auth/profiles.ts";
import {
  makePrivateDirectory,
  overwriteFile,
  warnIfOpenToOthers,
  writePrivateFile,
} from "../../utils/fs/private_file.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import type { Warn } from "../../lib/client/callback.ts";
import { FileLock } from "../../utils/fs/file_lock.ts";
import { SvcError } from "../../lib/errors.ts";
import { exists } from "../../utils/fs/exists.ts";
import { isJsonObject, isString, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { describeReadError, describeWriteError } from "../../utils/fs/describe_error.ts";
import { isProcessId } from "../../utils/process_id.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { openStore, type StorePlace } from "../store/open_store.ts";
import type { Store } from "../store/store.ts";
import { IN_DATABASE, isBucket, locateBucket } from "../store/open_bytes.ts";
import { type FileOptions, MEMORY, type StoreOptions, type StorePasswordOptions } from "./settings.ts";
import { keepFile, removeBytes } from "../store/bytes_on_disk.ts";
import { locateDamagedLog } from "../../utils/sqlite/log_damage.ts";
import { removeCopies, removeDatabase } from "../store/sqlite/upgrade/earlier_copies.ts";
import { describeUpgrade, readUpgrade, removeUpgrade } from "./upgrade_state.ts";

/** Milliseconds to wait for the lock, which another command may hold briefly. */
const LOCK_PATIENCE = 300;

/** Size of the reserve file in bytes. Opening the database takes 32 KiB for its shared memory. */
const RESERVE_BYTES = 64 * 1024;

/** State of the service that runs, or last ran, on a directory. */
export interface ServiceState extends JsonObject {
  /** Process ID, or 0 if no service is ready. */
  pid: number;
  /** Base URL. */
  url: string;
  /** Path of the API. */
  apiRoot: string;
  /** Path of the token endpoint. */
  tokenPath: string;
  /** File of the application definition. Empty for the sample application. */
  app: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  startedAt: string;
  /** Location of its database server. Missing if the database is in the directory. */
  store?: string;
  /** Location of its files. Missing if they are in its database. */
  files?: string;
  /** Address of its metrics. Missing if they are off. */
  metrics?: string;
}

/** The files of a data directory. */
export interface DirectoryFiles {
  readonly database: string;
  /** Folder of uploaded files. */
  readonly files: string;
  /** Log of a detached service. */
  readonly log: string;
}

/** Returns the data directory of a service that is started without `--data`. */
export function getDefaultDirectory(): string {
  return getServiceDirectory(getConfigDirectory());
}

/** Resolves a data directory to an absolute path. */
export function resolveDataDirectory(data: string | undefined): string {
  return data === MEMORY ? MEMORY : resolve(data ?? getDefaultDirectory());
}

/** Returns the paths of the files of a directory. */
export function locateFiles(path: string): DirectoryFiles {
  return { database: `${path}/service.db`, files: `${path}/files`, log: `${path}/service.log` };
}

/** Reports whether a directory has the database of a service, and not another file of that name. */
export async function hasServiceDatabase(path: string): Promise<boolean> {
  const { isServiceDatabase } = await import("../store/sqlite/snapshot.ts");
  return isServiceDatabase(locateFiles(path).database);
}

/** Creates the directory if necessary, and locks it. Throws `CONFLICT` if a service uses it. */
export async function lockDirectory(path: string, hint?: string): Promise<FileLock> {
  await createDirectory(path);
  const lock = await tryLock(path, LOCK_PATIENCE);
  if (!lock) throw await createInUseError(path, hint ?? buildInUseHint(path));
  await removeUpgrade(path);
  return lock;
}

async function createInUseError(path: string, hint: string): Promise<SvcError> {
  const upgrade = await readUpgrade(path);
  if (upgrade && upgrade.copy === undefined) {
    const message = `Process ${upgrade.pid} is upgrading the data in ${path} (${describeUpgrade(upgrade)}).`;
    return new SvcError("CONFLICT", message, {
      hint: "Wait until the service has started. 'svc service status' shows the progress, and 'svc service stop' " +
        "interrupts the upgrade.",
    });
  }
  const state = await readState(path);
  if (state && state.pid !== 0) {
    return new SvcError("CONFLICT", `A service already uses ${path} (${state.url}, process ${state.pid}).`, { hint });
  }
  return new SvcError("CONFLICT", `Another process is starting a service on ${path} or changing its data.`, {
    hint: "Wait until it has finished, then try again.",
  });
}

function buildInUseHint(path: string): string {
  const isDefault = findConfigDirectory() !== undefined && path === getDefaultDirectory();
  const which = isDefault ? "" : ` --data ${shellQuote(path)}`;
  return `Use that service, stop it with 'svc service stop${which}', or choose another directory with --data.`;
}

/** Tries to lock the directory. Returns undefined if a service still uses it after some milliseconds. */
export async function tryLock(path: string, milliseconds: number): Promise<FileLock | undefined> {
  try {
    return await FileLock.acquire(getLockFile(path), AbortSignal.timeout(milliseconds));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw explainReadError(path, error);
  }
}

/** Reports whether a service uses the directory. */
export async function isInUse(path: string): Promise<boolean> {
  const lock = getLockFile(path);
  return await explainFailure(path, exists(lock)) && await explainFailure(path, FileLock.isHeld(lock));
}

/** Reads the state of the directory's service. Returns undefined if no service has used the directory. */
export async function readState(path: string): Promise<ServiceState | undefined> {
  const text = await explainFailure(path, Deno.readTextFile(getStateFile(path)).catch(ignoreMissing));
  if (text === undefined) return undefined;
  const state = parseJsonObject(text);
  if (isState(state)) return state;
  throw new SvcError("INVALID_CONFIG", `${getStateFile(path)} is damaged.`, {
    hint: "Delete it; 'svc service start' creates it again.",
  });
}

/** Returns the given definition file, or the last one of the directory. Returns undefined for the sample application. */
export async function findApplication(path: string, given: string | undefined): Promise<string | undefined> {
  return given ?? ((await readState(path))?.app || undefined);
}

/** Word that selects the database of the data directory. */
const EMBEDDED = "sqlite";

/** Finds the database of a directory: the given one, the last one of the directory, or a file of the directory. */
export async function findStore(path: string, options: StoreOptions): Promise<StorePlace> {
  const location = options.store ?? (path === MEMORY ? undefined : (await readState(path))?.store);
  if (location === undefined || location === EMBEDDED) {
    refusePassword(options, "Name a PostgreSQL database with --store, or omit the password.");
    return { file: path === MEMORY ? MEMORY : locateFiles(path).database };
  }
  return { location, passwordFile: options.storePasswordFile, passwordCommand: options.storePasswordCommand };
}

/**
 * Finds the location of uploaded files: the `files` option, the last one that the directory used, or undefined for the
 * database. The files of an embedded database are always in the directory. Throws `INVALID_ARGS` for an invalid location.
 */
export async function findFilePlace(
  path: string,
  store: StorePlace,
  { files, filesCredentials }: FileOptions,
): Promise<string | undefined> {
  if ("location" in store) {
    const place = files ?? (path === MEMORY ? undefined : (await readState(path))?.files);
    if (place === undefined || place === IN_DATABASE) return undefined;
    if (!isBucket(place)) return resolve(place);
    await locateBucket(place); // Throws before the database is opened.
    return place;
  }
  if (files === undefined && filesCredentials === undefined) return undefined;
  const option = files === undefined ? "--files-credentials" : "--files";
  throw new SvcError("INVALID_ARGS", `${option} needs a PostgreSQL database.`, {
    hint: "Name one with --store. Without it, files are in the data directory.",
  });
}

/** Throws if the options have a password, although no database server is used. */
export function refusePassword({ storePasswordFile, storePasswordCommand }: StorePasswordOptions, hint: string): void {
  if (storePasswordFile === undefined && storePasswordCommand === undefined) return;
  throw new SvcError("INVALID_ARGS", "The database of a data directory has no password.", { hint });
}

/** Opens the database of a directory that a service has used. */
export async function openKnownStore(path: string, options: StoreOptions): Promise<Store> {
  const place = await findStore(path, options);
  return await openStore("file" in place ? { ...place, isKnown: true } : place);
}

/** Throws if the data of a directory's service is in a database server. `hint` says what to do there instead. */
export function refuseServer({ store }: Partial<Pick<ServiceState, "store">>, hint: string): void {
  if (store !== undefined) throw new SvcError("INVALID_ARGS", `The data of the service is in ${store}.`, { hint });
}

/** Announces to other processes that the directory's service is ready. */
export async function announce(
  path: string,
  service: Pick<ServiceState, "url" | "apiRoot" | "tokenPath" | "app" | "store" | "files" | "metrics">,
): Promise<void> {
  const { url, apiRoot, tokenPath, app, store, files, metrics } = service;
  const startedAt = new Date().toISOString();
  const optional = { ...(store && { store }), ...(files && { files }), ...(metrics && { metrics }) };
  await writeState(path, { pid: Deno.pid, url, apiRoot, tokenPath, app, startedAt, ...optional });
}

/** Records the application of a directory that no service has used yet. */
export async function registerApplication(path: string, app: string): Promise<void> {
  await writeState(path, { pid: 0, url: "", apiRoot: "", tokenPath: "", app, startedAt: "" });
}

/**
 * Clears the process ID of a service that has ended, because another process may get the same ID. Returns whether it has
 * used a database of the directory.
 */
export async function withdraw(path: string): Promise<boolean> {
  const state = await readState(path);
  if (state && state.pid !== 0) await writeState(path, { ...state, pid: 0 });
  return state !== undefined && state.store === undefined;
}

/** Warns if other users can change the directory or read the database. */
export function warnIfOpen(path: string, warn: Warn): void {
  const what = "contains the data of the service";
  warnIfOpenToOthers(path, what, warn, ["change"]);
  const { database } = locateFiles(path);
  if (existsSync(database)) warnIfOpenToOthers(database, what, warn);
}

/** Reserves disk space, so that a start can open the database on a full disk. Returns false if the disk is already full. */
export async function createReserve(path: string): Promise<boolean> {
  const file = getReserveFile(path);
  if (await exists(file)) return true;
  const bytes = crypto.getRandomValues(new Uint8Array(RESERVE_BYTES)); // Random, because some file systems compress data.
  try {
    await Deno.writeFile(file, bytes, { mode: 0o600 });
    return true;
  } catch (cause) {
    await Deno.remove(file).catch(ignoreMissing);
    if (isDiskFull(cause)) return false;
    throw explainWriteError(path, cause);
  }
}

/** Frees the reserved disk space. Returns whether there was any. */
export async function releaseReserve(path: string): Promise<boolean> {
  return await Deno.remove(getReserveFile(path)).then(() => true).catch(ignoreMissing) ?? false;
}

/** Creates the log file of a detached service if it does not exist. */
export async function createLog(path: string): Promise<void> {
  try {
    (await Deno.open(locateFiles(path).log, { append: true, create: true, mode: 0o600 })).close();
  } catch (cause) {
    throw explainWriteError(path, cause);
  }
}

/**
 * Deletes the files of a service, and no other files of the directory. The lock file stays, because another process may wait
 * for it.
 */
export async function removeData(path: string): Promise<void> {
  const { database, files, log } = locateFiles(path);
  await removeDatabase(database);
  await Deno.remove(locateDamagedLog(database)).catch(ignoreMissing);
  await removeCopies(database);
  for (const file of [log, getReserveFile(path)]) await Deno.remove(file).catch(ignoreMissing);
  await removeUpgrade(path);
  await removeBytes(files);
  await Deno.remove(keepFile(files)).catch(ignoreMissing);
  await Deno.remove(getStateFile(path)).catch(ignoreMissing); // Last, because it marks a directory of svc.
}

async function writeState(path: string, state: ServiceState): Promise<void> {
  const [file, text] = [getStateFile(path), JSON.stringify(state, null, 2) + "\n"];
  try {
    await writePrivateFile(file, text).catch(async (error) => {
      if (!isDiskFull(error) || !await exists(file)) throw error;
      await overwriteFile(file, text);
    });
  } catch (cause) {
    throw explainWriteError(path, cause);
  }
}

async function createDirectory(path: string): Promise<void> {
  await makePrivateDirectory(path).catch((cause) => {
    throw explainError(path, "created", describeWriteError(cause), "Choose another directory with --data.", cause);
  });
}

/** Awaits a read of the directory. Throws an explanation if the directory cannot be read. */
async function explainFailure<T>(path: string, read: Promise<T>): Promise<T> {
  return await read.catch((error) => {
    throw explainReadError(path, error);
  });
}

function explainReadError(path: string, cause: unknown): unknown {
  const hint = "Check who owns it, or choose another directory with --data.";
  return explainError(path, "read", describeReadError(cause), hint, cause);
}

function explainWriteError(path: string, cause: unknown): unknown {
  const hint = "Check who owns it and whether its disk has space, or choose another directory with --data.";
  return explainError(path, "written", describeWriteError(cause), hint, cause);
}

/** Creates the error for a failure with a known reason. Returns any other failure itself. */
function explainError(path: string, done: string, reason: string | undefined, hint: string, cause: unknown): unknown {
  if (reason === undefined) return cause;
  return new SvcError("INVALID_CONFIG", `The data directory ${path} cannot be ${done}: ${reason}.`, { cause, hint });
}

function isState(value: unknown): value is ServiceState {
  return isJsonObject(value) && (value.pid === 0 || isProcessId(value.pid)) &&
    [
      value.url,
      value.apiRoot,
      value.tokenPath,
      value.app,
      value.startedAt,
      value.store ?? "",
      value.files ?? "",
      value.metrics ?? "",
    ]
      .every(isString);
}

function getLockFile(path: string): string {
  return `${path}/service.lock`;
}

function getReserveFile(path: string): string {
  return `${path}/service.reserve`;
}

function getStateFile(path: string): string {
  return `${path}/service.json`;
}
