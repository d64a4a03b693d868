/** Questions to a person at a terminal: the prompt library, on streams of the caller's choice. */
import * as clack from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { SvcError } from "../../lib/errors.ts";
import { escapeToOneLine, hasControlCharacters } from "../../utils/text/control_characters.ts";
import type { Choice } from "./form.ts";

/** Where questions are shown and answers typed. */
export interface PromptStreams {
  /** What the person types. */
  readonly input: Readable;
  /** What the person sees. */
  readonly output: Writable;
}

/** What is wrong with a text; undefined where nothing is. */
type FindFault = (text: string) => string | undefined;

/** Asks questions; a person who cancels one ends the command with `INTERRUPTED`. */
export class Prompts {
  readonly #streams: PromptStreams & { readonly signal: AbortSignal };

  /** Asks on these streams; the end of the input, or Ctrl-D, cancels as Ctrl-C does. */
  constructor(streams: PromptStreams) {
    const ended = new AbortController();
    streams.input.on("keypress", (_, key) => key?.ctrl && key.name === "d" && ended.abort());
    streams.input.on("end", () => ended.abort());
    this.#streams = { ...streams, signal: ended.signal };
  }

  /** One of several. */
  async choose(message: string, choices: readonly Choice[], initialValue?: string): Promise<string> {
    const options = choices.map(({ value, label }) => ({ value, label: escapeToOneLine(label) }));
    return answered(await clack.select({ ...this.#streams, message: escapeToOneLine(message), options, initialValue }));
  }

  /** A text in which no fault is found; what is left as it is stays the present one. */
  async text(message: string, findFault: FindFault, present = ""): Promise<string> {
    const lines = present.replaceAll("\r\n", "\n");
    const initialValue = hasControlCharacters(lines) || lines.includes("\r") ? "" : lines;
    if (initialValue.includes("\n")) {
      const text = await this.#lines(message, findFault, initialValue);
      return text === initialValue ? present : text;
    }
    const validate = (text = "") => findFault(text);
    return answered(await clack.text({ ...this.#streams, message: escapeToOneLine(message), initialValue, validate }));
  }

  /** A text of several lines: the prompt for one would lose all but the last. */
  async #lines(message: string, findFault: FindFault, initialValue: string): Promise<string> {
    return answered(
      await clack.multiline({
        ...this.#streams,
        message: `${escapeToOneLine(message)} (several lines: Enter twice ends it)`,
        initialValue,
        // This prompt takes the keys that edit a line, such as Ctrl-U, for characters.
        validate: (text = "") =>
          hasControlCharacters(text) ? "It holds a control character: delete that." : findFault(text),
      }),
    );
  }

  /** Yes or no. */
  async confirm(message: string, initialValue = true): Promise<boolean> {
    return answered(await clack.confirm({ ...this.#streams, message: escapeToOneLine(message), initialValue }));
  }

  /** Shows lines under a title. */
  show(title: string, lines: readonly string[]): void {
    clack.note(lines.map(escapeToOneLine).join("\n"), escapeToOneLine(title), { output: this.#streams.output });
  }
}

/** Asks on the terminal of this process: answers from stdin, questions on stderr. */
export async function promptsOfProcess(): Promise<Prompts> {
  const { default: process } = await import("node:process");
  return new Prompts({ input: process.stdin, output: process.stderr });
}

function answered<T extends string | boolean>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(answer)) throw new SvcError("INTERRUPTED", "Cancelled: nothing was done.");
  return answer;
}
