/** Finds the group and the command in the arguments: global flags may stand before them. */
import { toKebab } from "../../lib/operation/names.ts";
import type { Flag } from "../commands/command.ts";
import { globalFlags } from "./global_flags.ts";

/** The arguments, taken apart. */
export interface Argv {
  /** The group and the command, as far as they are given. */
  readonly words: readonly string[];
  /** Everything else, in order. */
  readonly rest: readonly string[];
  /** Whether help is wanted. */
  readonly help: boolean;
  /** Whether the version is wanted: instead of a command, as `svc --help` lists it. */
  readonly version: boolean;
  /** A flag before the command that cannot stand there. */
  readonly misplaced?: string;
}

/** Takes the arguments apart. `help <group> <command>` is `<group> <command> --help`, and `<group> help` that of the group. */
export function takeApart(args: readonly string[]): Argv {
  const words: string[] = [];
  const before: string[] = [];
  let help = asksForHelp(args);
  let version = false;
  let index = 0;
  while (index < args.length && words.length < 2) {
    const arg = args[index++] ?? "";
    if (arg === "help") help = true;
    else if (arg === "--version") version = true;
    else if (!arg.startsWith("-")) words.push(arg);
    else if (!canLead(arg)) return { words, rest: [], help, version, misplaced: arg };
    else before.push(arg, ...(takesNext(arg) ? args.slice(index, ++index) : []));
  }
  return { words, rest: help ? [] : [...before, ...args.slice(index)], help, version };
}

function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end < 0 ? args.length : end).some((arg) => arg === "-h" || arg === "--help");
}

/** Whether a flag can stand before the command. */
function canLead(arg: string): boolean {
  return arg === "-h" || arg === "--help" || globalFlagOf(arg) !== undefined;
}

/** Whether a flag that stands before the command takes the next argument as its value. */
function takesNext(arg: string): boolean {
  const flag = globalFlagOf(arg);
  return flag !== undefined && flag.type !== "boolean" && !arg.includes("=");
}

function globalFlagOf(arg: string): Flag | undefined {
  const [, name] = /^--([^=]+)/.exec(arg) ?? [];
  return Object.entries(globalFlags).find(([known]) => toKebab(known) === name)?.[1];
}
