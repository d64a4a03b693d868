/** Agents and assistants, compiled. */
import type { Condition } from "./application.ts";
import type { Template } from "../expressions/template.ts";

/** What answers by rules that are written down. */
export interface Script {
  /** What kind it is. */
  readonly kind: "script";
  /** The first that holds answers. */
  readonly rules: readonly ScriptRule[];
  /** The answer where no rule holds. */
  readonly fallback: Template;
}

/** One rule of a script. */
export interface ScriptRule {
  /** Whether the message fits. */
  readonly fits: (message: string) => boolean;
  /** Whether the case is as it must be. */
  readonly when: Condition;
  /** The answer. */
  readonly answer: Template;
  /** What a person may ask next. */
  readonly followUps: readonly string[];
}

/** What answers by a server with the chat-completions interface. */
export interface Model {
  /** What kind it is. */
  readonly kind: "model";
  /** Environment variable with the server's address. */
  readonly addressVariable: string;
  /** Environment variable with the server's key; a server on the same machine often needs none. */
  readonly keyVariable?: string;
  /** The model's name, as the server knows it. */
  readonly name: string;
  /** The system prompt. */
  readonly instructions: Template;
  /** Seconds that an answer may take. */
  readonly timeoutSeconds: number;
  /** Tokens of an answer at most. */
  readonly maxTokens?: number;
}

/** An agent or an assistant. */
export interface Agent {
  /** ID: class and name, e.g. `@baseclass!PermitGuide`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Whether it is listed and can be talked to. */
  readonly external: boolean;
  /** The type of the cases whose fields its answers may name. */
  readonly caseType?: string;
  /** Asked at the start of a conversation; empty for none. */
  readonly starterQuestion: string;
  /** What a person reads first. */
  readonly initialInstruction: string;
  /** What a person may ask first. */
  readonly suggestedPrompts: readonly string[];
  /** What answers. */
  readonly answers: Script | Model;
}
