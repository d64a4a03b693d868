import { toJsonText } from "./json_text.ts";

/** The function with which a script ends its history, and the next input. */
export interface Continuation {
  /** Ends the history of the input, which continues with another input. The script gets no result. */
  continueAsNew(input?: unknown): Promise<never>;
  /** Resolves to the next input as JSON when the script has ended its history. */
  readonly requested: Promise<string>;
}

/** Creates the continuation of one run. */
export function createContinuation(): Continuation {
  const { promise, resolve } = Promise.withResolvers<string>();
  return {
    requested: promise,
    async continueAsNew(input) {
      resolve(toJsonText(input, "The input of continueAsNew"));
      return await new Promise<never>(() => {});
    },
  };
}
