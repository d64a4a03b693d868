/** `svc inbox --watch`: refreshes the inbox until the user quits. */
import { SvcError } from "../../lib/errors.ts";
import type { WorkInboxParams } from "../../lib/resources/work.ts";
import { delay } from "../../utils/async/abort.ts";
import type { CommandContext } from "../commands/command.ts";
import { type Inbox, readInbox, toElement } from "./read_inbox.ts";

/** Codes of errors after which the service may be available again soon. */
const TEMPORARY = ["NETWORK_ERROR", "TIMEOUT", "RATE_LIMITED", "SERVER_ERROR"];

/**
 * Watches the inbox. At a terminal, redraws a screen in place. In a pipe, prints each assignment that is new or
 * has changed as a line of JSON.
 */
export async function watchInbox(context: CommandContext, params: WorkInboxParams, seconds: number): Promise<void> {
  const { stdout } = context.io;
  if (stdout.isTerminal() && stdout.rows?.() !== undefined) {
    const { showInboxScreen } = await import("./show_inbox_screen.ts");
    return await showInboxScreen(context, params, seconds, isTemporary);
  }
  const known = new Map<string, string>();
  while (!context.signal.aborted) {
    try {
      printChanges(context, await readInbox(context, params), known);
      await delay(seconds * 1000, context.signal);
    } catch (error) {
      if (context.signal.aborted) return;
      if (!isTemporary(error)) throw error;
      context.note(`${error.message} Trying again in ${seconds} s.`);
      await delay(seconds * 1000, context.signal).catch(() => {}); // Only the end of the watch rejects it.
    }
  }
}

function isTemporary(error: unknown): error is SvcError {
  return error instanceof SvcError && TEMPORARY.includes(error.code);
}

function printChanges({ io }: CommandContext, { assignments }: Inbox, known: Map<string, string>): void {
  for (const assignment of assignments.map(toElement)) {
    const text = JSON.stringify(assignment);
    const id = String(assignment.ID);
    if (known.get(id) !== text) io.stdout.write(text + "\n");
    known.set(id, text);
  }
}
