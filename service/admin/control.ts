/** `svc service status`, `stop` and `reset`: they control a service from another process. */
import { SvcError } from "../../lib/errors.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import {
  isInUse,
  locateFiles,
  lockDirectory,
  readState,
  removeData,
  resolveDataDirectory,
  type ServiceState,
  tryLock,
} from "../server/directory.ts";
import { MEMORY } from "../server/settings.ts";
import { checkOwner, findProfiles, writeProfile } from "./profiles.ts";
import { getProfileName } from "../../lib/auth/settings.ts";
import { addClient } from "../access/clients.ts";
import { loadServedApplication } from "../sample/served_application.ts";
import { openSqliteStore } from "../store/sqlite/sqlite_store.ts";

/** Time that a service has to respond, in milliseconds. */
const ANSWER_PATIENCE = 3000;

/** Time that a service has to stop, in milliseconds. */
const STOP_PATIENCE = 15_000;

/** Which service. */
export interface Which {
  /** Data directory. Default: the directory beside the profiles. */
  data?: string;
}

/** Returns whether a service runs on a data directory, its address, and its health. */
export async function readServiceStatus({ data: given }: Which = {}): Promise<JsonObject> {
  const data = resolveDirectory(given);
  const running = await isInUse(data);
  const state = await readState(data);
  if (!running || !state) return { running, data };
  const { url, apiRoot, tokenPath, pid, startedAt } = state;
  const told = await ask(state);
  return {
    running,
    answers: told !== undefined,
    ...(told && { version: told.version, application: told.application }),
    url,
    apiRoot,
    tokenPath,
    pid,
    startedAt,
    profiles: findProfiles(data),
    data,
    log: locateFiles(data).log,
  };
}

/** Stops the service of a data directory and waits until it has stopped. Reports whether one was running. */
export async function stopService({ data: given }: Which = {}): Promise<{ stopped: boolean; data: string }> {
  const data = resolveDirectory(given);
  if (!await isInUse(data)) return { stopped: false, data };
  const state = await readState(data);
  if (!state || state.pid === 0) {
    throw new SvcError("CONFLICT", "The service is starting.", { hint: "Try again in a few seconds." });
  }
  const isTold = await tellToStop(data, state);
  using lock = await tryLock(data, STOP_PATIENCE);
  if (lock) return { stopped: true, data };
  const seconds = STOP_PATIENCE / 1000;
  if (isTold) {
    throw new SvcError("TIMEOUT", `The service (process ${state.pid}) did not stop within ${seconds} s.`, {
      hint: "It may be busy. Try again, or end the process.",
    });
  }
  throw new SvcError("TIMEOUT", `The service at ${state.url} does not respond and did not stop within ${seconds} s.`, {
    hint: `Nothing was stopped. Try again; if process ${state.pid} is a service of svc, end that process.`,
  });
}

/**
 * Sends the signal to stop to a process that identifies itself as the service, because the file that names the process
 * may be damaged or outdated. A process that does not respond is already stopping, or would not receive the signal.
 */
async function tellToStop(data: string, state: ServiceState): Promise<boolean> {
  const told = await ask(state);
  if (told === undefined) return false;
  if (told.pid !== state.pid) {
    const answers = typeof told.pid === "number" ? `process ${told.pid}` : "no service of svc";
    throw new SvcError(
      "CONFLICT",
      `${state.url} is ${answers}, not process ${state.pid}, which ${data}/service.json names.`,
      { hint: "Nothing was stopped. End the one that is a service of svc." },
    );
  }
  Deno.kill(state.pid, "SIGTERM");
  return true;
}

/** Removes all that a service has kept; refuses while one works on the directory, unless it is to be stopped first. */
export async function resetService(
  { data: given, stopFirst = false }: Which & { stopFirst?: boolean } = {},
): Promise<{ removed: string }> {
  const data = resolveDirectory(given);
  if (await readState(data) === undefined) throw noService(data, "There is nothing to remove.");
  if (stopFirst) await stopService({ data });
  using _lock = await lockDirectory(data, "Add --stop to stop it first.");
  await removeData(data);
  return { removed: data };
}

/** Status of a directory on which no service has run. */
export function noService(data: string, hint: string): SvcError {
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
async function ask({ url }: ServiceState): Promise<JsonObject | undefined> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_PATIENCE) });
    const body: unknown = await response.json();
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined; // That it does not answer is the finding, whatever the reason.
  }
}

/** Makes a client with an operator of its own and writes its profile, whether the service runs or not. */
export async function addClientProfile(
  options: Which & { operator: string; profile?: string },
): Promise<{ operator: string; profile: string; url: string }> {
  const data = resolveDirectory(options.data);
  const profile = getProfileName(options);
  const state = await readState(data);
  if (!state || state.url === "") {
    throw noService(data, "Run 'svc service start' first.");
  }
  checkOwner(profile, data);
  const app = await loadServedApplication(state.app === "" ? undefined : state.app);
  const store = openSqliteStore(locateFiles(data).database, true);
  try {
    await writeProfile(profile, data, state, await addClient(store, app, options.operator));
  } finally {
    await store.close();
  }
  return { operator: options.operator, profile, url: state.url };
}
