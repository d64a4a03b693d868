/** Scans the flags and arguments of a command: the parser library's work, for the one command that runs. */
import {
  buildApplication,
  buildCommand,
  buildRouteMap,
  type CommandContext,
  run,
  text_en,
  type TypedCommandParameters,
} from "@stricli/core";
import type { Command, Flag, Given } from "../commands/command.ts";
import { globalFlags } from "./global_flags.ts";
import { toScannerForms } from "./scanner_forms.ts";

/** What was given to a command; `INVALID_ARGS` where it takes no such thing. */
export async function scan(command: Command, words: readonly string[], inputs: readonly string[]): Promise<Given> {
  const { args = [], flags = {} } = command;
  const forms = toScannerForms(inputs, flags);
  let given: Given = {};
  let texts: readonly string[] = [];
  const failures: unknown[] = [];
  const fail = (error: unknown) => {
    failures.push(error);
    return "";
  };
  const target = buildCommand<Given, string[]>({
    func(flagTexts, ...argTexts) {
      given = flagTexts;
      texts = argTexts;
    },
    parameters: parametersOf({ ...flags, ...globalFlags }, args.length),
    docs: { brief: command.summary },
  });
  // As a route, not as the root: there the library would look for flags of its own, `--constructor` among them.
  const root = buildRouteMap({ routes: { target }, docs: { brief: "" } });
  const app = buildApplication(root, {
    name: "svc",
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    localization: { text: { ...text_en, exceptionWhileParsingArguments: fail } },
  }, {});
  const silent = { write() {} }; // What it would write to stderr is in `failures`.
  await run(app, ["target", ...forms], { process: { stdout: silent, stderr: silent } });
  if (failures.length > 0) {
    const { scanError } = await import("./usage_errors.ts");
    throw scanError(failures[0], command, words);
  }
  if (texts.length < args.filter((arg) => arg.default === undefined).length) {
    const { missingArgument } = await import("./usage_errors.ts");
    throw missingArgument(args, texts.length, words);
  }
  return { ...given, ...Object.fromEntries(args.map(({ name }, index) => [name, texts[index]])) };
}

function parametersOf(
  flags: Readonly<Record<string, Flag>>,
  maximum: number,
): TypedCommandParameters<Given, string[], CommandContext> {
  const parse = (text: string) => text;
  const entries = Object.entries(flags).map(([name, { help: brief, type, repeatable: variadic }]) => {
    const flag = type === "boolean"
      ? { kind: "boolean", brief, optional: true, withNegated: !(name in globalFlags) }
      : { kind: "parsed", brief, optional: true, parse, ...(variadic && { variadic }) };
    return [name, flag];
  });
  const aliases = Object.entries(flags).flatMap(([name, { short }]) => short === undefined ? [] : [[short, name]]);
  return {
    // The parser library derives the kind of a flag from the type of its value, which is known only at run time here.
    // Without a prototype, `--constructor` is no flag.
    flags: Object.assign(Object.create(null), Object.fromEntries(entries)),
    aliases: Object.fromEntries(aliases),
    positional: { kind: "array", parameter: { brief: "", parse }, minimum: 0, maximum },
  };
}
