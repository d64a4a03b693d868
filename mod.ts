/**
 * The library of svc: typed functions for every operation of a case-management service. Every function throws `SvcError`.
 *
 * A client without options takes address and credentials from `SVC_BASE_URL`, `SVC_CLIENT_ID` and `SVC_CLIENT_SECRET`,
 * and what they do not say from the profile `default` in `~/.svc-cli/config.json`, as the command line does.
 *
 * `@svc/lib/workflow` is what workflow scripts import, `@svc/lib/service` an embedded service for tests, `@svc/lib/cli`
 * the command line. The library needs Deno: it does not run in Node.js, Bun or a browser.
 *
 * @example
 * ```ts
 * import { createClient } from "@svc/lib";
 *
 * const svc = createClient();
 * const { caseTypes } = await svc.caseTypes.list();
 * console.log(caseTypes.map((type) => type.name));
 * ```
 *
 * @module
 */
export { createClient } from "./lib/client/client.ts";
export type { ClientOptions } from "./lib/client/client_options.ts";
export type { Client, GroupFunctions } from "./lib/client/bind.ts";
export { type GroupEntry, groups, type Resources } from "./lib/resources/mod.ts";
export type { CallerOptions, Exchange } from "./lib/client/caller.ts";
export type { ExchangeSummary, SessionOptions } from "./lib/auth/settings.ts";
export type { Warn } from "./lib/client/callback.ts";
export {
  ERROR_CODES,
  type ErrorAttempt,
  type ErrorCode,
  type ErrorDetail,
  type ErrorRecord,
  type Hint,
  type HintCommand,
  SvcError,
  type SvcErrorOptions,
} from "./lib/errors.ts";
export type { JsonObject, JsonValue } from "./utils/json.ts";
export type * from "./lib/answers/answer_types.ts";
export type {
  AnswerOf,
  CalculationRequest,
  ConditionalOptions,
  FileInput,
  FlagOptions,
  FlagValue,
  Group,
  Operation,
  OperationFunction,
  OptionsOf,
  Param,
  ParamsOf,
  ParamTypes,
  Place,
  PositionalLabels,
  PositionalParam,
  Positionals,
  RequestOptions,
  TagSource,
} from "./lib/operation/operation.ts";
