/** One command line: finds the command and runs it, prints help, or says what is wrong. */
import { entryNamed } from "../names.ts";
import type { Argv } from "./argv.ts";
import type { Command, Given } from "./command.ts";
import { createContext } from "./context.ts";
import { readGlobalFlags } from "./global_flags.ts";
import { groups } from "./groups.ts";
import { importUnseen } from "../import_unseen.ts";
import type { Io } from "./io.ts";
import { scanPlain } from "./plain_scan.ts";

/** Runs the command that the arguments name, or prints the help that they ask for. */
export async function runCommandLine({ words, rest, help, version }: Argv, io: Io): Promise<void> {
  const [groupWord, commandWord] = words;
  if (version) return io.stdout.write((await import("../version.ts")).VERSION + "\n");
  if (groupWord === undefined) return io.stdout.write((await import("./help.ts")).rootHelp(groups));
  const group = await find("svc", "group", groups, groupWord);
  const commands = await group.load();
  if (commandWord === undefined) {
    return io.stdout.write((await import("./help.ts")).groupHelp(groupWord, group, commands));
  }
  const command = (await find(`svc ${groupWord}`, "command", commands, commandWord)).describe();
  if (help) return io.stdout.write((await import("./help.ts")).commandHelp(words, command));
  const given = scanPlain(command, rest) ?? await scanAnything(command, words, rest);
  await command.run(createContext(readGlobalFlags(given), io), given);
}

async function find<T>(place: string, kind: string, entries: Readonly<Record<string, T>>, word: string): Promise<T> {
  const entry = entryNamed(entries, word);
  if (entry !== undefined) return entry;
  const { unknownWord } = await importUnseen<typeof import("./usage_errors.ts")>("lib/cli/usage_errors.ts");
  throw unknownWord(place, kind, Object.keys(entries), word);
}

async function scanAnything(command: Command, words: readonly string[], rest: readonly string[]): Promise<Given> {
  const { scan } = await importUnseen<typeof import("./scanner.ts")>("lib/cli/scanner.ts");
  return await scan(command, words, rest);
}
