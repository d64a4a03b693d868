/** Replies to messages. */

/** The text of a reply. */
export interface AnswerText {
  readonly text: string;
  /** Messages that a person may continue with. */
  readonly followUps: readonly string[];
}

/** Thrown if there is no reply. The message is the reason, and completes a sentence. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}
