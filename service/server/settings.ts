/** Options of the service: their defaults and checks. */
import { OutputQueue } from "../../utils/async/output_queue.ts";
import { checkMember, isSecureUrl, PROFILE_DEFAULTS } from "../../lib/auth/profiles.ts";
import { MAX_TOKEN_SECONDS } from "../../lib/auth/token_cache.ts";
import {
  createJsonLog,
  describeDroppedAsJson,
  type Log,
  LOG_FORMATS,
  type LogFormat,
} from "../../lib/telemetry/log.ts";
import { toUrlHost } from "../../utils/url_host.ts";
import { isOrigin } from "../http/cross_origin.ts";
import { SvcError } from "../../lib/errors.ts";

/** Default size limit of an uploaded file in MiB. */
export const DEFAULT_MAX_FILE = 1024;

/** Data directory of a service that stores nothing on disk. */
export const MEMORY = ":memory:";

/** Options of the service. */
export interface ServiceOptions {
  /**
   * File of the application definition. Default: the last application of the directory, or the sample application for a new
   * directory.
   */
  app?: string;
  /** Directory of the state, created if it does not exist. Default: `:memory:`, which stores nothing on disk. */
  data?: string;
  /**
   * Database of the state: `sqlite` for a file of the data directory, or the location of a PostgreSQL database without a
   * password, such as `postgres://app@db.example.org/city?schema=permits`. Several services may use the same database.
   * Default: the last one of the directory, or `sqlite`.
   */
  store?: string;
  /** File with the password of the database. Default: the variable `PGPASSWORD`. */
  storePasswordFile?: string;
  /** Command line of a program that prints the password of the database. */
  storePasswordCommand?: string;
  /**
   * Location of uploaded files, with a PostgreSQL database: `database`, a directory that all services share, or a bucket
   * such as `s3://city-files/permits?endpoint=https://minio.example.org`. Default: the last one of the data directory,
   * or `database`.
   */
  files?: string;
  /** File with the credentials of the bucket. Default: the variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`. */
  filesCredentials?: string;
  /** Port to listen on. Default: 0, which picks a free port. */
  port?: number;
  /** Loopback address to listen at. Default: `127.0.0.1`. */
  hostname?: string;
  /** Path of the API. Default: `/dx-api/v2`. */
  apiRoot?: string;
  /** Path of the token endpoint. Default: `/oauth2/token`. */
  tokenPath?: string;
  /** Lifetime of a token in seconds. Default: 3600. */
  tokenLifetimeSeconds?: number;
  /** Size limit of an uploaded file in MiB. Default: 1024. */
  maxFile?: number;
  /** Names by which clients may reach the service, besides loopback addresses. Default: none. */
  allowHost?: readonly string[];
  /** Origins of web pages that may call the service, or `*`. Default: none. */
  cors?: readonly string[];
  /** Maximum number of connections. Default: derived from the limit of open files, at most 2048. */
  maxConnections?: number;
  /** Maximum number of unauthenticated connections of one address. Default: half of all. */
  maxAnonymous?: number;
  /** Demands the entity tags of the published API, and refuses names and paging that it does not have. Default: false. */
  strict?: boolean;
  /** Starts even if the definition does not fit the stored data. Default: false. */
  acceptMismatch?: boolean;
  /** Logs each request, without secrets, query and body. Default: false. */
  logRequests?: boolean;
  /** Format of the log lines: `text`, or `json` for one object per line. Default: `text`. */
  logFormat?: "text" | "json";
  /**
   * Address on which metrics are served to Prometheus, such as `127.0.0.1:9464`, or a port of 127.0.0.1. Default: no
   * metrics.
   */
  metrics?: string;
  /** Reloads the definition when its file changes. An invalid definition is logged and not used. Default: false. */
  watch?: boolean;
  /** Logs unexpected errors. Default: stderr. */
  log?: (line: string) => void;
}

/** The options with the password of a database server. */
export type StorePasswordOptions = Pick<ServiceOptions, "storePasswordFile" | "storePasswordCommand">;

/** The options that select the database. */
export type StoreOptions = Pick<ServiceOptions, "store"> & StorePasswordOptions;

/** The options that select where uploaded files are stored. */
export type FileOptions = Pick<ServiceOptions, "files" | "filesCredentials">;

type OptionalSettings = Pick<ServiceOptions, "app" | "maxConnections" | "maxAnonymous" | "metrics">;

/** The options with their defaults. */
export type Settings = Readonly<
  & Required<
    Omit<ServiceOptions, keyof OptionalSettings | "log" | keyof FileOptions | keyof StoreOptions>
  >
  & OptionalSettings
  & { log: Log }
>;

/** Opens the log of a service. Throws `INVALID_ARGS` for an unknown format. */
export function openLog(options: Pick<ServiceOptions, "log" | "logFormat">): Log {
  const { logFormat = "text", log = createStderrLog(logFormat) } = options;
  if (!LOG_FORMATS.includes(logFormat)) {
    throw invalid(`The log format must be ${LOG_FORMATS.join(" or ")}, not ${logFormat}.`);
  }
  if (logFormat === "json") return createJsonLog(log);
  return (text) => log(text);
}

/** Creates the default log. It does not wait for the reader of stderr. */
function createStderrLog(format: LogFormat): (line: string) => void {
  const queue = new OutputQueue(Deno.stderr, format === "json" ? describeDroppedAsJson : undefined);
  return (line) => queue.write(`${line}\n`);
}

/** Fills in the defaults of the options. Throws `INVALID_ARGS` or `INVALID_CONFIG` for an invalid option. */
export function resolveSettings(options: ServiceOptions): Settings {
  const settings = {
    app: options.app,
    data: options.data ?? MEMORY,
    port: options.port ?? 0,
    hostname: options.hostname ?? "127.0.0.1",
    apiRoot: options.apiRoot ?? PROFILE_DEFAULTS.apiRoot,
    tokenPath: options.tokenPath ?? PROFILE_DEFAULTS.tokenPath,
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 3600,
    maxFile: options.maxFile ?? DEFAULT_MAX_FILE,
    allowHost: options.allowHost ?? [],
    cors: options.cors ?? [],
    maxConnections: options.maxConnections,
    maxAnonymous: options.maxAnonymous,
    strict: options.strict ?? false,
    acceptMismatch: options.acceptMismatch ?? false,
    logRequests: options.logRequests ?? false,
    logFormat: options.logFormat ?? "text",
    metrics: options.metrics,
    watch: options.watch ?? false,
    log: openLog(options),
  };
  // As a path, it would be the root of the file system.
  if (settings.data === "") throw invalid("The data directory is an empty path.", "Name a directory, or omit it.");
  checkAddress(settings);
  checkPaths(settings);
  if (!(settings.tokenLifetimeSeconds >= 1 && settings.tokenLifetimeSeconds <= MAX_TOKEN_SECONDS)) {
    throw invalid(`A token must live for 1 to ${MAX_TOKEN_SECONDS} seconds.`);
  }
  if (!(settings.maxFile > 0)) {
    throw invalid(
      `The size limit of a file must be more than 0 MiB, not ${settings.maxFile}.`,
      "Change --max-file, or the option maxFile.",
    );
  }
  const badOrigin = settings.cors.find((origin) => !isOrigin(origin));
  if (badOrigin !== undefined) {
    throw invalid(`${badOrigin} is not an origin.`, 'Use an origin such as "https://desk.example", or "*" for any.');
  }
  checkCount(settings.maxConnections, "connections", "--max-connections, or the option maxConnections");
  checkCount(settings.maxAnonymous, "unauthenticated connections", "--max-anonymous, or the option maxAnonymous");
  return settings;
}

/** Builds the URL of a host and a port. */
export function buildUrl(hostname: string, port: number): string {
  return `http://${toUrlHost(hostname)}:${port}`;
}

function checkCount(count: number | undefined, things: string, option: string): void {
  if (count === undefined || (Number.isInteger(count) && count > 0)) return;
  throw invalid(`The maximum number of ${things} must be 1 or more, not ${count}.`, `Change ${option}.`);
}

function checkAddress({ hostname, port }: Settings): void {
  if (!Number.isInteger(port) || port < 0 || port > 65535) {
    throw invalid(`The port must be from 0 to 65535, not ${port}.`, "0 picks a free port.");
  }
  if (URL.canParse(buildUrl(hostname, port)) && isSecureUrl(buildUrl(hostname, port))) return;
  throw invalid(
    `${hostname} is not a loopback address.`,
    "Use a loopback address such as 127.0.0.1: the service has no TLS.",
  );
}

function checkPaths({ apiRoot, tokenPath }: Settings): void {
  checkMember("apiRoot", apiRoot, "The API root");
  checkMember("tokenPath", tokenPath, "The token path");
  const bad = [apiRoot, tokenPath].find((path) => /[:*]|\/$/.test(path));
  if (bad === undefined) return;
  throw invalid(
    `${bad} cannot be served.`,
    'Use a path such as "/dx-api/v2", without ":", "*" and a slash at the end.',
  );
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
