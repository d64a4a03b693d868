/** `--store-password-file` and `--store-password-command` of `svc service start` and `copy`. */
import assert from "node:assert/strict";
import { startRefusingServer } from "../../harness/refusing_postgres.ts";
import { makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";

Deno.test("each command sends the password from a file, or from the output of a command", async () => {
  await using folder = await makeFolder({ "password.txt": "from a file\n" });
  using server = startRefusingServer();
  const data = `${folder.path}/data`;
  const command = `'${Deno.execPath()}' eval 'console.log("from a command")'`;
  const sources = [["--store-password-file", `${folder.path}/password.txt`], ["--store-password-command", command]];
  const start = ["start", "--data", data, "--store", server.location];
  const copy = ["copy", "--from", server.location, "--to", data];
  for (const args of [start, copy]) {
    for (const source of sources) {
      const { code, message } = parseErrorRecord(await svcInProcess(["service", ...args, ...source]));
      assert.equal(code, "INVALID_CONFIG", `${args[0]}: ${message}`);
      assert.match(String(message), /refuses the connection: wrong password/);
    }
    assert.deepEqual(server.passwords.splice(0), ["from a file", "from a command"], args[0]);
  }
});

Deno.test("a password without a database server is refused", async () => {
  await using folder = await makeFolder();
  const [data, other] = [`${folder.path}/data`, `${folder.path}/other`];
  for (const args of [["start", "--data", data], ["copy", "--from", data, "--to", other]]) {
    const error = parseErrorRecord(await svcInProcess(["service", ...args, "--store-password-file", "none"]));
    assert.equal(error.message, "The database of a data directory has no password.");
  }
});

Deno.test("a detached start refuses a password command that it cannot parse", async () => {
  await using folder = await makeFolder();
  const start = ["start", "--detach", "--data", folder.path, "--store", "postgres://ada@localhost/city"];
  for (
    const [command, reason] of [["", "is empty."], [
      "pass 'city",
      "has an unclosed quotation mark: pass 'city",
    ]] as const
  ) {
    const error = parseErrorRecord(await svcInProcess(["service", ...start, "--store-password-command", command]));
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.message, `--store-password-command: The password command ${reason}`);
  }
});
