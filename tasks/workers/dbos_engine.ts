import { fileURLToPath } from "node:url";
import type { Cluster } from "./cluster.ts";
import type { Engine } from "./engine.ts";

/** Names in the database of DBOS. */
export const DBOS_NAMES = { application: "svc-bench", workflow: "numbered", queue: "inputs", version: "1" };

/** Milliseconds between two reads of the database. The default of one second would dominate the figures. */
export const POLL_MILLISECONDS = 20;

/** Workers of DBOS. A worker that replaces a killed one has its name, and therefore continues its inputs. */
export const DBOS_ENGINE: Engine = {
  async prepare({ postgres }) {
    const { DBOS } = await import("@dbos-inc/dbos-sdk");
    await DBOS.migrate(postgres.location); // Workers that start at the same time would disturb each other.
  },
  createBatch: (cluster) => createCommand(cluster, "dbos_batch.ts", [cluster.postgres.location]),
  createWorker(cluster, place, location) {
    const { concurrency, steps } = cluster;
    return createCommand(cluster, "dbos_worker.ts", [location, nameWorker(place), String(concurrency), String(steps)]);
  },
  identify: ({ place }) => nameWorker(place),
  claimsSql: `
    SELECT workflow_uuid AS number, recovery_attempts AS fence FROM dbos.workflow_status
    WHERE ($1::text IS NULL OR executor_id = $1) AND status = 'PENDING'`,
  leftSql: `
    SELECT count(*) AS left FROM dbos.workflow_status
    JOIN unnest($1::text[], $2::bigint[]) AS claims (number, fence) ON number = workflow_uuid
    WHERE status NOT IN ('SUCCESS', 'ERROR') AND NOT (status = 'PENDING' AND recovery_attempts > fence)`,
};

function nameWorker(place: number): string {
  return `worker${place}`;
}

function createCommand({ url, workspace }: Cluster, program: string, args: readonly string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", fileURLToPath(new URL(program, import.meta.url)), ...args],
    env: { ...workspace.env, SVC_BASE_URL: url },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}
