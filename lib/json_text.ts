/** Values of a caller as JSON. */
import { SvcError } from "./errors.ts";

/** A value as text of JSON; types do not keep everything out that has none. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new SvcError("INVALID_ARGS", `A value is no JSON: ${reason.replace(/\.$/, "")}.`, {
      cause,
      hint: "JSON has texts, numbers, true, false, null, arrays and objects, none of which holds itself.",
    });
  }
}
