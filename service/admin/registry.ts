/**
 * The services that this user has started, as one small file for each in the configuration directory. A file only says
 * where a service may be found: its lock or its health tells whether it runs. So files of killed services do no harm.
 */
import { resolve } from "node:path";
import { getConfigDirectory, readProfiles } from "../../lib/auth/profiles.ts";
import { isJsonObject, isString, type JsonObject, parseJsonObject } from "../../utils/json.ts";
import { ignoreMissing } from "../../utils/fs/ignore_missing.ts";
import { makePrivateDirectory, writePrivateFile } from "../../utils/fs/private_file.ts";
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import { isProcessId } from "../../utils/process_id.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import { getDefaultDirectory } from "../server/directory.ts";
import { MEMORY } from "../server/settings.ts";

/** A service in the registry. */
export interface RegisteredService extends JsonObject {
  /** Data directory, or `:memory:`. */
  data: string;
  /** Base URL. */
  url: string;
  /** Process ID. */
  pid: number;
}

/** Registers a service that is about to be ready. Logs a warning if the disk is full. */
export async function registerService(service: RegisteredService, log: (line: string) => void): Promise<void> {
  try {
    await makePrivateDirectory(getRegistry());
    await writePrivateFile(await getEntryFile(service), JSON.stringify(service) + "\n");
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    log("Warning: The disk is full, so 'svc service status' may not list this service.");
  }
}

/** Removes a service from the registry. */
export async function unregisterService(service: RegisteredService): Promise<void> {
  await Deno.remove(await getEntryFile(service)).catch(ignoreMissing);
}

/** Lists the directories that may have a service: those of the registry and of the profiles, and the default one. */
export async function listDirectories(): Promise<string[]> {
  const registered = (await readRegistry()).map(({ data }) => data).filter((data) => data !== MEMORY);
  const ofProfiles = Object.values(readProfiles()).map(({ service }) => service).filter(isString);
  return [...new Set([resolve(getDefaultDirectory()), ...registered, ...ofProfiles])];
}

/** Lists the registered services in memory. Their processes may have ended. */
export async function listServicesInMemory(): Promise<RegisteredService[]> {
  return (await readRegistry()).filter(({ data }) => data === MEMORY);
}

async function readRegistry(): Promise<RegisteredService[]> {
  const directory = getRegistry();
  const entries = await Array.fromAsync(Deno.readDir(directory)).catch(ignoreMissing) ?? [];
  const names = entries.map(({ name }) => name).filter((name) => name.endsWith(".json")).toSorted();
  const texts = await Promise.all(names.map((name) => Deno.readTextFile(`${directory}/${name}`).catch(ignoreMissing)));
  return texts.map((text) => parseJsonObject(text ?? "")).filter(isRegisteredService);
}

function isRegisteredService(value: unknown): value is RegisteredService {
  return isJsonObject(value) && typeof value.data === "string" && typeof value.url === "string" &&
    isProcessId(value.pid);
}

/** A service of a directory replaces the last one of the directory. */
async function getEntryFile({ data, pid }: RegisteredService): Promise<string> {
  const name = data === MEMORY ? `memory-${pid}` : (await sha256Text(data)).slice(0, 8).toHex();
  return `${getRegistry()}/${name}.json`;
}

function getRegistry(): string {
  return `${getConfigDirectory()}/services`;
}
