import { findFreePort } from "./free_port.ts";
import type { Workspace } from "./workspace.ts";
import { Process } from "./processes.ts";

/** Options of a service. */
export interface ServiceStart {
  /** Flags for its start. */
  readonly flags?: readonly string[];
  /** Data directory. Default: `data` in the workspace. */
  readonly data?: string;
  /** Profile that its first start writes. Default: `default`. */
  readonly profile?: string;
}

/** An embedded service that can be killed, and started again at the same address with its data. */
export class Service implements AsyncDisposable {
  /** Its data directory. */
  readonly data: string;
  /** Its port. */
  readonly port: number = findFreePort();
  readonly #workspace: Workspace;
  readonly #flags: readonly string[];
  #process?: Process;

  /** Creates a service for a workspace. It is not started yet. */
  constructor(workspace: Workspace, { flags = [], data = `${workspace.directory}/data`, profile }: ServiceStart = {}) {
    this.data = data;
    this.#workspace = workspace;
    this.#flags = profile === undefined ? flags : [...flags, "--profile", profile];
  }

  /** Starts the service, always at the same address, and waits until it responds. */
  async start(): Promise<void> {
    const args = ["service", "start", "--port", String(this.port), "--data", this.data, ...this.#flags];
    const command = this.#workspace.command(args, { stdout: "piped", stderr: "piped", env: this.#workspace.env });
    const process = new Process(command);
    this.#process = process;
    await process.hasResult;
    if (process.end !== undefined) throw new Error(`The service did not start: ${process.end.stderr}`);
  }

  /** Identifier of the current or last process. */
  get pid(): number {
    if (this.#process === undefined) throw new Error("The service was never started.");
    return this.#process.pid;
  }

  /** True while its process runs. */
  get isRunning(): boolean {
    return this.#process !== undefined && this.#process.end === undefined;
  }

  /** Sends a signal, unless the service has ended. */
  signal(signal: Deno.Signal): void {
    this.#process?.signal(signal);
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
}
