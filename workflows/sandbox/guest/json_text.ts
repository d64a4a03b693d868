import { expectJson } from "../../../lib/client/request/values.ts";
import { getErrorMessage, SvcError } from "../../../lib/errors.ts";

/** Serializes a value of a script. Undefined is an empty text. Throws an error that names the value if it is not JSON. */
export function toJsonText(value: unknown, name: string): string {
  try {
    expectJson(value);
    return JSON.stringify(value) ?? "";
  } catch (cause) {
    const [reason] = getErrorMessage(cause).split("\n");
    throw new SvcError("WORKFLOW_FAILED", `${name} is not JSON: ${reason}`, { cause });
  }
}
