import { copyCheckout } from "../../support/copy_checkout.ts";
import { Service } from "../../support/service.ts";
import { API_ROOT, runForOutput, Workspace } from "../../support/workspace.ts";
import { CLIENTS, prepareTarget, type Target } from "../load.ts";
import { timeProcess } from "../processes.ts";
import { WorkflowRuns } from "./workflow_runs.ts";

/** One of the two checkouts that are compared: its built program, and a service of its own. */
export class Side implements AsyncDisposable {
  /** Runs of workflows with its program. */
  readonly runs: WorkflowRuns;
  readonly #workspace: Workspace;
  readonly #scale: number;
  readonly #service: Service;
  #target?: Promise<Target>;

  private constructor(workspace: Workspace, scale: number) {
    this.#workspace = workspace;
    this.#scale = scale;
    this.#service = new Service(workspace);
    this.runs = new WorkflowRuns(workspace);
  }

  /** Builds a copy of a checkout in a folder. `scale` is the share of the work to do. */
  static async build(checkout: string, folder: string, scale: number): Promise<Side> {
    copyCheckout(folder, checkout);
    const build = new Deno.Command(Deno.execPath(), { args: ["task", "build"], cwd: folder });
    await runForOutput(build, `The build of ${checkout}`);
    return await Side.open(folder, scale);
  }

  /** Opens a checkout whose program is already built in `dist/`. `scale` is the share of the work to do. */
  static async open(checkout: string, scale: number): Promise<Side> {
    return new Side(await Workspace.open(`${checkout}/dist/cli.js`), scale);
  }

  /** Returns the work of its service, which is started for the first call. */
  async target(): Promise<Target> {
    return await (this.#target ??= this.#prepare());
  }

  /** Returns the number of repetitions to do instead of all. */
  reduce(repetitions: number): number {
    return Math.ceil(repetitions * this.#scale);
  }

  /** Starts the service again, because some processes stay slow after a bad start. */
  async restart(): Promise<void> {
    if (!this.#service.isRunning) return;
    await this.#service.kill();
    await this.#service.start();
  }

  /** Measures the milliseconds that a command takes. */
  async timeCommand(...args: string[]): Promise<number> {
    return await timeProcess(this.#workspace.command(args));
  }

  async #prepare(): Promise<Target> {
    await this.#service.start();
    const api = `http://127.0.0.1:${this.#service.port}${API_ROOT}`;
    return await prepareTarget(this.#workspace, api, this.reduce(CLIENTS));
  }

  /** Stops the service, and removes its data. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#service.kill();
    await this.runs[Symbol.asyncDispose]();
    await this.#workspace[Symbol.asyncDispose]();
  }
}
