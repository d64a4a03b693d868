/** What is wrong with a command line, in words: what the parser library finds, as errors of the family. */
import {
  AliasNotFoundError,
  ArgumentParseError,
  FlagNotFoundError,
  InvalidNegatedFlagSyntaxError,
  UnexpectedFlagError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
} from "@stricli/core";
import { SvcError } from "../errors.ts";
import { toKebab } from "../names.ts";
import type { Arg, CommandDescription } from "./command.ts";
import { globalFlags } from "./global_flags.ts";
import { didYouMean, questionOf } from "../similar.ts";
import { argName } from "./help.ts";

/** A group or a command that does not exist. */
export function unknownWord(place: string, kind: string, names: readonly string[], word: string): SvcError {
  const known = names.map(toKebab);
  const longer = known.filter((name) => name.startsWith(`${word.toLowerCase()}-`));
  const show = (name: string) => `'${name}'`;
  const question = didYouMean(word, known, show) || questionOf(longer, show);
  return invalid(`${place} has no ${kind} '${word}'.`, `${question}'${place} --help' lists the ${kind}s.`);
}

/** An argument that is not there. */
export function missingArgument(args: readonly Arg[], given: number, words: readonly string[]): SvcError {
  const usage = ["svc", ...words, ...args.map(argName)].join(" ");
  return invalid(`The argument <${args[given]?.name}> is missing.`, `Usage: ${usage} [flags]`);
}

/** What the parser library found while it scanned the flags and arguments of a command. */
export function scanError(error: unknown, { flags }: CommandDescription, words: readonly string[]): unknown {
  const command = ["svc", ...words].join(" ");
  if (error instanceof FlagNotFoundError) {
    const names = Object.keys({ ...flags, ...globalFlags }).map(toKebab);
    const question = didYouMean(error.input, names, (name) => `--${name}`);
    return invalid(`${command} has no flag --${error.input}.`, `${question}'${command} --help' lists the flags.`);
  }
  if (error instanceof AliasNotFoundError) {
    const names = Object.keys(flags ?? {}).map(toKebab).filter((name) => name.startsWith(error.input));
    return invalid(
      `${command} has no flag -${error.input}.`,
      `${questionOf(names, (name) => `--${name}`)}Write --flag=value for a value that begins with a dash.`,
    );
  }
  if (error instanceof UnexpectedFlagError) return invalid(`--${error.externalFlagName} is given twice.`);
  if (error instanceof UnsatisfiedFlagError) {
    return invalid(
      `--${error.externalFlagName} needs a value.`,
      "Write --flag=value for a value that begins with a dash.",
    );
  }
  if (error instanceof InvalidNegatedFlagSyntaxError) return invalid(`--${error.externalFlagName} takes no value.`);
  if (error instanceof ArgumentParseError) {
    return invalid(`--${error.externalFlagNameOrPlaceholder} takes no value but true or false.`);
  }
  if (error instanceof UnexpectedPositionalError) {
    const takes = error.expectedCount === 1 ? "1 argument" : `${error.expectedCount || "no"} arguments`;
    return invalid(
      `${command} takes ${takes}: '${error.input}' is one too many.`,
      "Quote an argument that holds spaces.",
    );
  }
  return error;
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
