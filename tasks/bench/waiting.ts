import { DatabaseSync } from "node:sqlite";
import { openJournal } from "../../workflows/journal/sqlite/sqlite_journal.ts";
import { DEFAULT_LIMITS } from "../../workflows/sandbox/host/limits.ts";
import { openWorkflow } from "../../workflows/scripts/open_workflow.ts";
import { delay } from "../../utils/async/abort.ts";
import { PROGRAM } from "../build.ts";
import { Workspace } from "../support/workspace.ts";
import type { Figure } from "./figure.ts";
import { readPeakMemory } from "./peak_memory.ts";

/** Number of inputs that wait. */
const WAITING = 100_000;

/** Most memory in MiB of the process that works on them. */
const MAX_MEMORY = 300;

/** Most milliseconds per waiting input until the input after them has ended. */
const MAX_MILLISECONDS = 1;

/** Milliseconds of the wait. */
const MONTH = 30 * 24 * 3600 * 1000;

const SCRIPT = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<number>({
  name: "waiting",
  allow: [],
  async run({ input, sleep }) {
    if (input <= ${WAITING}) await sleep(${MONTH});
    return input;
  },
});
`;

/** Resumes a run whose inputs wait, except for the last one, and measures its memory and the time until that one has ended. */
export async function measureWaiting(): Promise<Figure[]> {
  await using workspace = await Workspace.open(PROGRAM);
  const journal = `${workspace.directory}/waiting.db`;
  await recordRun(workspace.directory, journal);
  const started = performance.now();
  const command = ["workflow", "resume", "r1", "--journal", journal, "--quiet"];
  const resumed = workspace.command(command, { stdout: "null", stderr: "inherit" }).spawn();
  await waitForEnd(journal);
  const milliseconds = performance.now() - started;
  const peak = await readPeakMemory(resumed.pid);
  resumed.kill("SIGINT");
  await resumed.status;
  const baseline = "the target";
  return [
    { name: `memory with ${WAITING} waiting inputs`, baseline, ours: peak, theirs: MAX_MEMORY, unit: "MiB", limit: 1 },
    {
      name: "resume, per waiting input",
      baseline,
      ours: milliseconds / WAITING,
      theirs: MAX_MILLISECONDS,
      unit: "ms",
      limit: 1,
    },
  ];
}

/** Records a run as it is after its inputs have begun to wait. The last input has not started. */
async function recordRun(directory: string, path: string): Promise<void> {
  const script = `${directory}/waiting.ts`;
  await Deno.writeTextFile(script, SCRIPT);
  const each = `${directory}/waiting.ndjson`;
  await Deno.writeTextFile(each, Array.from({ length: WAITING + 1 }, (_, index) => `${index + 1}\n`).join(""));
  await using workflow = await openWorkflow({ script });
  await using journal = await openJournal(path);
  const settings = { script, each, concurrency: 4, limits: DEFAULT_LIMITS, grants: [], onUnknown: "stop" } as const;
  const startedAt = Date.now();
  await journal.createRun({ id: "r1", name: "waiting", digest: workflow.digest, settings, state: "open", startedAt });
  const content = JSON.stringify({ operation: "sleep", values: { milliseconds: MONTH } });
  for (let number = 1; number <= WAITING; number++) {
    await using claim = await journal.claimInput("r1", number);
    claim?.begin({ place: `waiting.ndjson:${number}`, value: number, startedAt, generation: 0 });
    claim?.append({ kind: "call", position: 1, at: startedAt, content });
    claim?.wait(startedAt + MONTH);
    if (number % 1000 === 0) await journal.durable();
  }
}

/** Waits until the last input has ended. */
async function waitForEnd(path: string): Promise<void> {
  using database = new DatabaseSync(path, { readOnly: true });
  const find = database.prepare("SELECT 1 FROM inputs WHERE number = ? AND state = 'done'");
  while (find.get(WAITING + 1) === undefined) await delay(20);
}
