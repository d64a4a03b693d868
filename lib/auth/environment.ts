import { SvcError } from "../errors.ts";

/** Returns an environment variable, or undefined if it is not set or empty. */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    // The original error quotes the value, which may be the client secret. It must not become the cause.
    if (!(error instanceof Deno.errors.InvalidData)) throw error;
    throw new SvcError("INVALID_CONFIG", `The environment variable ${name} is not valid UTF-8.`, {
      hint: `Set ${name} to UTF-8 text.`,
    });
  }
}
