/** Options of a client. They are checked, because a misspelt one could select other credentials. */
import { CALL_SETTINGS } from "../auth/call_settings.ts";
import { SvcError } from "../errors.ts";
import { checkOptions, type OptionTypes } from "./check_options.ts";
import type { CallerOptions } from "./caller.ts";

/** Options of a client. */
export type ClientOptions = CallerOptions;

const TYPES: OptionTypes<ClientOptions> = {
  profile: "string",
  baseUrl: undefined,
  clientId: undefined,
  clientSecret: undefined,
  apiRoot: undefined,
  tokenPath: undefined,
  clientAuth: undefined,
  scope: undefined,
  audience: undefined,
  timeoutSeconds: undefined,
  idempotencyKeys: undefined,
  tags: undefined,
  recordKeys: undefined,
  noCache: "boolean",
  allowInsecureHttp: undefined,
  configDirectory: "string",
  fetch: "function",
  warn: "function",
  onExchange: "function",
  onFailure: "function",
  onRequest: "function",
  onReply: "function",
  retries: undefined,
  autoTag: "boolean",
};

/** Throws `INVALID_ARGS` for an unknown option and for an invalid value. */
export function checkClientOptions(options: ClientOptions): void {
  checkOptions("createClient", TYPES, options);
  const { retries } = options;
  const { isValid, must } = CALL_SETTINGS.retries;
  if (retries === undefined || isValid(retries)) return;
  throw new SvcError("INVALID_ARGS", `retries must be ${must}.`, { hint: "Omit it to try each call once." });
}
