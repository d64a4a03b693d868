import { type Caller, type CallerOptions, createCaller } from "./caller.ts";

/** Creates a caller that retries failed calls as options, environment and profile say. Default: not at all. */
export function openCaller(options: CallerOptions): Caller {
  const once = createCaller(options);
  let repeating: Promise<Caller> | undefined;
  const select = async () => {
    return findRetries(once) === 0 ? once : await (repeating ??= withRetries(once));
  };
  return { ...once, call: async (ref, values, attempt) => await (await select()).call(ref, values, attempt) };
}

/** Returns the number of retries, or 0 if the settings are invalid: the call checks its arguments before it reports that. */
function findRetries(caller: Caller): number {
  try {
    return caller.getTarget().retries ?? 0;
  } catch {
    return 0;
  }
}

async function withRetries(caller: Caller): Promise<Caller> {
  const { retrying } = await import("./retry.ts"); // Loaded here, because most calls are made once.
  return retrying(caller);
}
