/** Options of a client. They are checked, because a misspelt one could select other credentials. */
import { SvcError } from "../errors.ts";
import { checkOptions, type OptionTypes } from "./check_options.ts";
import type { CallerOptions } from "./caller.ts";

/** Options of a client. */
export interface ClientOptions extends CallerOptions {
  /**
   * Number of retries of a failed call. Default: 0. Only calls that cannot have an effect twice are retried: reads,
   * changes with an `idempotencyKey` if the service supports keys, and calls that were not applied. The delay is random,
   * grows with each attempt, and honors `Retry-After` up to a minute. All calls of the process share a budget.
   */
  retries?: number;
}

const TYPES: OptionTypes<ClientOptions> = {
  profile: "string",
  baseUrl: undefined,
  clientId: undefined,
  clientSecret: undefined,
  apiRoot: undefined,
  tokenPath: undefined,
  timeoutSeconds: undefined,
  idempotencyKeys: undefined,
  noCache: "boolean",
  allowInsecureHttp: undefined,
  configDirectory: "string",
  fetch: "function",
  warn: "function",
  onExchange: "function",
  onReply: "function",
  retries: undefined,
};

/** Throws `INVALID_ARGS` for an unknown option and for an invalid value. */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions("createClient", TYPES, options);
  const { retries = 0 } = options;
  if (typeof retries === "number" && Number.isInteger(retries) && retries >= 0) return;
  throw new SvcError("INVALID_ARGS", "retries must be a whole number, 0 or more.", {
    hint: "Omit it to try each call once.",
  });
}
