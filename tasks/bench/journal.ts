import type { LiveCallOptions } from "../../workflows/engine/live_calls.ts";
import { Runner } from "../../workflows/runs/runner.ts";
import type { EventRecord } from "../../workflows/journal/journal.ts";
import { DEFAULT_LIMITS } from "../../workflows/sandbox/host/limits.ts";
import { openJournal } from "../../workflows/journal/sqlite/sqlite_journal.ts";
import { openWorkflow } from "../../workflows/scripts/open_workflow.ts";
import { measureCommits } from "./baselines.ts";
import { type Figure, measureInTurns } from "./figure.ts";

const RUNS = 32;
const STEPS = 1000;

/** Number of calls that a run finishes before it is resumed. */
export const FINISHED_CALLS = 10_000;

/** Response to each call: a small case. */
export const RESPONSE = JSON.stringify({ id: "T C-1", type: "T", status: "New", data: { caseInfo: { ID: "T C-1" } } });

const SCRIPT = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<number>({
  name: "steps",
  allow: ["cases.create"],
  async run({ svc, input }) {
    for (let step = 0; step < input; step++) await svc.cases.create({ type: "T" });
  },
});
`;

/** Measures the steps per second that concurrent runs write to a journal, each durable before it is sent. */
export async function measureSteps(directory: string): Promise<Figure> {
  const [ours = NaN, theirs = NaN] = await measureInTurns([
    () => runSteps(directory),
    () => measureCommits(directory, 5000),
  ]);
  return {
    name: `journalled steps, ${RUNS} concurrent runs`,
    baseline: "SQLite commits",
    ours,
    theirs,
    unit: "/s",
    limit: 1,
  };
}

async function runSteps(directory: string): Promise<number> {
  await using workflow = await openWorkflow({ script: await writeScript(directory), allowDeclared: true });
  await using journal = await openJournal(`${directory}/steps.db`);
  const start = Promise.withResolvers<number>();
  let arrived = 0;
  const live = {
    async call(_: unknown, { commit }: LiveCallOptions) {
      if (arrived < RUNS && ++arrived === RUNS) start.resolve(performance.now()); // All sandboxes are ready.
      await start.promise;
      await commit(undefined, true);
      return { head: {}, text: RESPONSE };
    },
  };
  const runner = new Runner({ workflow, live, journal, id: await createRun(journal) });
  await Promise.all(Array.from({ length: RUNS }, (_, i) => runner.run({ number: i + 1, place: `${i}`, value: STEPS })));
  return RUNS * STEPS / (performance.now() - await start.promise) * 1000;
}

/** Measures the time until a run with many finished calls makes its first new one. */
export async function measureResume(directory: string): Promise<Figure> {
  await using journal = await openJournal(`${directory}/resume.db`);
  const id = await createRun(journal);
  {
    await using input = await journal.claimInput(id, 1);
    input?.begin({ place: "input", value: FINISHED_CALLS + 1, startedAt: Date.now(), generation: 0 });
    for (let position = 1; position <= FINISHED_CALLS; position++) {
      for (const event of createCall(position)) input?.append(event);
    }
  }
  await journal.durable();
  const started = performance.now();
  await using workflow = await openWorkflow({ script: await writeScript(directory), allowDeclared: true });
  let first = NaN;
  const live = {
    call() {
      first = performance.now();
      return Promise.resolve({ head: {}, text: RESPONSE });
    },
  };
  await new Runner({ workflow, live, journal, id }).run({ number: 1, place: "input", value: FINISHED_CALLS + 1 });
  return {
    name: `resume of ${FINISHED_CALLS} finished calls, to the first new one`,
    baseline: "a second",
    ours: first - started,
    theirs: 1000,
    unit: "ms",
    limit: 1,
  };
}

function createCall(position: number): EventRecord[] {
  const at = Date.now();
  const asked = JSON.stringify({ operation: "cases.create", values: { type: "T" } });
  return [
    { kind: "call", position, at, content: asked },
    { kind: "answer", position, at, content: `{}\n${RESPONSE}` },
  ];
}

async function createRun(journal: Awaited<ReturnType<typeof openJournal>>): Promise<string> {
  const id = crypto.randomUUID();
  const settings = {
    script: "",
    concurrency: RUNS,
    limits: DEFAULT_LIMITS,
    grants: [],
    onUnknown: "stop",
  } as const;
  await journal.createRun({ id, name: "steps", digest: "", settings, state: "open", startedAt: Date.now() });
  return id;
}

/** Writes the workflow, whose input is the number of its calls. Returns its path. */
export async function writeScript(directory: string): Promise<string> {
  const path = `${directory}/steps.ts`;
  await Deno.writeTextFile(path, SCRIPT);
  return path;
}
