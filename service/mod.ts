/**
 * The embedded service: the HTTP API of case management on this machine, with its state in a directory or in memory.
 *
 * @module
 */
import { resolve } from "node:path";
import { checkMember, isSecure } from "../lib/auth/profile.ts";
import { SvcError } from "../lib/errors.ts";
import { addClient, type ClientCredentials } from "./access/clients.ts";
import { Tokens } from "./access/tokens.ts";
import { loadServedApplication } from "./application.ts";
import { filesOf, lockDirectory, readState, writeState } from "./directory.ts";
import { handlers } from "./handlers/mod.ts";
import { serve, urlOf } from "./server.ts";
import { openSqliteStore } from "./store/sqlite.ts";

export type { ClientCredentials };

/** What to serve, and where. Every member may be left out. */
export interface ServiceOptions {
  /** File of the application definition; without it, the permit application that comes with svc. */
  app?: string;
  /** Directory of the state, made if need be; `:memory:`, or nothing, for a service that forgets. */
  data?: string;
  /** Port to listen on; 0, or nothing, for a free one. */
  port?: number;
  /** Address to listen at: one of this machine's loopback addresses; `127.0.0.1` without it. */
  hostname?: string;
  /** Path of the API; `/dx-api/v2` without it. */
  apiRoot?: string;
  /** Path of the token endpoint; `/oauth2/token` without it. */
  tokenPath?: string;
  /** Seconds that a token lives; 3600 without it. */
  tokenLifetimeSeconds?: number;
  /** Is told of what nobody foresaw; without it, it goes to stderr. */
  log?: (line: string) => void;
}

/** A service that runs in this process. */
export interface RunningService extends AsyncDisposable {
  /** Its address, e.g. `http://127.0.0.1:8080`: the base URL of its clients. */
  readonly url: string;
  /** Path of the API. */
  readonly apiRoot: string;
  /** Path of the token endpoint. */
  readonly tokenPath: string;
  /** IDs of the operators as whom clients can work. */
  readonly operators: readonly string[];
  /** Whether anybody can call: a new service has no client. */
  hasClients(): Promise<boolean>;
  /** Makes a client that works as an operator of the application. Its secret is known here and now only. */
  addClient(operator: string): Promise<ClientCredentials>;
  /** Finishes the calls in hand, then stops. */
  close(): Promise<void>;
}

/**
 * Starts a service in this process. It serves until it is closed; a directory has one service at a time.
 *
 * @example A service for the time of a test
 * ```ts
 * import { createClient } from "@svc/lib";
 * import { startService } from "@svc/lib/service";
 *
 * await using service = await startService();
 * const credentials = await service.addClient(service.operators[0]);
 * const svc = createClient({ baseUrl: service.url, ...credentials });
 * const { caseTypes } = await svc.caseTypes.list();
 * console.log(caseTypes.map((type) => type.ID));
 * ```
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const { data = MEMORY, port = 0, hostname = "127.0.0.1", apiRoot = "/dx-api/v2", tokenPath = "/oauth2/token" } =
    options;
  const { tokenLifetimeSeconds = 3600, log = (line: string) => console.error(line) } = options;
  checkAddress(hostname, port);
  checkPaths(apiRoot, tokenPath);
  if (!(tokenLifetimeSeconds >= 1)) throw invalid("A token must live for a second at least.");
  const app = await loadServedApplication(options.app);

  const resources = new AsyncDisposableStack();
  try {
    if (data !== MEMORY) resources.use(await lockDirectory(data));
    const store = openSqliteStore(data === MEMORY ? data : filesOf(data).database);
    resources.defer(() => store.close());
    const tokens = new Tokens(store, tokenLifetimeSeconds);
    const { url } = resources.use(
      await serve({ app, store, tokens, handlers, hostname, port, apiRoot, tokenPath, log }),
    );
    if (data !== MEMORY) await note(data, { url, apiRoot, tokenPath, app: options.app });
    const close = once(() => resources.disposeAsync());
    return {
      url,
      apiRoot,
      tokenPath,
      operators: [...app.operators.keys()],
      hasClients: async () => await store.read((tx) => tx.countClients()) > 0,
      addClient: (operator) => addClient(store, app, operator),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await resources.disposeAsync();
    throw error;
  }
}

const MEMORY = ":memory:";

/** Notes in the directory where its service is, for other processes. */
async function note(
  data: string,
  service: { url: string; apiRoot: string; tokenPath: string; app?: string },
): Promise<void> {
  const app = service.app === undefined ? "" : resolve(service.app);
  const profiles = (await readState(data))?.profiles ?? [];
  await writeState(data, { ...service, app, pid: Deno.pid, startedAt: new Date().toISOString(), profiles });
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => done ??= work();
}

function checkAddress(hostname: string, port: number): void {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw invalid(`${port} is no port.`, "Use 0 to 65535; 0 picks a free one.");
  }
  if (URL.canParse(urlOf(hostname, port)) && isSecure(urlOf(hostname, port))) return;
  throw invalid(
    `${hostname} is not a loopback address.`,
    "The service has no TLS: it listens on this machine alone, e.g. at 127.0.0.1.",
  );
}

function checkPaths(apiRoot: string, tokenPath: string): void {
  checkMember("apiRoot", apiRoot, "The API root");
  checkMember("tokenPath", tokenPath, "The token path");
  for (const path of [apiRoot, tokenPath]) {
    if (/[:*]|\/$/.test(path)) {
      throw invalid(
        `${path} cannot be served.`,
        'Use a path such as "/dx-api/v2", without ":", "*" and a slash at the end.',
      );
    }
  }
  if (apiRoot === tokenPath) throw invalid("The API root and the token path must differ.");
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
