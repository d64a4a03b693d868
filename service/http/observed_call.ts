/** Observers of requests, such as the request log and metrics. Without observers, requests have no overhead. */
import type { Respond } from "../connections/http_server.ts";
import type { ServiceRequest } from "../connections/received_request.ts";
import type { ServiceResponse } from "../connections/service_response.ts";

/** Written in place of the status of a request whose connection ended with an error. */
export const FAILED = "failed";

/** Status from which a response is an error of the service. */
export const SERVICE_ERROR = 500;

/** A request as its observers see it. */
export interface ObservedCall {
  readonly request: ServiceRequest;
  /**
   * Name of the operation, e.g. `cases.get`, or of another route, e.g. `health`. Undefined for a path that does not exist,
   * and until the route is found.
   */
  operation?: string;
  /** Identifier of its trace, if traces are on. */
  traceId?: string;
}

/** Observes a request and returns its response. */
export type RequestObserver = (call: ObservedCall, respond: () => Promise<ServiceResponse>) => Promise<ServiceResponse>;

/** Wraps a function that responds to requests with observers. The first observer is the outermost. */
export function observeRequests(
  respond: (request: ServiceRequest, call?: ObservedCall) => Promise<ServiceResponse>,
  observers: readonly RequestObserver[],
): Respond {
  if (observers.length === 0) return respond;
  return (request) => {
    const call: ObservedCall = { request };
    const first = observers.reduceRight<() => Promise<ServiceResponse>>(
      (next, observe) => () => observe(call, next),
      () => respond(request, call),
    );
    return first();
  };
}
