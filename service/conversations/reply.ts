/** Replies to messages. */

/** The text of a reply. */
export interface Reply {
  readonly text: string;
  /** Messages that a person may continue with. */
  readonly followUps: readonly string[];
}

/** Thrown if there is no reply. The message is the reason, and completes a sentence. */
export class NoReply extends Error {
  override readonly name = "NoReply";
}
