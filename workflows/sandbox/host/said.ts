/** What a sandbox says of itself, checked. */
import type { JsonValue } from "../../../utils/json.ts";
import { FrameError } from "../protocol/frames.ts";

/** The result that a message holds. */
export function resultOf(text: string): JsonValue {
  try {
    const result: JsonValue = JSON.parse(text);
    return result;
  } catch (cause) {
    throw new FrameError("a result that is not JSON", { cause });
  }
}

/** Whether a text is some bytes in base64. */
export function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Whether a value is a list of texts, neither long. */
export function isTextArray(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.length <= 1000 &&
    value.every((one) => typeof one === "string" && one.length <= 200);
}
