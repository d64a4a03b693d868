/** `svc service status`, `stop` and `reset`: they control a service from another process. */
import { SvcError } from "../../lib/errors.ts";
import { sendRequest } from "../../lib/http/send_request.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import {
  hasServiceDatabase,
  isInUse,
  locateFiles,
  lockDirectory,
  openKnownStore,
  readState,
  refuseServer,
  removeData,
  resolveDataDirectory,
  type ServiceState,
  tryLock,
} from "../server/directory.ts";
import { MEMORY, type StoreOptions } from "../server/settings.ts";
import { describeUpgrade, readUpgrade, type UpgradeState } from "../server/upgrade_state.ts";
import { delay } from "../../utils/async/abort.ts";
import { exists } from "../../utils/fs/exists.ts";
import { listDirectories, listServicesInMemory, type RegisteredService, unregisterService } from "./registry.ts";
import { checkOwner, findProfiles, findServiceProfile, writeProfile } from "./profiles.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import { addClient } from "../access/clients.ts";
import { loadServedApplication } from "../sample/served_application.ts";

/** Milliseconds to wait for the response of a service. */
const RESPONSE_TIMEOUT = 3000;

/** Milliseconds to wait until a service has stopped. */
const STOP_TIMEOUT = 15_000;

/** The service of a data directory. */
export interface ServiceDirectory {
  /** Data directory. Default: the directory beside the profiles. */
  data?: string;
}

/** Returns whether a service runs on a data directory, its address, and its health. */
export async function readServiceStatus({ data: given }: ServiceDirectory = {}): Promise<JsonObject> {
  const data = resolveDirectory(given);
  const running = await isInUse(data);
  const upgrade = running ? await readRunningUpgrade(data) : undefined;
  if (upgrade) {
    const { pid, ...progress } = upgrade;
    return { running, answers: false, upgrade: progress, pid, data, log: locateFiles(data).log };
  }
  const state = await readState(data);
  if (!running || !state) return { running, data };
  if (state.pid === 0) return { running, answers: false, data, log: locateFiles(data).log };
  const { url, apiRoot, tokenPath, pid, startedAt, metrics } = state;
  const health = await readHealth(state);
  return {
    running,
    answers: health !== undefined,
    ...(health && { version: health.version, application: health.application }),
    url,
    apiRoot,
    tokenPath,
    pid,
    startedAt,
    ...(metrics && { metrics }),
    profiles: findProfiles(data),
    data,
    log: locateFiles(data).log,
  };
}

/** Stops the service of a data directory and waits until it has stopped. Reports whether one was running. */
export async function stopService({ data: given }: ServiceDirectory = {}): Promise<{ stopped: boolean; data: string }> {
  const data = resolveDirectory(given);
  if (!await isInUse(data)) return { stopped: false, data };
  const upgrade = await readRunningUpgrade(data);
  if (upgrade) return await stopUpgrade(data, upgrade);
  const state = await readState(data);
  if (!state || state.pid === 0) {
    throw new SvcError("CONFLICT", "The service is starting.", { hint: "Try again in a few seconds." });
  }
  const wasSignaled = await signalToStop(data, state);
  using lock = await tryLock(data, STOP_TIMEOUT);
  if (lock) return { stopped: true, data };
  const seconds = STOP_TIMEOUT / 1000;
  if (wasSignaled) {
    throw new SvcError("TIMEOUT", `The service (process ${state.pid}) did not stop within ${seconds} s.`, {
      hint: "It may be busy. Try again, or end the process.",
    });
  }
  throw new SvcError("TIMEOUT", `The service at ${state.url} does not respond and did not stop within ${seconds} s.`, {
    hint: `Nothing was stopped. Try again; if process ${state.pid} is a service of svc, end that process.`,
  });
}

/** Interrupts an upgrade. The state is current, because the upgrading process has locked the directory. */
async function stopUpgrade(data: string, upgrade: UpgradeState): Promise<{ stopped: boolean; data: string }> {
  Deno.kill(upgrade.pid, "SIGTERM");
  using lock = await tryLock(data, STOP_TIMEOUT);
  if (lock) return { stopped: true, data };
  throw new SvcError("TIMEOUT", `Process ${upgrade.pid} is still upgrading the data (${describeUpgrade(upgrade)}).`, {
    hint: "It stops after this step, and the next start continues the upgrade. You can also kill the process.",
  });
}

async function readRunningUpgrade(data: string): Promise<UpgradeState | undefined> {
  const upgrade = await readUpgrade(data);
  return upgrade?.copy === undefined ? upgrade : undefined;
}

/** Lists the running services that this user has started, except that of a directory. */
export async function listOtherServices(data: string): Promise<RegisteredService[]> {
  const found: RegisteredService[] = [];
  for (const directory of await listDirectories()) {
    if (directory === data || !await isInUse(directory).catch(() => false)) continue; // Leaves out unreadable ones.
    const state = await readState(directory);
    found.push({ data: directory, url: state?.url ?? "", pid: state?.pid ?? 0 });
  }
  return [...found, ...await findServicesInMemory()];
}

/** Returns the status of all running services that this user has started. */
export async function listServices(): Promise<JsonObject[]> {
  const services = await listOtherServices("");
  return await Promise.all(services.map(async (service) => {
    if (service.data !== MEMORY) return await readServiceStatus(service);
    const health = await readHealth(service);
    const { version, application } = health ?? {};
    return { running: true, answers: health !== undefined, version, application, ...service };
  }));
}

/** Stops all services that this user has started. Returns what was stopped. */
export async function stopAllServices(): Promise<RegisteredService[]> {
  const services = await listOtherServices("");
  await Promise.all(services.map((service) => service.data === MEMORY ? stopInMemory(service) : stopService(service)));
  return services;
}

/** Finds the services in memory that still run, and forgets the others. A busy service is not found, but not forgotten. */
async function findServicesInMemory(): Promise<RegisteredService[]> {
  const services = await listServicesInMemory();
  const found = await Promise.all(services.map(async (service) => {
    try {
      if ((await requestHealth(service))?.pid === service.pid) return service;
    } catch (error) {
      if (error instanceof DOMException && error.name === "TimeoutError") return undefined;
    }
    await unregisterService(service);
    return undefined;
  }));
  return found.filter((service) => service !== undefined);
}

async function stopInMemory(service: RegisteredService): Promise<void> {
  Deno.kill(service.pid, "SIGTERM"); // The process has just identified itself.
  const deadline = Date.now() + STOP_TIMEOUT;
  while (await readHealth(service) !== undefined) {
    if (Date.now() > deadline) {
      throw new SvcError("TIMEOUT", `The service at ${service.url} did not stop within ${STOP_TIMEOUT / 1000} s.`, {
        hint: `It may be busy. Try again, or end process ${service.pid}.`,
      });
    }
    await delay(20);
  }
}

/**
 * Sends the signal to stop to a process that identifies itself as the service, because the file that names the process
 * may be damaged or outdated. A process that does not respond is already stopping, or would not receive the signal.
 */
async function signalToStop(data: string, state: ServiceState): Promise<boolean> {
  const health = await readHealth(state);
  if (health === undefined) return false;
  if (health.pid !== state.pid) {
    const actual = typeof health.pid === "number" ? `process ${health.pid}` : "not a service of svc";
    const message = `${state.url} is ${actual}, but ${data}/service.json names process ${state.pid}.`;
    throw new SvcError("CONFLICT", message, { hint: "Nothing was stopped. End the process that is a service of svc." });
  }
  Deno.kill(state.pid, "SIGTERM");
  return true;
}

/** Deletes the data of a service. Throws `CONFLICT` if a service uses the directory, unless it is stopped first. */
export async function resetService(
  { data: given, stopFirst = false }: ServiceDirectory & { stopFirst?: boolean } = {},
): Promise<{ removed: string }> {
  const data = resolveDirectory(given);
  const hint = "There is nothing to remove.";
  const state = await readUsedState(data, hint);
  if (state.url === undefined && !await hasServiceDatabase(data)) throw createUnusedError(data, hint);
  refuseServer(state, "Delete the data there: drop the schema that the location names (default: svc).");
  if (stopFirst) await stopService({ data });
  using _lock = await lockDirectory(data, "Add --stop to stop it first.");
  await removeData(data);
  return { removed: data };
}

/**
 * Reads the state of a directory with data. A copy has a database without a state. Throws if no service has used the
 * directory; `hint` says what that means.
 */
export async function readUsedState(data: string, hint: string): Promise<Partial<ServiceState>> {
  const state = await readState(data);
  if (state !== undefined) return state;
  if (await exists(locateFiles(data).database)) return {};
  throw createUnusedError(data, hint);
}

export function createUnusedError(data: string, hint: string): SvcError {
  return new SvcError("INVALID_CONFIG", `No service has used ${data} yet.`, { hint });
}

/** Resolves the data directory of a command. No other process can reach a service in memory. */
export function resolveDirectory(given: string | undefined): string {
  const data = resolveDataDirectory(given);
  if (data !== MEMORY) return data;
  throw new SvcError("INVALID_ARGS", "Other processes cannot find a service in memory.", {
    hint: "Name a directory with --data. Ctrl-C ends a service in memory.",
  });
}

/** Requests the health of the service. Returns undefined if it does not respond. */
async function readHealth(service: Pick<ServiceState, "url">): Promise<JsonObject | undefined> {
  return await requestHealth(service).catch(() => undefined); // The reason does not matter.
}

async function requestHealth({ url }: Pick<ServiceState, "url">): Promise<JsonObject | undefined> {
  const response = await sendRequest(`${url}/health`, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT) });
  const body: unknown = await response.json();
  return isJsonObject(body) ? body : undefined;
}

/** Removes a client with its tokens. The service need not run; a running one accepts its tokens for two more seconds. */
export async function removeClient(
  options: ServiceDirectory & StoreOptions & { client?: string; profile?: string },
): Promise<{ client: string; removed: true }> {
  const data = resolveDirectory(options.data);
  await readUsedState(data, "There is no client to remove.");
  const client = options.client ?? findClient(getProfileName(options), data);
  const store = await openKnownStore(data, options);
  try {
    if (!await store.transact((tx) => tx.deleteClient(client))) {
      throw new SvcError("INVALID_ARGS", `The service has no client ${client}.`, {
        hint: "Pass a client ID, or a profile of the service with --profile.",
      });
    }
  } finally {
    await store.close();
  }
  return { client, removed: true };
}

/** Finds the client of a profile of the service. */
function findClient(name: string, data: string): string {
  const profile = findServiceProfile(name);
  if (profile?.service === data && profile.clientId !== undefined) return profile.clientId;
  throw new SvcError("INVALID_ARGS", `The profile ${name} does not belong to the service of ${data}.`, {
    hint: "Name the client ID, or another profile with --profile.",
  });
}

/** Adds a client for an operator and writes its profile. The service need not run. */
export async function addClientProfile(
  options: ServiceDirectory & StoreOptions & { operator: string; profile?: string },
): Promise<{ operator: string; profile: string; url: string }> {
  const data = resolveDirectory(options.data);
  const profile = getProfileName(options);
  const state = await readState(data);
  if (!state || state.url === "") {
    throw createUnusedError(data, "Run 'svc service start' first.");
  }
  checkOwner(profile, data);
  const app = await loadServedApplication(state.app === "" ? undefined : state.app);
  const store = await openKnownStore(data, options);
  try {
    await writeProfile(profile, data, state, await addClient(store, app, options.operator));
  } finally {
    await store.close();
  }
  return { operator: options.operator, profile, url: state.url };
}
