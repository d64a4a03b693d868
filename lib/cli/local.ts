/**
 * The contract of a command that is no API operation (`svc auth …`, `svc service …`, `svc workflow …`).
 *
 * A group is a module that exports `commands`, a `LocalGroup`; `local_groups.ts` names it with its loader. The module
 * holds descriptions only: what a command needs to run is imported inside `run`, so that help and other commands
 * do not load it.
 *
 * ```ts
 * export const commands: LocalGroup = {
 *   start: localCommand({
 *     summary: "Start the embedded service",
 *     flags: { port: { help: "Port to listen on; 0 picks one", type: "integer", default: "8080" } },
 *     example: "--port 0",
 *     async run(context, { port }) {
 *       const { start } = await import("../../service/mod.ts");
 *       await context.print(await start({ port, signal: context.signal }));
 *     },
 *   }),
 * };
 * ```
 */
import type { JsonValue } from "../json.ts";
import type { Param, ParamTypes } from "../operation.ts";
import type { GlobalFlags } from "./global_flags.ts";
import type { Io } from "./io.ts";

/** The values that local flags take, by the name of their type. */
export interface LocalTypes extends ParamTypes {
  /** Any JSON value: inline, `@file` or `-`. */
  json: JsonValue;
}

/** A flag of a local command. */
export interface LocalFlag extends Pick<Param, "help" | "required" | "short" | "default"> {
  /** What it takes. */
  readonly type: keyof LocalTypes;
  /** What stands for its value in the help, e.g. `file`; derived from the type without it. */
  readonly placeholder?: string;
}

/** A positional argument of a local command. */
export interface LocalArg extends LocalFlag {
  /** Name, as the help shows it: `<name>`. */
  readonly name: string;
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

/** A local command, as the tree sees it. */
export interface LocalCommand {
  /** What it does, in one imperative sentence without a full stop. */
  readonly summary: string;
  /** More for its help page: whole sentences. */
  readonly details?: string;
  /** Positional arguments, in order. */
  readonly args?: readonly LocalArg[];
  /** Flags by camel-case name, in the order of the help. */
  readonly flags?: Readonly<Record<string, LocalFlag>>;
  /** Arguments of an example command line. */
  readonly example: string;
  /** Does it. What it throws becomes the error on stderr and the exit code. */
  run(context: CommandContext, values: Readonly<Record<string, unknown>>): Promise<void>;
}

/** Local commands by camel-case name. */
export type LocalGroup = Readonly<Record<string, LocalCommand>>;

/** The values that a local command is given: checked against its description, defaults included. */
export type LocalValues<A extends readonly LocalArg[], F extends Readonly<Record<string, LocalFlag>>> =
  & { readonly [P in A[number] as P["name"]]: LocalValue<P> }
  & { readonly [N in keyof F]: LocalValue<F[N]> };

type LocalValue<P extends LocalFlag> = P extends { required: true } | { default: string } ? LocalTypes[P["type"]]
  : LocalTypes[P["type"]] | undefined;

/** Describes a local command, so that `run` knows the types of its values. */
export function localCommand<
  const A extends readonly LocalArg[] = readonly [],
  const F extends Readonly<Record<string, LocalFlag>> = Record<never, never>,
>(
  command: Omit<LocalCommand, "args" | "flags" | "run"> & {
    readonly args?: A;
    readonly flags?: F;
    run(context: CommandContext, values: LocalValues<A, F>): Promise<void>;
  },
): LocalCommand {
  return command;
}
