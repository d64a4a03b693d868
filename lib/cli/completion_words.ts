/** What may come next on a command line, from the descriptions of the commands. */
import { toCamel, toKebab } from "../names.ts";
import type { Command, CommandEntry, Flag } from "./command.ts";
import { globalFlags } from "./global_flags.ts";
import { groups } from "./groups.ts";
import { flagRows, HELP } from "./help.ts";

/** A word that may come next. */
export interface NextWord {
  /** The word. */
  readonly word: string;
  /** What it is about. */
  readonly about: string;
}

type Flags = Readonly<Record<string, Flag>>;

/** What may come where a line ends that begins with `svc`; nothing where it may be a file, or anything. */
export async function nextWords(line: string): Promise<NextWord[]> {
  const [, ...typed] = line.split(/\s+/);
  const begun = typed.pop() ?? "";
  const place = new Place();
  for (const word of typed) await place.pass(word);
  return place.next(begun).filter(({ word }) => word.startsWith(begun));
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
  next(begun: string): NextWord[] {
    if (this.#open !== undefined) return (this.#open.choices ?? []).map((word) => ({ word, about: "" }));
    if (begun.startsWith("-")) return this.#nextFlags();
    if (this.#words === 0) return topics(groups);
    if (this.#words === 1) return topics(this.#commands);
    const { args = [] } = this.#command ?? {};
    return this.#command === undefined || this.#words - 2 < args.length ? [] : this.#nextFlags();
  }

  async #passWord(word: string): Promise<void> {
    this.#words++;
    if (this.#words === 1) this.#commands = await entry(groups, word)?.load() ?? {};
    if (this.#words === 2) this.#command = entry(this.#commands, word)?.describe();
  }

  get #flags(): Flags {
    return { ...this.#command?.flags, ...globalFlags, help: HELP };
  }

  #passFlag(word: string): void {
    const [written = "", value] = word.replace(/^--?/, "").split("=", 2);
    const [name, flag] =
      Object.entries(this.#flags).find(([name, { short }]) => name === toCamel(written) || short === written) ?? [];
    if (name === undefined || flag === undefined) return;
    if (!flag.repeatable) this.#given.add(name);
    if (flag.type !== "boolean" && value === undefined) this.#open = flag;
  }

  #nextFlags(): NextWord[] {
    return flagRows(this.#flags)
      .filter(({ name }) => !this.#given.has(name))
      .map(({ name, meaning }) => ({ word: `--${toKebab(name)}`, about: meaning }));
  }
}

function entry<T>(entries: Readonly<Record<string, T>>, word: string): T | undefined {
  const name = toCamel(word);
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}

function topics(entries: Readonly<Record<string, { readonly summary: string }>>): NextWord[] {
  return Object.entries(entries).map(([name, { summary }]) => ({ word: toKebab(name), about: summary }));
}
