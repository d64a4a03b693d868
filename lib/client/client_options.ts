/** The options of a client: with one left aside that is misspelt, calls would be made as somebody else. */
import { checkOptions, type OptionTypes } from "../options.ts";
import type { ClientOptions } from "./client.ts";

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
  warn: "function",
  onExchange: "function",
  onReply: "function",
  retries: undefined,
};

/** Refuses an option that there is not, or whose value is of another type, with `INVALID_ARGS`. */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions("createClient", TYPES, options);
}
