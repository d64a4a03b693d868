import { isJsonObject } from "../../utils/json.ts";
import type { Workspace } from "./workspace.ts";
import { Process } from "./processes.ts";

/** An embedded service that can be killed, and started again at the same address with its data. */
export class Service implements AsyncDisposable {
  readonly #workspace: Workspace;
  readonly #flags: readonly string[];
  #process?: Process;
  #port = 0;

  /** Creates a service in the directory of a workspace, with flags for its start. It is not started yet. */
  constructor(workspace: Workspace, flags: readonly string[] = []) {
    this.#workspace = workspace;
    this.#flags = flags;
  }

  /** Its data directory. */
  get data(): string {
    return `${this.#workspace.directory}/data`;
  }

  /** Starts the service, at its previous address, and waits until it responds. */
  async start(): Promise<void> {
    const args = ["service", "start", "--port", String(this.#port), "--data", this.data, ...this.#flags];
    const command = this.#workspace.command(args, { stdout: "piped", stderr: "piped", env: this.#workspace.env });
    const process = new Process(command);
    this.#process = process;
    await process.hasResult;
    if (process.end !== undefined) throw new Error(`The service did not start: ${process.end.stderr}`);
    this.#port = await this.#readPort();
  }

  /** Identifier of the current or last process. */
  get pid(): number {
    if (this.#process === undefined) throw new Error("The service was never started.");
    return this.#process.pid;
  }

  /** Kills the service and waits until it has ended. */
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.ended;
  }

  /** Kills the service. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #readPort(): Promise<number> {
    const state: unknown = JSON.parse(await Deno.readTextFile(`${this.data}/service.json`));
    if (isJsonObject(state) && typeof state.url === "string") return Number(new URL(state.url).port);
    throw new Error("service.json contains no url.");
  }
}
