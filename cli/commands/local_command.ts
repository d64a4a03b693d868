/**
 * The contract of a command that is no API operation (`svc auth …`, `svc service …`, `svc workflow …`).
 *
 * A group is a module that exports `commands`, a `LocalGroup`; `groups.ts` names it with its loader. The module
 * holds descriptions only: what a command needs to run is imported inside `run`, so that help and other commands
 * do not load it.
 *
 * ```ts
 * export const commands: LocalGroup = {
 *   words: localCommand({
 *     summary: "Print what may come next on a command line",
 *     args: [{ name: "line", help: "What was typed up to the cursor", type: "string", required: true }],
 *     flags: { most: { help: "Words to print at most", type: "integer", default: "10" } },
 *     example: '"svc cases ge"',
 *     async run(context, { line, most }) {
 *       const { nextWords } = await import("../completion/words.ts");
 *       const { groups } = await import("./groups.ts");
 *       const words = await nextWords(line, groups);
 *       await context.print(words.slice(0, most).map(({ word }) => word));
 *     },
 *   }),
 * };
 * ```
 */
import { SvcError } from "../../lib/errors.ts";
import { toKebab } from "../../lib/operation/names.ts";
import { listParams } from "../../lib/operation/operation.ts";
import { isOfType, TYPE_NAMES } from "../../lib/operation/param_types.ts";
import type { Arg, Command, CommandContext, CommandDescription, Flag, FlagTypes } from "./command.ts";
import { parseChoice, readValues } from "../args/read_values.ts";

/** A local command. */
export interface LocalCommand extends CommandDescription {
  /** Says that `run` itself does what `--dry-run` asks for; without it the command does nothing then. */
  readonly dryRun?: true;
  /** Does it. What it throws becomes the error on stderr and the exit code. */
  run(context: CommandContext, values: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Local commands by camel-case name. */
export type LocalGroup = Readonly<Record<string, LocalCommand>>;

/** The values that a local command is given: checked against its description, defaults included. */
export type LocalValues<A extends readonly Arg[], F extends Readonly<Record<string, Flag>>> =
  & { readonly [P in A[number] as P["name"]]: LocalValue<P> }
  & { readonly [N in keyof F]: LocalValue<F[N]> };

type LocalValue<P extends Flag> = P extends { required: true } | { default: string } ? ValueOf<P>
  : ValueOf<P> | undefined;

type ValueOf<P extends Flag> = P extends { choices: readonly (infer C)[] } ? C : FlagTypes[P["type"]];

/** Describes a local command, so that `run` knows the types of its values. */
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

/** A local command as a command of the tree: its values are read and checked before it runs. */
export function createLocalCommand(local: LocalCommand): Command {
  return {
    ...local,
    async run(context, given) {
      if (context.globals.dryRun && !local.dryRun) {
        return context.note("Nothing was done: the command has no single request that --dry-run could print.");
      }
      const values = await readValues(local, given, context.io);
      for (const [name, flag] of listParams(local)) check(name, flag, values[name]);
      await local.run(context, values);
    },
  };
}

function check(name: string, flag: Flag, value: unknown): void {
  const invalid = (fault: string) =>
    new SvcError("INVALID_ARGS", `--${toKebab(name)} ${fault}.`, { hint: `${flag.help}.` });
  if (value === undefined) {
    if (flag.required) throw invalid("is required");
  } else if (flag.choices !== undefined) {
    parseChoice(name, flag.choices, value);
  } else if (flag.type !== "json" && flag.type !== "path" && !isOfType(flag.type, value)) {
    throw invalid(`must be ${TYPE_NAMES[flag.type]}`);
  }
}
