/** Refreshes the inbox until the user ends it. */
import { SvcError } from "../../lib/errors.ts";
import type { WorkInboxParams } from "../../lib/resources/work.ts";
import { delay } from "../../utils/async/abort.ts";
import { pluralize } from "../../utils/text/wording.ts";
import type { CommandContext } from "../commands/command.ts";
import { createContext } from "../context.ts";
import { printList } from "./print_list.ts";
import { describeInbox, type Inbox, readInbox, toElement } from "./read_inbox.ts";

/** Clears the screen and moves to its start. */
const CLEAR = "\x1b[2J\x1b[H";

/** Codes of errors after which the service may be available again soon. */
const PASSING = ["NETWORK_ERROR", "TIMEOUT", "RATE_LIMITED", "SERVER_ERROR"];

/**
 * Watches the inbox. At a terminal it is redrawn each time. In a pipe, each assignment that is new or has changed is
 * printed as one line of JSON.
 */
export async function watchInbox(context: CommandContext, params: WorkInboxParams, seconds: number): Promise<void> {
  const known = new Map<string, string>();
  const show = context.io.stdout.isTerminal()
    ? (inbox: Inbox) => drawInbox(context, inbox, seconds)
    : (inbox: Inbox) => printChanges(context, inbox, known);
  while (!context.signal.aborted) {
    try {
      await show(await readInbox(context, params));
      await delay(seconds * 1000, context.signal);
    } catch (error) {
      if (context.signal.aborted) return;
      if (!(error instanceof SvcError) || !PASSING.includes(error.code)) throw error;
      context.note(`${error.message} Trying again in ${seconds} s.`);
      await delay(seconds * 1000, context.signal).catch(() => {}); // Only the end of the watch rejects it.
    }
  }
}

async function drawInbox(context: CommandContext, inbox: Inbox, seconds: number): Promise<void> {
  const count = pluralize(inbox.assignments.length, "assignment") + (inbox.hasMoreResults ? " or more" : "");
  const time = new Date().toTimeString().slice(0, 8);
  context.io.stdout.write(`${CLEAR}${count} at ${time}. Every ${seconds} s; Ctrl-C ends it.\n`);
  await printList(createContext({ ...context.globals, noPager: true }, context.io), describeInbox(inbox));
}

function printChanges({ io }: CommandContext, { assignments }: Inbox, known: Map<string, string>): void {
  for (const assignment of assignments.map(toElement)) {
    const text = JSON.stringify(assignment);
    const id = String(assignment.ID);
    if (known.get(id) !== text) io.stdout.write(text + "\n");
    known.set(id, text);
  }
}
