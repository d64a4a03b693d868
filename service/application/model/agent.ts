/** Agents and assistants, which answer messages by a script or by a language model. */
import type { Condition, Template } from "./expression.ts";

/** The name under which expressions see the message to answer. */
export const MESSAGE_VARIABLE = "message";

/** An agent or an assistant. */
export interface Agent {
  /** ID: class and name, e.g. `@baseclass!PermitGuide`. */
  readonly id: string;
  readonly name: string;
  /** True if it is listed and can be talked to over the API. */
  readonly external: boolean;
  /** ID of the case type whose fields its answers may use. */
  readonly caseType?: string;
  /** Question at the start of a conversation. Empty if there is no question. */
  readonly starterQuestion: string;
  /** Text that a person reads first. */
  readonly initialInstruction: string;
  /** Messages that a person may start with. */
  readonly suggestedPrompts: readonly string[];
  readonly answers: AnswerScript | ChatModel;
}

/** A list of rules. The first rule that applies answers. */
export interface AnswerScript {
  readonly kind: "script";
  readonly rules: readonly ScriptRule[];
  /** The answer if no rule applies. */
  readonly fallback: Template;
}

/** A rule of a script. */
export interface ScriptRule {
  /** Reports whether the text of a message matches. */
  readonly matches: (message: string) => boolean;
  readonly when: Condition;
  readonly answer: Template;
  /** Messages that a person may continue with. */
  readonly followUps: readonly string[];
}

/** A language model on a server with the chat-completions interface. */
export interface ChatModel {
  readonly kind: "model";
  /** Environment variable with the address of the server. */
  readonly addressVariable: string;
  /** Environment variable with the key of the server. */
  readonly keyVariable?: string;
  /** Name of the model on the server. */
  readonly name: string;
  /** The system prompt. */
  readonly instructions: Template;
  readonly timeoutSeconds: number;
  /** Maximum number of tokens in an answer. */
  readonly maxTokens?: number;
}
