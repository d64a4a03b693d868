/** The options of a client: with one left aside that is misspelt, calls would be made as somebody else. */
import { SvcError } from "../errors.ts";
import { checkOptions, type OptionTypes } from "./check_options.ts";
import type { CallerOptions } from "./caller.ts";

/** How a client reaches its service, and how often it tries. */
export interface ClientOptions extends CallerOptions {
  /**
   * How often a call that failed is tried again: 0 without it. Only what cannot do anything twice is repeated: reads,
   * changes with an `idempotencyKey` where the service knows keys, and what surely has not been done. Between attempts
   * it waits for a random time whose range grows, and as long as the service asks for; after a `Retry-After` of more than
   * a minute there is none. All calls of the process share a budget.
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

/** Refuses an option that there is not, or whose value is of another type, with `INVALID_ARGS`. */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions("createClient", TYPES, options);
  const { retries = 0 } = options;
  if (typeof retries === "number" && Number.isInteger(retries) && retries >= 0) return;
  throw new SvcError("INVALID_ARGS", "retries must be a whole number that is not negative.", {
    hint: "Leave it out to try each call once.",
  });
}
