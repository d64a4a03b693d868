/** The embedded service of a crash test: a process that comes back at the same address, with what it had. */
import { isJsonObject } from "../../utils/json.ts";
import type { Workspace } from "../workspace.ts";
import { Process } from "./processes.ts";

/** A service that can be killed and started again. */
export class Service implements AsyncDisposable {
  readonly #workspace: Workspace;
  #process?: Process;
  #port = 0;

  /** A service on the directory of a workspace; it is not started yet. */
  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Its data directory. */
  get data(): string {
    return `${this.#workspace.directory}/data`;
  }

  /** Starts it, at the address that it had, and waits until it answers. */
  async start(): Promise<void> {
    const args = ["service", "start", "--port", String(this.#port), "--data", this.data];
    const command = this.#workspace.command(args, { stdout: "piped", stderr: "piped", env: this.#workspace.env });
    const process = new Process(command);
    this.#process = process;
    await process.spoke;
    if (process.end !== undefined) throw new Error(`The service did not start: ${process.end.stderr}`);
    this.#port = await this.#portOf();
  }

  /** Kills it and waits until it is gone. */
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.ended;
  }

  /** Ends it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #portOf(): Promise<number> {
    const state: unknown = JSON.parse(await Deno.readTextFile(`${this.data}/service.json`));
    if (isJsonObject(state) && typeof state.url === "string") return Number(new URL(state.url).port);
    throw new Error("The service does not say where it is.");
  }
}
