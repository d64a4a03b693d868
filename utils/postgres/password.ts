/** The password of a database user. It is never part of a location. */
import { splitWords } from "../text/split_words.ts";

/** Source of a password. Default: the variable `PGPASSWORD`, or no password. */
export interface PasswordSource {
  /** File that contains the password. */
  readonly file?: string;
  /** Command line of a program that prints the password. */
  readonly command?: string;
}

/** Thrown if a password cannot be read. The message does not contain it. */
export class PasswordError extends Error {}

/** Milliseconds that the program may take. */
const COMMAND_TIMEOUT = 30_000;

/** Reads a password. A new connection reads it again, because it may have been changed. */
export async function readPassword({ file, command }: PasswordSource): Promise<string | undefined> {
  if (command !== undefined) return await runCommand(command);
  if (file === undefined) return Deno.env.get("PGPASSWORD");
  try {
    return trimLine(await Deno.readTextFile(file));
  } catch (cause) {
    throw new PasswordError(`The password file ${file} cannot be read.`, { cause });
  }
}

/** Returns the program of a command line. Throws `PasswordError` if the command line is empty. */
export function findProgram(command: string): string {
  return parseCommand(command)[0];
}

function parseCommand(command: string): [program: string, ...args: string[]] {
  const { words, last, isOpen } = splitWords(command);
  const [program, ...args] = last === "" ? words : [...words, last];
  if (isOpen) throw new PasswordError(`The password command has an unclosed quotation mark: ${command}`);
  if (!program) throw new PasswordError("The password command is empty.");
  return [program, ...args];
}

async function runCommand(command: string): Promise<string> {
  const [program, ...args] = parseCommand(command);
  const signal = AbortSignal.timeout(COMMAND_TIMEOUT);
  const options = { args, signal, stdin: "null", stdout: "piped", stderr: "inherit" } as const;
  const { code, stdout } = await new Deno.Command(program, options).output().catch((cause) => {
    throw new PasswordError(`The password command ${program} cannot be run.`, { cause });
  });
  if (code !== 0) throw new PasswordError(`The password command ${program} exited with code ${code}.`);
  return trimLine(new TextDecoder().decode(stdout));
}

function trimLine(text: string): string {
  return text.replace(/\r?\n$/, "");
}
