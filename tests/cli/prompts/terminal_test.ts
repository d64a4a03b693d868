/** Forms in a terminal of 80×24. */
import assert from "node:assert/strict";
import { shellQuote } from "../../../utils/text/shell_quote.ts";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { makeFolder, svcCommand } from "../../harness/svc.ts";
import { KEYS, openTerminal, Terminal } from "../../harness/terminal.ts";
import { ASSIGNMENT, PERFORMED, startFormService } from "./_form_service.ts";

const PERFORM = ["assignments", "perform", ASSIGNMENT, "--interactive", "--required-only"];
const ANSWERS: [string, ...string[]][] = [
  ["◆  Applicant", " L.", KEYS.enter],
  ["◆  Count", "7", KEYS.enter],
  ["◆  Amount", "12.50", KEYS.enter],
  ["◆  Urgent", KEYS.left, KEYS.enter],
  ["◆  Visit", "2026-02-28", KEYS.enter],
  ["◆  Channel", "pst", KEYS.enter],
  ["◆  City", KEYS.enter],
  ["◆  Submit 'Enter it'?", KEYS.enter],
];

Deno.test("'assignments perform --interactive' prompts in a terminal and prints the response", async () => {
  const form = startFormService();
  await using _service = form.service;
  await using folder = await makeFolder();
  await using terminal = openTerminal(PERFORM, {
    env: { ...clientEnvironment(form.service), SVC_CONFIG_DIR: folder.path },
  });
  await terminal.converse(ANSWERS);
  assert.equal(await terminal.exit(), 0);
  assert.match(terminal.screen(), /"id": "C-1"/);
  assert.equal(form.submitted.length, 1);
});

Deno.test({
  name: "at a terminal, the response can be redirected",
  ignore: Deno.build.os === "windows", // It needs a POSIX shell.
  async fn() {
    const form = startFormService();
    await using _service = form.service;
    await using folder = await makeFolder();
    const file = `${folder.path}/answer.json`;
    const line = `${svcCommand(PERFORM, folder.path).map(shellQuote).join(" ")} > ${shellQuote(file)}`;
    await using terminal = new Terminal("sh", ["-c", line], {
      env: { ...clientEnvironment(form.service), SVC_CONFIG_DIR: folder.path },
    });
    await terminal.converse(ANSWERS);
    assert.equal(await terminal.exit(), 0);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), PERFORMED);
  },
});
