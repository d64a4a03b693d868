import { PROGRAM } from "../build.ts";
import { Workspace } from "../support/workspace.ts";
import type { Figure } from "./figure.ts";
import { measureCommand } from "./peak_memory.ts";
import { findServiceProcess, PROGRAM_OPTIONS, timeTasks } from "./time_slices.ts";

/** Number of cases that the workflow creates. */
const CASES = 1000;

/** Number of cases that the shell loop creates. More would take too long and not change the rate. */
const SHELL_CASES = 25;

const EMPTY_WORKFLOW = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow({ name: "empty", allow: [], run: ({ input }) => Object.keys(input).length });
`;

/** The only event of a case. */
const EVENT = `{"Resource":"Resource01","PerformedAt":"2026-01-02T03:04:05Z","Last":true}`;

const WORKFLOW = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<number>({
  name: "cases",
  allow: ["cases.create", "assignments.get-next", "assignments.perform"],
  async run({ svc, input }) {
    const create = () => svc.cases.create({ type: "City-Permit-Work-Receipt" });
    const cases = await Promise.all(Array.from({ length: input }, create));
    for (const _ of cases) {
      const next = await svc.assignments.getNext();
      const params = { action: "Confirmation of receipt", data: ${EVENT} };
      await svc.assignments.perform(next.id, params, { ifMatch: next.etag });
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

/** Maximum length of the batch that a longer one is compared with. */
const MAX_FEW_INPUTS = 10_000;

/** Compares the peak memory of a long batch with that of a shorter one. */
export async function measureBatchMemory(inputs: number): Promise<Figure> {
  const few = Math.min(MAX_FEW_INPUTS, Math.ceil(inputs / 10));
  await using workspace = await Workspace.open(PROGRAM);
  const peaks = [];
  for (const count of [inputs, few]) {
    await writeInputs(`${workspace.directory}/inputs.ndjson`, count);
    peaks.push(await measureBatch(workspace, `${workspace.directory}/inputs.ndjson`));
  }
  const [ours = NaN, theirs = NaN] = peaks;
  return {
    name: `memory of a batch of ${inputs} inputs`,
    baseline: `${few} inputs`,
    ours,
    theirs,
    unit: "MiB",
    limit: 1.2,
  };
}

async function measureBatch(workspace: Workspace, inputs: string): Promise<number> {
  const script = `${workspace.directory}/empty.ts`;
  await Deno.writeTextFile(script, EMPTY_WORKFLOW);
  const pace = ["--concurrency", String(navigator.hardwareConcurrency)]; // More sandboxes would only wait for each other.
  const { peak } = await measureCommand(workspace, ["workflow", "run", script, "--each", inputs, "--quiet", ...pace]);
  return peak;
}

/** Writes inputs of 200 bytes each. */
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

const ROUNDS = 4;

/** Compares a workflow with a shell loop over the command, in cases per second. */
export async function compareWithShell(): Promise<Figure> {
  await using workspaces = new AsyncDisposableStack();
  const open = async () => {
    const workspace = workspaces.use(await Workspace.open(PROGRAM));
    await workspace.startService();
    return { workspace, service: await findServiceProcess(workspace) };
  };
  const [ours, theirs] = [await open(), await open()];
  const [workflow = NaN, loop = NaN] = await timeTasks(ROUNDS, async () => [
    { programs: [await createWorkflow(ours.workspace)], service: ours.service },
    { programs: [createShellLoop(theirs.workspace)], service: theirs.service },
  ]);
  return {
    name: `${CASES} cases created and performed by a workflow`,
    baseline: "a shell loop over the command",
    ours: ROUNDS * CASES / workflow,
    theirs: ROUNDS * SHELL_CASES / loop,
    unit: "/s",
    limit: 30,
  };
}

async function createWorkflow(workspace: Workspace): Promise<Deno.Command> {
  const script = `${workspace.directory}/cases.ts`;
  await Deno.writeTextFile(script, WORKFLOW);
  const args = ["workflow", "run", script, "--input", String(CASES), "--allow-declared"];
  return workspace.command(args, PROGRAM_OPTIONS);
}

function createShellLoop(workspace: Workspace): Deno.Command {
  const args = ["-c", SHELL, "sh", Deno.execPath(), "run", "--allow-all", PROGRAM];
  return new Deno.Command("/bin/sh", { args, env: workspace.env, ...PROGRAM_OPTIONS });
}
