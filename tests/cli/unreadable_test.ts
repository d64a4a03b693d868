/** Folders without permission: an error names the path, and is not an internal error. */
import assert from "node:assert/strict";
import {
  type CommandResult,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  PROGRAM,
  svcCommand,
} from "../harness/svc.ts";
import { openService } from "../harness/service.ts";
import { scriptText } from "../harness/workflow.ts";

/** Root may enter every folder, so that a test as root drops this capability. */
const AS_PERSON = Deno.uid() === 0 ? ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] : [];

/** Runs `svc` with a folder that no user may enter. */
async function svcBeside(locked: string, args: readonly string[], config = locked): Promise<CommandResult> {
  return await runAsPerson(svcCommand(args, locked), config);
}

async function runAsPerson(words: readonly string[], config: string): Promise<CommandResult> {
  const [command = "", ...rest] = [...AS_PERSON, ...words];
  const env = { SVC_BASE_URL: "http://127.0.0.1:9", SVC_CLIENT_ID: "a", SVC_CLIENT_SECRET: "b" };
  const ran = new LimitedCommand(command, { args: rest, env: { ...env, SVC_CONFIG_DIR: config } });
  const { code, stdout, stderr } = await ran.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

Deno.test({
  name: "an error for a folder without permission names the folder",
  ignore: Deno.build.os === "windows" || (Deno.build.os !== "linux" && AS_PERSON.length > 0),
  async fn() {
    await using folder = await makeFolder({ "locked/x": "" });
    const locked = `${folder.path}/locked`;
    await Deno.chmod(locked, 0);
    try {
      const found = await Promise.all([
        svcBeside(locked, ["attachments", "get", "A", "-o", `${locked}/x`], folder.path),
        svcBeside(locked, ["workflow", "report", "r", "--journal", `${locked}/x.db`], folder.path),
        svcBeside(locked, ["service", "status"]),
      ]);
      assert.deepEqual(found.map((one) => [one.code, parseErrorRecord(one).code, parseErrorRecord(one).message]), [
        [2, "INVALID_ARGS", `--output cannot write ${locked}/x: you may not write there.`],
        [2, "INVALID_CONFIG", `The journal ${locked}/x.db cannot be opened: you may not write there.`],
        [2, "INVALID_CONFIG", `The data directory ${locked}/service cannot be read: you may not read it.`],
      ]);
    } finally {
      await Deno.chmod(locked, 0o700);
    }
  },
});

Deno.test({
  name: "a script is not run if its cassette cannot be written",
  ignore: Deno.build.os === "windows" || (Deno.build.os !== "linux" && AS_PERSON.length > 0),
  async fn() {
    await using folder = await makeFolder({ "script.ts": scriptText("log('ran'); return 1;", []), "locked/x": "" });
    const locked = `${folder.path}/locked`;
    await Deno.chmod(locked, 0o500);
    try {
      const record = ["workflow", "record", `${folder.path}/script.ts`, "-o", `${locked}/c.json`];
      const result = await runAsPerson([Deno.execPath(), "run", "-A", PROGRAM, ...record], folder.path);
      assert.deepEqual([result.code, result.stdout], [2, ""]);
      assert.equal(
        parseErrorRecord(result).message,
        `--output cannot write ${locked}/c.json: you may not write there.`,
      );
    } finally {
      await Deno.chmod(locked, 0o700);
    }
  },
});

Deno.test({
  name: "the service names a read-only data directory when it starts",
  ignore: Deno.build.os === "windows" || (Deno.build.os !== "linux" && AS_PERSON.length > 0),
  async fn() {
    const state = { pid: 1, url: "", apiRoot: "", tokenPath: "", app: "", startedAt: "", profiles: [] };
    await using folder = await makeFolder({ "data/service.lock": "", "data/service.json": JSON.stringify(state) });
    const data = `${folder.path}/data`;
    await Deno.chmod(data, 0o500);
    try {
      for (const detach of [[], ["--detach"]]) {
        const start = [Deno.execPath(), "run", "-A", PROGRAM, "service", "start", "--data", data, ...detach];
        const result = await runAsPerson(start, folder.path);
        const { code, message } = parseErrorRecord(result);
        assert.deepEqual([result.code, code, message], [
          2,
          "INVALID_CONFIG",
          `The data directory ${data} cannot be written: you may not write there.`,
        ]);
      }
    } finally {
      await Deno.chmod(data, 0o700);
    }
  },
});

Deno.test({
  name: "a data directory that may only be read is verified and backed up",
  ignore: Deno.build.os === "windows" || (Deno.build.os !== "linux" && AS_PERSON.length > 0),
  async fn() {
    await using folder = await makeFolder();
    const data = `${folder.path}/data`;
    {
      await using service = await openService({ data });
      await service.call("POST", "/cases", { body: { caseTypeID: "City-Permit-Work-Permit" } });
    }
    const run = (...args: string[]) => {
      const line = [Deno.execPath(), "run", "-A", PROGRAM, "service", ...args, "--data", data, "--format", "json"];
      return runAsPerson(line, folder.path);
    };
    await Deno.chmod(data, 0o500);
    try {
      for (const args of [["verify"], ["backup", `${folder.path}/one.backup`]]) {
        const { code, stdout, stderr } = await run(...args);
        assert.equal(code, 0, stderr);
        assert.equal(JSON.parse(stdout).cases, 1);
      }
      await Deno.writeTextFile(`${data}/service.db-wal`, "changes");
      const { code, message } = parseErrorRecord(await run("verify"));
      assert.equal(code, "INVALID_CONFIG");
      assert.match(
        String(message),
        /^The last changes of .*service\.db are in .*service\.db-wal, but the folder is read-only\.$/,
      );
    } finally {
      await Deno.chmod(data, 0o700);
    }
  },
});

Deno.test({
  name: "an error for a folder that cannot be created names the reason and what to do",
  ignore: Deno.build.os === "windows" || (Deno.build.os !== "linux" && AS_PERSON.length > 0),
  async fn() {
    await using folder = await makeFolder({ file: "" });
    const path = `${folder.path}/file/x`;
    const lines = [["workflow", "init", path], ["service", "start", "--data", path]];
    const found = await Promise.all(lines.map((line) => {
      return runAsPerson([Deno.execPath(), "run", "-A", PROGRAM, ...line], folder.path);
    }));
    assert.deepEqual(found.map((one) => [one.code, parseErrorRecord(one).message, parseErrorRecord(one).hint]), [
      [2, `${path} cannot be written: part of the path is a file.`, "Name another directory."],
      [
        2,
        `The data directory ${path} cannot be created: part of the path is a file.`,
        "Choose another directory with --data.",
      ],
    ]);
  },
});
