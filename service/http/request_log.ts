/** The request log: one line for each request, without secrets, queries and bodies. */
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { Tokens } from "../access/tokens.ts";
import type { RequestObserver } from "./observed_call.ts";
import { getPath } from "./receive.ts";

/** Written in place of the operator of a request without a valid token. */
const NO_OPERATOR = "-";

/** Creates an observer that logs each request: time, operator, method, path, status, time taken. */
export function createRequestLog(tokens: Tokens, log: (line: string) => void): RequestObserver {
  return async ({ request }, respond) => {
    const [time, start] = [new Date(), performance.now()];
    // Read first, because a request that revokes its token has no operator afterwards.
    const token = /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
    const operator = token === undefined ? undefined : await tokens.findOperator(token);
    const write = (status: number | string) => {
      const milliseconds = `${Math.round(performance.now() - start)}ms`;
      const { method, url } = request;
      const words = [time.toISOString(), operator ?? NO_OPERATOR, method, getPath(url), status, milliseconds];
      log(escapeToOneLine(words.join(" ")));
    };
    try {
      const response = await respond();
      write(response.status);
      return response;
    } catch (error) {
      write("failed");
      throw error;
    }
  };
}
