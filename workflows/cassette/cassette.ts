/**
 * A cassette: what one run of a script asked and was given, in a file that people can read, change and keep with their
 * tests. It is the same as what a journal has of an input, in other words.
 */
import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** Version of the format. */
export const CASSETTE_VERSION = 1;

/** What a script was given for a call that the service answered. At most one of body, text and content is there. */
export interface RecordedAnswer {
  /** Entity tag. */
  readonly etag?: string;
  /** Shape of the answer, where it is not the operation's: that of a change which had arrived, with its answer lost. */
  readonly shape?: string;
  /** Body that is JSON. */
  readonly body?: JsonValue;
  /** Body that is a text. */
  readonly text?: string;
  /** Body that is content: its bytes in base64, and what is known of it. */
  readonly content?: RecordedContent;
}

/** Content that a script was given. */
export interface RecordedContent {
  /** Media type. */
  readonly type: string;
  /** File name. */
  readonly name?: string;
  /** Number of bytes that the service named. */
  readonly size?: number;
  /** The bytes. */
  readonly base64: string;
}

/** A call that a script made. Without `answer` and `error` it was still open when the script ended. */
export interface RecordedCall {
  /** Its position: the script's calls are numbered from 1 in the order in which it makes them. */
  readonly step: number;
  /** Permission name of the operation, or `sleep`. */
  readonly operation: string;
  /** Values by parameter name; of a file its name, type, size and digest. */
  readonly values: JsonObject;
  /** What the service answered. */
  readonly answer?: RecordedAnswer;
  /** What the call failed with. */
  readonly error?: ErrorRecord;
  /** The script's clock when it was given that. */
  readonly at?: string;
  /** Its place among all that the script was given, from 1: calls may be answered in another order than they were made. */
  readonly order?: number;
}

/** What one run of a script asked and was given, and what became of it. */
export interface Cassette {
  /** Version of the format. */
  readonly cassette: typeof CASSETTE_VERSION;
  /** Name that the script gives itself. */
  readonly script: string;
  /** The script's clock where it began. */
  readonly startedAt: string;
  /** Its input; absent where it had none. */
  readonly input?: JsonValue;
  /** Blocks of randomness that it drew, in base64. */
  readonly randomness: readonly string[];
  /** Its calls, by their positions. */
  readonly calls: readonly RecordedCall[];
  /** Its result; absent where it has none or failed. */
  readonly result?: JsonValue;
  /** What it failed with. */
  readonly error?: ErrorRecord;
}
