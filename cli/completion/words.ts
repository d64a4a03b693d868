/** Completes command lines from the descriptions of the commands. */
import { entryNamed, toCamel, toKebab } from "../../lib/operation/operation.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { Command, CommandEntry, CommandTree, Flag, Suggestion } from "../commands/command.ts";
import { globalFlags, HELP_FLAG, VERSION_FLAG } from "../args/global_flags.ts";
import { flagRows } from "../help/help_pages.ts";
import { topics } from "../help/topics.ts";

type Flags = Readonly<Record<string, Flag>>;

/** Returns the words that can complete a line that starts with `svc`. The list is empty if a file, or any text, may follow. */
export async function nextWords(line: string, tree: CommandTree): Promise<Suggestion[]> {
  const [, ...words] = line.split(/\s+/);
  const start = words.pop() ?? "";
  const position = new Position(tree);
  for (const word of words) await position.pass(word);
  return (await position.suggest(start))
    // Escaping would change the word.
    .filter(({ word }) => word.startsWith(start) && escapeToOneLine(word) === word)
    .map(({ word, about }) => ({ word, about: escapeToOneLine(about) }));
}

/** A position on a command line. The words before it decide what may follow. */
class Position {
  /** Number of words that are neither flags nor values of flags: the group, the command, its arguments. */
  #words = 0;
  /** Number of words that name the command: 1 for a command without a group. */
  #nameLength = 2;
  #isHelp = false;
  #commands: Readonly<Record<string, CommandEntry>> = {};
  #command?: Command;
  /** The flag that expects its value. */
  #pending?: Flag;
  readonly #used = new Set<string>();
  readonly #tree: CommandTree;

  constructor(tree: CommandTree) {
    this.#tree = tree;
  }

  /** Moves past a word. */
  async pass(word: string): Promise<void> {
    if (this.#pending !== undefined) this.#pending = undefined;
    else if (word.startsWith("-")) this.#passFlag(word);
    else if (word === "help" && this.#words === 0) this.#isHelp = true;
    else await this.#passWord(word);
  }

  /** Returns suggestions for this position. `start` is the part of the word before the cursor. */
  async suggest(start: string): Promise<readonly Suggestion[]> {
    if (this.#pending !== undefined) return await suggestValues(this.#pending);
    const [attached] = /^-.*?=/.exec(start) ?? [];
    if (attached !== undefined) return await this.#suggestAttached(attached);
    if (start.startsWith("-")) return this.#suggestFlags();
    if (this.#words === 0) return await this.#suggestFirst();
    if (this.#words < this.#nameLength) return suggestNames(this.#commands);
    if (this.#command === undefined) return [];
    const arg = this.#command.args?.[this.#words - this.#nameLength];
    return arg === undefined ? this.#suggestFlags() : await suggestValues(arg);
  }

  async #passWord(word: string): Promise<void> {
    this.#words++;
    if (this.#words === 1) await this.#passFirst(word);
    else if (this.#words === this.#nameLength) this.#command = entryNamed(this.#commands, word)?.describe();
  }

  async #passFirst(word: string): Promise<void> {
    const { groups, everyday } = this.#tree;
    const group = entryNamed(groups, word);
    if (group !== undefined) {
      this.#commands = await group.load();
      return;
    }
    this.#command = entryNamed(await everyday.load(), word)?.describe();
    if (this.#command !== undefined) this.#nameLength = 1;
  }

  async #suggestFirst(): Promise<Suggestion[]> {
    const { groups, everyday } = this.#tree;
    return suggestNames({ ...await everyday.load(), ...groups, ...(this.#isHelp && topics) });
  }

  get #flags(): Flags {
    return {
      ...this.#command?.flags,
      ...globalFlags,
      help: HELP_FLAG,
      ...(this.#words === 0 && { version: VERSION_FLAG }),
    };
  }

  /** Suggests values after a flag such as `--format=`. */
  async #suggestAttached(written: string): Promise<Suggestion[]> {
    const [, flag] = this.#findFlag(written);
    if (flag === undefined) return [];
    return (await suggestValues(flag)).map(({ word, about }) => ({ word: written + word, about }));
  }

  #findFlag(word: string): [name?: string, flag?: Flag, value?: string] {
    const [written = "", value] = word.replace(/^--?/, "").split("=", 2);
    const [name, flag] =
      Object.entries(this.#flags).find(([name, { short }]) => name === toCamel(written) || short === written) ?? [];
    return [name, flag, value];
  }

  #passFlag(word: string): void {
    const [name, flag, value] = this.#findFlag(word);
    if (name === undefined || flag === undefined) return;
    if (!flag.repeatable) this.#used.add(name);
    if (flag.type !== "boolean" && value === undefined) this.#pending = flag;
  }

  #suggestFlags(): Suggestion[] {
    return flagRows(this.#flags)
      .filter(({ name }) => !this.#used.has(name))
      .map(({ name, meaning }) => ({ word: `--${toKebab(name)}`, about: meaning }));
  }
}

async function suggestValues({ choices = [], suggest }: Flag): Promise<readonly Suggestion[]> {
  return await suggest?.() ?? choices.map((word) => ({ word, about: "" }));
}

function suggestNames(entries: Readonly<Record<string, { readonly summary: string }>>): Suggestion[] {
  return Object.entries(entries).map(([name, { summary }]) => ({ word: toKebab(name), about: summary }));
}
