/** A service on a full disk: it starts, serves reads, refuses changes, and accepts them again when there is space. */
import assert from "node:assert/strict";
import { openCaller } from "../../../tasks/soak/open_caller.ts";
import { SmallDisk } from "../../../tasks/soak/small_disk.ts";
import { Service } from "../../../tasks/support/service.ts";
import { Workspace } from "../../../tasks/support/workspace.ts";
import { isDiskFull } from "../../../utils/sqlite/database_errors.ts";
import type { ApiAnswer, ApiCaller } from "../../harness/service.ts";
import { makeFolder, PROGRAM } from "../../harness/svc.ts";

const DISK_MIB = 16;

/** Returns the reason why this machine cannot mount a small disk, if there is one. */
async function findObstacle(): Promise<string | undefined> {
  await using folder = await makeFolder();
  const disk = await SmallDisk.mount(`${folder.path}/disk`, DISK_MIB);
  if (typeof disk === "string") return disk;
  await disk[Symbol.asyncDispose]();
  return undefined;
}

const OBSTACLE = await findObstacle();
if (OBSTACLE !== undefined) console.warn(`Tests of a full disk are ignored: ${OBSTACLE}`);

/** Opens a workspace with a small disk. */
async function openSmallDisk(resources: AsyncDisposableStack): Promise<[Workspace, SmallDisk]> {
  const workspace = resources.use(await Workspace.open(PROGRAM));
  const disk = await SmallDisk.mount(`${workspace.directory}/disk`, DISK_MIB);
  assert.ok(typeof disk !== "string", String(disk));
  resources.use(disk);
  workspace.wrap = (program, args) => disk.enter(program, args);
  return [workspace, disk];
}

const NEW_CASE = { body: { caseTypeID: "City-Permit-Work-Permit", content: { Applicant: "Ada" } } };

/** Creates cases until the disk is full. The first ones may fit into existing pages of the database. */
async function createUntilRefused(caller: ApiCaller): Promise<ApiAnswer> {
  for (let attempts = 100;; attempts--) {
    const answer = await caller.call("POST", "/cases", NEW_CASE);
    if (answer.status !== 201 || attempts === 0) return answer;
  }
}

Deno.test("a service starts on a full disk, serves reads, and accepts changes again when there is space", {
  ignore: OBSTACLE !== undefined,
}, async () => {
  await using resources = new AsyncDisposableStack();
  const [workspace, disk] = await openSmallDisk(resources);
  const service = resources.use(new Service(workspace, { data: `${disk.path}/data` }));
  await service.start();
  const first = await openCaller(workspace);
  assert.equal((await first.call("POST", "/cases", NEW_CASE)).status, 201);

  for (const stop of ["stop", "kill"]) {
    if (stop === "stop") await workspace.svc("service", "stop", "--data", service.data);
    else await service.kill();
    disk.fill();
    await service.start();
    const caller = await openCaller(workspace);
    const read = await caller.call("GET", `/cases/${encodeURIComponent("CITY-PERMIT-WORK P-1")}`);
    assert.equal(read.status, 200, JSON.stringify(read.body));
    const status = JSON.parse(await workspace.svc("service", "status", "--data", service.data));
    assert.deepEqual([status.running, status.answers], [true, true]);
    const refused = await createUntilRefused(caller);
    assert.equal(refused.status, 507, JSON.stringify(refused.body));
    await disk.free();
    const written = await caller.call("POST", "/cases", NEW_CASE);
    assert.equal(written.status, 201, JSON.stringify(written.body));
  }
  await workspace.svc("service", "stop", "--data", service.data);
  await workspace.svc("service", "verify", "--data", service.data);
});

Deno.test("a detached service starts on a full disk that also contains its log and its profiles", {
  ignore: OBSTACLE !== undefined,
}, async () => {
  await using resources = new AsyncDisposableStack();
  const [workspace, disk] = await openSmallDisk(resources);
  const config = `${disk.path}/config`;
  workspace.wrap = (program, args) => disk.enter("env", [`SVC_CONFIG_DIR=${config}`, program, ...args]);
  await workspace.startService();
  await workspace.svc("service", "stop");
  disk.fill();
  await workspace.startService();
  assert.match(await workspace.svc("case-types", "list", "--no-cache"), /City-Permit-Work-Permit/);
  await disk.free();
  await workspace.svc("cases", "create", "--type", "City-Permit-Work-Permit", "--data", '{"Applicant":"Ada"}');
  await workspace.svc("service", "stop");
});

Deno.test(
  "the first start of a service on a full disk fails with the reason",
  { ignore: OBSTACLE !== undefined },
  async () => {
    await using resources = new AsyncDisposableStack();
    const [workspace, disk] = await openSmallDisk(resources);
    disk.fill();
    const service = resources.use(new Service(workspace, { data: `${disk.path}/data` }));
    await assert.rejects(service.start(), /INVALID_CONFIG.*disk is full|INVALID_CONFIG.*No space left/s);
  },
);

Deno.test("a full disk is recognized in errors of SQLite and the file system, and in their causes", () => {
  const sqlite = (errcode: number, message = "disk I/O error") => Object.assign(new Error(message), { errcode });
  assert.ok(isDiskFull(sqlite(13)));
  assert.ok(isDiskFull(sqlite(4874)));
  assert.ok(isDiskFull(new Error("database or disk is full")));
  assert.ok(isDiskFull(new Error("No space left on device (os error 28)")));
  assert.ok(isDiskFull(new Error("It cannot be opened", { cause: sqlite(13) })));
  assert.ok(!isDiskFull(sqlite(778)));
  assert.ok(!isDiskFull(new Error("It cannot be read", { cause: "disk" })));
});
