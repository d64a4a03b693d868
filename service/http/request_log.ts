/** The request log: one entry for each request, without secrets, queries and bodies. */
import type { Log, LogFormat } from "../../lib/telemetry/log.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { ServiceResponse } from "../connections/service_response.ts";
import type { Tokens } from "../access/tokens.ts";
import { FAILED, type ObservedCall, type RequestObserver, SERVICE_ERROR } from "./observed_call.ts";
import { getPath } from "./receive.ts";

/** Written in place of the operator of a request without a valid token. */
const NO_OPERATOR = "-";

/** A request with its response. */
interface LoggedRequest {
  readonly call: ObservedCall;
  readonly operator: string | undefined;
  /** Undefined if the connection ended with an error. */
  readonly response: ServiceResponse | undefined;
  readonly milliseconds: number;
  /** When the request arrived. */
  readonly time: Date;
}

/** Creates an observer that logs each request. */
export function createRequestLog(tokens: Tokens, log: Log, format: LogFormat): RequestObserver {
  const write = format === "json" ? writeFields : writeLine;
  return async (call, respond) => {
    const [time, start] = [new Date(), performance.now()];
    // Read first, because a request that revokes its token has no operator afterwards.
    const token = /^Bearer +(\S+)$/i.exec(call.request.header("authorization") ?? "")?.[1];
    const operator = token === undefined ? undefined : await tokens.findOperator(token);
    let response: ServiceResponse | undefined;
    try {
      return response = await respond();
    } finally {
      write(log, { call, operator, response, milliseconds: performance.now() - start, time });
    }
  };
}

/** Writes time, operator, method, path, status and duration. */
function writeLine(log: Log, { call: { request }, operator, response, milliseconds, time }: LoggedRequest): void {
  const { method, target } = request;
  const status = response?.status ?? FAILED;
  const words = [
    time.toISOString(),
    operator ?? NO_OPERATOR,
    method,
    getPath(target),
    status,
    `${Math.round(milliseconds)}ms`,
  ];
  log(escapeToOneLine(words.join(" ")));
}

/** Writes fields without the path, because paths can contain names of tags and keys of records. */
function writeFields(log: Log, { call, operator, response, milliseconds }: LoggedRequest): void {
  const { request: { method }, operation, traceId } = call;
  const isError = response === undefined || response.status >= SERVICE_ERROR;
  log("Request", {
    level: isError ? "error" : "info",
    operation,
    method,
    status: response?.status ?? FAILED,
    durationMs: Math.round(milliseconds * 10) / 10,
    operator,
    requestId: response?.headers["x-request-id"],
    traceId,
  });
}
