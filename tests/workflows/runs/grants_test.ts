/** Grants of a run: its journal stores them, and they are valid only for the user who gave them. */
import assert from "node:assert/strict";
import { sealAll } from "../../../workflows/journal/sqlite/seal.ts";
import { makeFolder, runCommand } from "../../harness/svc.ts";
import {
  createCaseBody,
  killAfterOutput,
  RUN_SCRIPT,
  scriptText,
  TinyApi,
  workflowCommand,
} from "../../harness/workflow.ts";

/** A folder with an interrupted run, and commands that continue it with a configuration directory. */
async function openInterrupted(api: TinyApi, journal: string[]) {
  const folder = await makeFolder({
    "script.ts": scriptText(`await svc.cases.get("C-1"); log("begun"); await sleep(input ?? 600_000);`, ["cases.get"]),
  });
  const own = await makeFolder();
  const env = { SVC_BASE_URL: api.baseUrl, SVC_CLIENT_ID: "id", SVC_CLIENT_SECRET: "secret" };
  const command = (directory: string, args: string[]) =>
    workflowCommand(args, { directory: folder.path, env: { ...env, SVC_CONFIG_DIR: directory }, cwd: folder.path });
  await killAfterOutput(command(own.path, [...RUN_SCRIPT, ...journal]).spawn(), "begun");
  await Deno.writeTextFile(
    `${folder.path}/script.ts`,
    scriptText(`await svc.cases.get("C-1"); return (await svc.cases.get("C-2")).id;`, ["cases.get"]),
  );
  return {
    folder: folder.path,
    own: own.path,
    resume: (directory: string, ...flags: string[]) =>
      runCommand(command(directory, ["resume", "r1", "--force", "--format", "compact", ...flags])),
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a journal brings no grants to another user, who can give them on the command line", async () => {
  await using api = new TinyApi((call) => Response.json(createCaseBody(call.replace("GET /cases/", ""))));
  await using interrupted = await openInterrupted(api, ["--journal", "runs.db"]);
  await using other = await makeFolder();
  const refused = await interrupted.resume(other.path, "--journal", "runs.db");
  assert.match(
    refused.stderr,
    /Warning: The grants of run r1 \(cases\.get\) are ignored, because this user did not give them on this machine\. Grant them again with --allow\./,
  );
  assert.match(refused.stderr, /"PERMISSION_DENIED".*no permission was granted.*--allow cases\.get/);
  assert.equal(api.received.length, 1, "nothing was sent");
  const granted = await interrupted.resume(other.path, "--journal", "runs.db", "--allow", "cases.get");
  assert.deepEqual([granted.stdout, granted.code], [`"C-2"\n`, 0], granted.stderr);
});

Deno.test("the user who started a run continues it without giving its grants again", async () => {
  await using api = new TinyApi((call) => Response.json(createCaseBody(call.replace("GET /cases/", ""))));
  await using interrupted = await openInterrupted(api, ["--journal", "runs.db"]);
  const resumed = await interrupted.resume(interrupted.own, "--journal", "runs.db");
  assert.deepEqual([resumed.stdout, resumed.code], [`"C-2"\n`, 0], resumed.stderr);
});

Deno.test("grants that are added to a journal are ignored, as are those of another script", async () => {
  for (
    const forgery of [
      `UPDATE runs SET settings = json_set(settings, '$.grants', json('["cases.get","cases.delete"]'))`,
      `UPDATE runs SET settings = json_remove(settings, '$.proof')`,
      `UPDATE runs SET digest = 'another'`,
      `UPDATE runs SET id = 'r1', settings = json_set(settings, '$.script', '/elsewhere/script.ts')`,
    ]
  ) {
    await using api = new TinyApi();
    await using interrupted = await openInterrupted(api, ["--journal", "runs.db"]);
    const { DatabaseSync } = await import("node:sqlite");
    using db = new DatabaseSync(`${interrupted.folder}/runs.db`);
    db.exec(forgery.replace("/elsewhere", await Deno.realPath(interrupted.folder) + "/."));
    sealAll(db); // A forger can compute checksums.
    db.close();
    const refused = await interrupted.resume(interrupted.own, "--journal", "runs.db");
    assert.match(refused.stderr, /are ignored, because this user did not give them/, forgery);
    assert.match(refused.stderr, /"PERMISSION_DENIED"/, forgery);
  }
});
