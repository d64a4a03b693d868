/** The commands of `svc workflow`. */
import { SvcError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { type CommandContext, localCommand, type LocalGroup } from "./local.ts";

/** The commands by name. */
export const commands: LocalGroup = {
  run: localCommand({
    summary: "Run a workflow script in a sandbox",
    dryRun: true,
    details:
      "The script runs in a process without any permission. What it prints goes to stderr, its result to stdout. " +
      "With --each it runs once per line of a file; stdout gets one line of JSON per input, in the order of the file.",
    args: [{ name: "script", help: "Script that exports a workflow", type: "string", required: true }],
    flags: {
      input: { help: "Input of the run", type: "json", placeholder: "json" },
      each: { help: "Run once per line of an NDJSON or CSV file", type: "string", placeholder: "file" },
      concurrency: { help: "Inputs of --each to work on at a time", type: "integer", default: "4" },
      allow: { help: "Operations to grant: cases.create, assignments.*, *", type: "list", placeholder: "operations" },
      allowDeclared: { help: "Grant all that the script asks for", type: "boolean" },
      timeout: { help: "Seconds that one run may take", type: "integer", placeholder: "seconds", default: "300" },
      maxMemory: { help: "MiB of memory that one run may use", type: "integer", placeholder: "mib", default: "256" },
      root: {
        help: "Folder of the files that the script imports; its own by default",
        type: "string",
        placeholder: "folder",
      },
    },
    example: `intake.ts --input '{"Applicant":"Ada","Address":"Main St 1"}' --allow-declared`,
    async run(context, { script, input, each, concurrency, timeout, maxMemory, ...grants }) {
      checkFlags(context, input, each, concurrency);
      const [{ openWorkflow }, { createCaller }, { callerOptions }] = await Promise.all([
        import("../../workflows/run.ts"),
        import("../client/caller.ts"),
        import("./service_access.ts"),
      ]);
      await using workflow = await openWorkflow({
        ...grants,
        script,
        limits: { timeoutSeconds: timeout, maxMemoryMiB: maxMemory },
        caller: createCaller(callerOptions(context)),
        ask: canAsk(context) ? ask : undefined,
        signal: context.signal,
      });
      if (each !== undefined) {
        const { runEach } = await import("./workflow_batch.ts");
        return await runEach(context, workflow, each, concurrency);
      }
      await context.print(await workflow.run(input, { onLog: (text) => context.io.stderr.write(text + "\n") }));
    },
  }),
  init: localCommand({
    summary: "Write a starter script, and what an editor needs to check it",
    args: [{ name: "folder", help: "Folder to write into", type: "string", default: "." }],
    example: "workflows",
    async run(context, { folder }) {
      const { initWorkflows } = await import("../../workflows/init.ts");
      await context.print(await initWorkflows(folder));
    },
  }),
};

function checkFlags(
  { globals }: CommandContext,
  input: JsonValue | undefined,
  each: string | undefined,
  concurrency: number,
): void {
  if (globals.dryRun) {
    throw new SvcError("INVALID_ARGS", "--dry-run cannot show what a script would do.", {
      hint: "Leave it out, or grant operations that only read, e.g. --allow cases.get.",
    });
  }
  if (input !== undefined && each !== undefined) {
    throw new SvcError("INVALID_ARGS", "--input and --each are mutually exclusive.", { hint: "Give one of them." });
  }
  if (concurrency < 1) throw new SvcError("INVALID_ARGS", "--concurrency must be at least 1.");
}

function canAsk({ io }: CommandContext): boolean {
  return io.stdin.isTerminal() && io.stderr.isTerminal();
}

async function ask(workflow: string, asked: readonly string[]): Promise<boolean> {
  const { promptsOfProcess } = await import("./prompts.ts");
  const prompts = await promptsOfProcess();
  return await prompts.confirm(`May the workflow ${workflow} call ${asked.join(", ")}?`, false);
}
