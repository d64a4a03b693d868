import type { Cluster } from "./cluster.ts";
import type { Engine } from "./engine.ts";
import { formatApplicant } from "./verify.ts";

/** The workers of svc. */
export const SVC_ENGINE: Engine = {
  async prepare(cluster) {
    await Deno.writeTextFile(getScript(cluster), createScript(cluster.steps));
  },
  createBatch(cluster) {
    const flags = ["--each", "-", "--allow-declared", "--workers", cluster.postgres.location, "--quiet"];
    return cluster.command("workflow", "run", getScript(cluster), ...flags);
  },
  createWorker(cluster, _place, location) {
    const flags = ["--store", location, "--allow", "cases.create", "--concurrency", String(cluster.concurrency)];
    return cluster.command("worker", "start", ...flags);
  },
  identify: ({ process }) => `process ${process.pid} at %`,
  claimsSql: `
    SELECT number, fence FROM inputs JOIN workers ON workers.id = inputs.worker
    WHERE ($1::text IS NULL OR workers.name LIKE $1) AND workers.kind = 'worker' AND workers.state <> 'ended'`,
  // An input that is taken again has a fence for its release, and one for the next claim.
  leftSql: `
    SELECT count(*) AS left FROM inputs JOIN unnest($1::integer[], $2::bigint[]) AS claims (number, fence) USING (number)
    WHERE inputs.fence < claims.fence + 2 AND state NOT IN ('done', 'failed')`,
};

function getScript({ workspace }: Cluster): string {
  return `${workspace.directory}/script.ts`;
}

/** Creates the script: each step needs the case of the one before. */
function createScript(steps: number): string {
  return `import { defineWorkflow } from "@svc/lib/workflow";
const formatApplicant = ${formatApplicant};
export default defineWorkflow<number>({
  name: "numbered",
  allow: ["cases.create"],
  async run({ svc, input }) {
    const ids: string[] = [];
    for (let step = 1; step <= ${steps}; step++) {
      const data = { Applicant: formatApplicant(input, step), Address: ids.at(-1) ?? "Main St 1" };
      ids.push((await svc.cases.create({ type: "City-Permit-Work-Permit", data })).id);
    }
    return { input, ids };
  },
});
`;
}
