import { openWorkflow } from "../../workflows/scripts/open_workflow.ts";
import { Runner } from "../../workflows/runs/runner.ts";
import { type Figure, median } from "./figure.ts";

const RUNS = 40;

const SCRIPT = `import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow({ name: "one", allow: ["cases.get"], run: async ({ svc }) => void await svc.cases.get("C-1") });
`;

/** Compares the time from the start of a sandbox to the first call of its script with an empty program. */
export async function measureSandboxStart(directory: string, empty: Deno.Command): Promise<Figure> {
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
    if (run === 0) continue; // The first sandbox was started in advance.
    times[0].push(called - spawned);
    times[1].push(performance.now() - started);
  }
  const [ours, theirs] = [median(times[0]), median(times[1])];
  return {
    name: "sandbox ready, to its first call",
    baseline: "an empty program",
    ours,
    theirs,
    unit: "ms",
    limit: 1.8,
  };
}
