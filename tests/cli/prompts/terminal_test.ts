/** Forms in a terminal of 80×24. */
import assert from "node:assert/strict";
import { clientEnvironment } from "../../harness/fake_service.ts";
import { makeFolder } from "../../harness/svc.ts";
import { KEYS, openTerminal } from "../../harness/terminal.ts";
import { ASSIGNMENT, startFormService } from "./_form_service.ts";

Deno.test("'assignments perform --interactive' prompts in a terminal and prints the response", async () => {
  const form = startFormService();
  await using _service = form.service;
  await using folder = await makeFolder();
  await using terminal = openTerminal(["assignments", "perform", ASSIGNMENT, "--interactive"], {
    env: { ...clientEnvironment(form.service), SVC_CONFIG_DIR: folder.path },
  });
  await terminal.converse([
    ["◆  Applicant", " L.", KEYS.enter],
    ["◆  Count", "7", KEYS.enter],
    ["◆  Amount", "12.50", KEYS.enter],
    ["◆  Urgent", KEYS.left, KEYS.enter],
    ["◆  Visit", "2026-02-28", KEYS.enter],
    ["◆  Channel", KEYS.down, KEYS.enter],
    ["◆  City", KEYS.enter],
    ["◆  Submit 'Enter it'?", KEYS.enter],
  ]);
  assert.equal(await terminal.exit(), 0);
  assert.match(terminal.screen(), /"id": "C-1"/);
  assert.equal(form.submitted.length, 1);
});
