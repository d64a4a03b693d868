/** Kinds and limits of the messages between host and guest. */
import type { Values } from "../../../lib/client/request/values.ts";

/** Version of the protocol. Host and guest must have the same one. */
export const PROTOCOL = 5;

/** Maximum size of a message from the guest, in bytes. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** Maximum number of open calls. Further calls wait inside the guest. */
export const MAX_OPEN_CALLS = 64;

/** Maximum number of open sleeps, and of open timers. */
export const MAX_OPEN_SLEEPS = 4096;

/** Name of the step that waits. In a call message it takes the place of an operation. */
export const SLEEP = "sleep";

/** Reports whether a step is a sleep. */
export function isSleep({ operation }: { readonly operation: string }): boolean {
  return operation === SLEEP;
}

/** Pattern of the names that `patched` takes. */
export const PATCH_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Name of the step that waits for a signal. */
export const RECEIVE = "receive";

/** Reports whether a step waits for a signal. */
export function isReceive({ operation }: { readonly operation: string }): boolean {
  return operation === RECEIVE;
}

/** Reports whether a step waits without a call: for a time or for a signal. */
export function isWait(step: { readonly operation: string }): boolean {
  return isSleep(step) || isReceive(step);
}

/** Maximum total size of the open calls, in characters. A single call may be larger. */
export const MAX_OPEN_CHARACTERS = 32 * 1024 * 1024;

/** Maximum size of a log message, in characters. Longer ones are truncated. */
export const MAX_LOG_CHARACTERS = 1024 * 1024;

/** Maximum total size of printed text and random bytes, in characters. The journal stores them, and must not fill the disk. */
export const MAX_OUTPUT_CHARACTERS = 64 * 1024 * 1024;

/** Kinds of messages from the guest. */
export const GuestMessage = {
  /** The script is loaded: `{ protocol, name, allow, stateless }`. */
  ready: 1,
  /** Takes a step: `{ operation, args, files?, timer? }`, with the arguments of the operation's function. The identifiers are 1, 2, 3 … */
  call: 2,
  /** The script no longer needs the result of a call. */
  cancel: 3,
  /** Text for stderr. */
  log: 4,
  /** The run has succeeded: its result as JSON, or no text. With the identifier `CONTINUES`, a `ready` message follows. */
  result: 5,
  /** The script failed, or could not be loaded: an error record. */
  failure: 6,
  /** Random bytes that the script used, in base64. */
  random: 7,
  /** The script is idle and has not taken the step whose result is the next message. */
  stalled: 8,
  /** The script is idle: the reply to `askIdle`. */
  idle: 9,
  /** The input takes the new path of a patch: its name. */
  patched: 10,
  /** The script has ended the history of its input: the next input as JSON, or no text. */
  continued: 11,
} as const;

/** Identifier of a result after which the guest loads the next instance of the script. */
export const CONTINUES = 1;

/** Kinds of messages from the host. */
export const HostMessage = {
  /** Starts the run: `{ input, startedAt, randomness, patches?, recordedSteps?, maxKeptBytes }`. */
  start: 16,
  /**
   * Result of a call: a line of JSON, `{ at, answer, pages?, etag?, content?, placeholder? }`, then the response body, as text
   * or in base64.
   */
  reply: 17,
  /** Error of a call: a line of JSON, `{ at }`, then an error record. */
  error: 18,
  /** A result takes long: wait for it without blocking. */
  wake: 19,
  /** Asks for an `idle` message as soon as the script is idle. Wakes the guest, too. */
  askIdle: 20,
  /** Ends one input of a process that runs many. No message about it follows. */
  end: 21,
} as const;

/** A call, or a sleep, that a guest requests. */
export interface CallRequest {
  /** Permission name of the operation. */
  readonly operation: string;
  /** Unchecked values by parameter name, including files. */
  readonly values: Values;
  /** Timeout of the call, in seconds. */
  readonly timeoutSeconds?: number;
  /** True if the response is a file. */
  readonly hasFile?: boolean;
  /** True for a sleep that is a timer of the script. */
  readonly isTimer?: boolean;
}

/** The declaration of a loaded script. */
export interface Declaration {
  /** Name of the workflow. */
  readonly name: string;
  /** Requested operations. They are not checked to exist. */
  readonly allow: readonly string[];
  /** True if a process may run many inputs at the same time. */
  readonly isStateless: boolean;
}
