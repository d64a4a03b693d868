/**
 * Commands that do not call an operation of the API (`svc auth …`, `svc service …`, `svc workflow …`).
 *
 * A group is a folder with one file for each verb and a `mod.ts` that exports `commands`, a `LocalGroup`. `groups.ts`
 * registers it. The files contain descriptions only. Import what a command needs inside `run`, so that the help and
 * other commands do not load it.
 *
 * ```ts
 * export const commands: LocalGroup = {
 *   words: localCommand({
 *     summary: "Print the words that complete a command line",
 *     args: [{ name: "line", help: "Command line up to the cursor", type: "string", required: true }],
 *     flags: { most: { help: "Maximum number of words", type: "integer", default: "10" } },
 *     example: '"svc cases ge"',
 *     async run(context, { line, most }) {
 *       const { nextWords } = await import("../completion/words.ts");
 *       const { commandTree } = await import("./groups.ts");
 *       const words = await nextWords(line, commandTree);
 *       await context.print(words.slice(0, most).map(({ word }) => word));
 *     },
 *   }),
 * };
 * ```
 */
import { SvcError } from "../../lib/errors.ts";
import { findExclusive, isOfType, listParams, toKebab, TYPE_NAMES } from "../../lib/operation/operation.ts";
import type { Arg, Command, CommandContext, CommandDescription, Flag, FlagTypes } from "./command.ts";
import { parseChoice, readValues } from "../args/read_values.ts";

/** A local command. */
export interface LocalCommand extends CommandDescription {
  /** Set if `run` supports `--dry-run`. Other commands do nothing in a dry run. */
  readonly dryRun?: true;
  /** Runs the command. An error becomes the record on stderr and the exit code. */
  run(context: CommandContext, values: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Local commands by camel-case name. A command of three words has the last two as its name: `schedule add`. */
export type LocalGroup = Readonly<Record<string, LocalCommand>>;

/** The checked values of a local command, including defaults. */
export type LocalValues<A extends readonly Arg[], F extends Readonly<Record<string, Flag>>> =
  & { readonly [P in A[number] as P["name"]]: LocalValue<P> }
  & { readonly [N in keyof F]: LocalValue<F[N]> };

type LocalValue<P extends Flag> = P extends { required: true } | { default: string } ? ValueOf<P>
  : ValueOf<P> | undefined;

type ValueOf<P extends Flag> = P extends { choices: readonly (infer C)[] } ? C : FlagTypes[P["type"]];

/** Describes a local command, and infers the types of its values. */
export function localCommand<
  const A extends readonly Arg[] = readonly [],
  const F extends Readonly<Record<string, Flag>> = Record<never, never>,
>(
  command: Omit<LocalCommand, "args" | "flags" | "run"> & {
    readonly args?: A;
    readonly flags?: F;
    run(context: CommandContext, values: LocalValues<A, F>): Promise<void>;
  },
): LocalCommand {
  return command;
}

/** Returns the command of a description. Its values are read and checked before it runs. */
export function createLocalCommand(local: LocalCommand): Command {
  return {
    ...local,
    async run(context, parsed) {
      if (context.globals.dryRun && !local.dryRun) {
        return context.note("Nothing was done: this command does not support --dry-run.");
      }
      const values = await readValues(local, parsed, context.io);
      for (const [name, flag] of listParams(local)) check(name, flag, values[name]);
      checkTogether(local, values);
      context.io.failBeyondFileSizeLimit?.();
      await local.run(context, values);
    },
  };
}

function check(name: string, flag: Flag, value: unknown): void {
  const option = "name" in flag ? `The argument <${name}>` : `--${toKebab(name)}`;
  const invalid = (problem: string) => new SvcError("INVALID_ARGS", `${option} ${problem}.`, { hint: `${flag.help}.` });
  if (value === undefined) {
    if (flag.required) throw invalid("is required");
  } else if (flag.choices !== undefined) {
    parseChoice(option, flag.choices, value);
  } else if (flag.type !== "json" && flag.type !== "path" && !isOfType(flag.type, value)) {
    throw invalid(`must be ${TYPE_NAMES[flag.type]}`);
  }
}

function checkTogether(command: CommandDescription, values: Readonly<Record<string, unknown>>): void {
  const isUsed = (name: string) => values[name] !== undefined && values[name] !== false;
  const exclusive = findExclusive(listParams(command), isUsed);
  if (exclusive === undefined) return;
  const [name, other] = exclusive.map((flag) => `--${toKebab(flag)}`);
  throw new SvcError("INVALID_ARGS", `${name} and ${other} are mutually exclusive.`, {
    hint: "Leave out one of them.",
  });
}
