/** The README's blocks, and a home directory in which to do what they say. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import configuration from "../../deno.json" with { type: "json" };
import { shellQuote } from "../../utils/text/shell_quote.ts";

/** This checkout's folder. */
export const CHECKOUT: string = resolve(fileURLToPath(import.meta.url), "../../..");

const README = await Deno.readTextFile(`${CHECKOUT}/README.md`);

/** A home directory of its own, and how to run a shell in it. */
export class Home implements AsyncDisposable {
  /** The directory. */
  readonly path: string;
  readonly #checkout: string;

  private constructor(path: string, checkout: string) {
    this.path = path;
    this.#checkout = checkout;
  }

  /** Makes one; what it runs is run in the checkout. */
  static async make(checkout: string = CHECKOUT): Promise<Home> {
    return new Home(await Deno.makeTempDir({ prefix: "svc-readme-" }), checkout);
  }

  /** Runs shell lines; gives what they print, and throws what they write to stderr where they fail. */
  async run(lines: string, env: Record<string, string> = {}, cwd: string = this.#checkout): Promise<string> {
    const ofCheckout = (_: string, below: string) => shellQuote(this.#checkout + below);
    const { success, stdout, stderr } = await new Deno.Command("sh", {
      args: ["-euc", lines.replaceAll(/\/path\/to\/svc(\S*)/g, ofCheckout)],
      cwd,
      env: {
        PATH: `${this.path}/bin:${Deno.execPath().replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH") ?? ""}`,
        HOME: this.path,
        DENO_DIR: await denoDirectory(),
        DENO_INSTALL_ROOT: this.path,
        ...env,
      },
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}

/** The code block of a language that holds a text. */
export function block(language: string, text: string): string {
  const blocks = README.split("\n```" + language + "\n").slice(1).map((rest) => rest.split("\n```")[0] ?? "");
  const found = blocks.find((code) => code.includes(text));
  assert.ok(found !== undefined, `The README has no ${language} block with ${text}.`);
  return found;
}

/** The configuration of a project that imports the library of this checkout. */
export function linkedProject(): string {
  return block("json", "links").replace("/path/to/svc", CHECKOUT);
}

/** A program of such a project: every part of the library, and the script of the README. */
export function programOfAll(): string {
  const parts = Object.keys(configuration.exports).map((path) => `import "${configuration.name}${path.slice(1)}";\n`);
  return parts.join("") + block("ts", "createClient");
}

/** Paths of the files that the README links to. */
export function linkedPaths(): string[] {
  return [...README.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path = ""]) => path);
}

/** The cache of this Deno, for processes whose home is elsewhere: what is installed already need not be fetched again. */
export function denoDirectory(): Promise<string> {
  return knownDirectory ??= askForDirectory();
}

let knownDirectory: Promise<string> | undefined;

async function askForDirectory(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}
