/** Workflows through a proxy that cuts, delays and rejects requests: every effect happens once, or the input stops. */
import assert from "node:assert/strict";
import { findProfile, saveProfile } from "../../../lib/auth/profiles.ts";
import { createClient } from "../../../mod.ts";
import { Batch, type BatchEnd } from "../../../tasks/crash/batch.ts";
import { createSeed, SeededRandom } from "../../../tasks/support/seeded_random.ts";
import { judge, listFaults } from "../../../tasks/crash/verdict.ts";
import { createReference, readOutcome, type Reference } from "../../../tasks/crash/outcome.ts";
import { Service } from "../../../tasks/support/service.ts";
import { Workspace } from "../../../tasks/support/workspace.ts";
import { type FaultProxy, FAULTS, type ProxyFault, startFaultProxy } from "../../harness/fault_proxy.ts";
import { PROGRAM } from "../../harness/svc.ts";
import { scriptText } from "../../harness/workflow.ts";

const SEED = Number(Deno.env.get("SVC_TEST_SEED") ?? createSeed());
const INPUTS = 8;

/** Maximum number of times that a run is resumed or retried. */
const MAX_RETRIES = 25;

const EVERY_FAULT = Object.fromEntries(FAULTS.map((fault) => [fault, fault === "pass" ? 60 : 1]));

const reference: Promise<Reference> = createReference(PROGRAM);

/** A service behind a proxy, and the profile `faulty` that uses the proxy. */
interface Faulty extends AsyncDisposable {
  readonly workspace: Workspace;
  readonly service: Service;
  readonly proxy: FaultProxy;
  /** Creates a batch of the script of the crash test, which uses the proxy. */
  batch(...flags: string[]): Batch;
}

async function openFaulty(
  faults: Partial<Record<ProxyFault, number>>,
  idempotencyKeys: boolean,
  choose?: (head: string) => ProxyFault,
): Promise<Faulty> {
  await using stack = new AsyncDisposableStack();
  const workspace = stack.use(await Workspace.open(PROGRAM));
  const service = stack.use(new Service(workspace));
  await service.start();
  const directory = workspace.env.SVC_CONFIG_DIR ?? "";
  const profile = findProfile("default", directory, assert.fail);
  const proxy = stack.use(
    await startFaultProxy({ target: new URL(profile?.baseUrl ?? ""), seed: SEED, faults, choose }),
  );
  await saveProfile("faulty", { ...profile, baseUrl: proxy.url, idempotencyKeys }, directory);
  const resources = stack.move();
  return {
    workspace,
    service,
    proxy,
    batch: (...flags) => new Batch(workspace, "f1", INPUTS, ["--profile", "faulty", ...flags]),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Runs a batch until all inputs are done or it has failed too often. */
async function finish(batch: Batch): Promise<BatchEnd> {
  let failures = 0;
  return await batch.finish(() => failures++ < MAX_RETRIES);
}

async function listAllFaults({ workspace, service }: Faulty, batch: Batch, end: BatchEnd): Promise<string[]> {
  const ended = [[batch, end]] as const;
  return listFaults(judge(await reference, await readOutcome(workspace, service, ended), ended));
}

Deno.test(`every effect happens exactly once despite network faults (SVC_TEST_SEED=${SEED})`, async () => {
  await using faulty = await openFaulty(EVERY_FAULT, true);
  const batch = faulty.batch();
  assert.deepEqual(await listAllFaults(faulty, batch, await finish(batch)), []);
  for (const fault of FAULTS) assert.ok(faulty.proxy.counts[fault] > 0, `${fault} did not happen`);
});

Deno.test(`without keys, an input stops at an unknown outcome and repeats no change (SVC_TEST_SEED=${SEED})`, async () => {
  await using faulty = await openFaulty(EVERY_FAULT, false);
  const batch = faulty.batch();
  const end = await batch.finish();
  const { effects } = await readOutcome(faulty.workspace, faulty.service, [[batch, end]]);
  const codes = end.lines.map((line) => JSON.parse(line).error?.code);
  assert.ok(codes.includes("OUTCOME_UNKNOWN"), end.failure);
  const expected = (await reference).effects.filter(isLasting);
  for (const [key, found] of effects) {
    const left = [...expected];
    for (const effect of found.filter(isLasting)) {
      const place = left.indexOf(effect);
      assert.ok(place >= 0, `${key} has an extra effect: ${effect}`);
      left.splice(place, 1);
    }
  }
});

/** Returns true if later steps of the input cannot change an effect. */
function isLasting(effect: string): boolean {
  return /^(permit|companion) history /.test(effect);
}

/**
 * Cuts random requests before they are forwarded, but none twice. Without a key, a request is sent again only once. After
 * a second fault the script would fail and leave other calls open.
 */
function cutOnce(): (head: string) => ProxyFault {
  const random = new SeededRandom(SEED);
  const passing = new Map<string, number>();
  return (head) => {
    const line = head.slice(0, head.indexOf("\r\n"));
    const left = passing.get(line) ?? 0;
    passing.set(line, Math.max(0, left - 1));
    if (left > 0 || random.next() > 1 / 20) return "pass";
    passing.set(line, INPUTS); // Other inputs may send the same request in between.
    return "cut-before";
  };
}

Deno.test(`without keys, --on-unknown repeat makes every change once if only requests are lost (SVC_TEST_SEED=${SEED})`, async () => {
  await using faulty = await openFaulty({}, false, cutOnce());
  const batch = faulty.batch("--on-unknown", "repeat");
  assert.deepEqual(await listAllFaults(faulty, batch, await finish(batch)), []);
  assert.ok(faulty.proxy.counts["cut-before"] > 0, "no request was cut");
});

/** A script that checks whether its changes were applied. Changes with an entity tag need no check. */
const CHECKING = scriptText(
  `
    const unlessApplied = async (change, find) => {
      try {
        return await change();
      } catch (error) {
        if (!isSvcError(error) || error.code !== "OUTCOME_UNKNOWN") throw error;
        return await find();
      }
    };
    const data = { Applicant: input.key, Address: "Main Street" };
    const create = () => svc.cases.create({ type: "City-Permit-Work-Permit", data }).then(({ id }) => id);
    const condition = { F1: { lhs: { field: "Applicant" }, comparator: "EQ", rhs: { value: input.key } } };
    const query = { filter: { filterConditions: condition, logic: "F1" } };
    const id = await unlessApplied(create, async () => (await svc.data.query("D_Permits", { data: { query } })).data[0].pzInsKey);
    await unlessApplied(() => svc.social.postMessage({ context: id, message: input.key }), () => undefined);
    const { data: { caseInfo } } = await svc.cases.get(id);
    await svc.assignments.perform(caseInfo.assignments[0].ID, { action: "Register" });
    return (await svc.cases.get(id)).status;`,
);

Deno.test("without keys, a script with --on-unknown skip can check the outcome and make every change once", async () => {
  await using faulty = await openFaulty({ "pass": 3, "cut-after": 1 }, false);
  const { workspace: { directory, env } } = faulty;
  const script = `${directory}/checking.ts`;
  await Deno.writeTextFile(script, CHECKING);
  const batch = new Batch(faulty.workspace, "f2", INPUTS, ["--profile", "faulty", "--on-unknown", "skip"], script);
  const { lines, failure } = await finish(batch);
  assert.deepEqual(lines.map((line) => JSON.parse(line).result), batch.keys.map(() => "Pending-Review"), failure);
  const svc = createClient({ configDirectory: env.SVC_CONFIG_DIR });
  const { data: permits } = await svc.data.query("D_Permits");
  assert.deepEqual(permits?.map(({ Applicant }) => Applicant).sort(), [...batch.keys].sort());
  for (const { pzInsKey } of permits ?? []) {
    const { messages } = await svc.social.listMessages({ filterBy: "messages", filterFor: String(pzInsKey) });
    assert.equal(messages.length, 1);
  }
});
