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
export type { ApiPromise, PagedPromise, ResponseInfo, WithResponse } from "./lib/client/api_promise.ts";
export type { Client } from "./lib/client/client_type.ts";
export type { CallerOptions, Exchange } from "./lib/client/caller.ts";
export type {
  ExchangeSummary,
  FailureSummary,
  Fetch,
  RequestSummary,
  SentRequest,
  SessionOptions,
} from "./lib/auth/settings.ts";
export type { ClientAuth } from "./lib/auth/client_auth.ts";
export type { RecordKeyForm, TagMode } from "./lib/operation/request_style.ts";
export type { Warn } from "./lib/client/callback.ts";
export {
  ERROR_CODES,
  type ErrorAttempt,
  type ErrorCode,
  type ErrorDetail,
  type ErrorRecord,
  type Hint,
  type HintCommand,
  type HintOption,
  isSvcError,
  SvcError,
  type SvcErrorOptions,
} from "./lib/errors.ts";
export { ExactNumber } from "./utils/exact_number.ts";
export type { JsonObject, JsonValue } from "./utils/json.ts";
export type { CalculationRequest, ConditionalOptions, FileInput, RequestOptions } from "./lib/operation/operation.ts";
export type {
  DataQuery,
  DataRequestBody,
  FieldName,
  NewAttachment,
  NewFile,
  NewLink,
  QueryComparator,
  QueryCondition,
  SummaryFunction,
} from "./lib/operation/body_types.ts";
export type { Content } from "./lib/operation/answer.ts";
export type * from "./lib/resources/ai_agents.ts";
export type * from "./lib/resources/assignments.ts";
export type * from "./lib/resources/assistants.ts";
export type * from "./lib/resources/attachments.ts";
export type * from "./lib/resources/case_forms.ts";
export type * from "./lib/resources/case_types.ts";
export type * from "./lib/resources/cases.ts";
export type * from "./lib/resources/data.ts";
export type * from "./lib/resources/followers.ts";
export type * from "./lib/resources/pages.ts";
export type * from "./lib/resources/participants.ts";
export type * from "./lib/resources/related.ts";
export type * from "./lib/resources/social.ts";
export type * from "./lib/resources/static_content.ts";
export type * from "./lib/resources/tags.ts";
export type * from "./lib/resources/ui_lists.ts";
export type * from "./lib/resources/work.ts";
