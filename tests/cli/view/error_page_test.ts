/** Errors at a terminal: a page for people if the format is `view`, the JSON record otherwise. */
import assert from "node:assert/strict";
import { clientEnvironment, NO_SERVICE } from "../../harness/fake_service.ts";
import { openLiveForAll } from "../../harness/service.ts";
import { splitWords, svc } from "../../harness/svc.ts";
import { openTerminal } from "../../harness/terminal.ts";

const live = await openLiveForAll();
await live.createPermit({ Applicant: "Ada" });

async function fail(line: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  await using terminal = openTerminal(splitWords(line), { env: { ...await live.environment(), ...env } });
  assert.notEqual(await terminal.exit(), 0);
  return terminal.scrollback();
}

Deno.test("an error in the format view names each field once, and what to do", async () => {
  const data = `--data '{"Area":-5,"Applicant":null}'`;
  assert.equal(
    (await fail(`assignments perform P-1 --action Register ${data} --format view`)).trimEnd(),
    `Error: Validation failed: Errors Detected.

Area       -5 is less than 0
Applicant  Applicant is required`,
  );
  const unknown = (await fail(`assignments perform P-1 --action Register --set Aplicant=Ada --format view`)).trimEnd();
  assert.equal(unknown.match(/Aplicant/g)?.length, 1, unknown);
});

Deno.test("a command for people prints its errors for people, and other commands print the record", async () => {
  assert.match(
    await fail("show P-99"),
    /^Error: Case P-99 was not found, or you have no access to it\.\n\nRun 'svc find <text>' to/,
  );
  assert.match(await fail("note"), /^Error: The argument <id> is missing\./);
  assert.match(await fail("cases get P-99"), /^\{\n {2}"error": \{/);
  assert.match(await fail("cases get P-99", { SVC_FORMAT: "view" }), /^Error: Case P-99 was not found/);
  assert.match(await fail("cases gett", { SVC_FORMAT: "view" }), /^Error: svc cases has no command 'gett'\./);
  assert.match(await fail("show P-99 --format json"), /^\{\n {2}"error": \{/);
});

Deno.test("an error in a pipe is always the record", async () => {
  const { code, stderr } = await live.run("show P-99 --format view");
  assert.equal(code, 1);
  assert.equal(JSON.parse(stderr).error.code, "NOT_FOUND");
});

Deno.test("a local service that is not running is named with the command that starts it", async () => {
  const env = clientEnvironment(NO_SERVICE);
  const { stderr } = await svc(["cases", "get", "P-1"], { env });
  const { code, hint } = JSON.parse(stderr).error;
  assert.equal(code, "NETWORK_ERROR");
  assert.match(
    hint,
    /^No service is running at this address of your machine\. Run 'svc service start --detach' to start/,
  );
});
