/** Builds the help pages from the descriptions of the commands. */
import { listExamples, toKebab } from "../../lib/operation/operation.ts";
import { globalFlags, HELP_FLAG, selectGlobalFlags, VERSION_FLAG } from "../args/global_flags.ts";
import type { Arg, CommandDescription, Flag } from "../commands/command.ts";
import type { Output } from "../io/io.ts";
import { type Block, DEFAULT_WIDTH, layOutPage } from "./layout.ts";
import { topics } from "./topics.ts";

const PLACEHOLDERS: Readonly<Record<Flag["type"], string>> = {
  string: "text",
  integer: "number",
  boolean: "",
  list: "a,b",
  object: "json",
  array: "json",
  calculation: "json",
  json: "json",
  file: "path",
  path: "path",
};

/** Groups, commands or topics by camel-case name. */
type Summaries = Readonly<Record<string, { readonly summary: string }>>;

/** Prints a page, wrapped to the width of the terminal. */
export function printPage(blocks: readonly Block[], stdout: Output): void {
  stdout.write(layOutPage(blocks, stdout.columns() ?? DEFAULT_WIDTH));
}

/** Builds the page of `svc --help`. */
export function buildRootHelp(groups: Summaries, everyday: Summaries): Block[] {
  return [
    { text: "The command line of a case-management service." },
    { heading: "Usage", usage: "svc [<group>] <command> [<argument>...] [flags]" },
    { heading: "Commands", rows: toRows(everyday) },
    { heading: "Groups", rows: toRows(groups) },
    { heading: "Global flags", rows: flagLines({ ...globalFlags, help: HELP_FLAG, version: VERSION_FLAG }) },
    { heading: "Topics", rows: toRows(topics) },
    {
      text:
        "'svc <group> --help' lists the commands of a group.\n'svc <group> <command> --help' explains a command.\n" +
        "'svc help <topic>' explains a topic.",
    },
  ];
}

/** Builds the page of `svc <group> --help`. */
export function buildGroupHelp(name: string, { summary }: { readonly summary: string }, commands: Summaries): Block[] {
  return [
    { text: `${summary}.` },
    { heading: "Usage", usage: `svc ${name} <command> [<argument>...] [flags]` },
    { heading: "Commands", rows: toRows(commands) },
    { text: `'svc ${name} <command> --help' explains a command, with examples.` },
  ];
}

/** Builds the page of `svc <group> <word> --help` for a word with subcommands. */
export function buildSubgroupHelp(name: string, commands: Summaries): Block[] {
  return [
    { heading: "Usage", usage: `svc ${name} <command> [<argument>...] [flags]` },
    { heading: "Commands", rows: toRows(commands) },
    { text: `'svc ${name} <command> --help' explains a command, with examples.` },
  ];
}

/** Builds the page of `svc <group> <command> --help`. */
export function buildCommandHelp(words: readonly string[], command: CommandDescription): Block[] {
  const { args = [], flags = {}, summary, details, seeAlso = [] } = command;
  const parent = words.length === 1 ? "--help" : `${words[0]} --help`;
  return [
    { text: `${summary}.` },
    { text: details ?? "" },
    { heading: "Usage", usage: formatUsage(words, command) },
    { heading: "Arguments", rows: argRows(args).map(({ written, meaning }) => [written, meaning]) },
    { heading: "Flags", rows: flagLines(flags) },
    { heading: "Global flags", rows: flagLines({ ...describeGlobalFlags(command), help: HELP_FLAG }) },
    { heading: "Examples", commands: formatExamples(words, command) },
    { heading: "See also", text: [...seeAlso, parent].map((line) => `svc ${line}`).join("\n") },
  ];
}

function describeGlobalFlags({ flags, prefersView }: CommandDescription): Readonly<Record<string, Flag>> {
  const { format, ...others } = selectGlobalFlags(flags);
  if (format === undefined) return others;
  return { format: prefersView ? { ...format, default: "view at a terminal, otherwise json" } : format, ...others };
}

/** Formats the usage line of a command: its arguments and its required flags. */
export function formatUsage(words: readonly string[], { args = [], flags = {} }: CommandDescription): string {
  const required = Object.entries(flags).filter(([, flag]) => flag.required).map(([name, flag]) =>
    formatFlag(name, flag)
  );
  const needed = required.length > 0 && canPrompt(flags) ? [`(${required.join(" ")} | --interactive)`] : required;
  return ["svc", ...words, ...args.map(formatArg), ...needed, "[flags]"].join(" ");
}

/** Formats the examples of a command as command lines. */
export function formatExamples(words: readonly string[], command: CommandDescription): string[] {
  return listExamples(command).map((example) => ["svc", ...words, example].join(" ").trimEnd());
}

/** An argument or a flag, as help shows it. */
export interface HelpRow {
  /** Name in camel case. */
  readonly name: string;
  /** Syntax, e.g. `<caseId>` or `-o, --output <path>`. */
  readonly written: string;
  /** Description. */
  readonly meaning: string;
}

/** Describes arguments, in order. */
export function argRows(args: readonly Arg[]): HelpRow[] {
  return args.map((arg) => ({ name: arg.name, written: formatArg(arg), meaning: arg.help + describeDefault(arg) }));
}

/** Describes flags, without those that are hidden. */
export function flagRows(flags: Readonly<Record<string, Flag>>): HelpRow[] {
  const required = canPrompt(flags) ? " (required unless --interactive)" : " (required)";
  return Object.entries(flags).filter(([, flag]) => !flag.hidden).map(([name, flag]) => ({
    name,
    written: (flag.short === undefined ? "" : `-${flag.short}, `) + formatFlag(name, flag),
    meaning: flag.help + describeChoices(flag) + (flag.required ? required : "") + describeDefault(flag),
  }));
}

/** Reports whether the command can prompt for its required flags. */
function canPrompt(flags: Readonly<Record<string, Flag>>): boolean {
  return flags.interactive !== undefined;
}

/** Formats an argument for a usage line. */
export function formatArg({ name, default: text, optional, rest }: Arg): string {
  const shown = rest ? `${name}...` : name;
  return text === undefined && !optional ? `<${shown}>` : `[${shown}]`;
}

function toRows(summaries: Summaries): [string, string][] {
  return Object.entries(summaries).map(([name, { summary }]) => [toKebab(name), summary]);
}

function flagLines(flags: Readonly<Record<string, Flag>>): [string, string][] {
  return flagRows(flags).map(({ written, meaning }) => [alignLongForm(written), meaning]);
}

/** Aligns flags without a short form with those that have one. */
function alignLongForm(written: string): string {
  return written.startsWith("--") ? "    " + written : written;
}

function describeChoices({ choices }: Flag): string {
  return choices === undefined ? "" : `: ${choices.join(", ")}`;
}

function describeDefault({ default: text }: Flag): string {
  return text === undefined ? "" : ` (default: ${text})`;
}

function formatFlag(name: string, flag: Flag): string {
  const placeholder = flag.placeholder ?? PLACEHOLDERS[flag.repeatable ? "string" : flag.type];
  return (flag.negatable ? "--[no-]" : "--") + toKebab(name) + (placeholder === "" ? "" : ` <${placeholder}>`);
}
