import { shellQuote } from "../../utils/text/shell_quote.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { Workspace } from "../support/workspace.ts";

const BOLD = "\x1b[1m";
const PLAIN = "\x1b[0m";

/** Runs commands of svc in a workspace, and prints each as a user would type it, with its output. */
export class Tour {
  readonly #workspace: Workspace;
  readonly #styled = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR");

  /** Creates a tour. */
  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Announces the next step. */
  say(text: string): void {
    console.log(`\n# ${text}`);
  }

  /** Prints a command line or code. */
  show(text: string): void {
    console.log(this.#styled ? `${BOLD}${text}${PLAIN}` : text);
  }

  /** Runs a command and prints it with its output. */
  async run(...args: string[]): Promise<string> {
    this.show(`$ svc ${args.map(shellQuote).join(" ")}`);
    const output = await this.#workspace.svc(...args);
    console.log(output.trimEnd());
    return output;
  }

  /** Runs a command that prints a JSON object, and returns the object. */
  async query(...args: string[]): Promise<JsonObject> {
    const result: unknown = JSON.parse(await this.run(...args));
    if (!isJsonObject(result)) throw new Error(`svc ${args.join(" ")} printed no object.`);
    return result;
  }
}
