/** Starts a service in this process: its data directory, store and server. */
import { isDiskFull } from "../../utils/sqlite/database_errors.ts";
import { toAbsolutePath } from "../../utils/fs/absolute_path.ts";
import { exists } from "../../utils/fs/exists.ts";
import { addClient, type ClientCredentials } from "../access/clients.ts";
import { Tokens } from "../access/tokens.ts";
import { createInitialRecords } from "../data/initial_records.ts";
import { checkDefinition } from "../migration/check_definition.ts";
import { indexFields } from "../migration/index_fields.ts";
import { loadServedApplication, openServedAssets } from "../sample/served_application.ts";
import {
  announce,
  createReserve,
  findApplication,
  findFilePlace,
  findStore,
  locateFiles,
  lockDirectory,
  releaseReserve,
  withdraw,
} from "./directory.ts";
import { removeExpired, removeOrphans } from "../attachments/files.ts";
import { createRequestLog } from "../http/request_log.ts";
import { handlers } from "../http/routes.ts";
import { openFiles } from "./file_place.ts";
import { serve } from "./server.ts";
import { watchDefinition } from "./watch_definition.ts";
import { getErrorMessage, SvcError } from "../../lib/errors.ts";
import { MEMORY, resolveSettings, type ServiceOptions } from "./settings.ts";
import { openBytes } from "../store/bytes_on_disk.ts";
import { openStore, type StoreFile } from "../store/open_store.ts";
import { describeLogDamage, keepDamagedLog } from "../../utils/sqlite/log_damage.ts";
import { upgradeDatabase, type UpgradeProgress } from "../store/sqlite/upgrade/upgrade.ts";
import { explainUpgrade, type UpgradeState, writeUpgrade } from "./upgrade_state.ts";
import { deleteExpiredResponses } from "../http/idempotency.ts";
import { type Log, logError } from "../../lib/telemetry/log.ts";
import { isTracing } from "../../lib/telemetry/tracing.ts";
import type { ServiceMetrics } from "../telemetry/service_metrics.ts";
import type { ServiceTrace } from "../telemetry/service_trace.ts";
import type { ByteStore } from "../store/bytes.ts";
import { ServiceClock } from "../store/service_clock.ts";
import type { Store } from "../store/store.ts";

/** A service that runs in this process. */
export interface RunningService extends AsyncDisposable {
  /** Base URL for clients, e.g. `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** Address of the metrics, if they are on. */
  readonly metricsUrl?: string;
  /** IDs of the operators that clients can act as. */
  readonly operators: readonly string[];
  /** Reports whether the service has clients. A new service has none. */
  hasClients(): Promise<boolean>;
  /** Finds the operator of a client, if the client exists. The application may no longer have the operator. */
  findOperator(clientId: string): Promise<string | undefined>;
  /** Adds a client that acts as an operator of the application. Its secret cannot be read again. */
  addClient(operator: string): Promise<ClientCredentials>;
  /** Waits for running calls, then stops the service. */
  close(): Promise<void>;
}

/** Hooks of a caller into the start of a service. */
export interface StartHooks {
  /** Runs before the service is announced to other processes. */
  readonly prepare?: (service: RunningService) => Promise<void>;
  /** Interrupts an upgrade of the data. */
  readonly signal?: AbortSignal;
  /** Receives the progress of an upgrade of the data, as lines. Default, and with a log in JSON: the log. */
  readonly note?: (line: string) => void;
}

/** Options of a service that may use another port. */
export interface RunOptions extends ServiceOptions {
  /** Listens on the next free port if the port is in use. Default: false. */
  canUseNextPort?: boolean;
}

/** Starts a service. First upgrades data of an earlier version. */
export async function runService(options: RunOptions, hooks: StartHooks = {}): Promise<RunningService> {
  const settings = resolveSettings(options);
  const directory = settings.data === MEMORY ? undefined : settings.data;
  const file = directory === undefined ? options.app : await findApplication(directory, options.app);
  let app = await loadServedApplication(file);
  if (settings.watch && file === undefined) throw createNothingToWatchError();
  const resources = new AsyncDisposableStack();
  let isKnown = false;
  try {
    const metrics = settings.metrics === undefined ? undefined : resources.use(await openMetrics(settings.metrics));
    const trace = isTracing() ? await openTrace() : undefined;
    if (directory !== undefined) {
      resources.use(await lockDirectory(directory));
      isKnown = await withdraw(directory);
    }
    const place = await findStore(settings.data, options);
    const filePlace = await findFilePlace(settings.data, place, options);
    const isNew = "file" in place && (directory === undefined || !await exists(place.file));
    const note = settings.logFormat === "json" ? settings.log : hooks.note ?? settings.log;
    const upgradeHooks = { note, signal: hooks.signal };
    if ("file" in place && directory !== undefined) reportLogDamage(place.file, settings.log);
    const opened = "file" in place && directory !== undefined
      ? await openDirectoryStore({ ...place, isKnown }, directory, upgradeHooks)
      : await openStore(place, { note, log: settings.log });
    const measured = metrics?.watchStore(opened) ?? opened;
    const store = trace?.watchStore(measured) ?? measured;
    resources.defer(() => store.close());
    if (directory !== undefined && "file" in place && !await createReserve(directory)) {
      settings.log("Warning: The disk is full. The service serves reads, and refuses changes until there is space.", {
        level: "warning",
      });
    }
    if (directory !== undefined || !isNew) {
      await checkDefinition(store, app, { isNew, accept: settings.acceptMismatch });
    }
    await indexFields(store, app, settings.log);
    await createInitialRecords(store, app);
    const tokens = new Tokens(store, settings.tokenLifetimeSeconds);
    const bytes = store.server === undefined
      ? openBytes(directory === undefined ? undefined : locateFiles(directory).files)
      : await openFiles(store, store.server, filePlace, options);
    resources.defer(() => bytes.close());
    // Files beside a new database are not from svc.
    if (!isNew && store.server === undefined) await removeOrphans(store, bytes);
    const assets = await openServedAssets(file);
    const maxFileBytes = settings.maxFile * 1024 * 1024;
    const clock = await ServiceClock.open(store);
    const parts = { app, store, clock, bytes, maxFileBytes, assets, tokens, handlers };
    const server = resources.use(
      await serve({
        ...settings,
        ...parts,
        canUseNextPort: options.canUseNextPort,
        allowedHosts: settings.allowHost,
        corsOrigins: settings.cors,
        observers: [
          ...(trace === undefined ? [] : [trace.observe]),
          ...(metrics === undefined ? [] : [metrics.observe]),
          ...(settings.logRequests ? [createRequestLog(tokens, settings.log, settings.logFormat)] : []),
        ],
      }),
    );
    metrics?.watchJobs(() => server.readJobLoad());
    const { url } = server;
    if (settings.watch && file !== undefined) {
      const reload = async () => {
        const changed = await loadServedApplication(file);
        await checkDefinition(store, changed, { isNew: false, accept: settings.acceptMismatch });
        await indexFields(store, changed, settings.log);
        await createInitialRecords(store, changed);
        await server.replaceApplication({ app: changed, assets: await openServedAssets(file) });
        app = changed;
      };
      resources.use(await watchDefinition(file, { reload, log: settings.log }));
    }
    resources.use(sweepRegularly({ store, bytes, clock }, settings.log));
    const close = once(() => resources.disposeAsync());
    const service: RunningService = {
      url,
      apiRoot: settings.apiRoot,
      tokenPath: settings.tokenPath,
      ...(metrics && { metricsUrl: metrics.url }),
      get operators() {
        return [...app.operators.keys()];
      },
      hasClients: async () => await store.read((tx) => tx.countClients()) > 0,
      findOperator: async (clientId) => (await store.read((tx) => tx.getClient(clientId)))?.operator,
      addClient: (operator) => addClient(store, app, operator),
      close,
      [Symbol.asyncDispose]: close,
    };
    await hooks.prepare?.(service);
    if (directory !== undefined) {
      const { apiRoot, tokenPath } = settings;
      const location = "location" in place ? place.location : undefined;
      await announce(directory, {
        url,
        apiRoot,
        tokenPath,
        app: file === undefined ? "" : toAbsolutePath(file),
        store: location,
        files: filePlace,
        metrics: metrics?.url,
      });
    }
    return service;
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

async function openTrace(): Promise<ServiceTrace> {
  return new (await import("../telemetry/service_trace.ts")).ServiceTrace();
}

/** Starts to collect and serve metrics. */
async function openMetrics(address: string): Promise<ServiceMetrics> {
  return new (await import("../telemetry/service_metrics.ts")).ServiceMetrics(address);
}

function createNothingToWatchError(): SvcError {
  return new SvcError(
    "INVALID_ARGS",
    "There is no definition to watch: the service would use the sample application.",
    {
      hint: "Name a definition with --app, or the option app.",
    },
  );
}

/** Opens the store, after an upgrade if necessary. If the disk is full, frees the reserved space and tries again. */
async function openDirectoryStore(place: StoreFile, directory: string, hooks: UpgradeHooks): Promise<Store> {
  const open = async () => {
    await upgradeDirectory(directory, hooks);
    return await openStore(place);
  };
  try {
    return await open();
  } catch (error) {
    if (!isDiskFull(error) || !await releaseReserve(directory)) throw error;
    return await open();
  }
}

/** Reports changes that the database loses because its write-ahead log is damaged. Keeps a copy of the log. */
function reportLogDamage(database: string, log: Log): void {
  const kept = keepDamagedLog(database);
  if (kept === undefined) return;
  const sentence = describeLogDamage(database, kept.damage);
  log(`${sentence}. The service starts without them and keeps a copy of the log in ${kept.copy}.`, { level: "error" });
}

type UpgradeHooks = Pick<StartHooks, "signal"> & Required<Pick<StartHooks, "note">>;

/** Upgrades the data of an earlier version, and publishes the progress. */
async function upgradeDirectory(
  directory: string,
  { signal, note }: UpgradeHooks,
): Promise<void> {
  let last: UpgradeState | undefined;
  const publish = async (upgrade: UpgradeState) => {
    last = upgrade;
    note(explainUpgrade(directory, upgrade));
    await writeUpgrade(directory, upgrade);
  };
  const observe = (progress: UpgradeProgress) => publish({ pid: Deno.pid, ...progress });
  const report = await upgradeDatabase(locateFiles(directory).database, { signal, observe });
  if (report !== undefined && last !== undefined) await publish({ ...last, copy: report.copy });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}

/** Milliseconds between two sweeps. */
const INTERVAL = 5 * 60 * 1000;

/** Milliseconds after which an incomplete upload, which another process may be receiving, counts as orphaned. */
const LONGEST_UPLOAD = 24 * 60 * 60 * 1000;

/** Deletes expired uploads and responses now and every few minutes. Disposing of it waits for a running sweep. */
export function sweepRegularly(
  { store, bytes, clock }: { readonly store: Store; readonly bytes: ByteStore; readonly clock: ServiceClock },
  log: Log,
): AsyncDisposable {
  const logFailure = (what: string) => (error: unknown) => logError(log, `Expired ${what} were not deleted`, error);
  const sweep = async () => {
    await clock.synchronize().catch((error) =>
      log(`The clock of the database cannot be read: ${getErrorMessage(error)}`, { level: "error" })
    );
    await removeExpired(store, bytes, { now: new Date(), uptime: clock.uptime }).catch(logFailure("uploads"));
    await deleteExpiredResponses(store, clock.now()).catch(logFailure("responses"));
    await bytes.removePostponed?.().catch(logFailure("files"));
    if (store.server === undefined) return;
    const before = new Date(clock.now().getTime() - LONGEST_UPLOAD);
    await removeOrphans(store, bytes, before).catch(logFailure("parts of uploads"));
  };
  let sweeping = sweep();
  const timer = setInterval(() => sweeping = sweeping.then(sweep), INTERVAL);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
