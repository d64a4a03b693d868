/** The syntax of the command line: finds the command, then parses its flags and arguments by its description. */
import { entryNamed, toCamel } from "../../lib/operation/operation.ts";
import type { CommandDescription, Flag, ParsedArguments } from "../commands/command.ts";
import { globalFlags, HELP_FLAG } from "./global_flags.ts";

/** `--name` or `--name=value`, in kebab or camel case. */
const LONG_FLAG = /^--([a-z][a-z\d-]+)(?:=([^]*))?$/i;
/** `-x`, `-xvalue` or `-x=value`. */
const SHORT_FLAG = /^-([a-z])(?:=([^]*)|([^]+))?$/i;
/** An unknown short flag. Other words that start with one dash, such as `-5`, are values. */
const UNKNOWN_SHORT_FLAG = /^-[a-z](?:[a-z]*|=.+)$/i;

type Flags = Readonly<Record<string, Flag>>;

/** A command line, split into the words that name the command and everything else. */
export interface CommandLine {
  /** The group and the command, as far as they are present. */
  readonly words: readonly string[];
  /** The flags and arguments of the command, including global flags that stand before it. */
  readonly rest: readonly string[];
  /** Help is requested, by a flag or by the word `help`. */
  readonly help: boolean;
  /** The line starts with the word `help`, which may be followed by a topic. */
  readonly helpCommand: boolean;
  /** The version is requested. */
  readonly version: boolean;
  /** A flag that is not allowed before the command. */
  readonly misplaced?: string;
}

/** A mistake in the flags and arguments of a command. */
export type UsageProblem =
  | { readonly kind: "not a flag"; readonly input: string }
  | ExtraArgument
  | { readonly kind: "unknown flag" | "unknown short flag" | "repeated flag"; readonly name: string }
  | { readonly kind: "missing value" | "unexpected value"; readonly flag: string }
  | { readonly kind: "missing argument"; readonly index: number };

/** An argument that a command does not take. */
export interface ExtraArgument {
  readonly kind: "too many arguments";
  readonly input: string;
  /** The arguments before it. */
  readonly before: readonly string[];
  /** The arguments that follow it, up to the next flag. */
  readonly after: readonly string[];
}

/** The parsed arguments of a command, or the first mistake in them. */
export type ParseResult = { readonly values: ParsedArguments } | { readonly problem: UsageProblem };

/**
 * Splits a command line. The command has up to `length` words. Global flags may stand before it. `help <group> <command>`
 * is `<group> <command> --help`, and `<group> help` is `<group> --help`.
 */
export function splitCommandLine(args: readonly string[], length = 2): CommandLine {
  const words: string[] = [];
  const leading: string[] = [];
  let help = hasHelpFlag(args);
  let helpCommand = false;
  let version = false;
  let index = 0;
  while (index < args.length && words.length < length) {
    const arg = args[index++] ?? "";
    if (arg === "help") {
      help = true;
      helpCommand ||= words.length === 0;
    } else if (arg === "--version") version = true;
    else if (arg === "--help" || arg === "-h") continue;
    else if (!arg.startsWith("-")) words.push(arg);
    else {
      const [, name = "", value] = LONG_FLAG.exec(arg) ?? [];
      const flag = entryNamed<Flag>(globalFlags, name);
      if (flag === undefined) return { words, rest: [], help, helpCommand, version, misplaced: arg };
      leading.push(arg);
      if (flag.type !== "boolean" && value === undefined && index < args.length) leading.push(args[index++] ?? "");
    }
  }
  return { words, rest: help ? [] : [...leading, ...args.slice(index)], help, helpCommand, version };
}

/**
 * Returns the subcommands of a word, such as those of `workflow schedule`, by their last word. Returns undefined if there are
 * none.
 */
export function findSubcommands<T>(
  commands: Readonly<Record<string, T>>,
  word: string,
): Readonly<Record<string, T>> | undefined {
  const prefix = `${toCamel(word)} `;
  const found = Object.entries(commands).filter(([name]) => name.startsWith(prefix));
  if (found.length === 0) return undefined;
  return Object.fromEntries(found.map(([name, command]) => [name.slice(prefix.length), command]));
}

/** Returns the first word of the name of a command in its group. */
export function getFirstWord(name: string): string {
  return name.split(" ", 1)[0] ?? name;
}

function hasHelpFlag(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).some((arg) => arg === "-h" || arg === "--help");
}

/** Parses the flags and arguments of a command. Values stay text: `readValues` converts them. */
export function parseArguments({ args = [], flags = {} }: CommandDescription, inputs: readonly string[]): ParseResult {
  const known: Flags = { help: HELP_FLAG, ...globalFlags, ...flags };
  const values = new Map<string, string | boolean | readonly string[]>();
  const texts: (string | readonly string[])[] = [];
  let flagsEnded = false;
  for (let index = 0; index < inputs.length; index++) {
    const input = inputs[index] ?? "";
    const token: Token = flagsEnded ? { kind: "argument" } : readToken(input, known);
    if (token.kind === "end of flags") {
      flagsEnded = true;
    } else if (token.kind === "argument") {
      if (texts.length === args.length) {
        const rest = inputs.slice(index + 1);
        const end = rest.findIndex((word) => word.startsWith("-"));
        const after = end < 0 ? rest : rest.slice(0, end);
        return { problem: { kind: "too many arguments", input, before: texts.flat(), after } };
      }
      if (args[texts.length]?.rest) {
        texts.push(inputs.slice(index));
        break;
      }
      texts.push(input);
    } else if (token.kind === "flag") {
      const { name, written, flag: { type, repeatable } } = token;
      const earlier = values.get(name);
      if (earlier !== undefined && !repeatable) return { problem: { kind: "repeated flag", name } };
      if (type === "boolean") {
        if (token.value !== undefined) return { problem: { kind: "unexpected value", flag: written } };
        values.set(name, !token.isNegated);
        continue;
      }
      const value = token.value ?? inputs[++index];
      const isMissing = value === undefined ||
        (token.value === undefined && readToken(value, known).kind !== "argument");
      if (isMissing) return { problem: { kind: "missing value", flag: written } };
      values.set(name, repeatable ? [...Array.isArray(earlier) ? earlier : [], value] : value);
    } else {
      return { problem: token };
    }
  }
  const required = args.filter((arg) => arg.default === undefined && !arg.optional).length;
  if (texts.length < required) return { problem: { kind: "missing argument", index: texts.length } };
  return { values: Object.fromEntries([...values, ...args.map(({ name }, index) => [name, texts[index]])]) };
}

type Token = FlagToken | UsageProblem | { readonly kind: "argument" } | { readonly kind: "end of flags" };

interface FlagToken {
  readonly kind: "flag";
  /** Name in camel case. */
  readonly name: string;
  /** Name with its dashes, as the user wrote it. */
  readonly written: string;
  readonly flag: Flag;
  readonly isNegated: boolean;
  /** Value that is attached to the name. */
  readonly value?: string;
}

function readToken(input: string, flags: Flags): Token {
  if (!input.startsWith("-")) return { kind: "argument" };
  if (input === "--") return { kind: "end of flags" };
  return input.startsWith("--") ? readLongFlag(input, flags) : readShortFlag(input, flags);
}

function readLongFlag(input: string, flags: Flags): Token {
  const [, written, value] = LONG_FLAG.exec(input) ?? [];
  if (written === undefined) return { kind: "not a flag", input };
  const token = { kind: "flag", written: `--${written}`, value } as const;
  const name = toCamel(written);
  const flag = entryNamed(flags, name);
  if (flag !== undefined) return { ...token, name, flag, isNegated: false };
  const positive = name.replace(/^no([A-Z])/, (_, initial: string) => initial.toLowerCase());
  const negated = positive === name ? undefined : entryNamed(flags, positive);
  const isNegatable = negated?.type === "boolean" && negated !== HELP_FLAG && !Object.hasOwn(globalFlags, positive);
  return isNegatable
    ? { ...token, name: positive, flag: negated, isNegated: true }
    : { kind: "unknown flag", name: written };
}

function readShortFlag(input: string, flags: Flags): Token {
  const [, letter, assigned, attached] = SHORT_FLAG.exec(input) ?? [];
  if (letter === undefined) return { kind: "argument" };
  const [name, flag] = Object.entries(flags).find(([, { short }]) => short === letter) ?? [];
  if (name !== undefined && flag !== undefined) {
    return { kind: "flag", name, written: `-${letter}`, flag, value: assigned ?? attached, isNegated: false };
  }
  return UNKNOWN_SHORT_FLAG.test(input) ? { kind: "unknown short flag", name: letter } : { kind: "argument" };
}
