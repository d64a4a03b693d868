/** How the global flags reach the client: the profile, the cache, warnings, and what `--verbose` shows. */
import type { Warn } from "../lib/client/callback.ts";
import type { CallerOptions } from "../lib/client/caller.ts";
import { describeInexactNumber } from "../utils/inexact_numbers.ts";
import { escapeControlCharacters, escapeToOneLine } from "../utils/text/control_characters.ts";
import type { CommandContext } from "./commands/command.ts";

/** The options with which a command's calls are made. */
export function callerOptions(context: CommandContext): CallerOptions {
  const { globals: { profile, noCache, verbose }, io } = context;
  const common: CallerOptions = { profile, noCache, warn: warnOf(context) };
  if (!verbose) return common;
  const log = (line: string) => io.stderr.write(`[HTTP] ${escapeToOneLine(line)}\n`);
  return {
    ...common,
    onExchange: (exchange) => log(summary(exchange)),
    onReply: (exchange) => {
      log(summary(exchange));
      log(`Response: ${compact(exchange.text)}`);
    },
  };
}

/** Tells a person what they should know, although nothing fails. */
export function warnOf({ note }: Pick<CommandContext, "note">): Warn {
  return (message) => note(`Warning: ${message}`);
}

type Summary = Parameters<NonNullable<CallerOptions["onExchange"]>>[0];

function summary({ method, path, status, reason, milliseconds }: Summary): string {
  return [method, path, status, reason, `(${Math.round(milliseconds)}ms)`].filter((part) => part !== "").join(" ");
}

/** JSON on one line, or the text as it is where it is none, and where it has numbers that would become other ones. */
function compact(text: string): string {
  if (describeInexactNumber(text) !== undefined) return text;
  try {
    return escapeControlCharacters(JSON.stringify(JSON.parse(text)));
  } catch {
    return text; // What it is then, the error says; this is only a view of it.
  }
}
