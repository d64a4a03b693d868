/** The help pages, made from the descriptions. */
import { toCamel, toKebab } from "../names.ts";
import type { CommandDescription, Flag } from "./command.ts";
import { globalFlags } from "./global_flags.ts";

const PLACEHOLDERS: Readonly<Record<Flag["type"], string>> = {
  string: "text",
  integer: "number",
  boolean: "",
  list: "a,b",
  object: "json",
  array: "json",
  calculation: "json",
  json: "json",
};

const HELP: Flag = { help: "Print this help", type: "boolean", short: "h" };
const VERSION: Flag = { help: "Print the version", type: "boolean" };

/** A name and what it is about. */
type Topic = readonly [name: string, summary: string];

/** The page that `--help` asks for: of svc, of a group, or of a command. */
export function helpPage(
  groups: Readonly<Record<string, { readonly summary: string }>>,
  commands: Readonly<Record<string, CommandDescription>>,
  groupName?: string,
  commandName?: string,
): string {
  if (groupName === undefined) return rootHelp(topicsOf(groups));
  const group = toCamel(groupName);
  if (commandName === undefined) return groupHelp(toKebab(group), groups[group]?.summary ?? "", topicsOf(commands));
  const command = commands[toCamel(commandName)];
  return command ? commandHelp(`${toKebab(group)} ${toKebab(toCamel(commandName))}`, command) : "";
}

function topicsOf(entries: Readonly<Record<string, { readonly summary: string }>>): Topic[] {
  return Object.entries(entries).map(([name, { summary }]) => [toKebab(name), summary]);
}

function rootHelp(groups: readonly Topic[]): string {
  const flags = { ...globalFlags, help: HELP, version: VERSION };
  return page(
    ["The command line of a case-management service."],
    section("Usage", ["svc <group> <command> [<argument>...] [flags]"]),
    section("Groups", columns(groups)),
    section("Global flags", flagLines(flags)),
    ["'svc <group> --help' lists the commands of a group, 'svc <group> <command> --help' explains one."],
  );
}

function groupHelp(name: string, summary: string, commands: readonly Topic[]): string {
  return page(
    [`${summary}.`],
    section("Usage", [`svc ${name} <command> [<argument>...] [flags]`]),
    section("Commands", columns(commands)),
    [`'svc ${name} <command> --help' explains a command, with an example.`],
  );
}

function commandHelp(name: string, command: CommandDescription): string {
  const { args = [], flags = {}, summary, details, example } = command;
  const required = Object.entries(flags).filter(([, flag]) => flag.required).map(([flag, param]) =>
    flagName(flag, param)
  );
  return page(
    [`${summary}.`],
    details === undefined ? [] : [details],
    section("Usage", [["svc", name, ...args.map((arg) => `<${arg.name}>`), ...required, "[flags]"].join(" ")]),
    section("Arguments", columns(args.map((arg) => [`<${arg.name}>`, arg.help]))),
    section("Flags", flagLines(flags)),
    section("Global flags", flagLines({ ...globalFlags, help: HELP })),
    section("Example", [`svc ${name} ${example}`.trimEnd()]),
  );
}

function page(...sections: readonly (readonly string[])[]): string {
  return sections.filter((lines) => lines.length > 0).map((lines) => lines.join("\n") + "\n").join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

function columns(topics: readonly Topic[]): string[] {
  const width = Math.max(0, ...topics.map(([name]) => name.length));
  return topics.map(([name, summary]) => `${name.padEnd(width)}  ${summary}`);
}

function flagLines(flags: Readonly<Record<string, Flag>>): string[] {
  return columns(
    Object.entries(flags).filter(([, flag]) => !flag.hidden).map(([name, flag]) => [
      (flag.short === undefined ? "    " : `-${flag.short}, `) + flagName(name, flag),
      flag.help + (flag.required ? " (required)" : "") +
      (flag.default === undefined ? "" : ` (default: ${flag.default})`),
    ]),
  );
}

function flagName(name: string, flag: Flag): string {
  const placeholder = flag.placeholder ?? PLACEHOLDERS[flag.type];
  return `--${toKebab(name)}` + (placeholder === "" ? "" : ` <${placeholder}>`);
}
