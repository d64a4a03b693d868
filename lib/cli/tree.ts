/** The command tree: scanning arguments, suggesting corrections and finding the command are the parser library's. */
import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command as ParserCommand,
  type CommandContext as ParserContext,
  type RouteMap,
  run,
  type StricliIntegration,
  text_en,
  type TypedCommandParameters,
} from "@stricli/core";
import type { Argv } from "./argv.ts";
import type { Command, Flag, Given } from "./command.ts";
import { createContext } from "./context.ts";
import { globalFlags, readGlobalFlags } from "./global_flags.ts";
import { groups } from "./groups.ts";
import type { Io } from "./io.ts";
import { toCamel } from "../names.ts";
import { missingArgument, scanError, unknownWord } from "./usage_errors.ts";

type Commands = Readonly<Record<string, Command>>;

/** Runs the command that the arguments name, or prints the help that they ask for. */
export async function runTree({ words, rest }: Argv, io: Io): Promise<void> {
  const name = toCamel(words[0] ?? "");
  const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
  const commands = group ? await group.load() : {};
  const failures: unknown[] = [];
  const app = buildTree(name, commands, words, io, failures);
  // What the parser would write to stderr is in `failures`.
  await run(app, [...words, ...rest], { process: { stdout: io.stdout, stderr: { write() {} } } });
  if (failures.length > 0) throw failures[0];
}

function buildTree(
  chosen: string,
  commands: Commands,
  words: readonly string[],
  io: Io,
  failures: unknown[],
): Application<ParserContext> {
  const routes: Record<string, RouteMap<ParserContext>> = Object.create(null);
  for (const [name, { summary }] of Object.entries(groups)) {
    routes[name] = name === chosen ? routesOf(summary, commands, words, io) : unloaded(summary);
  }
  const fail = (error: unknown) => {
    failures.push(error);
    return "";
  };
  return buildApplication(buildRouteMap({ routes, docs: { brief: "svc" } }), {
    name: "svc",
    scanner: {
      caseStyle: "allow-kebab-for-camel",
      allowArgumentEscapeSequence: true,
      distanceOptions: { threshold: 5, weights: { insertion: 1, deletion: 3, substitution: 2, transposition: 1 } },
    },
    documentation: { disableAnsiColor: true },
    localization: {
      text: {
        ...text_en,
        noCommandRegisteredForInput: ({ input, corrections }) => fail(unknownWord(input, corrections, words)),
        exceptionWhileParsingArguments: (error) => fail(scanError(error, words)),
        exceptionWhileLoadingCommandFunction: fail,
        exceptionWhileLoadingCommandContext: fail,
        exceptionWhileRunningCommand: fail,
        exceptionWhileRunningIntegrationFlag: ({ exception }) => fail(exception),
      },
    },
  }, { help: helpFlag(commands, io) });
}

function routesOf(brief: string, commands: Commands, words: readonly string[], io: Io): RouteMap<ParserContext> {
  const routes: Record<string, ParserCommand<ParserContext>> = Object.create(null);
  for (const [name, command] of Object.entries(commands)) routes[name] = toParserCommand(command, words, io);
  return buildRouteMap({ routes, docs: { brief } });
}

/** A group that argv does not name stands in the tree for its name alone. */
function unloaded(brief: string): RouteMap<ParserContext> {
  return buildRouteMap({
    routes: { help: buildCommand({ func() {}, parameters: {}, docs: { brief } }) },
    docs: { brief },
  });
}

function toParserCommand(command: Command, words: readonly string[], io: Io): ParserCommand<ParserContext> {
  const args = command.args ?? [];
  return buildCommand<Given, string[], ParserContext>({
    async func(given, ...texts) {
      const missing = args[texts.length];
      if (missing) throw missingArgument(missing, command, words);
      const context = createContext(readGlobalFlags(given), io);
      await command.run(context, {
        ...given,
        ...Object.fromEntries(args.map(({ name }, index) => [name, texts[index]])),
      });
    },
    parameters: parametersOf({ ...command.flags, ...globalFlags }, args.length),
    docs: { brief: command.summary },
  });
}

function parametersOf(
  flags: Readonly<Record<string, Flag>>,
  maximum: number,
): TypedCommandParameters<Given, string[], ParserContext> {
  const parse = (text: string) => text;
  const entries = Object.entries(flags).map(([name, { help: brief, type }]) => {
    const flag = type === "boolean"
      ? { kind: "boolean", brief, optional: true, withNegated: !(name in globalFlags) }
      : { kind: "parsed", brief, optional: true, parse };
    return [name, flag];
  });
  const aliases = Object.entries(flags).flatMap(([name, { short }]) => short === undefined ? [] : [[short, name]]);
  return {
    // The parser library derives the kind of a flag from the type of its value, which is known only at run time here.
    flags: Object.assign(Object.create(null), Object.fromEntries(entries)),
    aliases: Object.fromEntries(aliases),
    positional: { kind: "array", parameter: { brief: "", parse }, minimum: 0, maximum },
  };
}

/** `--help` at every level; a group without a command asks for it too. */
function helpFlag(commands: Commands, io: Io): StricliIntegration<ParserContext> {
  return {
    flag: {
      brief: "Print this help",
      aliases: ["h"],
      global: true,
      defaultForRouteMap: true,
      async run(_app, { result: { prefix: [, group, command] } }) {
        const { helpPage } = await import("./help.ts");
        io.stdout.write(helpPage(groups, commands, group, command));
      },
    },
  };
}
