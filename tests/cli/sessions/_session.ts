/** Sessions of people: a shell in a terminal of 80×24, in which a test types commands and reads what they print. */
import assert from "node:assert/strict";
import { shellQuote } from "../../../utils/text/shell_quote.ts";
import { maskTimes } from "../../harness/screens.ts";
import { type Folder, makeFolder, svcCommand } from "../../harness/svc.ts";
import { KEYS, Terminal } from "../../harness/terminal.ts";

/** Options of the tests with sessions: Windows has no `/bin/sh`. */
export const ON_UNIX = { ignore: Deno.build.os === "windows" } as const;

/** Options of a session. */
export interface SessionOptions {
  /** Environment, besides the variables that Deno needs. */
  readonly env: Readonly<Record<string, string>>;
  /** Files of the working directory by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Program and arguments that start `svc`. Default: with the permissions that API commands need. */
  readonly svc?: readonly string[];
  /** Program and arguments of the shell. Default: `/bin/sh -i`. */
  readonly shell?: readonly [program: string, ...args: string[]];
}

/** Parent of temporary folders whose paths are on the screens: lines must end at the same place in each run. */
export const SHORT_PARENT = "/tmp";

/** A shell in a terminal, with `svc` on its path. */
export class Session implements AsyncDisposable {
  /** Its working directory. */
  readonly directory: string;
  readonly #folder: Folder;
  readonly #terminal: Terminal;
  #commands = 0;

  private constructor(folder: Folder, terminal: Terminal) {
    this.#folder = folder;
    this.directory = `${folder.path}/work`;
    this.#terminal = terminal;
  }

  /** Starts the shell. */
  static async open(
    { env, files = {}, svc = svcCommand([], env.SVC_CONFIG_DIR), shell = ["/bin/sh", "-i"] }: SessionOptions,
  ): Promise<Session> {
    const own = Object.entries(files).map(([name, text]) => [`work/${name}`, text]);
    const folder = await makeFolder({
      "bin/svc": `#!/bin/sh\nexec ${svc.map(shellQuote).join(" ")} "$@"\n`,
      "work/.keep": "",
      ...Object.fromEntries(own),
    }, SHORT_PARENT);
    await Deno.chmod(`${folder.path}/bin/svc`, 0o755);
    const [program, ...args] = shell;
    const terminal = new Terminal(program, args, {
      // The prompt begins with the exit code of the last command, unless it is 0.
      env: { ...env, PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`, PS1: "${?#0}$ " },
      cwd: `${folder.path}/work`,
    });
    return new Session(folder, terminal);
  }

  /** Types a command, waits until it ends, and returns what it printed. Parts that differ between runs are masked. */
  async run(command: string, { code = 0 }: { readonly code?: number } = {}): Promise<string> {
    await this.start(command);
    const { printed, prompt } = await this.#readUntilPrompt(command);
    assert.equal(prompt, `${code === 0 ? "" : code}$`, printed);
    return mask(printed, this.#folder.path);
  }

  /** Types a command, answers its prompts, waits until it ends, and returns what it printed. */
  async converse(
    command: string,
    dialogue: readonly (readonly [prompt: string, ...keys: string[]])[],
  ): Promise<string> {
    await this.start(command);
    await this.#terminal.converse(
      dialogue.map(([prompt, ...keys]) => [
        new RegExp(`^◆  ${prompt.replaceAll(/[.?()]/g, "\\$&")}$`, "m"),
        ...keys,
        KEYS.enter,
      ]),
    );
    const { printed, prompt } = await this.#readUntilPrompt(command);
    assert.equal(prompt, "$", printed);
    return mask(printed, this.#folder.path);
  }

  /** Types a command. */
  async start(command: string): Promise<void> {
    await this.#terminal.waitUntil("the shell prompts", () => /\$$/.test(this.#terminal.screen()));
    this.#commands++;
    this.type(command, KEYS.enter);
  }

  /** Types keys. */
  type(...keys: readonly string[]): void {
    this.#terminal.type(...keys);
  }

  /** Waits until the screen contains a text, and returns the screen. Parts that differ between runs are masked. */
  async waitFor(expected: string | RegExp): Promise<string> {
    return mask(await this.#terminal.waitFor(expected), this.#folder.path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#terminal[Symbol.asyncDispose]();
    await this.#folder[Symbol.asyncDispose]();
  }

  async #readUntilPrompt(command: string): Promise<{ printed: string; prompt: string }> {
    const read = () => {
      const lines = this.#terminal.scrollback().split("\n");
      const starts = lines.flatMap((line, i) => /^\d*\$ ./.test(line) ? [i] : []);
      return { count: starts.length, rest: lines.slice((starts.at(-1) ?? 0) + 1) };
    };
    await this.#terminal.waitUntil(`'${command}' ends`, () => {
      const { count, rest } = read();
      return count === this.#commands && /^\d*\$$/.test(rest.at(-1) ?? "");
    });
    const { rest } = read();
    return { printed: rest.slice(0, -1).join("\n"), prompt: rest.at(-1) ?? "" };
  }
}

/** Replaces times, ages, ports, process IDs and temporary paths. Those in columns keep their width. */
function mask(text: string, folder: string): string {
  return maskTimes(text)
    .replaceAll(/\d{8}T\d{6}\.\d{3} GMT/g, "YYYYMMDDThhmmss.mmm GMT")
    .replaceAll(/\b\d+(?= min\b)/g, (digits) => "N".repeat(digits.length))
    .replaceAll(/(?<=127\.0\.0\.1:)\d+/g, (digits) => "N".repeat(digits.length))
    .replaceAll(/client-[\w-]{12}/g, "client-XXXXXXXXXXXX")
    .replaceAll(/(?<=process )\d+/g, "PID")
    .replaceAll(folder, "~")
    .replaceAll(/\S*svc-test-\w+/g, "TEMP")
    .replaceAll(/(?<=^PID +)\d+/gm, "PID");
}
