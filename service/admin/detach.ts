/** `svc service start --detach`: a service in its own process, which keeps running when this one ends. */
import { spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { explainWriteFailure, getConfigDirectory, getConfigFile } from "../../lib/auth/profiles.ts";
import { parseErrorRecord, SvcError } from "../../lib/errors.ts";
import { resolveLink } from "../../utils/fs/resolve_link.ts";
import { isJsonObject, parseJsonObject } from "../../utils/json.ts";
import { toKebab } from "../../lib/operation/operation.ts";
import { resolveOwnModule } from "../../lib/own_files.ts";
import { delay } from "../../utils/async/abort.ts";
import { toUrlHost } from "../../utils/url_host.ts";
import { findMaxConnections } from "../connections/limits.ts";
import { listModelHosts } from "../conversations/model_address.ts";
import {
  createLog,
  findApplication,
  findFilePlace,
  findStore,
  locateFiles,
  lockDirectory,
  readState,
  resolveDataDirectory,
  type ServiceState,
} from "../server/directory.ts";
import { MEMORY } from "../server/settings.ts";
import { isBucket } from "../store/open_bytes.ts";
import { parseStoreLocation, type StorePlace, type StoreServerPlace } from "../store/open_store.ts";
import { choosePort, notePort } from "./port.ts";
import { findProfiles } from "./profiles.ts";
import type { StartHooks } from "../server/run.ts";
import { explainUpgrade, readUpgrade } from "../server/upgrade_state.ts";
import type { StartOptions, StartReport } from "./start.ts";

/** Milliseconds to wait until the service is ready, not counting an upgrade of its data. */
const START_TIMEOUT = 20_000;

/** Milliseconds between two checks. */
const PAUSE = 20;

/** Options that are passed on the command line. */
export type DetachOptions = Omit<StartOptions, "hostname" | "tokenLifetimeSeconds" | "log">;

/**
 * Starts a service in its own process and waits until it responds. Its output goes to a log file in its data directory.
 * `signal` kills a process that is not ready yet. `note` receives the progress of an upgrade of the data.
 */
export async function startDetached(
  options: DetachOptions,
  hooks: Required<Pick<StartHooks, "signal" | "note">>,
): Promise<StartReport> {
  const data = resolveDataDirectory(options.data);
  if (data === MEMORY) {
    throw new SvcError(
      "INVALID_ARGS",
      "A service in memory cannot be detached, because other commands could not find it.",
      {
        hint: "Name a directory with --data, or omit --detach.",
      },
    );
  }
  (await lockDirectory(data))[Symbol.dispose](); // Creates the directory, and fails if it is in use.
  const hosts = await listHosts(await findApplication(data, options.app));
  const store = await findStore(data, options);
  const files = await findFilePlace(data, store, options);
  const more = options.metrics === undefined ? hosts : [...hosts, await findMetricsHost(options.metrics)];
  const permissions = await buildPermissions(data, { hosts: more, store, files });
  await createLog(data);
  const wanted = await choosePort(options, data);
  const maxConnections = options.maxConnections ?? await findMaxConnections(); // The child may not read its limit.
  const child = launch({ ...options, data, maxConnections }, permissions);
  const state = await waitUntilReady(child, data, hooks);
  const { url, apiRoot, tokenPath, pid, metrics } = state;
  notePort({ wanted, url, data }, hooks.note);
  return { url, apiRoot, tokenPath, data, pid, profiles: findProfiles(data), ...(metrics && { metrics }) };
}

/** Lists the model servers that an application calls. The sample application calls none. */
async function listHosts(app: string | undefined): Promise<string[]> {
  if (app === undefined) return [];
  const { loadApplication } = await import("../application/load.ts");
  return listModelHosts(await loadApplication(app));
}

/** Returns the address of the metrics in the format of `--allow-net`. */
async function findMetricsHost(address: string): Promise<string> {
  const { parseMetricsAddress } = await import("../../lib/telemetry/metrics_server.ts");
  const { hostname, port } = parseMetricsAddress(address);
  return `${toUrlHost(hostname)}${port === 0 ? "" : `:${port}`}`;
}

interface Child {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
}

function launch(options: DetachOptions & { data: string }, permissions: readonly string[]): Child {
  const log = openSync(locateFiles(options.data).log, "a", 0o600);
  try {
    const [program, ...args] = buildCommandLine(options, permissions);
    // The child prints its start report to stdout, and the report is not a log entry.
    const output = options.logFormat === "json" ? "ignore" : log;
    const child = spawn(program, args, { detached: true, stdio: ["ignore", output, log] });
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
    child.unref();
    return { pid: child.pid ?? 0, ended };
  } finally {
    closeSync(log);
  }
}

function buildCommandLine(
  options: DetachOptions & { data: string },
  permissions: readonly string[],
): [string, ...string[]] {
  const flags = Object.entries(options).filter(([, value]) => value !== undefined && value !== false)
    .flatMap(([name, value]) => [value].flat().map((one) => `--${toKebab(name)}${one === true ? "" : `=${one}`}`));
  const start = ["service", "start", ...flags];
  if (Deno.build.standalone) return [Deno.execPath(), ...start];
  const entry = resolveOwnModule("cli.ts");
  return [
    Deno.execPath(),
    "run",
    ...permissions,
    entry.protocol === "file:" ? fileURLToPath(entry) : entry.href,
    ...start,
  ];
}

/**
 * Builds the Deno permissions of a service. It writes only its data, files and profiles, reaches only `hosts`,
 * its database and its bucket, and runs only the program that prints the password of the database.
 */
async function buildPermissions(
  data: string,
  { hosts, store, files }: {
    readonly hosts: readonly string[];
    readonly store: StorePlace;
    readonly files: string | undefined;
  },
): Promise<string[]> {
  const directory = getConfigDirectory();
  const profiles = await resolveLink(getConfigFile(directory)).catch((error) => {
    throw explainWriteFailure(directory, error);
  });
  const { socketFolders = [], addresses = [], programs = [] } = "location" in store
    ? await describeStoreAccess(store)
    : {};
  const isInBucket = files !== undefined && isBucket(files);
  const fileHosts = isInBucket ? [await findBucketHost(files)] : [];
  const fileFolders = files === undefined || isInBucket ? [] : [files];
  const writable = [data, directory, dirname(profiles), ...socketFolders, ...fileFolders];
  const write = writable.some((path) => path.includes(",")) ? "" : "=" + writable.join(",");
  return [
    "--no-prompt",
    "--allow-env",
    "--allow-read",
    `--allow-write${write}`,
    `--allow-net=${["127.0.0.1", ...hosts, ...addresses, ...fileHosts].join(",")}`,
    ...programs.map((program) => `--allow-run=${program}`),
  ];
}

async function findBucketHost(place: string): Promise<string> {
  const { locateBucket } = await import("../store/open_bytes.ts");
  const { protocol, hostname, port } = new URL((await locateBucket(place)).endpoint);
  return `${hostname}:${port || (protocol === "https:" ? 443 : 80)}`;
}

/** Resources that the service needs to reach a database server. */
interface StoreAccess {
  readonly socketFolders?: readonly string[];
  readonly addresses?: readonly string[];
  readonly programs?: readonly string[];
}

async function describeStoreAccess({ location, passwordCommand }: StoreServerPlace): Promise<StoreAccess> {
  const { host, port } = await parseStoreLocation(location);
  const reach = host.startsWith("/") ? { socketFolders: [host] } : { addresses: [`${toUrlHost(host)}:${port}`] };
  if (passwordCommand === undefined) return reach;
  const { findProgram, PasswordError } = await import("../../utils/postgres/password.ts");
  try {
    return { ...reach, programs: [findProgram(passwordCommand)] };
  } catch (cause) {
    if (!(cause instanceof PasswordError)) throw cause;
    throw new SvcError("INVALID_ARGS", `--store-password-command: ${cause.message}`, { cause });
  }
}

async function waitUntilReady(
  child: Child,
  data: string,
  { signal, note }: Required<Pick<StartHooks, "signal" | "note">>,
): Promise<ServiceState> {
  let ended = false;
  child.ended.then(() => ended = true);
  let deadline = Date.now() + START_TIMEOUT;
  let noted: string | undefined;
  while (!ended) {
    const state = await readState(data);
    const isReady = state?.pid === child.pid;
    const upgrade = await readUpgrade(data);
    if (upgrade?.pid === child.pid) {
      if (upgrade.copy === undefined) deadline = Date.now() + START_TIMEOUT; // A failed step ends the process.
      const line = explainUpgrade(data, upgrade);
      if (line !== noted) note(line);
      noted = line;
    }
    if (isReady) return state;
    if (signal.aborted || Date.now() > deadline) {
      Deno.kill(child.pid, "SIGKILL"); // Safe at any time: each change is stored completely or not at all.
      await child.ended;
      signal.throwIfAborted();
      throw new SvcError("TIMEOUT", `The service did not respond within ${START_TIMEOUT / 1000} s.`, {
        hint: `Its output is in ${locateFiles(data).log}.`,
      });
    }
    await delay(PAUSE);
  }
  throw await readFailure(data);
}

/** Reads the last error in the log of a process that has ended. */
async function readFailure(data: string): Promise<SvcError> {
  const { log } = locateFiles(data);
  const last = (await Deno.readTextFile(log)).trimEnd().split("\n").at(-1) ?? "";
  const { error } = parseJsonObject(last) ?? {};
  const reported = isJsonObject(error) ? parseErrorRecord(error) : undefined;
  // A killed process leaves no error record.
  return reported ?? new SvcError("INTERNAL_ERROR", `The service has not started: ${last || "it printed nothing"}`, {
    hint: `The output of the service is in ${log}.`,
  });
}
