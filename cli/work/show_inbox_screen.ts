/** Shows the inbox on the whole screen until the user quits. */
import type { WorkInboxParams } from "../../lib/resources/work.ts";
import type { SvcError } from "../../lib/errors.ts";
import { delay } from "../../utils/async/abort.ts";
import type { CommandContext } from "../commands/command.ts";
import { getSurface } from "../context.ts";
import { InboxScreen, MARK_WIDTH, type ScreenContent, type ScreenSize } from "./inbox_screen.ts";
import { renderRows } from "./print_list.ts";
import { describeInbox, readInbox } from "./read_inbox.ts";

/** Switches to the alternate screen without a cursor, and back. */
const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

/** Clears the line, or everything below it. */
const CLEAR_LINE = "\x1b[2K";
const CLEAR_BELOW = "\x1b[J";

const ESCAPE = "\x1b";

/** A key: a character, or an escape sequence such as that of an arrow key. */
const KEY = new RegExp(`${ESCAPE}(?:\\[[\\d;]*[~A-Za-z]|O[A-Za-z])?|[^${ESCAPE}]`, "gu");

/** Shows the inbox on a screen. `isTemporary` reports whether to try again after an error. */
export async function showInboxScreen(
  context: CommandContext,
  params: WorkInboxParams,
  seconds: number,
  isTemporary: (error: unknown) => error is SvcError,
): Promise<void> {
  const { io } = context;
  const screen = new InboxScreen(seconds);
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  const draw = () => io.stdout.write(toSequence(screen.draw(readSize(context))));
  const press = (key: string) => screen.press(key, readSize(context)) ? draw() : ended.abort();
  io.stdout.write(ENTER);
  try {
    draw();
    void readKeys(context, press, signal);
    while (!signal.aborted) {
      try {
        screen.update(await readContent(context, params));
      } catch (error) {
        if (signal.aborted) return;
        if (!isTemporary(error)) throw error;
        screen.fail(`${error.message} Trying again in ${seconds} s. Press q to quit.`);
      }
      draw();
      await delay(seconds * 1000, signal).catch(() => {}); // Only the end of the watch rejects it.
    }
  } finally {
    if (io.stdin.isTerminal()) io.stdin.setRaw?.(false);
    io.stdout.write(LEAVE);
  }
}

async function readContent(context: CommandContext, params: WorkInboxParams): Promise<ScreenContent> {
  const inbox = await readInbox(context, params);
  const { columns, ...surface } = readSize(context);
  const lines = await renderRows(context, describeInbox(inbox), { ...surface, columns: columns - MARK_WIDTH });
  const headerLines = lines.length - inbox.assignments.length;
  // In a narrow terminal, an assignment takes several lines, which have no marks.
  const isTable = headerLines === 2;
  return {
    header: isTable ? lines.slice(0, headerLines) : [],
    rows: isTable
      ? inbox.assignments.map(({ ID, caseID }, i) => ({ id: String(ID ?? caseID), text: lines[i + headerLines] ?? "" }))
      : lines.map((text, i) => ({ id: String(i), text })),
    hasMore: inbox.hasMoreResults,
    time: new Date(),
  };
}

function readSize({ io }: CommandContext): ScreenSize {
  return { ...getSurface(io), columns: io.stdout.columns() ?? 80, rows: io.stdout.rows?.() ?? 24 };
}

/** Overwrites each line in place, so that nothing scrolls or flickers. */
function toSequence(lines: readonly string[]): string {
  return lines.map((line, i) => `\x1b[${i + 1};1H${CLEAR_LINE}${line}`).join("") + CLEAR_BELOW;
}

/** Calls `press` for each key until the watch ends. The process can end while this waits for a key. */
async function readKeys(
  { io: { stdin } }: CommandContext,
  press: (key: string) => void,
  signal: AbortSignal,
): Promise<void> {
  if (!stdin.isTerminal() || stdin.setRaw === undefined) return;
  stdin.setRaw(true);
  const decoder = new TextDecoder();
  for await (const bytes of stdin.readable) {
    const text = decoder.decode(bytes, { stream: true });
    for (const [key] of text.matchAll(KEY)) {
      if (signal.aborted) return;
      press(key);
    }
  }
}
