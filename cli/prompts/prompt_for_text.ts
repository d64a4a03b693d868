import { isCancel, MultiLinePrompt, TextPrompt, wrapTextWithPrefix } from "@clack/core";
import { S_BAR, S_BAR_END, symbol } from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { styleText } from "node:util";

/** The streams of prompts. */
export interface PromptStreams {
  /** Typed text. */
  readonly input: Readable;
  /** Displayed text. */
  readonly output: Writable & { readonly columns?: number };
}

/** Returns the problem in a text, or undefined if it is valid. */
export type FindProblem = (text: string) => string | undefined | Promise<string | undefined>;

/** Options of a prompt for a text. */
export interface TextPromptOptions extends PromptStreams {
  /** Cancels the prompt. */
  readonly signal: AbortSignal;
  /** The question. */
  readonly message: string;
  /** Text to edit. */
  readonly initialValue: string;
  /** True if the text may have several lines. */
  readonly isMultiLine: boolean;
  /** Returns the problem in a text, or undefined if it is valid. */
  readonly validate: FindProblem;
}

/** The end of a prompt. */
export interface TypedText {
  /** Text as it was typed. */
  readonly text: string;
  /** True if the user cancelled the prompt. */
  readonly isCancelled: boolean;
}

type ShownPrompt = Pick<TextPrompt, "error" | "state" | "userInput" | "userInputWithCursor" | "value">;

/** Prompts for a text. The prompts of the library lose what was typed when they are cancelled. */
export async function promptForText(options: TextPromptOptions): Promise<TypedText> {
  const { isMultiLine, message, output, validate, ...others } = options;
  const common = {
    ...others,
    output,
    validate: (text = "") => validate(text),
    render(this: ShownPrompt) {
      const typed = this.userInput === "" ? styleText(["inverse", "hidden"], "_") : this.userInputWithCursor;
      return `${styleText("gray", S_BAR)}\n${symbol(this.state)}  ${message}\n${drawText(this, typed, output)}`;
    },
  };
  const prompt = isMultiLine ? new MultiLinePrompt(common) : new TextPrompt(common);
  let text = "";
  prompt.on("value", (value = "") => text = value);
  const answer = await prompt.prompt();
  return { text: isCancel(answer) ? text : answer ?? "", isCancelled: isCancel(answer) };
}

function drawText(
  { state, value = "", error }: ShownPrompt,
  typed: string,
  output: PromptStreams["output"],
): string {
  const draw = (text: string, color: "cyan" | "gray" | "yellow", style?: (line: string) => string) =>
    wrapTextWithPrefix(output, text, `${styleText(color, S_BAR)}  `, undefined, undefined, style);
  switch (state) {
    case "submit":
    case "cancel":
      return value === "" ? styleText("gray", S_BAR) : draw(value, "gray", (line) => styleText("dim", line));
    case "error":
      return `${draw(typed, "yellow")}\n${styleText("yellow", `${S_BAR_END}  ${error}`)}\n`;
    default:
      return `${draw(typed, "cyan")}\n${styleText("cyan", S_BAR_END)}\n`;
  }
}
