/** Starts a service in this process: its directory, its store, its server, and all of it closed in turn. */
import { resolve } from "node:path";
import { exists } from "../../utils/fs/exists.ts";
import { addClient, type ClientCredentials } from "../access/clients.ts";
import { Tokens } from "../access/tokens.ts";
import { loadServedApplication, openServedAssets } from "../sample/served_application.ts";
import { announce, findApplication, locateFiles, lockDirectory, withdraw } from "./directory.ts";
import { removeExpired, removeOrphans } from "../attachments/files.ts";
import { handlers } from "../http/all_handlers.ts";
import { serve } from "./server.ts";
import { MEMORY, resolveSettings, type ServiceOptions } from "./settings.ts";
import { openBytes } from "../store/bytes_on_disk.ts";
import { openSqliteStore } from "../store/sqlite/sqlite_store.ts";
import { removeExpiredAnswers } from "../http/idempotency.ts";
import type { ByteStore } from "../store/bytes.ts";
import type { Store } from "../store/store.ts";

/** A service that runs in this process. */
export interface RunningService extends AsyncDisposable {
  /** Its address, e.g. `http://127.0.0.1:8080`: the base URL of its clients. */
  readonly url: string;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** IDs of the operators that clients can act as. */
  readonly operators: readonly string[];
  /** Checks whether the service has clients. A new service has none. */
  hasClients(): Promise<boolean>;
  /** Finds the operator of a client, if the client exists. The application may no longer have the operator. */
  operatorOf(clientId: string): Promise<string | undefined>;
  /** Makes a client that works as an operator of the application. Its secret is known here and now only. */
  addClient(operator: string): Promise<ClientCredentials>;
  /** Finishes the calls in hand, then stops. */
  close(): Promise<void>;
}

/** Runs before the service is announced to other processes. */
export type Prepare = (service: RunningService) => Promise<void>;

/** Starts a service. */
export async function runService(options: ServiceOptions, prepare?: Prepare): Promise<RunningService> {
  const settings = resolveSettings(options);
  const directory = settings.data === MEMORY ? undefined : settings.data;
  const file = directory === undefined ? options.app : await findApplication(directory, options.app);
  const app = await loadServedApplication(file);
  const resources = new AsyncDisposableStack();
  let isKnown = false;
  try {
    if (directory !== undefined) {
      resources.use(await lockDirectory(directory));
      isKnown = await withdraw(directory);
    }
    const database = directory === undefined ? MEMORY : locateFiles(directory).database;
    const isNew = directory === undefined || !await exists(database);
    const store = openSqliteStore(database, isKnown);
    resources.defer(() => store.close());
    const tokens = new Tokens(store, settings.tokenLifetimeSeconds);
    const bytes = openBytes(directory === undefined ? undefined : locateFiles(directory).files);
    resources.defer(() => bytes.close());
    if (!isNew) await removeOrphans(store, bytes); // A new one has written nothing, whatever is there.
    const assets = await openServedAssets(file);
    const maxFileBytes = settings.maxFile * 1024 * 1024;
    const parts = { app, store, bytes, maxFileBytes, assets, tokens, handlers };
    const { url } = resources.use(await serve({ ...settings, ...parts }));
    resources.use(sweepRegularly(store, bytes, settings.log));
    const close = once(() => resources.disposeAsync());
    const service: RunningService = {
      url,
      apiRoot: settings.apiRoot,
      tokenPath: settings.tokenPath,
      operators: [...app.operators.keys()],
      hasClients: async () => await store.read((tx) => tx.countClients()) > 0,
      operatorOf: async (clientId) => (await store.read((tx) => tx.getClient(clientId)))?.operator,
      addClient: (operator) => addClient(store, app, operator),
      close,
      [Symbol.asyncDispose]: close,
    };
    await prepare?.(service);
    if (directory !== undefined) {
      const { apiRoot, tokenPath } = settings;
      await announce(directory, { url, apiRoot, tokenPath, app: file === undefined ? "" : resolve(file) });
    }
    return service;
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}

/** Milliseconds between two looks. */
const INTERVAL = 5 * 60 * 1000;

/** Sweeps at once and every few minutes, until it is disposed of: that waits for the sweep in hand. */
export function sweepRegularly(store: Store, bytes: ByteStore, log: (line: string) => void): AsyncDisposable {
  const logged = (what: string, work: Promise<void>) =>
    work.catch((error: unknown) => {
      log(`Expired ${what} were not removed: ${error instanceof Error ? error.stack : String(error)}`);
    });
  const sweep = async () => {
    const now = new Date();
    await logged("uploads", removeExpired(store, bytes, now));
    await logged("answers", removeExpiredAnswers(store, now));
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
