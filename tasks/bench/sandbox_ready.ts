/** How long a script waits for its sandbox. */
import { openWorkflow } from "../../workflows/runs/open_workflow.ts";
import { Runner } from "../../workflows/runs/runner.ts";
import { type Figure, median } from "./figure.ts";

const RUNS = 40;

const SCRIPT = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow({ name: "one", allow: ["cases.get"], run: async ({ svc }) => void await svc.cases.get("C-1") });
`;

/** Time from the start of a sandbox's process to the script's first call, against a whole empty program. */
export async function sandboxReady(directory: string, empty: Deno.Command): Promise<Figure> {
  const script = `${directory}/one.ts`;
  await Deno.writeTextFile(script, SCRIPT);
  await using workflow = await openWorkflow({ script, allowDeclared: true });
  let called = 0;
  const text = JSON.stringify({ id: "C-1", type: "T", status: "New", data: { caseInfo: { ID: "C-1" } } });
  const live = {
    call() {
      called = performance.now();
      return Promise.resolve({ head: {}, text });
    },
  };
  const runner = new Runner({ workflow, live });
  const times: [number[], number[]] = [[], []];
  for (let run = 0; run < RUNS; run++) {
    const spawned = performance.now();
    await runner.run({ number: run + 1, place: "input" });
    const started = performance.now();
    await empty.output();
    if (run === 0) continue; // The first sandbox was loaded before.
    times[0].push(called - spawned);
    times[1].push(performance.now() - started);
  }
  const [ours, theirs] = [median(times[0]), median(times[1])];
  return {
    what: "sandbox ready, to its first call",
    baseline: "an empty program",
    ours,
    theirs,
    unit: "ms",
    limit: 1.8,
  };
}
