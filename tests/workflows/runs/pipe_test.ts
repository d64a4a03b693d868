/** Inputs from a named pipe without a writer: waiting for them can be interrupted at any time. */
import assert from "node:assert/strict";
import type { Journal } from "../../../workflows/journal/journal.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { LimitedCommand, makeFolder } from "../../harness/svc.ts";
import { eventually } from "../../harness/wait.ts";
import { newRun, scriptText, workflowCommand, writeInput } from "../../harness/workflow.ts";

/** Number of failed inputs: opening them takes longer than noticing that the first one is open. */
const FAILED = 200;

interface Pipe extends AsyncDisposable {
  /** Its path. */
  readonly path: string;
  readonly script: string;
  readonly journal: Journal;
  /** Sends Ctrl-C to `svc workflow` when a condition holds, and returns its exit status. */
  interruptWhen(holds: () => Promise<boolean>, ...args: string[]): Promise<Deno.CommandStatus>;
}

async function openPipe(): Promise<Pipe> {
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await makeFolder({ "script.ts": scriptText("return input;", []) }));
  const path = `${directory}/in`;
  assert((await new LimitedCommand("mkfifo", { args: [path] }).output()).success);
  const journal = stack.use(await openJournal(`${directory}/workflows.db`));
  const moved = stack.move();
  return {
    path,
    script: `${directory}/script.ts`,
    journal,
    async interruptWhen(holds, ...args) {
      const process = workflowCommand(args, { directory, cwd: directory }).spawn();
      await eventually("the run holds the pipe", holds);
      process.kill("SIGINT");
      const late = setTimeout(() => process.kill("SIGKILL"), 20_000);
      const { code, signal, success } = await process.output();
      clearTimeout(late);
      return { code, signal, success };
    },
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const INTERRUPTED = { code: 130, signal: null, success: false };

Deno.test({
  name: "a run whose named pipe has no writer ends with the first Ctrl-C",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using pipe = await openPipe();
    const hasBegun = async () => await pipe.journal.readState("r1") !== undefined;
    const run = ["run", pipe.script, "--each", pipe.path, "--run-id", "r1"];
    assert.deepEqual(await pipe.interruptWhen(hasBegun, ...run), INTERRUPTED);
  },
});

Deno.test({
  name: "a Ctrl-C while retry opens failed inputs is not lost, and the pipe is not awaited",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using pipe = await openPipe();
    const { journal } = pipe;
    const { settings, ...run } = newRun("r1", pipe.script);
    await journal.createRun({ ...run, settings: { ...settings, each: pipe.path } });
    const error = { code: "WORKFLOW_FAILED", message: "oops" } as const;
    for (let number = 1; number <= FAILED; number++) {
      await writeInput(journal, "r1", number, (input) => {
        input.begin({ place: `in:${number}`, startedAt: 0, generation: 0 });
        input.end({ state: "failed", error });
      });
    }
    await journal.durable();
    const isAtWork = async () => (await journal.findInput("r1", 1))?.generation === 1;
    assert.deepEqual(await pipe.interruptWhen(isAtWork, "retry", "r1", "--force"), INTERRUPTED);
  },
});
