/** `--store-password-file` and `--store-password-command` of `svc service start` and `copy`. */
import assert from "node:assert/strict";
import { makeFolder, parseErrorRecord, svcInProcess } from "../../harness/svc.ts";

const PASSWORD_REQUEST = Uint8Array.of("R".charCodeAt(0), 0, 0, 0, 8, 0, 0, 0, 3);

/** A server that refuses the password of each connection, and remembers it. */
function startRefusingServer(): Disposable & { readonly location: string; readonly passwords: string[] } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const passwords: string[] = [];
  const refuse = async (connection: Deno.Conn) => {
    using client = connection;
    await client.read(new Uint8Array(1024)); // The start of the connection.
    await client.write(PASSWORD_REQUEST);
    const answer = new Uint8Array(1024);
    const size = await client.read(answer) ?? 0;
    passwords.push(new TextDecoder().decode(answer.subarray(5, size - 1)));
    const fields = new TextEncoder().encode("SFATAL\0C28P01\0Mwrong password\0\0");
    await client.write(Uint8Array.of("E".charCodeAt(0), 0, 0, 0, fields.length + 4, ...fields));
  };
  const serve = async () => {
    for await (const connection of listener) await refuse(connection);
  };
  void serve();
  return {
    location: `postgres://ada@127.0.0.1:${listener.addr.port}/city`,
    passwords,
    [Symbol.dispose]: () => listener.close(),
  };
}

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
