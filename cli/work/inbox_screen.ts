/** The screen of `svc inbox --watch`: the rows of the inbox, which the user scrolls. */
import type { Surface } from "../../lib/output/format.ts";
import { truncateToWidth } from "../../utils/text/display_width.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { applyStyle } from "../view/page.ts";

export interface ScreenRow {
  /** Stays the same when the inbox is refreshed. */
  readonly id: string;
  /** Text, which may be wider than the screen. */
  readonly text: string;
}

/** The inbox as it was last read. */
export interface ScreenContent {
  /** Lines above the rows, which do not scroll. */
  readonly header: readonly string[];
  readonly rows: readonly ScreenRow[];
  /** True if the service has more assignments. */
  readonly hasMore: boolean;
  /** Time of the refresh. */
  readonly time: Date;
}

/** Size and abilities of a screen. */
export interface ScreenSize extends Surface {
  readonly columns: number;
  readonly rows: number;
}

/** Number of columns before a row, for the mark of a new row. */
export const MARK_WIDTH = 2;

/** Number of lines besides the header and the rows: the status, a blank line, and the number of hidden rows. */
const FRAME_LINES = 3;

/** Distances by which keys scroll, in rows or in pages. */
const MOVES: Readonly<Record<string, { readonly rows?: number; readonly pages?: number }>> = {
  "\x1b[A": { rows: -1 },
  "\x1bOA": { rows: -1 },
  "k": { rows: -1 },
  "\x1b[B": { rows: 1 },
  "\x1bOB": { rows: 1 },
  "j": { rows: 1 },
  "\x1b[5~": { pages: -1 },
  "b": { pages: -1 },
  "\x1b[6~": { pages: 1 },
  " ": { pages: 1 },
  "\x1b[H": { pages: -Infinity },
  "g": { pages: -Infinity },
  "\x1b[F": { pages: Infinity },
  "G": { pages: Infinity },
};

/** Keys that end the watch: q, and Ctrl-C and Ctrl-D where the terminal delivers them as keys. */
const END = ["q", "\x03", "\x04"];

/** State of the screen. It neither reads keys nor writes to the terminal. */
export class InboxScreen {
  readonly #seconds: number;
  #content?: ScreenContent;
  /** Rows that the user has seen. Undefined before the first refresh, whose rows do not count as new. */
  #seen?: Set<string>;
  #problem?: string;
  #top = 0;

  /** Creates the screen of an inbox that is refreshed every `seconds` seconds. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** Replaces the rows after a refresh. The first visible row stays first. */
  update(content: ScreenContent): void {
    const first = this.#content?.rows[this.#top]?.id;
    const index = content.rows.findIndex(({ id }) => id === first);
    if (this.#top > 0 && index >= 0) this.#top = index;
    this.#content = content;
    this.#problem = undefined;
    this.#seen ??= new Set(content.rows.map(({ id }) => id));
  }

  /** Shows why the last refresh failed, until the next one succeeds. */
  fail(problem: string): void {
    this.#problem = problem;
  }

  /** Handles a key: scrolls, and removes the marks of new rows. Returns false if the key ends the watch. */
  press(key: string, { rows }: Pick<ScreenSize, "rows">): boolean {
    if (END.includes(key)) return false;
    for (const { id } of this.#content?.rows ?? []) this.#seen?.add(id);
    const { rows: byRows = 0, pages = 0 } = MOVES[key] ?? {};
    const page = this.#countVisible(rows);
    this.#top = Math.max(0, Math.min(this.#top + byRows + (pages === 0 ? 0 : pages * page), this.#countRows() - page));
    return true;
  }

  /** Returns the lines to show. */
  draw(size: ScreenSize): string[] {
    const { header = [], rows = [] } = this.#content ?? {};
    const visible = this.#countVisible(size.rows);
    this.#top = Math.max(0, Math.min(this.#top, rows.length - visible));
    const shown = rows.slice(this.#top, this.#top + visible);
    const below = rows.length - this.#top - shown.length;
    const around = [
      this.#top > 0 ? `↑ ${this.#top} above` : "",
      below > 0 ? `↓ ${below} below` : "",
    ].filter((part) => part !== "").join("   ");
    const blank = " ".repeat(MARK_WIDTH);
    const lines = [
      truncateToWidth(this.#describe(), size.columns),
      "",
      ...header.map((line) => blank + line),
      ...shown.map(({ id, text }) => (this.#isNew(id) ? applyStyle("● ", "green", size) : blank) + text),
    ];
    return [...lines, around];
  }

  #isNew(id: string): boolean {
    return this.#seen !== undefined && !this.#seen.has(id);
  }

  #countRows(): number {
    return this.#content?.rows.length ?? 0;
  }

  #countVisible(screenRows: number): number {
    return Math.max(1, screenRows - FRAME_LINES - (this.#content?.header.length ?? 0));
  }

  /** Describes the state of the watch in the first line. */
  #describe(): string {
    if (this.#content === undefined) return this.#problem ?? "Reading the inbox …";
    const { rows, hasMore, time } = this.#content;
    const count = rows.length === 0
      ? "No open work"
      : pluralize(rows.length, "assignment") + (hasMore ? " or more" : "");
    const added = rows.filter(({ id }) => this.#isNew(id)).length;
    const news = added === 0 ? "" : `, ${added} new (●)`;
    const clock = time.toTimeString().slice(0, 8);
    const rest = this.#problem === undefined ? `, every ${this.#seconds} s. Press q to quit.` : `. ${this.#problem}`;
    return `${count}${news}. Read at ${clock}${rest}`;
  }
}
