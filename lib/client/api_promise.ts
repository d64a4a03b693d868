/** Promises for the answers of calls, which also give access to responses and pages. */
import { iteratePages, type PagePlan } from "../operation/pages.ts";

/** Status and headers of a response. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Headers. */
  readonly headers: Headers;
  /** Entity tag. */
  readonly etag?: string | undefined;
  /** Identifier that the service gave the request, for its operators. */
  readonly requestId?: string | undefined;
}

/** An answer with the response that contained it. */
export interface WithResponse<Answer> {
  /** The answer. */
  readonly data: Answer;
  /** Status and headers. */
  readonly response: ResponseInfo;
}

/** The answer of a call. */
export interface ApiPromise<Answer> extends Promise<Answer> {
  /** Returns the answer together with status and headers of the response. */
  withResponse(): Promise<WithResponse<Answer>>;
}

/**
 * The first page of a list.
 *
 * @example Iterating over the items of all pages
 * ```ts
 * import { createClient } from "@svc/lib";
 *
 * const svc = createClient();
 * for await (const row of svc.data.query("D_Permits", { max: 20 })) console.log(row.pyID);
 * ```
 */
export interface PagedPromise<Answer, Item> extends ApiPromise<Answer>, AsyncIterable<Item> {}

/** Makes a call and reports its response. */
export type ReportingCall = (
  args: readonly unknown[],
  onResponse?: (response: ResponseInfo) => void,
) => Promise<unknown>;

/** Makes a call. The promise for its answer also gives access to the response, and to the items of all pages. */
export function startCall(call: ReportingCall, args: readonly unknown[], plan?: PagePlan): Promise<unknown> {
  let response: ResponseInfo | undefined;
  const answer = call(args, (received) => response = received);
  const withResponse = async () => ({ data: await answer, response });
  Object.defineProperty(answer, "withResponse", { value: withResponse });
  if (plan === undefined) return answer;
  const iterate = async function* () {
    yield* iteratePages(plan, args, await answer, call);
  };
  return Object.defineProperty(answer, Symbol.asyncIterator, { value: iterate });
}
