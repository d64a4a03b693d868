/** What parent and sandbox say to each other, and the limits of it. */
import type { Values } from "../../../lib/client/request/values.ts";

/** Version of the protocol: both ends must have the same. */
export const PROTOCOL = 3;

/** Bytes that one message of a sandbox may have. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Calls that a sandbox may have open at a time; the script's further calls wait inside the sandbox. */
export const MAX_OPEN_CALLS = 64;

/** Sleeps, and timers besides, that a sandbox may have open at a time. */
export const MAX_OPEN_SLEEPS = 4096;

/** The step that waits: it has the place of an operation, but it is none of the service's. */
export const SLEEP = "sleep";

/** Characters that the open calls of a sandbox may have together, unless a single one has more. */
export const MAX_OPEN_CHARACTERS = 32 * 1024 * 1024;

/** Characters of one log message; the rest is cut. */
export const MAX_LOG_CHARACTERS = 1024 * 1024;

/** Characters that a sandbox may print and draw in all: they are kept, and a disk must not be filled with them. */
export const MAX_SAID_CHARACTERS = 64 * 1024 * 1024;

/** Kinds of messages from the sandbox. */
export const FromSandbox = {
  /** The script is loaded: `{ protocol, name, allow }`. */
  ready: 1,
  /** Make a call: `{ operation, args, files?, timer? }`, `args` as its function has them. Identifiers are 1, 2, 3 …: the position in the run. */
  call: 2,
  /** The script no longer wants the answer of a call. */
  cancel: 3,
  /** Text for stderr. */
  log: 4,
  /** The run has ended: its result as JSON, or nothing. */
  result: 5,
  /** The run, or loading the script, has failed: an error record. */
  failure: 6,
  /** The script drew this block of randomness, in base64. */
  drew: 7,
  /** The script has nothing to do, and has not taken the step whose answer is next. */
  waits: 8,
  /** The script rests: the answer to the question whether it does. */
  rests: 9,
} as const;

/** Kinds of messages to the sandbox. */
export const ToSandbox = {
  /** Run: `{ input, startedAt, randomness }`. */
  start: 16,
  /** The answer to a call: a line of JSON, `{ at, answer, pages?, etag?, content?, placeholder? }`, then the service's answer as it came, or in base64. */
  reply: 17,
  /** The failure of a call: a line of JSON, `{ at }`, then an error record. */
  refusal: 18,
  /** An answer takes long: do not wait for it alone. */
  wake: 19,
  /** Say when you have nothing to do. It wakes, too. */
  askRest: 20,
} as const;

/** The call that a sandbox asks for. */
export interface CallRequest {
  /** Permission name of the operation. */
  readonly operation: string;
  /** Values by parameter name, files among them: not checked yet. */
  readonly values: Values;
  /** Seconds that the call may take. */
  readonly timeoutSeconds?: number;
  /** Whether it is a timer, and no sleep. */
  readonly isTimer?: boolean;
}

/** What a loaded script says of itself. */
export interface Declaration {
  /** Name of the workflow. */
  readonly name: string;
  /** Operations that it asks for: not checked against what there is yet. */
  readonly allow: readonly string[];
}
