/** `--store-password-file` and `--store-password-command` of commands that use a journal in PostgreSQL. */
import assert from "node:assert/strict";
import { useTestSchema } from "../../harness/postgres_schema.ts";
import { startRefusingServer } from "../../harness/refusing_postgres.ts";
import { makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";
import { scriptText } from "../../harness/workflow.ts";

Deno.test("each command sends the password from a file, or from the output of a command", async () => {
  await using folder = await makeFolder({ "password.txt": "from a file\n", "script.ts": scriptText("return 1;") });
  using server = startRefusingServer();
  const { location } = server;
  const command = `'${Deno.execPath()}' eval 'console.log("from a command")'`;
  const sources = [["--store-password-file", `${folder.path}/password.txt`], ["--store-password-command", command]];
  const commands = [
    ["workflow", "list", "--journal", location],
    ["workflow", "status", "r1", "--journal", location],
    ["workflow", "run", `${folder.path}/script.ts`, "--workers", location, "--allow-declared"],
    ["worker", "list", "--store", location],
    ["worker", "start", "--store", location],
  ];
  for (const args of commands) {
    for (const source of sources) {
      const { code, message, hint } = parseErrorRecord(await svcInProcess([...args, ...source]));
      assert.equal(code, "INVALID_CONFIG", `${args}: ${message}`);
      assert.match(
        String(message),
        /^The journal postgres:.* cannot be opened: .* refuses the connection: wrong password/,
      );
      assert.match(String(hint), /--store-password-file/);
    }
    assert.deepEqual([...new Set(server.passwords.splice(0))], ["from a file", "from a command"], args.join(" "));
  }
});

Deno.test("a missing password file is named, and a password in the location is refused", async () => {
  await using folder = await makeFolder();
  using server = startRefusingServer();
  const missing = `${folder.path}/missing.txt`;
  const list = ["worker", "list", "--store", server.location, "--store-password-file", missing];
  assert.match(
    String(parseErrorRecord(await svcInProcess(list)).message),
    /The password file .*missing.txt cannot be read/,
  );
  const inside = ["worker", "list", "--store", "postgres://ada:secret@127.0.0.1:1/city"];
  const { message, hint } = parseErrorRecord(await svcInProcess(inside));
  assert.match(String(message), /contains a password/);
  assert.match(String(hint), /--store-password-command/);
});

Deno.test("a password for a journal in a file is refused", async () => {
  await using folder = await makeFolder();
  for (const journal of [[], ["--journal", `${folder.path}/workflows.db`], ["--journal", "none"]]) {
    const args = ["workflow", "run", "script.ts", ...journal, "--store-password-file", "password.txt"];
    assert.equal(parseErrorRecord(await svcInProcess(args)).message, "Only a journal in PostgreSQL takes a password.");
  }
});

Deno.test("the commands of a hint take the password from where the command took it", async () => {
  await using folder = await makeFolder({ "password.txt": "from a file\n" });
  await using schema = useTestSchema();
  const journal = ["--journal", schema.location, "--store-password-file", `${folder.path}/password.txt`];
  const { hint } = parseErrorRecord(await svcInProcess(["workflow", "show", "r1", ...journal]));
  assert.match(String(hint), /svc workflow list --journal '?postgres:.* --store-password-file .*password\.txt/);
});
