/** Runs `svc` in a pseudo-terminal, types keys, and reads the screen as text. */
import type { IPty } from "@lydell/node-pty";
import headless from "@xterm/headless";
import pty from "@lydell/node-pty";
import assert from "node:assert/strict";
import { readDenoEnvironment, svcCommand } from "./svc.ts";
import { within } from "./wait.ts";

/** The characters that keys send. */
export const KEYS = {
  enter: "\r",
  up: "\x1b[A",
  down: "\x1b[B",
  right: "\x1b[C",
  left: "\x1b[D",
  backspace: "\x7f",
  escape: "\x1b",
  ctrlC: "\x03",
  ctrlD: "\x04",
  /** Deletes the line up to the cursor. */
  ctrlU: "\x15",
  tab: "\t",
} as const;

/** Options of a command in a terminal. */
export interface TerminalOptions {
  /** Environment, besides the variables that Deno needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Working directory. */
  readonly cwd?: string;
  /** Width. Default: 80. */
  readonly columns?: number;
  /** Height. Default: 24. */
  readonly rows?: number;
}

/**
 * Runs the program, and reports its exit code to the emulator. The shell stays until it is killed: a pseudo-terminal whose
 * last program ends is closed after 200 ms, also if not everything was read.
 */
const RUN_AND_REPORT = 'trap : INT QUIT; "$0" "$@"; printf "\\033]1337;%d\\007" $?; while :; do sleep 600; done';

/** Number of the control sequence that contains the exit code. */
const EXIT_SEQUENCE = 1337;

/** A pseudo-terminal in which one program runs. Disposing it kills the program. */
export class Terminal implements AsyncDisposable {
  readonly #process: IPty;
  readonly #emulator: headless.Terminal;
  readonly #changed = new Set<() => void>();
  readonly #exit: Promise<number>;
  #ended = false;

  /** Starts a program. */
  constructor(program: string, args: readonly string[], options: TerminalOptions = {}) {
    const { env = {}, cwd, columns: cols = 80, rows = 24 } = options;
    this.#emulator = new headless.Terminal({ cols, rows, allowProposedApi: true, scrollback: 10_000 });
    const isWindows = Deno.build.os === "windows";
    this.#process = pty.spawn(
      isWindows ? program : "sh",
      isWindows ? [...args] : ["-c", RUN_AND_REPORT, program, ...args],
      {
        name: "xterm-256color",
        cols,
        rows,
        cwd,
        env: { ...readDenoEnvironment(), TERM: "xterm-256color", ...env },
      },
    );
    this.#process.onData((text) => this.#emulator.write(text, () => this.#report()));
    this.#emulator.onData((answer) => this.type(answer)); // Programs ask terminals, for example where the cursor is.
    this.#exit = new Promise((resolve) => {
      const end = (exitCode: number) => {
        this.#ended = true;
        this.#report();
        resolve(exitCode);
      };
      this.#emulator.parser.registerOscHandler(EXIT_SEQUENCE, (exitCode) => {
        end(Number(exitCode));
        return true;
      });
      // The emulator parses what is left before it calls back.
      this.#process.onExit(({ exitCode }) => this.#emulator.write("", () => end(exitCode)));
    });
  }

  /** Returns the rows of the screen without trailing spaces and trailing empty rows. */
  screen(): string {
    const { baseY } = this.#emulator.buffer.active;
    return this.#read(baseY, baseY + this.#emulator.rows);
  }

  /** Returns everything that was printed, including the rows that have scrolled off the screen. */
  scrollback(): string {
    return this.#read(0, this.#emulator.buffer.active.length);
  }

  /** Waits until the screen contains a text, and returns the screen that contained it. */
  async waitFor(expected: string | RegExp): Promise<string> {
    let screen = "";
    await this.waitUntil(`${expected} is on the screen`, () => {
      screen = this.screen();
      return typeof expected === "string" ? screen.includes(expected) : expected.test(screen);
    });
    return screen;
  }

  /** Waits until what was printed meets a condition. */
  async waitUntil(what: string, isMet: () => boolean): Promise<void> {
    const met = new Promise<void>((resolve, reject) => {
      const check = () => {
        if (isMet()) resolve();
        else if (this.#ended) reject(new assert.AssertionError({ message: `The program ended before ${what}` }));
        else return;
        this.#changed.delete(check);
      };
      this.#changed.add(check);
      check();
    });
    try {
      await within(what, met);
    } catch (cause) {
      assert.fail(`${cause instanceof Error ? cause.message : cause}:\n${this.screen()}`);
    }
  }

  /** Types keys. */
  type(...keys: readonly string[]): void {
    this.#process.write(keys.join(""));
  }

  /** Waits for each text, and types the keys that follow it. */
  async converse(dialogue: readonly (readonly [expected: string | RegExp, ...keys: string[]])[]): Promise<void> {
    for (const [expected, ...keys] of dialogue) {
      await this.waitFor(expected);
      this.type(...keys);
    }
  }

  /** Waits until the program ends, and returns its exit code. */
  async exit(): Promise<number> {
    return await within("the program in the terminal ends", this.#exit);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A program that the shell runs is in its process group.
    if (Deno.build.os === "windows") this.#process.kill();
    else Deno.kill(-this.#process.pid, "SIGKILL");
    await this.exit();
    this.#emulator.dispose();
  }

  #read(from: number, to: number): string {
    const buffer = this.#emulator.buffer.active;
    const lines = Array.from({ length: to - from }, (_, i) => buffer.getLine(from + i)?.translateToString(true) ?? "");
    return lines.join("\n").trimEnd();
  }

  #report(): void {
    for (const check of [...this.#changed]) check();
  }
}

/** Starts `svc` in a terminal, with the permissions that API commands need. */
export function openTerminal(args: readonly string[], options: TerminalOptions = {}): Terminal {
  const [program = "", ...rest] = svcCommand(args, options.env?.SVC_CONFIG_DIR);
  return new Terminal(program, rest, options);
}
