import { toSvcError } from "../errors.ts";
import { type Caller, type CallerOptions, createCaller, encodeCall } from "./caller.ts";

/** Creates a caller that retries failed calls as options, environment and profile say. Default: not at all. */
export function openCaller(options: CallerOptions): Caller {
  const once = createCaller(options);
  let repeating: Promise<Caller> | undefined;
  const call: Caller["call"] = async (ref, values, attempt) => {
    try {
      const retries = findRetries(once, () => encodeCall(ref, values, attempt));
      const caller = retries === 0 ? once : await (repeating ??= withRetries(once));
      return await caller.call(ref, values, attempt);
    } catch (error) {
      throw toSvcError(error).withOperation(ref.name);
    }
  };
  return { ...once, call };
}

/** Returns the number of retries. If the settings are invalid, invalid arguments are reported first. */
function findRetries(caller: Caller, checkArguments: () => void): number {
  try {
    return caller.getTarget().retries ?? 0;
  } catch (error) {
    checkArguments();
    throw error;
  }
}

async function withRetries(caller: Caller): Promise<Caller> {
  const { retrying } = await import("./retry.ts"); // Loaded here, because most calls are made once.
  return retrying(caller);
}
