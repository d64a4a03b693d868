/** What is wrong with a command line, in words: what the parser library finds, as errors of the family. */
import {
  AliasNotFoundError,
  FlagNotFoundError,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
} from "@stricli/core";
import { SvcError } from "../../lib/errors.ts";
import { entryNamed, toKebab } from "../../lib/operation/names.ts";
import type { Arg, CommandDescription, CommandGroup, Flag } from "../commands/command.ts";
import { globalFlags } from "./global_flags.ts";
import { didYouMean, formatSuggestions } from "../../utils/text/did_you_mean.ts";
import { argName, HELP, VERSION } from "../help/help.ts";
import { takesNoValue } from "./scanner_forms.ts";

type Groups = Readonly<Record<string, CommandGroup>>;

/** A group that does not exist: another one was meant, or a command of one. */
export async function unknownGroup(groups: Groups, [word = "", next]: readonly string[]): Promise<SvcError> {
  const owners = await groupsWith(groups, word);
  const swapped = owners.filter((group) => next === group || `${next}s` === group);
  const question = commandQuestion(swapped, word) || versionQuestion(word) ||
    questionFor(word, Object.keys(groups)) || commandQuestion(owners, word);
  return invalid(`svc has no group '${word}'.`, `${question}'svc --help' lists the groups.`);
}

/** A command that its group does not have: another one of it was meant, or that of another group. */
export async function unknownCommand(
  groups: Groups,
  commands: Readonly<Record<string, unknown>>,
  [group = "", word = ""]: readonly string[],
): Promise<SvcError> {
  const question = questionFor(word, Object.keys(commands)) || commandQuestion(await groupsWith(groups, word), word);
  return invalid(`svc ${group} has no command '${word}'.`, `${question}'svc ${group} --help' lists the commands.`);
}

/** The groups that have a command of that name. */
async function groupsWith(groups: Groups, command: string): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(groups).map(async ([name, group]) => entryNamed(await group.load(), command) && toKebab(name)),
  );
  return found.filter((group) => group !== undefined);
}

function commandQuestion(owners: readonly string[], command: string): string {
  return formatSuggestions(owners.map((group) => `svc ${group} ${toKebab(command)}`), quoted);
}

/** The question whether the version was meant, which is a flag here and a command elsewhere. */
function versionQuestion(word: string): string {
  return formatSuggestions(word === "version" ? ["svc --version"] : [], quoted);
}

function questionFor(word: string, names: readonly string[]): string {
  const known = names.map(toKebab);
  const longer = known.filter((name) => name.startsWith(`${word.toLowerCase()}-`));
  return didYouMean(word, known, quoted) || formatSuggestions(longer, quoted);
}

function quoted(name: string): string {
  return `'${name}'`;
}

/** A flag before the command that cannot stand there. */
export function misplacedFlag(arg: string): SvcError {
  const name = arg.replace(/^--?|=[^]*$/g, "");
  const known = flagNames({ ...globalFlags, help: HELP, version: VERSION });
  if (arg.startsWith("--") && known.includes(name)) return takesNoValue(`--${name}`); // It could stand there alone.
  const question = arg.startsWith("--") ? didYouMean(name, known, asFlag) : longFormOf(name, known);
  const all = known.map(asFlag).join(", ");
  return invalid(
    `${arg} cannot stand before the command.`,
    `${question}Only the global flags can: ${all}. 'svc --help' lists the commands.`,
  );
}

/** The question whether a flag was meant whose name begins with what was written as a short one. */
function longFormOf(short: string, known: readonly string[]): string {
  return formatSuggestions(known.filter((name) => short !== "" && name.startsWith(short.toLowerCase())), asFlag);
}

function flagNames(flags: Readonly<Record<string, Flag>>): string[] {
  return Object.keys(flags).map(toKebab);
}

function asFlag(name: string): string {
  return `--${name}`;
}

/** An argument that is not there. */
export function missingArgument(args: readonly Arg[], given: number, words: readonly string[]): SvcError {
  const usage = ["svc", ...words, ...args.map(argName)].join(" ");
  return invalid(`The argument <${args[given]?.name}> is missing.`, `Usage: ${usage} [flags]`);
}

/** What the parser library found while it scanned the flags and arguments of a command. */
export function scanError(error: unknown, { flags }: CommandDescription, words: readonly string[]): unknown {
  const command = ["svc", ...words].join(" ");
  const known = flagNames({ ...flags, ...globalFlags, help: HELP });
  if (error instanceof FlagNotFoundError) {
    const question = didYouMean(error.input, known, asFlag);
    return invalid(`${command} has no flag --${error.input}.`, `${question}'${command} --help' lists the flags.`);
  }
  if (error instanceof AliasNotFoundError) {
    return invalid(
      `${command} has no flag -${error.input}.`,
      `${longFormOf(error.input, known)}Write --flag=value for a value that begins with a dash.`,
    );
  }
  if (error instanceof UnexpectedFlagError) return givenTwice(error.externalFlagName, flags);
  if (error instanceof UnsatisfiedFlagError) {
    return invalid(
      `--${error.externalFlagName} needs a value.`,
      "Write --flag=value for a value that begins with a dash.",
    );
  }
  if (error instanceof UnexpectedPositionalError) {
    const takes = error.expectedCount === 1 ? "1 argument" : `${error.expectedCount || "no"} arguments`;
    return invalid(
      `${command} takes ${takes}: '${error.input}' is one too many.`,
      `Quote an argument that holds spaces. '${command} --help' lists the flags.`,
    );
  }
  return error;
}

function givenTwice(name: string, flags: CommandDescription["flags"]): SvcError {
  const flag = entryNamed({ ...flags, ...globalFlags }, name);
  const hint = flag?.type === "list" ? `Separate several with commas: --${name}=a,b.` : undefined;
  return invalid(`--${name} is given twice.`, hint);
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
