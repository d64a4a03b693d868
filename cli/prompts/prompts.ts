/** Prompts at a terminal. */
import * as clack from "@clack/prompts";
import { SvcError } from "../../lib/errors.ts";
import { escapeToOneLine, hasControlCharacters } from "../../utils/text/control_characters.ts";
import { wrapToWidth } from "../../utils/text/display_width.ts";
import { matchTexts } from "./match_choices.ts";
import { type FindProblem, promptForText, type PromptStreams } from "./prompt_for_text.ts";

/** A value that can be selected. */
export interface Choice {
  /** Selected value. */
  readonly value: string;
  /** Displayed text. */
  readonly label: string;
}

/** Choices that are shown without a search. */
const MAX_MENU = 9;
/** Columns around the text of a frame. */
const FRAME_WIDTH = 6;
/** Columns before a text without a frame. */
const GUIDE_WIDTH = 3;

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

  /** True if the input has ended, so that nothing can be prompted for. */
  get hasEnded(): boolean {
    return this.#streams.signal.aborted;
  }

  /** Prompts for one of several choices. If there are many, typing finds them. */
  async choose(message: string, choices: readonly Choice[], initialValue?: string): Promise<string> {
    return choices.length > MAX_MENU
      ? await this.search(message, choices, initialValue)
      : await this.menu(message, choices, initialValue);
  }

  /** Prompts for one of a few choices. */
  async menu(message: string, choices: readonly Choice[], initialValue?: string): Promise<string> {
    const options = choices.map(({ value, label }) => ({ value, label: escapeToOneLine(label) }));
    return requireValue(
      await clack.select({
        ...this.#streams,
        message: escapeToOneLine(message),
        options,
        initialValue,
        showInstructions: false,
      }),
    );
  }

  /** Prompts for one of many choices, which typing finds. */
  async search(message: string, choices: readonly Choice[], initialValue?: string): Promise<string> {
    // The library does not select an empty value, therefore it gets the positions.
    const options = choices.map(({ label }, i) => ({ value: String(i), label: escapeToOneLine(label) }));
    const initial = choices.findIndex(({ value }) => value === initialValue);
    let typed = "";
    const answer = requireValue(
      await clack.autocomplete({
        ...this.#streams,
        message: escapeToOneLine(message),
        options() {
          // Otherwise, the library keeps the focus on a choice that still matches, even if others match better.
          if (this.userInput !== typed) this.focusedValue = undefined;
          typed = this.userInput;
          return matchTexts(this.userInput, options, ({ label }) => label);
        },
        filter: () => true,
        maxItems: MAX_MENU,
        initialValue: initial < 0 ? undefined : String(initial),
        validate: (value) =>
          value === undefined ? "Type a part of a choice, or select one with the arrow keys." : undefined,
      }),
    );
    return choices[Number(answer)]?.value ?? "";
  }

  /** Prompts for any number of choices. Typing filters them. */
  async searchSeveral(
    message: string,
    choices: readonly Choice[],
    initialValues: readonly string[],
    isRequired: boolean,
  ): Promise<string[]> {
    const options = choices.map(({ value, label }) => ({ value, label: escapeToOneLine(label) }));
    const answer = await clack.autocompleteMultiselect({
      ...this.#streams,
      message: escapeToOneLine(message),
      options,
      filter: (typed, { label = "" }) => matchTexts(typed, [label], (text) => text).length > 0,
      maxItems: MAX_MENU,
      initialValues: [...initialValues],
      required: isRequired,
    });
    if (clack.isCancel(answer)) throw cancellation();
    return answer;
  }

  /**
   * Prompts for a valid text. The current text is the default. `onCancel` receives the text that was typed until the user
   * cancelled the prompt.
   */
  async text(
    message: string,
    findProblem: FindProblem,
    present = "",
    onCancel?: (typed: string) => void,
  ): Promise<string> {
    const lines = present.replaceAll("\r\n", "\n");
    const initialValue = hasControlCharacters(lines) || lines.includes("\r") ? "" : lines;
    const isMultiLine = initialValue.includes("\n");
    const { text, isCancelled } = await promptForText({
      ...this.#streams,
      message: escapeToOneLine(message) + (isMultiLine ? " (several lines, press Enter twice to finish)" : ""),
      initialValue,
      isMultiLine,
      // The prompt for several lines inserts the keys that edit a line, such as Ctrl-U, as characters.
      validate: (text) =>
        isMultiLine && hasControlCharacters(text) ? "It contains a control character. Delete it." : findProblem(text),
    });
    const typed = text === initialValue ? present : text;
    if (!isCancelled) return typed;
    onCancel?.(typed);
    throw cancellation();
  }

  /** Prompts for a text that is not shown. */
  async secret(message: string, findProblem: FindProblem): Promise<string> {
    const validate = (text = "") => findProblem(text);
    return requireValue(await clack.password({ ...this.#streams, message: escapeToOneLine(message), validate }));
  }

  /** Prompts for yes or no. */
  async confirm(
    message: string,
    initialValue = true,
    labels?: { readonly true: string; readonly false: string },
  ): Promise<boolean> {
    return requireValue(
      await clack.confirm({
        ...this.#streams,
        message: escapeToOneLine(message),
        initialValue,
        active: escapeToOneLine(labels?.true || "Yes"),
        inactive: escapeToOneLine(labels?.false || "No"),
      }),
    );
  }

  /** Width available to a reported line. */
  get columns(): number {
    return (this.#streams.output.columns ?? 80) - GUIDE_WIDTH;
  }

  /** Displays lines under a title. */
  show(title: string, lines: readonly string[]): void {
    const heading = this.#wrap([title], FRAME_WIDTH);
    if (heading.includes("\n")) this.report(title, "", ...lines); // The frame would be wider than the terminal.
    else clack.note(lines.map(escapeToOneLine).join("\n"), heading, { output: this.#streams.output });
  }

  /** Displays a line of information. */
  inform(line: string): void {
    clack.log.info(this.#wrap([line]), { output: this.#streams.output });
  }

  /** Displays lines about a problem. */
  warn(...lines: string[]): void {
    clack.log.warn(this.#wrap(lines), { output: this.#streams.output });
  }

  /** Displays lines about something that was done. */
  report(...lines: string[]): void {
    clack.log.step(this.#wrap(lines), { output: this.#streams.output });
  }

  /** Wraps lines to the terminal, in which some columns are used. */
  #wrap(lines: readonly string[], used = GUIDE_WIDTH): string {
    const width = Math.max((this.#streams.output.columns ?? 80) - used, 1);
    return lines.flatMap((line) => wrapToWidth(escapeToOneLine(line), width)).join("\n");
  }
}

function requireValue<T extends string | boolean | undefined>(answer: T | typeof clack.CANCEL_SYMBOL): T {
  if (clack.isCancel(answer)) throw cancellation();
  return answer;
}

function cancellation(): SvcError {
  return new SvcError("INTERRUPTED", "Cancelled. Nothing was done.");
}
