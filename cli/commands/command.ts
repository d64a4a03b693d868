/** A command, wherever it comes from: an operation's description or a local group. */
import type { JsonValue } from "../../utils/json.ts";
import type { Examples, Param, ParamTypes } from "../../lib/operation/operation.ts";
import type { Format } from "../../lib/output/format.ts";
import type { Io } from "../io/io.ts";

/** The values that flags take, by the name of their type. */
export interface FlagTypes extends ParamTypes {
  /** Any JSON value: inline, `@file` or `-`. */
  json: JsonValue;
  /** A file or a folder, as the person named it: never empty. */
  path: string;
}

/** A word that may stand somewhere on a command line. */
export interface Suggestion {
  /** The word. */
  readonly word: string;
  /** What it is about. */
  readonly about: string;
}

/** A flag. */
export interface Flag extends Pick<Param, "help" | "required" | "short" | "default" | "repeatable" | "negatable"> {
  /** What it takes. */
  readonly type: keyof FlagTypes;
  /** The words that it takes; the help lists them. */
  readonly choices?: readonly string[];
  /** Finds values that there are, for shells that complete them. */
  readonly suggest?: () => Promise<readonly Suggestion[]>;
  /** What stands for its value in the help, e.g. `file`; derived from the type without it. */
  readonly placeholder?: string;
  /** Left out of the help. */
  readonly hidden?: true;
}

/** A positional argument. One with a default may be left out; it comes after all without. */
export interface Arg extends Flag {
  /** Name, as the help shows it: `<name>`, or `[name]` where it may be left out. */
  readonly name: string;
}

/** The values of the global flags. */
export interface GlobalFlags {
  /** Format of the result. */
  readonly format: Format;
  /** The user passed `--format` or `--fields`. Without them, a command may print text for people. */
  readonly isDataRequested: boolean;
  /** Top-level fields to keep; undefined keeps all. */
  readonly fields?: readonly string[];
  /** Print the request instead of sending it. */
  readonly dryRun: boolean;
  /** No warnings and no progress. */
  readonly quiet: boolean;
  /** Summaries of requests and answers on stderr. */
  readonly verbose: boolean;
  /** No token cache. */
  readonly noCache: boolean;
  /** Name of the profile; undefined is the default one. */
  readonly profile?: string;
}

/** What a running command has around it. */
export interface CommandContext {
  /** The global flags. */
  readonly globals: GlobalFlags;
  /** Streams and environment. */
  readonly io: Io;
  /** Aborts when the person interrupts; the first look at it takes over Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints a result to stdout in the chosen format, after `--fields`; prints nothing for undefined. */
  print(result: JsonValue | undefined): Promise<void>;
  /** Writes a line of progress or warning to stderr, unless `--quiet`. */
  note(line: string): void;
}

/** The parsed arguments of a command by name: text or a boolean, and a list of texts for a repeatable flag. */
export type ParsedArguments = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What a command says of itself. */
export interface CommandDescription {
  /** What it does, in one imperative sentence without a full stop. */
  readonly summary: string;
  /** More for its help page: whole sentences. */
  readonly details?: string;
  /** Positional arguments, in order. */
  readonly args?: readonly Arg[];
  /** Flags by camel-case name, in the order of the help. */
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Arguments of an example command line, or of several. */
  readonly example: Examples;
  /** Related commands and topics, e.g. `workflow resume` or `help workflows`. */
  readonly seeAlso?: readonly string[];
}

/** A command. */
export interface Command extends CommandDescription {
  /** Does it. What it throws becomes the error on stderr and the exit code. */
  run(context: CommandContext, parsed: ParsedArguments): Promise<void>;
}

/** A command by its name: described only when it is the one that runs. */
export interface CommandEntry {
  /** What it does, for the help of its group. */
  readonly summary: string;
  /** The command. */
  describe(): Command;
}

/** A group of commands. */
export interface CommandGroup {
  /** What its commands are about, for the help: no full stop. */
  readonly summary: string;
  /** Loads its commands, by camel-case name. */
  load(): Promise<Readonly<Record<string, CommandEntry>>>;
}
