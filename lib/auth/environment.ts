/** Variables of the environment. */
import { SvcError } from "../errors.ts";

/** The value of a variable; undefined where it is absent or empty. */
export function variable(name: string): string | undefined {
  try {
    return Deno.env.get(name) || undefined;
  } catch (error) {
    // The platform's error quotes the value, which may be the client secret: it goes no further.
    if (!(error instanceof Deno.errors.InvalidData)) throw error;
    throw new SvcError("INVALID_CONFIG", `The environment variable ${name} is no UTF-8 text.`, {
      hint: `Set ${name} anew.`,
    });
  }
}
