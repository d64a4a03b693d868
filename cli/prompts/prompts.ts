/** Prompts at a terminal. */
import * as clack from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { SvcError } from "../../lib/errors.ts";
import { escapeToOneLine, hasControlCharacters } from "../../utils/text/control_characters.ts";
import type { Choice } from "./form.ts";

/** The streams of prompts. */
export interface PromptStreams {
  /** Typed text. */
  readonly input: Readable;
  /** Displayed text. */
  readonly output: Writable;
}

/** Returns the problem in a text, or undefined if it is valid. */
type FindProblem = (text: string) => string | undefined;

/** Prompts for values. Throws `INTERRUPTED` if the user cancels a prompt. */
export class Prompts {
  readonly #streams: PromptStreams & { readonly signal: AbortSignal };

  /** Prompts on these streams. The end of the input and Ctrl-D cancel, as Ctrl-C does. */
  constructor(streams: PromptStreams) {
    const ended = new AbortController();
    streams.input.on("keypress", (_, key) => key?.ctrl && key.name === "d" && ended.abort());
    streams.input.on("end", () => ended.abort());
    this.#streams = { ...streams, signal: ended.signal };
  }

  /** Prompts for one of several choices. */
  async choose(message: string, choices: readonly Choice[], initialValue?: string): Promise<string> {
    const options = choices.map(({ value, label }) => ({ value, label: escapeToOneLine(label) }));
    return requireValue(
      await clack.select({ ...this.#streams, message: escapeToOneLine(message), options, initialValue }),
    );
  }

  /** Prompts for a valid text. The current text is the default. */
  async text(message: string, findProblem: FindProblem, present = ""): Promise<string> {
    const lines = present.replaceAll("\r\n", "\n");
    const initialValue = hasControlCharacters(lines) || lines.includes("\r") ? "" : lines;
    if (initialValue.includes("\n")) {
      const text = await this.#lines(message, findProblem, initialValue);
      return text === initialValue ? present : text;
    }
    const validate = (text = "") => findProblem(text);
    return requireValue(
      await clack.text({ ...this.#streams, message: escapeToOneLine(message), initialValue, validate }),
    );
  }

  /** Prompts for several lines. The prompt for one line would lose all but the last. */
  async #lines(message: string, findProblem: FindProblem, initialValue: string): Promise<string> {
    return requireValue(
      await clack.multiline({
        ...this.#streams,
        message: `${escapeToOneLine(message)} (several lines, press Enter twice to finish)`,
        initialValue,
        // This prompt inserts the keys that edit a line, such as Ctrl-U, as characters.
        validate: (text = "") =>
          hasControlCharacters(text) ? "It contains a control character. Delete it." : findProblem(text),
      }),
    );
  }

  /** Prompts for a text that is not shown. */
  async secret(message: string, findProblem: FindProblem): Promise<string> {
    const validate = (text = "") => findProblem(text);
    return requireValue(await clack.password({ ...this.#streams, message: escapeToOneLine(message), validate }));
  }

  /** Prompts for yes or no. */
  async confirm(message: string, initialValue = true): Promise<boolean> {
    return requireValue(await clack.confirm({ ...this.#streams, message: escapeToOneLine(message), initialValue }));
  }

  /** Displays lines under a title. */
  show(title: string, lines: readonly string[]): void {
    clack.note(lines.map(escapeToOneLine).join("\n"), escapeToOneLine(title), { output: this.#streams.output });
  }
}

function requireValue<T extends string | boolean>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(answer)) throw new SvcError("INTERRUPTED", "Cancelled. Nothing was done.");
  return answer;
}
