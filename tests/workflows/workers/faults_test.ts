/** Workers that are killed, stopped, or cut off from the database: others continue their inputs, and nothing is repeated. */
import assert from "node:assert/strict";
import { TcpProxy } from "../../../tasks/support/tcp_proxy.ts";
import { openPostgresJournal } from "../../../workflows/journal/postgres/postgres_journal.ts";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { eventually, readUntil, within } from "../../harness/wait.ts";
import { CREATE_CASE, openScriptWorkspace } from "../../harness/workflow.ts";

/** Waits after its change until the test has created a second case. */
const SCRIPT = `${CREATE_CASE}
while ((await svc.data.count("D_Permits")).resultCount < 2) await new Promise((again) => setTimeout(again, 200));
await svc.tags.add(made.id, { tag: ["urgent"] });
return made.id;`;

/** Seconds in which others must continue an input: a multiple of the promised 2 seconds, because the machine may be busy. */
const LIMIT = 20;

/** Makes the last heartbeat of the first worker as old as that of a worker that has been silent for its whole lease. */
const AGE = `UPDATE workers SET "seenAt" = "seenAt" - interval '12 seconds' WHERE id = (SELECT min(id) FROM workers)`;

interface Disturbance {
  /** Disturbs a worker that has made the first change of an input. */
  readonly start: (worker: Deno.ChildProcess, proxy: TcpProxy) => void;
  /** Ends the disturbance when another worker has the input. */
  readonly end?: (worker: Deno.ChildProcess, proxy: TcpProxy) => void;
  /** True if only its silence tells others that the worker is gone. */
  readonly isSilent?: boolean;
}

async function testTakeover({ start, end, isSilent = false }: Disturbance): Promise<void> {
  await using workspace = await openScriptWorkspace(SCRIPT);
  await using schema = useTestSchema();
  await using journal = await openPostgresJournal(schema.location);
  const { port } = schema.parsed;
  using proxy = new TcpProxy(() => [port]);
  const startWorker = async (store: string) => {
    const process = workspace.worker("start", "--store", store, "--allow", "*", "--concurrency", "1");
    const { rest } = await readUntil(process.stderr, "takes up to");
    return { process, rest };
  };
  const first = await startWorker(schema.location.replace(`:${port}/`, `:${proxy.port}/`));
  const options = ["--allow-declared", "--run-id", "r1", "--workers", schema.location];
  const submitted = workspace.svc("run", "script.ts", ...options);
  await eventually("the first worker has created a case", async () => await workspace.permits() === 1);
  const readClaim = async () => (await journal.database.query("SELECT worker, fence FROM inputs"))[0];
  const claim = await readClaim();
  const second = await startWorker(schema.location);
  start(first.process, proxy);
  if (isSilent) await journal.database.query(AGE);
  await eventually("the second worker has the input", async () => {
    const next = await readClaim();
    return typeof next?.worker === "number" && next.worker !== claim?.worker;
  }, { seconds: LIMIT });
  end?.(first.process, proxy);
  await workspace.createPermit();
  const { code, stdout, stderr } = await submitted;
  assert.equal(code, 0, stderr);
  assert.equal(await workspace.permits(), 2);
  const events = await journal.events("r1", 1);
  const calls = events.filter(({ kind, content }) => kind === "call" && /cases\.create|tags\.add/.test(content));
  assert.deepEqual([calls.length, (await journal.verify()).damaged], [2, []], stdout);
  if (end !== undefined) first.process.kill("SIGTERM");
  second.process.kill("SIGTERM");
  const [{ code: firstCode }, { code: secondCode }] = await within(
    "the workers end",
    Promise.all([first.process.status, second.process.status, first.rest, second.rest]),
  );
  assert.deepEqual([firstCode, secondCode], [end === undefined ? 137 : 0, 0]);
}

Deno.test("another worker continues the input of a killed worker", () =>
  testTakeover({ start: (worker) => worker.kill("SIGKILL") }));

Deno.test("the late writes of a stopped worker are refused when it runs again", () =>
  testTakeover({
    isSilent: true,
    start: (worker) => worker.kill("SIGSTOP"),
    end: (worker) => worker.kill("SIGCONT"),
  }));

Deno.test("the late writes of a worker with frozen connections are refused when they work again", () =>
  testTakeover({
    isSilent: true,
    start: (_worker, proxy) => proxy.freeze(),
    end: (_worker, proxy) => proxy.thaw(),
  }));
