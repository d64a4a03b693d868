/** The types of commands, flags and arguments. */
import type { Caller } from "../../lib/client/caller.ts";
import type { JsonValue } from "../../utils/json.ts";
import type { Examples, Param, ParamTypes } from "../../lib/operation/operation.ts";
import type { Answer } from "../../lib/operation/answer.ts";
import type { FieldChoice } from "../../lib/output/fields.ts";
import type { Format } from "../../lib/output/format.ts";
import type { Io } from "../io/io.ts";

/** The values of flags by the name of their type. */
export interface FlagTypes extends ParamTypes {
  /** Any JSON value: inline, `@file` or `-`. */
  json: JsonValue;
  /** A path of a file or a folder, as the user wrote it; never empty. */
  path: string;
}

/** A kind of values. */
export type ValueKind =
  | "actions"
  | "assignments"
  | "attachments"
  | "case types"
  | "cases"
  | "cases and assignments"
  | "categories"
  | "columns"
  | "data views"
  | "fields"
  | "files"
  | "operations"
  | "operators"
  | "participants"
  | "processes"
  | "queues"
  | "roles"
  | "stages"
  | "tags";

/** A word that can complete a command line. */
export interface Suggestion {
  /** The word. */
  readonly word: string;
  /** A short description. */
  readonly about: string;
}

/** A flag. */
export interface Flag
  extends Pick<Param, "help" | "required" | "short" | "default" | "repeatable" | "negatable" | "excludes"> {
  /** Type of the value. */
  readonly type: keyof FlagTypes;
  /** The allowed words, which the help lists. */
  readonly choices?: readonly string[];
  /** Kind of the values, which the completion in a shell offers. */
  readonly values?: ValueKind;
  /** Place in the request of an operation, by which the completion finds the kind of the values. */
  readonly to?: string;
  /** Finds existing values for the completion in a shell. */
  readonly suggest?: () => Promise<readonly Suggestion[]>;
  /** Placeholder of the value in the help, e.g. `file`. Default: derived from the type. */
  readonly placeholder?: string;
  /** Hides the flag in the help. */
  readonly hidden?: true;
}

/** A positional argument. An optional argument, or one with a default, follows all required ones. */
export interface Arg extends Flag {
  /** True if the argument is optional without a default. */
  readonly optional?: true;
  /** True if the argument consists of all remaining words, including flags. Its type is `list`. */
  readonly rest?: true;
  /** Name. The help shows it as `<name>`, or as `[name]` if the argument is optional. */
  readonly name: string;
}

/** The values of the global flags. */
export interface GlobalFlags {
  /** Format of the result. */
  readonly format: Format;
  /** The user passed `--format` or `--fields`. Without them, a command may print text for people. */
  readonly isDataRequested: boolean;
  /** Fields to print. Default: all. */
  readonly fields?: FieldChoice;
  /** Print the request instead of sending it. */
  readonly dryRun: boolean;
  /** Suppress warnings and progress. */
  readonly quiet: boolean;
  /** Print requests and responses to stderr. */
  readonly verbose: boolean;
  /** Do not use the token cache. */
  readonly noCache: boolean;
  /** Do not read a missing entity tag and retry. */
  readonly noAutoTag: boolean;
  /** Do not show long results in a pager. */
  readonly noPager: boolean;
  /** Retries of a failed call. Default: that of the environment or the profile. */
  readonly retries?: number;
  /** Timeout of a call in seconds. Default: that of the environment or the profile. */
  readonly timeout?: number;
  /** Name of the profile. Default: `default`. */
  readonly profile?: string;
}

/** A response of the service. */
export interface ResponseText {
  /** Path of the request. */
  readonly path: string;
  /** Body. */
  readonly text: string;
}

/** The environment of a running command. */
export interface CommandContext {
  /** The global flags. */
  readonly globals: GlobalFlags;
  /** Streams and environment. */
  readonly io: Io;
  /** The last responses that the command has received at a terminal. Completion offers their values. */
  readonly responses: ResponseText[];
  /** Aborts when the user interrupts the command. The first access installs the handler for Ctrl-C. */
  readonly signal: AbortSignal;
  /** Calls the service. All calls of the command share a session. It is opened by the first one. */
  readonly caller: Caller;
  /** Runs another command line, with other streams. Rejects with its error. */
  runLine(args: readonly string[], io: Io): Promise<void>;
  /** Prints a result to stdout, as `--format` and `--fields` say. Prints nothing for undefined. */
  print(result: JsonValue | undefined): Promise<void>;
  /** Prints a warning or progress to stderr, unless `--quiet` is set. */
  note(line: string): void;
}

/** The parsed arguments of a command by name: text or a boolean, and a list of texts for a repeatable flag. */
export type ParsedArguments = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The description of a command. */
export interface CommandDescription {
  /** One imperative sentence without a full stop. */
  readonly summary: string;
  /** More text for the help page, in whole sentences. */
  readonly details?: string;
  /** Positional arguments, in order. */
  readonly args?: readonly Arg[];
  /** Flags by camel-case name, in the order of the help. */
  readonly flags?: Readonly<Record<string, Flag>>;
  /** Arguments of an example command line, or of several. */
  readonly example: Examples;
  /** True if the command changes nothing: a field of `--fields` that its result lacks is an error. */
  readonly reads?: true;
  /** Description of the result, by which `--fields` is checked before the command runs. */
  readonly answer?: Answer | (() => Promise<Answer>);
  /** True if the result may have further members: `--fields` is only checked for misspelt names. */
  readonly isAnswerOpen?: true;
  /** Set for commands that print the format `view` at a terminal by default. */
  readonly prefersView?: true;
  /** Related commands and topics, e.g. `workflow resume --help` or `help workflows`. */
  readonly seeAlso?: readonly string[];
}

/** A command. */
export interface Command extends CommandDescription {
  /** Runs the command. An error becomes the record on stderr and the exit code. */
  run(context: CommandContext, parsed: ParsedArguments): Promise<void>;
}

/** An entry of a group. The command is described only when it is needed. */
export interface CommandEntry {
  /** Summary for the help of the group. */
  readonly summary: string;
  /** Returns the command. */
  describe(): Command;
}

/** All commands. */
export interface CommandTree {
  /** The groups by camel-case name, in the order of the help. */
  readonly groups: Readonly<Record<string, CommandGroup>>;
  /** The commands without a group. */
  readonly everyday: CommandGroup;
}

/** A group of commands. */
export interface CommandGroup {
  /** Summary for the help, without a full stop. */
  readonly summary: string;
  /** Loads the commands, by camel-case name. */
  load(): Promise<Readonly<Record<string, CommandEntry>>>;
}
