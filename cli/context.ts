/** The context of a running command, and the options with which it calls the service. */
import type { SentRequest } from "../lib/auth/settings.ts";
import type { Caller, CallerOptions } from "../lib/client/caller.ts";
import type { Warn } from "../lib/client/callback.ts";
import { openCaller } from "../lib/client/open_caller.ts";
import type { Values } from "../lib/client/request/values.ts";
import type { Reply } from "../lib/client/response/reply.ts";
import { SvcError } from "../lib/errors.ts";
import type { OperationRef } from "../lib/operation/operation.ts";
import type { Rendered, Surface } from "../lib/output/format.ts";
import { isJsonObject, type JsonValue, parseJson } from "../utils/json.ts";
import { escapeControlCharacters, escapeToOneLine } from "../utils/text/control_characters.ts";
import type { CommandContext, GlobalFlags } from "./commands/command.ts";
import { type Io, type Output, writeWaiting } from "./io/io.ts";

type Render = (result: JsonValue, surface: Surface) => Promise<Rendered>;

/** Loads the renderer of results. A command that waits for a response loads it in the meantime. */
export async function loadRenderer(
  { format, fields }: GlobalFlags,
): Promise<Render> {
  if (format === "view") {
    const { renderView } = await import("./view/render_view.ts");
    return (result, surface) => renderView(result, fields, surface);
  }
  const { render } = await import("../lib/output/render.ts");
  return async (result, surface) => {
    if (format !== "table") return await render(result, { format, fields }, surface);
    const shown = fields === undefined ? await prepareTable(result, surface) : result;
    if (surface.columns === undefined) return await render(shown, { format, fields }, surface);
    const { formatCell } = await import("./view/format_value.ts");
    return await render(shown, { format, fields, formatCell }, surface);
  };
}

/** Prepares a result for a table: lists replies below their messages, and at a terminal shortens IDs. */
async function prepareTable(result: JsonValue, { columns }: Surface): Promise<JsonValue> {
  if (!isJsonObject(result)) return result;
  if (columns !== undefined && (result.attachments ?? result.participants) !== undefined) {
    return (await import("./handles/short_names.ts")).addShortNames(result);
  }
  if (result.messages === undefined && result.data === undefined) return result;
  const { listRows, readConversation } = await import("./view/conversation.ts");
  const conversation = readConversation(result);
  return conversation === undefined || conversation.entries.length === 0 ? result : listRows(conversation);
}

/** Runs a command line. Rejects with its error. */
type RunLine = CommandContext["runLine"];

/** Creates the context of one command. */
export function createContext(globals: GlobalFlags, io: Io, runLine: RunLine = refuseLine): CommandContext {
  let signal: AbortSignal | undefined;
  let caller: Caller | undefined;
  const context: CommandContext = {
    globals,
    io,
    responses: [],
    runLine,
    get signal() {
      return signal ??= createInterruptSignal(io);
    },
    get caller() {
      return caller ??= openCaller(callerOptions(context));
    },
    async print(result) {
      if (result === undefined) return;
      const render = await loadRenderer(globals);
      const { text, notes } = await render(result, getSurface(io));
      await writeResult(context, text);
      if (notes.length > 0) (await wrapNotes(notes, io)).forEach(context.note);
    },
    note(line) {
      if (!globals.quiet) io.stderr.write(escapeToOneLine(line) + "\n");
    },
  };
  return context;
}

function refuseLine(): Promise<never> {
  return Promise.reject(new SvcError("INTERNAL_ERROR", "This context cannot run command lines."));
}

/** Returns what stdout can show. */
export function getSurface(io: Io): Surface {
  return { columns: io.stdout.columns(), color: hasColor(io.stdout, io), links: hasLinks(io) };
}

/** Wraps notes at a terminal between words, because it would break them anywhere. */
export async function wrapNotes(notes: readonly string[], { stderr }: Io): Promise<readonly string[]> {
  const columns = stderr.columns();
  if (columns === undefined) return notes;
  const { wrapToWidth } = await import("../utils/text/display_width.ts");
  return notes.flatMap((note) => wrapToWidth(escapeToOneLine(note), columns));
}

/** Reports whether a person reads the result, so that a command may print a page of its own instead of the data. */
export function wantsPage({ globals: { format, fields } }: CommandContext): boolean {
  return format === "view" && fields === undefined;
}

/** Maximum number of characters to write at once. A pipe buffers this many even if nothing reads it. */
const MAX_BLOCKING = 16 * 1024;

/** Writes a rendered result to stdout, or shows it in a pager if it is longer than the screen. */
export async function writeResult(context: CommandContext, text: string): Promise<void> {
  const { globals, io, note } = context;
  const rows = globals.noPager ? undefined : io.stdout.rows?.();
  const columns = io.stdout.columns();
  if (rows !== undefined && columns !== undefined) {
    const { showInPager } = await import("./io/pager.ts");
    if (await showInPager(text, { rows, columns }, io, note)) return;
  }
  if (text.length < MAX_BLOCKING) io.stdout.write(text);
  else await writeWaiting(io.stdout, text, context.signal);
}

/** Reports whether the user can be prompted. */
export function canPrompt({ stdin, stderr }: Io): boolean {
  return stdin.isTerminal() && stderr.isTerminal();
}

/**
 * Reports whether an output may have colors. `NO_COLOR` forbids them, and `CLICOLOR_FORCE` demands them, also in a pipe.
 * Otherwise, terminals have them unless `CLICOLOR` is 0.
 */
export function hasColor(output: Output, { env }: Pick<Io, "env">): boolean {
  if (env("NO_COLOR")) return false;
  if ((env("CLICOLOR_FORCE") ?? "0") !== "0") return true;
  return output.isTerminal() && env("CLICOLOR") !== "0" && env("TERM") !== "dumb";
}

/** Reports whether stdout may have links. Terminals that do not know them ignore them, except the console of Linux. */
function hasLinks({ stdout, env }: Io): boolean {
  return stdout.isTerminal() && env("TERM") !== "dumb" && env("TERM") !== "linux";
}

function createInterruptSignal(io: Io): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new SvcError("INTERRUPTED", "Interrupted."));
  // Deferred until the request is sent, because the first signal listener of a process takes a while to install.
  queueMicrotask(() => {
    io.onInterrupt(interrupt);
    io.onTerminate?.(interrupt);
    io.failBeyondFileSizeLimit?.();
  });
  return controller.signal;
}

/** Calls an operation. The user can interrupt the call. */
export async function callOperation(context: CommandContext, ref: OperationRef, values: Values): Promise<Reply> {
  return await context.caller.call(ref, values, { signal: context.signal });
}

/** Number of responses whose values a command keeps for completion. */
const MAX_RESPONSES = 20;

/** Returns the options for the calls of a command. At a terminal, its responses are kept for completion. */
export function callerOptions(context: CommandContext): CallerOptions {
  const options = baseOptions(context);
  const { responses, io } = context;
  if (!io.stdout.isTerminal()) return options;
  return {
    ...options,
    onReply(exchange) {
      if (responses.length >= MAX_RESPONSES) responses.shift();
      responses.push(exchange);
      options.onReply?.(exchange);
    },
  };
}

/** Returns the options that do not depend on the terminal. */
function baseOptions(context: CommandContext): CallerOptions {
  const { globals: { profile, noCache, noAutoTag, verbose, retries, timeout: timeoutSeconds }, io } = context;
  const options: CallerOptions = {
    profile,
    noCache,
    retries,
    timeoutSeconds,
    warn: printWarnings(context),
    fetch: io.fetch,
    ...(noAutoTag && { autoTag: false }),
  };
  const isDebugging = io.env("SVC_DEBUG") === "http";
  if (!verbose && !isDebugging) return options;
  const log = (line: string) => io.stderr.write(`[HTTP] ${escapeToOneLine(line)}\n`);
  const logHeaders = (headers: SentRequest["headers"]) => {
    for (const [name, value] of Object.entries(headers)) log(`${name}: ${value}`);
  };
  const logExchange = (exchange: Exchange) => {
    log(summarize(exchange));
    if (isDebugging) logHeaders(exchange.headers);
    if (exchange.text !== undefined) log(`Response: ${compactJson(exchange.text)}`);
  };
  const logRequest = ({ method, path, headers, text }: SentRequest) => {
    log(`${method} ${path}`);
    logHeaders(headers);
    if (text !== "") log(`Request: ${compactJson(text)}`);
  };
  return {
    ...options,
    ...(isDebugging && { onRequest: logRequest }),
    onExchange: logExchange,
    onReply: logExchange,
    onFailure: ({ message, milliseconds }) => log(`${message.replace(/\.$/, "")} (${Math.round(milliseconds)}ms)`),
  };
}

/** Returns the options for the commands of `svc auth`, which the user can interrupt. */
export function authOptions(context: CommandContext): CallerOptions & { readonly signal: AbortSignal } {
  return { ...baseOptions(context), signal: context.signal };
}

/** Returns a function that prints warnings to stderr, unless `--quiet` is set. */
export function printWarnings({ note }: Pick<CommandContext, "note">): Warn {
  return (message) => note(`Warning: ${message}`);
}

type Exchange = Parameters<NonNullable<CallerOptions["onExchange"]>>[0];

function summarize({ method, path, status, reason, milliseconds }: Exchange): string {
  return [method, path, status, reason, `(${Math.round(milliseconds)}ms)`].filter((part) => part !== "").join(" ");
}

/** Returns JSON on one line. Text that is not JSON stays as it is. */
function compactJson(text: string): string {
  try {
    return escapeControlCharacters(JSON.stringify(parseJson(text, { keepText: true })));
  } catch {
    return text; // The error of the call says that it is not JSON.
  }
}
