import type { ErrorRecord } from "../../lib/errors.ts";
import type { JsonObject, JsonValue } from "../../utils/json.ts";

/** Version of the file format. */
export const CASSETTE_VERSION = 1;

/** The response of a call. At most one of body, text and content is present. */
export interface CassetteAnswer {
  /** Entity tag. */
  readonly etag?: string;
  /** Shape of the response, if it differs from the operation's: a change was applied although its response was lost. */
  readonly shape?: string;
  /** JSON body. */
  readonly body?: JsonValue;
  /** Text body. */
  readonly text?: string;
  /** Binary body. */
  readonly content?: CassetteContent;
}

/** A binary body. */
export interface CassetteContent {
  /** Media type. */
  readonly type: string;
  /** File name. */
  readonly name?: string;
  /** Number of bytes that the service declared. */
  readonly size?: number;
  /** Bytes in base64. */
  readonly base64: string;
}

/** A call of the script. Without `answer` and `error` it was open when the script ended. */
export interface CassetteCall {
  /** Number of the call, from 1, in the order in which the script made them. */
  readonly step: number;
  /** Permission name of the operation, or `sleep`. */
  readonly operation: string;
  /** Arguments by parameter name. A file is recorded as name, type, size and digest. */
  readonly values: JsonObject;
  /** Response. */
  readonly answer?: CassetteAnswer;
  /** Error of a failed call. */
  readonly error?: ErrorRecord;
  /** Time of the response on the script's clock. */
  readonly at?: string;
  /** Position among all responses, from 1: responses may arrive in another order than the calls. */
  readonly order?: number;
}

/** One recorded run of a script: a readable file that can be edited and kept with the tests of the script. */
export interface Cassette {
  /** Version of the file format. */
  readonly cassette: 1;
  /** Name of the workflow. */
  readonly script: string;
  /** Start time on the script's clock. */
  readonly startedAt: string;
  /** Input; absent if the script was run without one. */
  readonly input?: JsonValue;
  /** Blocks of random bytes that it used, in base64. */
  readonly randomness: readonly string[];
  /** Names of the patches whose new path it takes; missing if it takes no new path. */
  readonly patches?: readonly string[];
  /** Calls in order. */
  readonly calls: readonly CassetteCall[];
  /** Result; absent if the script returned nothing or failed. */
  readonly result?: JsonValue;
  /** Error of a failed script. */
  readonly error?: ErrorRecord;
}
