/** What batches need: the memory of a long one, and the time that a workflow saves against a loop of the shell. */
import { PROGRAM } from "../build.ts";
import { Workspace } from "../workspace.ts";
import type { Figure } from "./figure.ts";
import { measured } from "./memory.ts";
import { MEASURED, secondsOf, serviceOf } from "./slices.ts";

/** Cases of the comparison with the shell. */
const CASES = 1000;

/** Cases that the loop of the shell makes: the rest would take it as long again and again. */
const SHELL_CASES = 25;

const NOTHING = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow({ name: "nothing", allow: [], run: ({ input }) => Object.keys(input).length });
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

/** Inputs of the batch that a longer one is compared with, at most. */
const FEW_INPUTS = 10_000;

/** The memory of a long batch against that of a shorter one. */
export async function memoryOfBatch(inputs: number): Promise<Figure> {
  const few = Math.min(FEW_INPUTS, Math.ceil(inputs / 10));
  await using workspace = await Workspace.open(PROGRAM);
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
  const pace = ["--concurrency", String(navigator.hardwareConcurrency)]; // More sandboxes would only wait for each other.
  const { peak } = await measured(workspace, ["workflow", "run", script, "--each", inputs, "--quiet", ...pace]);
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

/** Times that both sides of the comparison with the shell are run. */
const ROUNDS = 4;

/** Cases per second by a workflow and by a loop of the shell over the command. */
export async function againstShell(): Promise<Figure> {
  await using offices = new AsyncDisposableStack();
  const open = async () => {
    const office = offices.use(await Workspace.open(PROGRAM));
    await office.startService();
    return { office, service: await serviceOf(office) };
  };
  const [ours, theirs] = [await open(), await open()];
  const [workflow = NaN, loop = NaN] = await secondsOf(ROUNDS, async () => [
    { programs: [await workflowIn(ours.office)], service: ours.service },
    { programs: [shellLoop(theirs.office)], service: theirs.service },
  ]);
  return {
    what: `${CASES} cases created and performed by a workflow`,
    baseline: "by a shell loop over the command",
    ours: ROUNDS * CASES / workflow,
    theirs: ROUNDS * SHELL_CASES / loop,
    unit: "/s",
    limit: 30,
  };
}

async function workflowIn(office: Workspace): Promise<Deno.Command> {
  const script = `${office.directory}/cases.ts`;
  await Deno.writeTextFile(script, WORKFLOW);
  return office.command(["workflow", "run", script, "--input", String(CASES), "--allow-declared"], MEASURED);
}

function shellLoop(office: Workspace): Deno.Command {
  const args = ["-c", SHELL, "sh", Deno.execPath(), "run", "--allow-all", PROGRAM];
  return new Deno.Command("/bin/sh", { args, env: office.env, ...MEASURED });
}
