/** Runs command lines: finds the command, and runs it or prints the help. */
import { type SvcError, toSvcError } from "../lib/errors.ts";
import { entryNamed } from "../lib/operation/operation.ts";
import type { FieldChoice } from "../lib/output/fields.ts";
import type { Format } from "../lib/output/format.ts";
import {
  type CommandLine,
  findSubcommands,
  parseArguments,
  splitCommandLine,
  type UsageProblem,
} from "./args/parse_arguments.ts";
import { readGlobalFlags } from "./args/read_values.ts";
import type { Command, CommandEntry, ParsedArguments } from "./commands/command.ts";
import { commandTree, everyday, groups } from "./commands/groups.ts";
import { canPrompt, createContext } from "./context.ts";
import type { Block } from "./help/layout.ts";
import { type Io, OutputClosed } from "./io/io.ts";
import { processIo } from "./io/process_io.ts";
import type { PickedArgument } from "./work/pick_argument.ts";

/** Runs a command line and returns its exit code. Results go to stdout, everything else to stderr. */
export async function runCommandLine(args: readonly string[], io: Io = processIo()): Promise<number> {
  const shown: ShownFormat = {};
  try {
    await dispatch(args, io, shown);
    return 0;
  } catch (thrown) {
    if (thrown instanceof OutputClosed) return 0; // The reader of `svc … | head -1` has read enough.
    const error = await explainPermission(toSvcError(thrown));
    return await report(error, io, await isForPeople(io, shown));
  } finally {
    await io.stderr.flush?.();
    io.stopListening?.();
  }
}

/** The format of a command, as soon as it is known. */
interface ShownFormat {
  format?: Format;
}

async function dispatch(args: readonly string[], io: Io, shown: ShownFormat): Promise<void> {
  const line = splitCommandLine(args);
  const { words, version, misplaced, helpCommand } = line;
  const [groupWord, commandWord] = words;
  const group = groupWord === undefined ? undefined : entryNamed(groups, groupWord);
  if (groupWord !== undefined && group === undefined) {
    const entry = entryNamed(await everyday.load(), groupWord);
    if (entry !== undefined) return await runCommand(entry, splitCommandLine(args, 1), io, shown);
  }
  if (misplaced !== undefined) throw (await usageErrors()).misplacedFlag(misplaced);
  if (version) return io.stdout.write((await import("../lib/version.ts")).VERSION + "\n");
  const [flag] = line.rest;
  if (flag !== undefined && commandWord === undefined && (groupWord === undefined || group !== undefined)) {
    throw (await usageErrors()).missingCommand(words, flag);
  }
  if (groupWord === undefined) return await printRootHelp(io);
  if (group === undefined) return await printTopic(words, helpCommand, io);
  const commands = await group.load();
  if (commandWord === undefined) {
    return await printHelp(io, ({ buildGroupHelp }) => buildGroupHelp(groupWord, group, commands));
  }
  const subcommands = findSubcommands(commands, commandWord);
  if (subcommands !== undefined) return await dispatchSubcommand(args, subcommands, io, shown);
  const entry = entryNamed(commands, commandWord);
  if (entry === undefined) throw await (await usageErrors()).unknownCommand(commandTree, commands, words);
  await runCommand(entry, line, io, shown);
}

/** Finds the command of three words, such as `workflow schedule add`, and runs it or prints the help. */
async function dispatchSubcommand(
  args: readonly string[],
  subcommands: Readonly<Record<string, CommandEntry>>,
  io: Io,
  shown: ShownFormat,
): Promise<void> {
  const line = splitCommandLine(args, 3);
  const [group = "", parent = "", commandWord] = line.words;
  const parentWords = [group, parent];
  if (line.misplaced !== undefined) throw (await usageErrors()).misplacedFlag(line.misplaced);
  const [flag] = line.rest;
  if (commandWord === undefined) {
    if (flag !== undefined) throw (await usageErrors()).missingCommand(parentWords, flag);
    const name = parentWords.join(" ");
    return await printHelp(io, ({ buildSubgroupHelp }) => buildSubgroupHelp(name, subcommands));
  }
  const entry = entryNamed(subcommands, commandWord);
  if (entry !== undefined) return await runCommand(entry, line, io, shown);
  throw await (await usageErrors()).unknownCommand(commandTree, subcommands, [parentWords.join(" "), commandWord]);
}

async function runCommand(
  entry: CommandEntry,
  { words, rest, help }: CommandLine,
  io: Io,
  shown: ShownFormat,
): Promise<void> {
  const command = entry.describe();
  if (command.prefersView) shown.format = "view";
  if (help) return await printHelp(io, ({ buildCommandHelp }) => buildCommandHelp(words, command));
  let parsed = parseArguments(command, rest);
  const picked = "problem" in parsed && !rest.includes("--dry-run")
    ? await findPickedArgument(command, parsed.problem, io)
    : undefined;
  if (picked !== undefined) parsed = parseArguments({ ...command, args: [] }, rest);
  if ("problem" in parsed) throw (await usageErrors()).usageError(parsed.problem, command, words);
  const defaultFormat = io.stdout.isTerminal() ? await chooseFormat(command, parsed.values) : undefined;
  const flags = readGlobalFlags(parsed.values, command.flags, defaultFormat);
  shown.format = flags.format;
  const globals = flags.fields === undefined ? flags : { ...flags, fields: await checkFields(flags.fields, command) };
  const context = createContext(globals, io, (args, other) => dispatch(args, other, {}));
  try {
    const values = picked === undefined
      ? parsed.values
      : { ...parsed.values, [picked.name]: await picked.pick(context) };
    await command.run(context, values);
  } finally {
    if (context.responses.length > 0) {
      const { rememberValues } = await import("./completion/remember_values.ts");
      await rememberValues(context);
    }
  }
}

/** Checks `--fields` by the description of the result. After a change, an unknown field is only a warning. */
async function checkFields(fields: FieldChoice, { answer, reads, isAnswerOpen }: Command): Promise<FieldChoice> {
  const acceptsUnknown = reads === undefined;
  if (answer === undefined) return { ...fields, acceptsUnknown };
  const { checkDescribedFields } = await import("../lib/output/described_fields.ts");
  const description = typeof answer === "function" ? await answer() : answer;
  return { ...checkDescribedFields(fields.names, description, isAnswerOpen === true), acceptsUnknown };
}

/** Finds the argument that a person at a terminal picks because the command line lacks it. */
async function findPickedArgument(
  command: Command,
  problem: UsageProblem,
  io: Io,
): Promise<PickedArgument | undefined> {
  if (problem.kind !== "missing argument" || !canPrompt(io) || !io.stdout.isTerminal()) return undefined;
  return (await import("./work/pick_argument.ts")).findPickedArgument(command, problem);
}

/** Chooses the format of a command at a terminal. Its `--format` overrides it. */
async function chooseFormat(
  { prefersView }: Command,
  { format, profile }: ParsedArguments,
): Promise<Format | undefined> {
  if (format !== undefined) return undefined;
  const { readChosenFormat } = await import("./args/chosen_format.ts");
  return readChosenFormat(typeof profile === "string" ? profile : undefined) ?? (prefersView ? "view" : undefined);
}

async function printRootHelp(io: Io): Promise<void> {
  const commands = await everyday.load();
  await printHelp(io, ({ buildRootHelp }) => buildRootHelp(groups, commands));
}

async function usageErrors() {
  return await import("./args/usage_errors.ts");
}

async function printHelp(io: Io, build: (pages: typeof import("./help/help_pages.ts")) => readonly Block[]) {
  const pages = await import("./help/help_pages.ts");
  pages.printPage(build(pages), io.stdout);
}

/** Prints the page of `svc help <topic>`. Throws if there is no such topic, or if only `svc <group>` was meant. */
async function printTopic(words: readonly string[], helpCommand: boolean, io: Io): Promise<void> {
  const { topics } = await import("./help/topics.ts");
  const topic = helpCommand && words.length === 1 ? entryNamed(topics, words[0] ?? "") : undefined;
  if (topic === undefined) throw await (await usageErrors()).unknownGroup(commandTree, words, helpCommand);
  const page = await topic.build();
  await printHelp(io, () => page);
}

/** Adds to the error of a missing permission the command that adds the permission. */
async function explainPermission(error: SvcError): Promise<SvcError> {
  if (error.code !== "PERMISSION_DENIED") return error;
  try {
    return (await import("./permissions/install_command.ts")).addInstallCommand(error);
  } catch {
    return error; // It matters more than why the command is unknown, which may be another missing permission.
  }
}

/** Reports whether errors are printed for people: on a terminal, if the format is `view`. */
async function isForPeople(io: Io, { format }: ShownFormat): Promise<boolean> {
  if (!io.stderr.isTerminal()) return false;
  if (format !== undefined) return format === "view";
  try {
    return (await import("./args/chosen_format.ts")).readChosenFormat(undefined) === "view";
  } catch {
    return false; // The error to print matters more than that of the setting.
  }
}

async function report(error: SvcError, io: Io, isForPeople: boolean): Promise<number> {
  const { toExitCode, writeError } = await import("./exit.ts");
  try {
    if (isForPeople) (await import("./view/error_page.ts")).printErrorPage(error, io);
    else writeError(error, io);
  } catch (failure) {
    if (!(failure instanceof OutputClosed)) throw failure; // Stderr is closed, so that only the exit code remains.
  }
  return toExitCode(error);
}
