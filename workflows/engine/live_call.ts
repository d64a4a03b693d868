/** What an input needs in order to have its calls made for real. */
import type { SvcError } from "../../lib/errors.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";
import type { CallAnswer } from "../sandbox/host/sandbox.ts";
import type { SentWith } from "./recording.ts";

/** How a call is to be made for real. */
export interface LiveCall {
  /** Aborts when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** Aborts when nobody waits for more than the attempt that is on its way. */
  readonly lastAttempt: AbortSignal;
  /** When the script asked for it first: milliseconds since 1970. */
  readonly askedAt: number;
  /** What a change is sent with: its key, and the tag that it was sent with before. */
  readonly sent: SentWith;
  /** When it was sent before, if it may have been: milliseconds since 1970. */
  readonly sentAt?: number;
  /** To be awaited before a change is sent: under its key, unless that is said not to be so. */
  readonly sending: (tag: string | undefined, isKeyed?: boolean) => Promise<void>;
  /** To be told that a change will be sent under its key, whatever its tag: it is written while that is read. */
  readonly readingTag: () => void;
}

/** Makes calls for real, and sleeps. A `StopInput` that it throws ends the input; all else is given to the script. */
export interface LiveCalls {
  /** Makes a call, or sleeps. */
  call(request: CallRequest, how: LiveCall): Promise<CallAnswer>;
}

/** Ends an input whatever its script would do about it. */
export class StopInput extends Error {
  /** What the input failed with. */
  readonly reason: SvcError;

  /** Ends it for a reason. */
  constructor(reason: SvcError) {
    super(reason.message);
    this.reason = reason;
  }
}
