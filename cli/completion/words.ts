/** What may come next on a command line, from the descriptions of the commands. */
import { entryNamed, toCamel, toKebab } from "../../lib/operation/names.ts";
import { escapeToOneLine } from "../../utils/text/control_characters.ts";
import type { Command, CommandEntry, Flag, Suggestion } from "../commands/command.ts";
import { globalFlags, HELP, VERSION } from "../args/global_flags.ts";
import { groups } from "../commands/groups.ts";
import { flagRows } from "../help/help.ts";

type Flags = Readonly<Record<string, Flag>>;

/** What may come where a line ends that begins with `svc`; nothing where it may be a file, or anything. */
export async function nextWords(line: string): Promise<Suggestion[]> {
  const [, ...typed] = line.split(/\s+/);
  const begun = typed.pop() ?? "";
  const place = new Place();
  for (const word of typed) await place.pass(word);
  return (await place.next(begun))
    .filter(({ word }) => word.startsWith(begun) && escapeToOneLine(word) === word) // Escaped, it would be another word.
    .map(({ word, about }) => ({ word, about: escapeToOneLine(about) }));
}

/** A place on a command line: what stands before it decides what may come. */
class Place {
  /** Words that are no flags and no values of flags: the group, the command, its arguments. */
  #words = 0;
  #commands: Readonly<Record<string, CommandEntry>> = {};
  #command?: Command;
  /** The flag whose value comes next. */
  #open?: Flag;
  readonly #given = new Set<string>();

  /** Goes on by a word. */
  async pass(word: string): Promise<void> {
    if (this.#open !== undefined) this.#open = undefined;
    else if (word.startsWith("-")) this.#passFlag(word);
    else if (word !== "help" || this.#words > 0) await this.#passWord(word);
  }

  /** What may come here; `begun` is what is there of it already. */
  async next(begun: string): Promise<readonly Suggestion[]> {
    if (this.#open !== undefined) return await valuesOf(this.#open);
    const [attached] = /^-.*?=/.exec(begun) ?? [];
    if (attached !== undefined) return await this.#attachedTo(attached);
    if (begun.startsWith("-")) return this.#nextFlags();
    if (this.#words === 0) return topics(groups);
    if (this.#words === 1) return topics(this.#commands);
    if (this.#command === undefined) return [];
    const arg = this.#command.args?.[this.#words - 2];
    return arg === undefined ? this.#nextFlags() : await valuesOf(arg);
  }

  async #passWord(word: string): Promise<void> {
    this.#words++;
    if (this.#words === 1) this.#commands = await entryNamed(groups, word)?.load() ?? {};
    if (this.#words === 2) this.#command = entryNamed(this.#commands, word)?.describe();
  }

  get #flags(): Flags {
    return { ...this.#command?.flags, ...globalFlags, help: HELP, ...(this.#words === 0 && { version: VERSION }) };
  }

  /** The values of a flag that is written like `--format=`. */
  async #attachedTo(written: string): Promise<Suggestion[]> {
    const [, flag] = this.#flagOf(written);
    return flag === undefined ? [] : (await valuesOf(flag)).map(({ word, about }) => ({ word: written + word, about }));
  }

  /** The flag that is written so, and its value where it has one with it. */
  #flagOf(word: string): [name?: string, flag?: Flag, value?: string] {
    const [written = "", value] = word.replace(/^--?/, "").split("=", 2);
    const [name, flag] =
      Object.entries(this.#flags).find(([name, { short }]) => name === toCamel(written) || short === written) ?? [];
    return [name, flag, value];
  }

  #passFlag(word: string): void {
    const [name, flag, value] = this.#flagOf(word);
    if (name === undefined || flag === undefined) return;
    if (!flag.repeatable) this.#given.add(name);
    if (flag.type !== "boolean" && value === undefined) this.#open = flag;
  }

  #nextFlags(): Suggestion[] {
    return flagRows(this.#flags)
      .filter(({ name }) => !this.#given.has(name))
      .map(({ name, meaning }) => ({ word: `--${toKebab(name)}`, about: meaning }));
  }
}

async function valuesOf({ choices = [], suggest }: Flag): Promise<readonly Suggestion[]> {
  return await suggest?.() ?? choices.map((word) => ({ word, about: "" }));
}

function topics(entries: Readonly<Record<string, { readonly summary: string }>>): Suggestion[] {
  return Object.entries(entries).map(([name, { summary }]) => ({ word: toKebab(name), about: summary }));
}
