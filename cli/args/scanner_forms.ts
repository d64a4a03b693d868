/** The spellings of flags that the parser library does not know, as those that it knows. */
import { SvcError } from "../../lib/errors.ts";
import { entryNamed } from "../../lib/operation/names.ts";
import type { Flag } from "../commands/command.ts";
import { globalFlags } from "./global_flags.ts";
import { HELP } from "../help/help.ts";

const FLAG = /^--([a-z][a-z\d-]+)(?:=([^]*))?$/i;

type Flags = Readonly<Record<string, Flag>>;

/** The inputs of a command with these flags, in the forms that the parser library knows. */
export function toScannerForms(inputs: readonly string[], flags: Flags): string[] {
  const end = inputs.indexOf("--");
  const [before, after] = end < 0 ? [inputs, []] : [inputs.slice(0, end), inputs.slice(end)];
  return [...before.flatMap((input) => input.startsWith("--") ? long(input, flags) : short(input, flags)), ...after];
}

/**
 * The library would take `--x` for an argument, and so `--data=` and a `--data=` value of several lines: the first is
 * refused, since it is more likely a slip than an identifier, the others become two arguments.
 */
function long(input: string, flags: Flags): string[] {
  const [, name, value] = FLAG.exec(input) ?? [];
  if (name === undefined) {
    throw new SvcError("INVALID_ARGS", `${input} is no flag.`, {
      hint: "Write --flag=value for a value that begins with dashes, or -- before such an argument.",
    });
  }
  if (value === undefined) return [input];
  if (isSwitch(name, flags)) throw takesNoValue(`--${name}`);
  return /^.+$/.test(value) ? [input] : [`--${name}`, value];
}

/** Whether a flag is given by its name alone; those of a command can be negated. */
function isSwitch(name: string, flags: Flags): boolean {
  const flag = entryNamed({ ...flags, ...globalFlags, help: HELP }, name) ??
    (name.startsWith("no-") ? entryNamed(flags, name.slice("no-".length)) : undefined);
  return flag?.type === "boolean";
}

/** `-d<value>` and `-d=<value>` as `-d <value>`: short flags are written in all these ways elsewhere. */
function short(input: string, flags: Flags): string[] {
  const [, letter, value = ""] = /^-([^-])(.+)$/s.exec(input) ?? [];
  const flag = Object.values({ ...flags, help: HELP }).find(({ short }) => short !== undefined && short === letter);
  if (flag === undefined) return [input];
  if (flag.type === "boolean") throw takesNoValue(`-${letter}`);
  return [`-${letter}`, value.replace(/^=/, "")];
}

/** A value where none belongs. */
export function takesNoValue(flag: string): SvcError {
  return new SvcError("INVALID_ARGS", `${flag} takes no value.`, { hint: `Write ${flag} alone.` });
}
