/** Completes command lines from the descriptions of the commands. */
import { entryNamed, toCamel, toKebab } from "../../lib/operation/operation.ts";
import { splitWords } from "../../utils/text/split_words.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { Command, CommandEntry, CommandTree, Flag, Suggestion } from "../commands/command.ts";
import { globalFlags, HELP_FLAG, VERSION_FLAG } from "../args/global_flags.ts";
import { findSubcommands, getFirstWord } from "../args/parse_arguments.ts";
import { flagRows } from "../help/help_pages.ts";
import { topics } from "../help/topics.ts";
import { findKind, suggestColumns, suggestKind } from "./suggest_values.ts";

const PAYLOADS: readonly Flag["type"][] = ["object", "array", "calculation", "json"];

type Flags = Readonly<Record<string, Flag>>;

/** Returns the words that can complete a line that starts with `svc`. The list is empty if a file, or any text, may follow. */
export async function nextWords(line: string, tree: CommandTree): Promise<Suggestion[]> {
  const { words: [, ...words], last: start } = splitWords(line);
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
  /** Number of words that name the command: 1 for a command without a group, 3 for one such as `workflow schedule add`. */
  #nameLength = 2;
  #isHelp = false;
  #commands: Readonly<Record<string, CommandEntry>> = {};
  #command?: Command;
  /** The flag that expects its value, and its name. */
  #pending?: Flag;
  #pendingName = "";
  /** The values of arguments and flags so far. */
  readonly #values = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #tree: CommandTree;

  constructor(tree: CommandTree) {
    this.#tree = tree;
  }

  /** Moves past a word. */
  async pass(word: string): Promise<void> {
    if (this.#pending !== undefined) {
      this.#values.set(this.#pendingName, word);
      this.#pending = undefined;
    } else if (word === "-") await this.#passWord(word);
    else if (word.startsWith("-")) this.#passFlag(word);
    else if (word === "help" && this.#words === 0) this.#isHelp = true;
    else await this.#passWord(word);
  }

  /** Returns suggestions for this position. `start` is the part of the word before the cursor. */
  async suggest(start: string): Promise<readonly Suggestion[]> {
    if (this.#pending !== undefined) return await this.#suggestValues(this.#pending, start);
    const [attached] = /^-.*?=/.exec(start) ?? [];
    if (attached !== undefined) return await this.#suggestAttached(attached, start.slice(attached.length));
    if (start.startsWith("-")) return this.#suggestFlags();
    if (this.#words === 0) return await this.#suggestFirst();
    if (this.#words < this.#nameLength) return suggestCommands(this.#commands);
    if (this.#command === undefined) return [];
    const arg = this.#command.args?.[this.#words - this.#nameLength];
    return arg === undefined ? this.#suggestFlags() : await this.#suggestValues(arg, start);
  }

  async #passWord(word: string): Promise<void> {
    this.#words++;
    if (this.#words === 1) await this.#passFirst(word);
    else if (this.#words === 2 && this.#passParent(word)) return;
    else if (this.#words === this.#nameLength) this.#command = entryNamed(this.#commands, word)?.describe();
    else {
      const arg = this.#command?.args?.[this.#words - this.#nameLength - 1];
      if (arg !== undefined) this.#values.set(arg.name, word);
    }
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

  /** Enters the subcommands of a word, such as `schedule`. Returns false if it has none. */
  #passParent(word: string): boolean {
    const subcommands = findSubcommands(this.#commands, word);
    if (subcommands === undefined) return false;
    this.#commands = subcommands;
    this.#nameLength = 3;
    return true;
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
  async #suggestAttached(written: string, start: string): Promise<Suggestion[]> {
    const [, flag] = this.#findFlag(written);
    if (flag === undefined) return [];
    return (await this.#suggestValues(flag, start)).map(({ word, about }) => ({ word: written + word, about }));
  }

  #findFlag(word: string): [name?: string, flag?: Flag, value?: string] {
    const [, written = "", value] = /^--?([^=]*)(?:=([^]*))?$/.exec(word) ?? [];
    const [name, flag] =
      Object.entries(this.#flags).find(([name, { short }]) => name === toCamel(written) || short === written) ?? [];
    return [name, flag, value];
  }

  #passFlag(word: string): void {
    const [name, flag, value] = this.#findFlag(word);
    if (name === undefined || flag === undefined) return;
    if (!flag.repeatable) this.#used.add(name);
    if (flag.type === "boolean") return;
    this.#pendingName = name;
    if (value === undefined) this.#pending = flag;
    else this.#values.set(name, value);
  }

  /** Suggests values of a flag or an argument. In a list, `start` may contain complete elements. */
  async #suggestValues(flag: Flag, start: string): Promise<readonly Suggestion[]> {
    const { choices, suggest, type } = flag;
    if (suggest !== undefined) return await suggest();
    if (choices !== undefined) return choices.map((word) => ({ word, about: "" }));
    if (start.startsWith("@") && takesFile(flag)) return (await import("./suggest_files.ts")).suggestFiles(start);
    const kind = flag.values ?? findKind(flag.to);
    if (kind === undefined) return [];
    const complete = type === "list" ? start.slice(0, start.lastIndexOf(",") + 1) : "";
    const found = kind === "columns"
      ? await this.#suggestColumns()
      : await suggestKind(kind, start.slice(complete.length), this.#values);
    return complete === "" ? found : found.map(({ word, about }) => ({ word: complete + word, about }));
  }

  async #suggestColumns(): Promise<readonly Suggestion[]> {
    return this.#command === undefined ? [] : await suggestColumns(this.#command, this.#values);
  }

  #suggestFlags(): Suggestion[] {
    return flagRows(this.#flags)
      .filter(({ name }) => !this.#used.has(name))
      .map(({ name, meaning }) => ({ word: `--${toKebab(name)}`, about: meaning }));
  }
}

/** Reports whether a value can be read from a file, `@file`. */
function takesFile({ type, values }: Flag): boolean {
  return PAYLOADS.includes(type) || values === "files";
}

/** Suggests the next words of commands. Subcommands of the same word are one suggestion. */
function suggestCommands(commands: Readonly<Record<string, CommandEntry>>): Suggestion[] {
  const names = Map.groupBy(Object.keys(commands), getFirstWord);
  return [...names].flatMap(([word, [name = word, ...others]]) =>
    name === word ? suggestNames({ [word]: { summary: commands[name]?.summary ?? "" } }) : [{
      word: toKebab(word),
      about: [name, ...others].map((other) => other.slice(word.length + 1)).map(toKebab).join(", "),
    }]
  );
}

function suggestNames(entries: Readonly<Record<string, { readonly summary: string }>>): Suggestion[] {
  return Object.entries(entries).map(([name, { summary }]) => ({ word: toKebab(name), about: summary }));
}
