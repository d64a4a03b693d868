/** Runs commands of svc and shows them as a person would have typed them, with what they answer. */
import { shellQuote } from "../../utils/text/shell_quote.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";
import type { Workspace } from "../workspace.ts";

const BOLD = "\x1b[1m";
const PLAIN = "\x1b[0m";

/** A tour through a workspace. */
export class Tour {
  readonly #workspace: Workspace;
  readonly #styled = Deno.stdout.isTerminal() && !Deno.env.get("NO_COLOR");

  /** A tour that has shown nothing yet. */
  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Says what comes next. */
  say(text: string): void {
    console.log(`\n# ${text}`);
  }

  /** Shows a command line or some code. */
  show(text: string): void {
    console.log(this.#styled ? `${BOLD}${text}${PLAIN}` : text);
  }

  /** Runs a command and shows it with its answer. */
  async run(...args: string[]): Promise<string> {
    this.show(`$ svc ${args.map(shellQuote).join(" ")}`);
    const answer = await this.#workspace.svc(...args);
    console.log(answer.trimEnd());
    return answer;
  }

  /** Runs a command that answers a JSON object. */
  async ask(...args: string[]): Promise<JsonObject> {
    const answer: unknown = JSON.parse(await this.run(...args));
    if (!isJsonObject(answer)) throw new Error(`svc ${args.join(" ")} answered no object.`);
    return answer;
  }
}
