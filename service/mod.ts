/**
 * The embedded service: the HTTP API of case management on this machine, with its state in a directory or in memory.
 *
 * @module
 */
import { captureCallSite, locateError, locateErrors } from "../lib/locate_errors.ts";
import { checkOptions, type OptionTypes } from "../lib/client/check_options.ts";
import type { ClientCredentials } from "./access/clients.ts";
import { type RunningService, runService } from "./server/run.ts";
import type { ServiceOptions } from "./server/settings.ts";

export type { ClientCredentials, RunningService, ServiceOptions };

const TYPES: OptionTypes<ServiceOptions> = {
  app: "string",
  data: "string",
  store: "string",
  storePasswordFile: "string",
  storePasswordCommand: "string",
  files: "string",
  filesCredentials: "string",
  port: undefined,
  hostname: "string",
  apiRoot: undefined,
  tokenPath: undefined,
  tokenLifetimeSeconds: "number",
  maxFile: "number",
  maxConnections: "number",
  maxAnonymous: "number",
  allowHost: undefined,
  cors: undefined,
  strict: "boolean",
  acceptMismatch: "boolean",
  logRequests: "boolean",
  logFormat: "string",
  metrics: "string",
  watch: "boolean",
  log: "function",
};

/**
 * Starts a service in this process. It serves until it is closed. A directory has one service at a time. Throws
 * `INVALID_ARGS` for an unknown option.
 *
 * @example A service for a test
 * ```ts
 * import { createClient } from "@svc/lib";
 * import { startService } from "@svc/lib/service";
 *
 * await using service = await startService();
 * const credentials = await service.addClient("clerk@city");
 * const svc = createClient({ baseUrl: service.url, ...credentials, noCache: true });
 * const { caseTypes } = await svc.caseTypes.list();
 * console.log(caseTypes.map((type) => type.ID));
 * ```
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const site = captureCallSite(startService);
  try {
    checkOptions("startService", TYPES, options);
    return locateErrors(await runService(options));
  } catch (error) {
    throw locateError(error, site);
  }
}
