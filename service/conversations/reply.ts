/** What comes of a question. */

/** An answer. */
export interface Reply {
  /** What is said. */
  readonly text: string;
  /** What a person may ask next. */
  readonly followUps: readonly string[];
}

/** Thrown where there is no answer; the message says why and ends a sentence. */
export class NoReply extends Error {
  /** The class's name, as it shows in a log. */
  override readonly name = "NoReply";
}
