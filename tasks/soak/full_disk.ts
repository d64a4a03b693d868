import { Buffer } from "node:buffer";
import { getErrorMessage } from "../../lib/errors.ts";
import type { ApiCaller } from "../../tests/harness/service.ts";
import { textAt, valueAt } from "../../tests/harness/service_engine.ts";
import { delay } from "../../utils/async/abort.ts";
import { exists } from "../../utils/fs/exists.ts";
import { Process } from "../support/processes.ts";
import { Service } from "../support/service.ts";
import { Workspace } from "../support/workspace.ts";
import { openCaller } from "./open_caller.ts";
import { createResult, scaleNumber, type Scenario, type SoakOptions, type SoakResult } from "./scenario.ts";
import { SmallDisk } from "./small_disk.ts";
import { WriteLoad } from "./write_load.ts";

const ROUNDS = 20;
const WRITERS = 8;
const INPUTS = 60;
const DISK_MIB = 128;

/** Milliseconds of writing before the disk is full, and while it is. */
const MAX_DELAY = 500;
const FULL_DURATION = 500;

/** Share of rounds in which the service is killed and started while the disk is full. */
const RESTART_SHARE = 0.3;

const FILE_LINES = 30_000;

/** A text that tells users that the disk is full. */
const CLEAR = /no space left on device|disk (of the service )?is full/i;

/** A script with one change for each input. */
const SCRIPT = `
import { defineWorkflow } from "@svc/lib/workflow";
export default defineWorkflow<{ key: string }>({
  name: "disk",
  allow: ["cases.create"],
  async run({ svc, input: { key } }) {
    const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: { Applicant: key } });
    return id;
  },
});
`;

/** Fills the disk of a service, of a journal and of a download, and makes room again. */
export const fullDisk: Scenario = {
  name: "full-disk",
  what: "full disk for service, journal, download",
  target: "clear error, nothing lost, continues when there is room",
  seconds: 120,
  run: fillDisks,
};

async function fillDisks(options: SoakOptions): Promise<SoakResult> {
  await using workspace = await Workspace.open(options.program);
  const disk = await SmallDisk.mount(`${workspace.directory}/disk`, DISK_MIB);
  if (typeof disk === "string") return { ...createResult("", []), skipped: disk };
  await using _disk = disk;
  workspace.wrap = (program, args) => disk.enter(program, args);
  const rounds = scaleNumber(ROUNDS, options.scale, 2);
  const service = await fillDiskOfService(options, workspace, disk, rounds);
  const runner = await fillDiskOfRunner(options, disk);
  return createResult(
    `service ${rounds} times: ${service.measured}; ${runner.measured}`,
    [...service.faults, ...runner.faults],
  );
}

/** Figures of one part of the scenario. */
interface Part {
  readonly measured: string;
  readonly faults: readonly string[];
}

async function fillDiskOfService(
  { random, signal, onProgress }: SoakOptions,
  workspace: Workspace,
  disk: SmallDisk,
  rounds: number,
): Promise<Part> {
  await using service = new Service(workspace, { data: `${disk.path}/data` });
  await service.start();
  const caller = await openCaller(workspace);
  let room = Promise.withResolvers<void>();
  const waitUntilAvailable = () => room.promise;
  const load = new WriteLoad(caller, { writers: WRITERS, random, waitUntilAvailable });
  const over = new AbortController();
  const writing = load.run(over.signal);
  const faults: string[] = [];
  let starts = 0;
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    await delay(random.next() * MAX_DELAY);
    disk.fill();
    await delay(FULL_DURATION);
    if (random.chance(RESTART_SHARE)) {
      starts++;
      await service.kill();
      const refusal = await service.start().then(() => undefined, getErrorMessage);
      if (refusal !== undefined && !CLEAR.test(refusal)) faults.push(`A start without room: ${refusal}`);
    }
    if (service.isRunning) faults.push(...await checkWithoutRoom(workspace, caller));
    await disk.free();
    if (!service.isRunning) await service.start();
    room.resolve();
    room = Promise.withResolvers();
    onProgress(`${round + 1} of ${rounds} times full, ${load.answered} writes`);
  }
  over.abort();
  room.resolve();
  await writing;
  faults.push(...await load.check(await openCaller(workspace)));
  await workspace.svc("service", "verify", "--data", service.data);
  const { answered, interrupted } = load;
  return {
    measured:
      `${answered} writes answered, ${interrupted} interrupted, ${starts} starts without room, ${faults.length} faults`,
    faults,
  };
}

/** Checks that a service without room still issues tokens, answers reads, and refuses writes clearly. */
async function checkWithoutRoom(workspace: Workspace, caller: ApiCaller): Promise<string[]> {
  const faults: string[] = [];
  await openCaller(workspace).catch((error: unknown) =>
    faults.push(`No token without room: ${getErrorMessage(error)}`)
  );
  const read = await caller.call("GET", "/casetypes");
  if (read.status !== 200) faults.push(`A read without room: ${read.status} ${JSON.stringify(read.body)}`);
  const text = "x".repeat(200);
  const content = { Applicant: "Too much", Address: text };
  const body = { caseTypeID: "City-Permit-Work-Permit", content };
  const written = await caller.call("POST", "/cases", { body });
  // A small write may still fit into a page that the database has already.
  if (written.status !== 201 && written.status !== 507) {
    faults.push(`A write without room: ${written.status} ${JSON.stringify(written.body)}`);
  }
  return faults;
}

async function fillDiskOfRunner({ program }: SoakOptions, disk: SmallDisk): Promise<Part> {
  await using workspace = await Workspace.open(program);
  workspace.wrap = (program, args) => disk.enter(program, args);
  await using service = new Service(workspace);
  await service.start();
  const caller = await openCaller(workspace);
  const journal = await fillDiskOfJournal(workspace, disk, caller);
  const download = await fillDiskOfDownload(workspace, disk, caller);
  return {
    measured: `journal ${journal.length} faults, download ${download.length} faults`,
    faults: [...journal, ...download],
  };
}

/** Fills the disk of the journal during a batch, which must be resumed without losing or repeating a change. */
async function fillDiskOfJournal(workspace: Workspace, disk: SmallDisk, caller: ApiCaller): Promise<string[]> {
  const faults: string[] = [];
  const [script, inputs] = [`${workspace.directory}/disk.ts`, `${workspace.directory}/disk.ndjson`];
  await Deno.writeTextFile(script, SCRIPT);
  const keys = Array.from({ length: INPUTS }, (_, n) => `disk ${n}`);
  await Deno.writeTextFile(inputs, keys.map((key) => JSON.stringify({ key }) + "\n").join(""));
  const journal = ["--journal", `${disk.path}/journal.db`];
  const run = ["run", script, "--run-id", "disk", "--each", inputs, "--allow-declared", ...journal];
  const first = start(workspace, ["workflow", ...run]);
  await first.hasResult;
  disk.fill();
  const full = await first.ended;
  if (full.code !== 0 && !CLEAR.test(full.stderr)) faults.push(`The journal has no room: ${full.stderr}`);
  await disk.free();
  if (full.code !== 0) {
    const second = await start(workspace, ["workflow", "resume", "disk", ...journal]).ended;
    if (second.code !== 0) faults.push(`The run does not continue: ${second.stderr}`);
  }
  const select = [{ field: "Applicant" }];
  const paging = { maxResultsToFetch: 10 * INPUTS };
  const { body } = await caller.call("POST", "/data_views/D_Permits", { body: { query: { select }, paging } });
  const rows = valueAt(body, "data");
  const found = (Array.isArray(rows) ? rows : []).map((row) => textAt(row, "Applicant"));
  for (const key of keys) {
    const count = found.filter((one) => one === key).length;
    if (count !== 1) faults.push(`The input '${key}' has ${count} cases`);
  }
  return faults;
}

/** Downloads a file to a full disk, and again when there is room. */
async function fillDiskOfDownload(workspace: Workspace, disk: SmallDisk, caller: ApiCaller): Promise<string[]> {
  const faults: string[] = [];
  const source = `${workspace.directory}/source.bin`;
  await Deno.writeTextFile(source, "The plan.\n".repeat(FILE_LINES));
  const { ID } = JSON.parse(await workspace.svc("attachments", "upload", "-f", source));
  const body = { attachments: [{ type: "File", category: "File", ID }] };
  const path = `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}/attachments`;
  await caller.call("POST", path, { body });
  const attachment = textAt((await caller.call("GET", path)).body, "attachments.0.ID");
  const copy = `${disk.path}/copy.bin`;
  const download = ["attachments", "get", attachment, "-o", copy];
  disk.fill();
  const full = await start(workspace, download).ended;
  if (full.code === 0 || !CLEAR.test(full.stderr)) faults.push(`A download without room: ${full.code} ${full.stderr}`);
  if (await exists(`${disk.outerPath}/copy.bin`)) faults.push("A download without room leaves a part of the file");
  await disk.free();
  await workspace.svc(...download);
  const [one, other] = await Promise.all([source, `${disk.outerPath}/copy.bin`].map((file) => Deno.readFile(file)));
  if (one === undefined || other === undefined || Buffer.compare(one, other) !== 0) {
    faults.push("The downloaded file differs");
  }
  return faults;
}

function start(workspace: Workspace, args: string[]): Process {
  return new Process(workspace.command(args, { stdin: "null", stdout: "piped", stderr: "piped" }));
}
