/** Describes the mistakes in a command line, with suggestions. */
import { SvcError } from "../../lib/errors.ts";
import { entryNamed, toKebab } from "../../lib/operation/operation.ts";
import type { Arg, CommandDescription, CommandTree, Flag } from "../commands/command.ts";
import { globalFlags, HELP_FLAG, VERSION_FLAG } from "./global_flags.ts";
import { GUESSED_COMMANDS, GUESSED_FLAGS } from "./guessed_commands.ts";
import { type ExtraArgument, getFirstWord, type UsageProblem } from "./parse_arguments.ts";
import { isCaseName } from "../handles/handles.ts";
import { didYouMean, formatSuggestions } from "../../utils/text/did_you_mean.ts";
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { topics } from "../help/topics.ts";
import { formatArg } from "../help/help_pages.ts";

/** Describes an unknown group or topic, and suggests another one, or a command of that name. */
export async function unknownGroup(
  tree: CommandTree,
  [word = "", next]: readonly string[],
  isHelp: boolean,
): Promise<SvcError> {
  const owners = await findGroupsWith(tree, word);
  const names = Object.keys({ ...await tree.everyday.load(), ...tree.groups });
  const swapped = owners.filter((group) => next === group || `${next}s` === group);
  const suggestion = suggestCommands(swapped, word) || suggestGuessed(word) || (isHelp && suggestPages(word, names)) ||
    suggestNames(word, names) || suggestTopic(word) || suggestCommands(owners, word);
  return isHelp
    ? invalid(`svc has no command, group or topic '${word}'.`, `${suggestion}'svc help' lists all commands and topics.`)
    : invalid(`svc has no command or group '${word}'.`, `${suggestion}'svc --help' lists all commands.`);
}

function suggestPages(word: string, commands: readonly string[]): string {
  const names = [...Object.keys(topics), ...commands].map(toKebab);
  const longer = names.filter((name) => word !== "" && name.startsWith(word.toLowerCase()));
  return formatSuggestions(longer, asHelp) || didYouMean(word, names, asHelp);
}

function suggestTopic(word: string): string {
  return formatSuggestions(Object.keys(topics).map(toKebab).filter((name) => name === word), asHelp);
}

function asHelp(name: string): string {
  return `'svc help ${name}'`;
}

/** Describes an unknown command and suggests another command of the group, or one of another group. */
export async function unknownCommand(
  tree: CommandTree,
  commands: Readonly<Record<string, unknown>>,
  [group = "", word = ""]: readonly string[],
): Promise<SvcError> {
  const question = suggestGuessed(`${group} ${word}`) || await suggestEveryday(tree, word) ||
    suggestNames(word, [...new Set(Object.keys(commands).map(getFirstWord))]) ||
    suggestOwner(await findGroupsWith(tree, word), word);
  return invalid(`svc ${group} has no command '${word}'.`, `${question}'svc ${group} --help' lists the commands.`);
}

async function findGroupsWith({ groups }: CommandTree, command: string): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(groups).map(async ([name, group]) => entryNamed(await group.load(), command) && toKebab(name)),
  );
  return found.filter((group) => group !== undefined);
}

function suggestCommands(owners: readonly string[], command: string): string {
  return formatSuggestions(owners.map((group) => `svc ${group} ${toKebab(command)}`), quoted);
}

/** Suggests the command of another group, unless several groups have one of that name: it would rarely be the right one. */
function suggestOwner(owners: readonly string[], command: string): string {
  return owners.length === 1 ? suggestCommands(owners, command) : "";
}

async function suggestEveryday({ everyday }: CommandTree, word: string): Promise<string> {
  return formatSuggestions(entryNamed(await everyday.load(), word) === undefined ? [] : [`svc ${word}`], quoted);
}

function suggestGuessed(words: string): string {
  const lines = Object.hasOwn(GUESSED_COMMANDS, words) ? GUESSED_COMMANDS[words] ?? [] : [];
  return formatSuggestions(lines.map((line) => `svc ${line}`), quoted);
}

function suggestNames(word: string, names: readonly string[]): string {
  const known = names.map(toKebab);
  const longer = known.filter((name) => name.startsWith(`${word.toLowerCase()}-`));
  return didYouMean(word, known, quoted) || formatSuggestions(longer, quoted);
}

function quoted(name: string): string {
  return `'${name}'`;
}

/** Describes a command line with flags and without a command. */
export function missingCommand(words: readonly string[], flag: string): SvcError {
  const line = ["svc", ...words].join(" ");
  return invalid(`${flag} needs a command.`, `'${line} --help' lists the commands.`);
}

/** Describes a flag that is not allowed before the command. */
export function misplacedFlag(arg: string): SvcError {
  const name = arg.replace(/^--?|=[^]*$/g, "");
  const known = flagNames({ ...globalFlags, help: HELP_FLAG, version: VERSION_FLAG });
  if (arg.startsWith("--") && known.includes(name)) return takesNoValue(`--${name}`); // Without the value it is allowed.
  const question = suggestGuessedFlag(name) ||
    (arg.startsWith("--") ? didYouMean(name, known, asFlag) : suggestLongFlags(name, known));
  const all = known.map(asFlag).join(", ");
  return invalid(
    `${arg} is not allowed before the command.`,
    `${question}Only the global flags are: ${all}. 'svc --help' lists the commands.`,
  );
}

function suggestLongFlags(short: string, known: readonly string[]): string {
  return formatSuggestions(known.filter((name) => short !== "" && name.startsWith(short.toLowerCase())), asFlag);
}

function suggestGuessedFlag(name: string): string {
  const flag = Object.hasOwn(GUESSED_FLAGS, name) ? GUESSED_FLAGS[name] : undefined;
  return formatSuggestions(flag === undefined ? [] : [flag], quoted);
}

function flagNames(flags: Readonly<Record<string, Flag>>): string[] {
  return Object.keys(flags).map(toKebab);
}

function asFlag(name: string): string {
  return `--${name}`;
}

/** Describes a mistake in the flags and arguments of a command. */
export function usageError(
  problem: UsageProblem,
  { args = [], flags = {} }: CommandDescription,
  words: readonly string[],
): SvcError {
  const command = ["svc", ...words].join(" ");
  const known = flagNames({ ...flags, ...globalFlags, help: HELP_FLAG });
  switch (problem.kind) {
    case "not a flag":
      return invalid(
        `${problem.input} is not a flag.`,
        "Write --flag=value for a value that begins with dashes, or -- before such an argument.",
      );
    case "unknown flag": {
      const question = suggestGuessedFlag(problem.name) || didYouMean(problem.name, known, asFlag);
      return invalid(`${command} has no flag --${problem.name}.`, `${question}'${command} --help' lists the flags.`);
    }
    case "unknown short flag":
      return invalid(
        `${command} has no flag -${problem.name}.`,
        `${
          suggestGuessedFlag(problem.name) || suggestLongFlags(problem.name, known)
        }Write --flag=value for a value that begins with a dash.`,
      );
    case "repeated flag": {
      const flag = `--${toKebab(problem.name)}`;
      const isList = entryNamed({ ...flags, ...globalFlags }, problem.name)?.type === "list";
      return invalid(`${flag} is given twice.`, isList ? `Separate several with commas: ${flag}=a,b.` : undefined);
    }
    case "missing value":
      return invalid(`${problem.flag} needs a value.`, "Write --flag=value for a value that begins with a dash.");
    case "unexpected value":
      return takesNoValue(problem.flag);
    case "too many arguments": {
      const limit = args.length === 1 ? "1 argument" : `${args.length || "no"} arguments`;
      return invalid(
        `${command} takes ${limit}: '${problem.input}' is one too many.`,
        `${explainExtra(problem, args)} '${command} --help' shows the usage.`,
      );
    }
    case "missing argument":
      return invalid(
        `The argument <${args[problem.index]?.name}> is missing.`,
        `Usage: ${[command, ...args.map(formatArg)].join(" ")} [flags]`,
      );
  }
}

/** Explains what to do about an extra argument: a handle without quotes, a second handle, or the rest of a text. */
function explainExtra({ input, before, after }: ExtraArgument, args: readonly Arg[]): string {
  if (args.length === 0) return "Leave it out.";
  const words = [...before, input, ...after];
  if (words.every(isCaseName)) return "Run the command once for each.";
  const handle = findHandle(words);
  if (handle !== undefined) return `Quote the handle: ${shellQuote(handle)}.`;
  const text = [...before.slice(-1), input, ...after].join(" ");
  return `If an argument contains a space, quote it: ${shellQuote(text)}.`;
}

/** Finds a handle of several words, such as `ASSIGN-WORKLIST ACME-WORK C-1!REVIEW`. */
function findHandle(words: readonly string[]): string | undefined {
  const [handle] = /(?<!\S)(?:[A-Z][A-Z\d]*(?:-[A-Z\d]+)+ )+[A-Z][A-Z\d]*-\d+(?:!\S+)?(?!\S)/i.exec(words.join(" ")) ??
    [];
  const parts = handle?.split(" ") ?? [];
  return parts.slice(0, -1).some(isCaseName) ? undefined : handle;
}

function takesNoValue(flag: string): SvcError {
  return invalid(`${flag} takes no value.`, `Write ${flag} alone.`);
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
