/** What batches need: the memory of a long one, and the time that a workflow saves against a loop of the shell. */
import { PROGRAM } from "../build.ts";
import { printed, Workspace } from "../workspace.ts";
import { type Figure, inTurns } from "./figure.ts";
import { measured } from "./memory.ts";

/** Cases of the comparison with the shell. */
const CASES = 1000;

/** Cases that the loop of the shell makes: the rest would take it as long again and again. */
const SHELL_CASES = 25;

const NOTHING = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow({ name: "nothing", allow: [], run: ({ input }) => Object.keys(input).length });
`;

/** The only event of a case. */
const EVENT = `{"Resource":"Resource01","PerformedAt":"2026-01-02T03:04:05Z","Last":true}`;

/** What a loop of the shell cannot: the cases are created at the same time. Whoever takes work has one piece at a time. */
const CASE = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<number>({
  name: "cases",
  allow: ["cases.create", "assignments.get-next", "assignments.perform"],
  async run({ svc, input }) {
    await Promise.all(Array.from({ length: input }, () => svc.cases.create({ type: "City-Permit-Work-Receipt" })));
    for (let count = 0; count < input; count++) {
      const next = await svc.assignments.getNext();
      const action = "Confirmation of receipt";
      await svc.assignments.perform(next.id, { action, data: ${EVENT}, ifMatch: next.etag });
    }
  },
});
`;

const SHELL = `set -e
i=0
while [ $i -lt ${SHELL_CASES} ]; do
  "$@" cases create --type City-Permit-Work-Receipt > /dev/null
  next=$("$@" assignments get-next --fields id,etag --format compact |
    sed 's/.*"id":"\\([^"]*\\)","etag":"\\([^"]*\\)".*/\\1|\\2/')
  "$@" assignments perform "\${next%|*}" --if-match "\${next#*|}" --action "Confirmation of receipt" --data '${EVENT}' > /dev/null
  i=$((i + 1))
done
`;

/** Inputs of the batch that a longer one is compared with, at most. */
const FEW_INPUTS = 10_000;

/** The memory of a long batch against that of a shorter one. */
export async function memoryOfBatch(inputs: number): Promise<Figure> {
  const few = Math.min(FEW_INPUTS, Math.ceil(inputs / 10));
  await using workspace = await Workspace.open();
  const peaks = [];
  for (const count of [inputs, few]) {
    await writeInputs(`${workspace.directory}/inputs.ndjson`, count);
    peaks.push(await batchPeak(workspace, `${workspace.directory}/inputs.ndjson`));
  }
  const [ours = NaN, theirs = NaN] = peaks;
  return {
    what: `memory of a batch of ${inputs} inputs`,
    baseline: `of ${few}`,
    ours,
    theirs,
    unit: "MiB",
    limit: 1.2,
  };
}

async function batchPeak(workspace: Workspace, inputs: string): Promise<number> {
  const script = `${workspace.directory}/nothing.ts`;
  await Deno.writeTextFile(script, NOTHING);
  const { peak } = await measured(workspace, ["workflow", "run", script, "--each", inputs, "--quiet"]);
  return peak;
}

/** Inputs of 200 bytes each. */
async function writeInputs(path: string, count: number): Promise<void> {
  using file = await Deno.open(path, { write: true, create: true, truncate: true });
  const writer = file.writable.getWriter();
  const encoder = new TextEncoder();
  for (let from = 0; from < count; from += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - from) }, (_, i) => {
      return JSON.stringify({ n: from + i, text: "x".repeat(200) }).slice(0, 197) + '"}\n';
    });
    await writer.write(encoder.encode(lines.join("")));
  }
  writer.releaseLock();
}

/** Cases per second by a workflow and by a loop of the shell over the command. */
export async function againstShell(): Promise<Figure> {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  const script = `${workspace.directory}/cases.ts`;
  await Deno.writeTextFile(script, CASE);
  const args = ["workflow", "run", script, "--input", String(CASES), "--allow-declared"];
  const run = workspace.command(args);
  const [ours = NaN, theirs = NaN] = await inTurns([
    () => rateOf(run, CASES),
    () => rateOf(shellLoop(workspace), SHELL_CASES),
  ]);
  return {
    what: `${CASES} cases created and performed by a workflow`,
    baseline: "by a shell loop over the command",
    ours,
    theirs,
    unit: "/s",
    limit: 30,
  };
}

function shellLoop(workspace: Workspace): Deno.Command {
  const args = ["-c", SHELL, "sh", Deno.execPath(), "run", "--allow-all", PROGRAM];
  return new Deno.Command("/bin/sh", { args, env: workspace.env });
}

async function rateOf(command: Deno.Command, cases: number): Promise<number> {
  const started = performance.now();
  await printed(command);
  return cases / (performance.now() - started) * 1000;
}
