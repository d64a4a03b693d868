/** What a sandbox says to people, made so that it can be printed: it cannot drive a terminal, and takes no time without end. */
import type { JsonObject } from "../../../utils/json.ts";
import { escapeControlCharacters, escapeLines } from "../../../utils/text/control_characters.ts";
import { MAX_LOG_CHARACTERS } from "../protocol/messages.ts";

/** One or more lines of a log: none of them writes over the name of its input, and speaks for another one. */
export function printable(text: string): string {
  return escapeLines(text.slice(0, MAX_LOG_CHARACTERS));
}

/** The record of an error without control characters in what is meant for people. */
export function printableRecord(record: JsonObject = {}): JsonObject {
  const { message, hint } = record;
  return {
    ...record,
    ...(typeof message === "string" && { message: escapeControlCharacters(message.slice(0, 10_000)) }),
    ...(typeof hint === "string" && { hint: escapeControlCharacters(hint.slice(0, 1000)) }),
  };
}
