/** The help pages, made from the descriptions. */
import { toKebab } from "../../lib/operation/names.ts";
import type { Arg, CommandDescription, Flag } from "../commands/command.ts";
import { globalFlags, HELP, VERSION } from "../args/global_flags.ts";

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

/** Groups or commands by camel-case name, with what they are about. */
type Topics = Readonly<Record<string, { readonly summary: string }>>;

/** The page of `svc --help`. */
export function rootHelp(groups: Topics): string {
  const flags = { ...globalFlags, help: HELP, version: VERSION };
  return page(
    ["The command line of a case-management service."],
    section("Usage", ["svc <group> <command> [<argument>...] [flags]"]),
    section("Groups", topicLines(groups)),
    section("Global flags", flagLines(flags)),
    ["'svc <group> --help' lists the commands of a group, 'svc <group> <command> --help' explains one."],
  );
}

/** The page of `svc <group> --help`. */
export function groupHelp(name: string, { summary }: { readonly summary: string }, commands: Topics): string {
  return page(
    [`${summary}.`],
    section("Usage", [`svc ${name} <command> [<argument>...] [flags]`]),
    section("Commands", topicLines(commands)),
    [`'svc ${name} <command> --help' explains a command, with an example.`],
  );
}

/** The page of `svc <group> <command> --help`. */
export function commandHelp(words: readonly string[], command: CommandDescription): string {
  const { args = [], flags = {}, summary, details } = command;
  return page(
    [`${summary}.`],
    details === undefined ? [] : [details],
    section("Usage", [usageOf(words, command)]),
    section("Arguments", columns(argRows(args).map(({ written, meaning }) => [written, meaning]))),
    section("Flags", flagLines(flags)),
    section("Global flags", flagLines({ ...globalFlags, help: HELP })),
    section("Example", [exampleOf(words, command)]),
  );
}

/** How a command is called: its arguments and the flags that it needs. */
export function usageOf(words: readonly string[], { args = [], flags = {} }: CommandDescription): string {
  const required = Object.entries(flags).filter(([, flag]) => flag.required).map(([name, flag]) =>
    flagName(name, flag)
  );
  const needed = required.length > 0 && canAsk(flags) ? [`(${required.join(" ")} | --interactive)`] : required;
  return ["svc", ...words, ...args.map(argName), ...needed, "[flags]"].join(" ");
}

/** An example of a command. */
export function exampleOf(words: readonly string[], { example }: CommandDescription): string {
  return ["svc", ...words, example].join(" ").trimEnd();
}

/** An argument or a flag as help shows it. */
export interface Row {
  /** Its camel-case name. */
  readonly name: string;
  /** How it is written, e.g. `<caseId>` or `-o, --output <path>`. */
  readonly written: string;
  /** What it means. */
  readonly meaning: string;
}

/** The arguments, in order. */
export function argRows(args: readonly Arg[]): Row[] {
  return args.map((arg) => ({ name: arg.name, written: argName(arg), meaning: arg.help + defaultOf(arg) }));
}

/** The flags that a person can give. */
export function flagRows(flags: Readonly<Record<string, Flag>>): Row[] {
  const required = canAsk(flags) ? " (required unless --interactive)" : " (required)";
  return Object.entries(flags).filter(([, flag]) => !flag.hidden).map(([name, flag]) => ({
    name,
    written: (flag.short === undefined ? "" : `-${flag.short}, `) + flagName(name, flag),
    meaning: flag.help + choicesOf(flag) + (flag.required ? required : "") + defaultOf(flag),
  }));
}

/** Whether a person can be asked for what is required. */
function canAsk(flags: Readonly<Record<string, Flag>>): boolean {
  return flags.interactive !== undefined;
}

/** An argument as a usage line shows it. */
export function argName({ name, default: text }: Arg): string {
  return text === undefined ? `<${name}>` : `[${name}]`;
}

function page(...sections: readonly (readonly string[])[]): string {
  return sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n") + "\n").join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function topicLines(topics: Topics): string[] {
  return columns(Object.entries(topics).map(([name, { summary }]) => [toKebab(name), summary]));
}

function columns(topics: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(0, ...topics.map(([name]) => name.length));
  return topics.map(([name, summary]) => `${name.padEnd(width)}  ${summary}`);
}

function flagLines(flags: Readonly<Record<string, Flag>>): string[] {
  return columns(flagRows(flags).map(({ written, meaning }) => [indented(written), meaning]));
}

/** Long forms stand below each other, whether they have a short form before them or not. */
function indented(written: string): string {
  return written.startsWith("--") ? "    " + written : written;
}

function choicesOf({ choices }: Flag): string {
  return choices === undefined ? "" : `: ${choices.join(", ")}`;
}

function defaultOf({ default: text }: Flag): string {
  return text === undefined ? "" : ` (default: ${text})`;
}

function flagName(name: string, flag: Flag): string {
  const placeholder = flag.placeholder ?? PLACEHOLDERS[flag.repeatable ? "string" : flag.type];
  return (flag.negatable ? "--[no-]" : "--") + toKebab(name) + (placeholder === "" ? "" : ` <${placeholder}>`);
}
