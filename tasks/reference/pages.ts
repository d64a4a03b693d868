/** The reference pages and the table of groups in README.md, from the descriptions of the commands. */
import type { CommandDescription } from "../../cli/commands/command.ts";
import { globalFlags, HELP_FLAG, VERSION_FLAG } from "../../cli/args/global_flags.ts";
import { everyday, groups } from "../../cli/commands/groups.ts";
import { argRows, flagRows, formatExamples, formatUsage } from "../../cli/help/help_pages.ts";
import {
  type Group,
  listExamples,
  listParams,
  type Operation,
  permissionName,
  type Place,
  toCamel,
  toKebab,
} from "../../lib/operation/operation.ts";
import { type Answer, isOtherAnswer } from "../../lib/operation/answer.ts";
import { loadResources } from "../../lib/resources/mod.ts";

/** A group with the descriptions of its commands. */
interface DescribedGroup {
  readonly name: string;
  readonly summary: string;
  /** Words before the names of its commands. */
  readonly prefix: readonly string[];
  readonly commands: readonly DescribedCommand[];
}

/** A command with its description. Commands of `auth`, `service` and `workflow` have no operation. */
interface DescribedCommand {
  readonly name: string;
  readonly words: readonly string[];
  readonly command: CommandDescription;
  readonly operation?: { readonly permission: string; readonly description: Operation };
}

/** Describes the commands without a group, then all groups, in the order of the help. */
export async function describeGroups(): Promise<DescribedGroup[]> {
  const resources: Readonly<Record<string, Group>> = await loadResources();
  const described = Object.entries({ everyday, ...groups }).map(async ([group, { summary, load }]) => {
    const prefix = group === "everyday" ? [] : [toKebab(group)];
    const commands = Object.entries(await load()).map(([name, { describe }]): DescribedCommand => {
      const description = resources[group]?.[name];
      return {
        name: toKebab(name),
        words: [...prefix, ...toKebab(name).split(" ")],
        command: describe(),
        operation: description && { permission: permissionName(group, name), description },
      };
    });
    return { name: toKebab(group), summary, prefix, commands };
  });
  return await Promise.all(described);
}

/** Returns the path of a group's page. */
export function pagePath({ name }: DescribedGroup): string {
  return `docs/reference/${name}.md`;
}

/** Renders the page of a group. */
export function groupPage({ name, summary, prefix, commands }: DescribedGroup): string {
  const help = ["svc", ...prefix, "--help"].join(" ");
  return [
    `# ${prefix.length === 0 ? "Commands without a group" : `svc ${name}`}`,
    `${summary}. \`deno task reference\` makes this page from what \`${help}\` prints: change the descriptions.`,
    table(
      ["command", "what it does"],
      commands.map(({ name, command }) => [`[${name}](#${name.replaceAll(" ", "-")})`, command.summary]),
    ),
    ...commands.map(section),
  ].join("\n\n") + "\n";
}

/** Renders the start page, which documents what all commands have in common. */
export function frontPage(described: readonly DescribedGroup[]): string {
  const flags = flagRows({ ...globalFlags, help: HELP_FLAG, version: VERSION_FLAG });
  return [
    "# The commands",
    "`svc <command>` or `svc <group> <command>`. `deno task reference` makes these pages from what `svc --help` prints: change the descriptions.",
    groupTable(described, ({ name }) => `${name}.md`),
    "## Global flags",
    "Every command takes these, but for `--version`, which stands without one.",
    table(["flag", "meaning"], flags.map(({ written, meaning }) => [code(written), meaning])),
    "A flag `<json>` takes JSON, `@file` for what a file holds, or `-` for stdin.",
    "[The cookbook](../cookbook.md#in-scripts-ci-and-cron) says what each exit code means.",
  ].join("\n\n") + "\n";
}

/** Renders the table of groups with links to their pages. */
export function groupTable(
  described: readonly DescribedGroup[],
  pathOf: (group: DescribedGroup) => string = pagePath,
): string {
  const rows = described.map((group) => [
    `[${group.name}](${pathOf(group)})`,
    String(group.commands.length),
    group.summary,
  ]);
  return table(["group", "commands", "what they do"], rows);
}

function section({ name, words, command, operation }: DescribedCommand): string {
  const { summary, details } = command;
  return [
    `## ${name}`,
    [`${summary}.`, details].filter((sentence) => sentence !== undefined).join(" "),
    fence(formatUsage(words, command)),
    ...parameterTable(command, operation?.description),
    ...(operation ? [operationFacts(operation)] : []),
    listExamples(command).length === 1 ? "Example:" : "Examples:",
    fence(formatExamples(words, command).join("\n")),
  ].join("\n\n");
}

/** Lists arguments and flags, for an operation with their locations in the request. */
function parameterTable({ args = [], flags = {} }: CommandDescription, operation?: Operation): string[] {
  const places = new Map(operation ? listParams(operation).map(([name, { to }]) => [name, placeOf(to)]) : []);
  places.set("ifMatch", "header `If-Match`");
  const rows = [
    ...argRows(args),
    ...flagRows(flags),
  ].map(({ name, written, meaning }) => [code(written), meaning, ...(operation ? [places.get(name) ?? ""] : [])]);
  return rows.length === 0 ? [] : [table(["argument or flag", "meaning", ...(operation ? ["sent as"] : [])], rows)];
}

/** Formats a location such as `query:pageSize`. */
function placeOf(to: Place): string {
  const [where = "", name = ""] = to.split(":");
  if (where === "pick") return "picked from the answer";
  return name === "*" ? (where === "body" ? "the body" : `each member a ${where} parameter`) : `${where} ${code(name)}`;
}

function operationFacts({ permission, description }: NonNullable<DescribedCommand["operation"]>): string {
  const { method, path, tagFrom, takes, answer, status = 200 } = description;
  const [group = "", name = ""] = permission.split(".");
  const lines = [
    `- Request: ${code(`${method} ${path}`)}, answered with ${status}`,
    ...(tagFrom
      ? [
        `- Entity tag: read ${tagFrom.onDemand ? "if the service demands it" : "first"} with ${
          code(`GET ${tagFrom.path}`)
        }, unless \`--if-match\` gives one`,
      ]
      : []),
    ...(takes ? ["- Effect: although it is a GET, the caller takes what it returns"] : []),
    `- Library: ${code(`svc.${toCamel(group)}.${toCamel(name)}()`)}`,
    `- Response: ${describeAnswer(answer)}`,
    `- Permission: ${code(permission)}`,
  ];
  return lines.join("\n");
}

function describeAnswer(answer: Answer): string {
  if (isOtherAnswer(answer)) {
    return { content: "the bytes of a file", text: "a text", any: "JSON", nothing: "no body" }[answer];
  }
  const { shape } = answer;
  if ("list" in shape) return "a list";
  const members = (shapes: object | undefined) => Object.keys(shapes ?? {}).map(code);
  const always = members(shape.required);
  const optional = [...members(shape.optional), ...members(shape.unchecked)];
  return [
    ...(always.length > 0 ? [always.join(", ")] : []),
    ...(optional.length > 0 ? [`optional ${optional.join(", ")}`] : []),
  ].join("; ") || "an object";
}

function fence(line: string): string {
  return "```sh\n" + line + "\n```";
}

function code(text: string): string {
  return "`" + text + "`";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
