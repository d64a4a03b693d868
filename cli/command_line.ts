/** One command line: finds the command and runs it, prints help, or says what is wrong. */
import { entryNamed } from "../lib/operation/names.ts";
import type { Argv } from "./args/argv.ts";
import type { Command, Given } from "./commands/command.ts";
import { createContext } from "./context.ts";
import { readGlobalFlags } from "./args/global_flags.ts";
import { groups } from "./commands/groups.ts";
import type { Io } from "./io/io.ts";
import { scanPlain } from "./args/plain_scan.ts";

/** Runs the command that the arguments name, or prints the help that they ask for. */
export async function runCommandLine({ words, rest, help, version, misplaced }: Argv, io: Io): Promise<void> {
  const [groupWord, commandWord] = words;
  if (misplaced !== undefined) throw (await usageErrors()).misplacedFlag(misplaced);
  if (version) return io.stdout.write((await import("../lib/version.ts")).VERSION + "\n");
  if (groupWord === undefined) return io.stdout.write((await import("./help/help.ts")).rootHelp(groups));
  const group = entryNamed(groups, groupWord);
  if (group === undefined) throw await (await usageErrors()).unknownGroup(groups, words);
  const commands = await group.load();
  if (commandWord === undefined) {
    return io.stdout.write((await import("./help/help.ts")).groupHelp(groupWord, group, commands));
  }
  const entry = entryNamed(commands, commandWord);
  if (entry === undefined) throw await (await usageErrors()).unknownCommand(groups, commands, words);
  const command = entry.describe();
  if (help) return io.stdout.write((await import("./help/help.ts")).commandHelp(words, command));
  const given = scanPlain(command, rest) ?? await scanAnything(command, words, rest);
  const globals = readGlobalFlags(given);
  await command.run(createContext(globals, io), given);
}

async function usageErrors() {
  return await import("./args/usage_errors.ts");
}

async function scanAnything(command: Command, words: readonly string[], rest: readonly string[]): Promise<Given> {
  const { scan } = await import("./args/scanner.ts");
  return await scan(command, words, rest);
}
