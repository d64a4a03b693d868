import { cpSync } from "node:fs";
import { clientEnvironment, startFakeService } from "../../../tests/harness/fake_service.ts";
import { readOutput, runForOutput, type Workspace } from "../../support/workspace.ts";
import { RESPONSE, writeScript } from "../journal.ts";

/** Number of inputs that make steps at the same time. */
const INPUTS = 4;

const RUN = "recorded";

/** Runs a workflow with the program of a workspace. Its calls go to a stub, which responds to each with the same case. */
export class WorkflowRuns implements AsyncDisposable {
  readonly #workspace: Workspace;
  readonly #stub = startFakeService({ api: () => this.#respond() });
  /** Arrival times of the calls of the current command. */
  #arrivals: number[] = [];
  #onCall = (_call: number): void => {};
  #recording?: Promise<string>;

  /** Starts the stub. */
  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Measures the steps per second of a batch, from its first call to its last. */
  async measureStepRate(steps: number): Promise<number> {
    const { directory } = this.#workspace;
    const each = `${directory}/steps.ndjson`;
    await Deno.writeTextFile(each, `${Math.ceil(steps / INPUTS)}\n`.repeat(INPUTS));
    const batch = ["--each", each, "--concurrency", String(INPUTS)];
    await runForOutput(await this.#run(`${directory}/steps.db`, ...batch), "The batch");
    const [first = NaN] = this.#arrivals;
    return (this.#arrivals.length - 1) / ((this.#arrivals.at(-1) ?? NaN) - first) * 1000;
  }

  /** Measures the milliseconds from the start of a command that resumes a run with finished calls to its first new call. */
  async measureResume(calls: number): Promise<number> {
    const recording = await (this.#recording ??= this.#record(calls));
    const copy = `${recording}-copy`;
    cpSync(recording, copy, { recursive: true });
    const args = ["resume", RUN, "--journal", `${copy}/journal.db`, "--on-unknown", "repeat"];
    const started = performance.now();
    await runForOutput(this.#command(...args), "The resumed run");
    await Deno.remove(copy, { recursive: true });
    return (this.#arrivals[0] ?? NaN) - started;
  }

  /** Records a run that is killed during the call after the given number of calls. Returns the directory of its journal. */
  async #record(calls: number): Promise<string> {
    const directory = `${this.#workspace.directory}/recording`;
    await Deno.mkdir(directory);
    const run = await this.#run(`${directory}/journal.db`, "--input", String(calls + 1), "--run-id", RUN);
    const child = run.spawn();
    this.#onCall = (call) => void (call > calls && child.kill("SIGKILL"));
    const output = await child.output();
    this.#onCall = () => {};
    if (output.signal !== "SIGKILL") readOutput(output, "The run to record");
    return directory;
  }

  async #run(journal: string, ...input: string[]): Promise<Deno.Command> {
    const script = await writeScript(this.#workspace.directory);
    return this.#command("run", script, "--journal", journal, "--allow-declared", ...input);
  }

  #command(...args: string[]): Deno.Command {
    this.#arrivals = [];
    const env = { ...this.#workspace.env, ...clientEnvironment(this.#stub) };
    return this.#workspace.command(["workflow", ...args, "--quiet"], { env, stdout: "piped", stderr: "piped" });
  }

  #respond(): Response {
    this.#arrivals.push(performance.now());
    this.#onCall(this.#arrivals.length);
    return new Response(RESPONSE, { headers: { "content-type": "application/json" } });
  }

  /** Stops the stub. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stub[Symbol.asyncDispose]();
  }
}
