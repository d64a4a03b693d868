/** Questions to a person at a terminal: the prompt library, on streams of the caller's choice. */
import * as clack from "@clack/prompts";
import type { Readable, Writable } from "node:stream";
import { SvcError } from "../errors.ts";
import { hasControls, onOneLine } from "../output/control_characters.ts";
import type { Choice } from "./form.ts";

/** Where questions are shown and answers typed. */
export interface PromptStreams {
  /** What the person types. */
  readonly input: Readable;
  /** What the person sees. */
  readonly output: Writable;
}

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
    const options = choices.map(({ value, label }) => ({ value, label: onOneLine(label) }));
    return answered(await clack.select({ ...this.#streams, message: onOneLine(message), options, initialValue }));
  }

  /** A text in which no fault is found. */
  async text(message: string, findFault: (text: string) => string | undefined, present = ""): Promise<string> {
    return answered(
      await clack.text({
        ...this.#streams,
        message: onOneLine(message),
        initialValue: hasControls(present) ? "" : present,
        validate: (text) => findFault(text ?? ""),
      }),
    );
  }

  /** Yes or no. */
  async confirm(message: string, initialValue = true): Promise<boolean> {
    return answered(await clack.confirm({ ...this.#streams, message: onOneLine(message), initialValue }));
  }

  /** Shows lines under a title. */
  show(title: string, lines: readonly string[]): void {
    clack.note(lines.map(onOneLine).join("\n"), onOneLine(title), { output: this.#streams.output });
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
