/** `svc edit`: the fields of a form as a YAML document in an editor. */
import assert from "node:assert/strict";
import { openLiveForAll } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";
import type { CommandResult } from "../../harness/svc.ts";

const live = await openLiveForAll();

/** Runs `svc edit` with a shell command as the editor, which gets the path of the document as $1. */
async function edit(id: string, editor: string): Promise<CommandResult> {
  return await live.run(`edit ${id}`, "clerk@city", {
    env: { EDITOR: editor },
    permissions: ["--allow-run=/bin/sh", "--allow-env=LOG_TOKENS,LOG_STREAM"],
  });
}

Deno.test("the editor does not receive the secret of the client", async () => {
  const [, number] = await createPermit();
  const file = `${live.folder}/environment-${number}`;
  const { code } = await edit(number, `test -z "$SVC_CLIENT_SECRET" && env > '${file}' && true`);
  assert.equal(code, 0);
  assert.match(await Deno.readTextFile(file), /^SVC_CLIENT_SECRET=$/m);
});

async function readField(caseId: string, name: string): Promise<unknown> {
  return valueAt(await live.object(`cases get '${caseId}'`), `data.caseInfo.content.${name}`);
}

async function createPermit(): Promise<[caseId: string, number: string]> {
  const caseId = await live.createPermit({ Applicant: "Ada" });
  return [caseId, caseId.split(" ").at(-1) ?? ""];
}

Deno.test("the editor shows the fields with their rules, and the changes are submitted", async () => {
  const [caseId, number] = await createPermit();
  const copy = `${live.folder}/copy-${number}.yaml`;
  const { code, stdout, stderr } = await edit(number, `cp "$1" '${copy}'; sed -i 's/^Applicant: .*/Applicant: Bob/'`);
  assert.deepEqual([code, stderr], [0, "Applicant: Ada → Bob\n"]);
  assert.equal(JSON.parse(stdout).id, caseId);
  assert.equal(await readField(caseId, "Applicant"), "Bob");
  const document = await Deno.readTextFile(copy);
  assert.match(document, /^# P-\d+: pyUpdateCaseDetails\n/);
  assert.match(document, /^# Applicant \(text.*\)\nApplicant: Ada$/m);
});

Deno.test("nothing is submitted if the text is not changed", async () => {
  const [caseId, number] = await createPermit();
  const { code, stdout, stderr } = await edit(number, "true");
  assert.deepEqual([code, stdout, stderr], [0, "", "Nothing was changed.\n"]);
  assert.equal(await readField(caseId, "Applicant"), "Ada");
});

/** Counts the texts that earlier commands have kept. */
async function countTexts(): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(live.folder))).filter(({ name }) => name.startsWith("edit-")).length;
}

Deno.test("an editor that fails changes nothing and is named", async () => {
  const [, number] = await createPermit();
  const before = await countTexts();
  const { code, stderr } = await edit(number, "false");
  assert.equal(code, 2);
  assert.match(JSON.parse(stderr).error.message, /^The editor 'false' ended with the exit code 1\.$/);
  assert.equal(await countTexts(), before);
});

Deno.test("an invalid document is opened again with the reason, and is kept if it stays invalid", async () => {
  const [caseId, number] = await createPermit();
  const seen = `${live.folder}/seen-${number}.yaml`;
  // The first time it misspells a field; the second time it changes nothing.
  const editor = `grep -q '^# ! ' "$1" && cp "$1" '${seen}' || sed -i 's/^Applicant:/Aplicant:/'`;
  const { code, stderr } = await edit(number, editor);
  assert.equal(code, 2);
  const { message, hint } = JSON.parse(stderr).error;
  assert.equal(message, "'Aplicant' is not a field of this form. Did you mean 'Applicant'?");
  assert.match(await Deno.readTextFile(seen), /^# ! 'Aplicant' is not a field/);
  const [, kept = ""] = /^Your text is in (.*)\.$/.exec(hint) ?? [];
  assert.match(await Deno.readTextFile(kept), /^Aplicant: Ada$/m);
  assert.equal(await readField(caseId, "Applicant"), "Ada");
});

Deno.test("the text of an editor that fails after a change is kept, and the hint says both", async () => {
  const [, number] = await createPermit();
  const { code, stderr } = await edit(number, `sed -i 's/^Applicant: .*/Applicant: Bob/' "$1"; false`);
  assert.equal(code, 2);
  const { hint } = JSON.parse(stderr).error;
  const [, kept = ""] = /^Set VISUAL or EDITOR to your editor\. Your text is in (.*)\.$/.exec(hint) ?? [];
  assert.match(await Deno.readTextFile(kept), /^Applicant: Bob$/m);
});

/** Edits the applicant of a permit while another program changes the case. `again` edits the document that is opened again. */
async function editInConflict(again: string): Promise<{ caseId: string; seen: string; result: CommandResult }> {
  const [caseId, number] = await createPermit();
  const seen = `${live.folder}/conflict-${number}.yaml`;
  const marker = `${live.folder}/edited-${number}`;
  const other = await live.openClient();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async () => {
    await other.cases.performAction(caseId, {
      action: "pyUpdateCaseDetails",
      data: { Applicant: "Cy", Address: "Dam 1" },
    });
    return new Response();
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  const editor = `if [ -e '${marker}' ]; then cp "$1" '${seen}'; ${again}; else touch '${marker}'; ` +
    `'${Deno.execPath()}' eval "await fetch('${url}')"; sed -i 's/^Applicant: .*/Applicant: Bob/' "$1"; fi; :`;
  const result = await edit(number, editor);
  return { caseId, seen: await Deno.readTextFile(seen), result };
}

Deno.test("a change by someone else is shown with your own, and saving the text submits both", async () => {
  const { caseId, seen, result } = await editInConflict("true");
  assert.equal(result.code, 0, result.stderr);
  assert.match(seen, /^# ! The form was changed while you edited it/);
  assert.match(seen, /^# Changed while you edited: Applicant: Ada → Cy\. Your value is below$/m);
  assert.match(seen, /^Applicant: Bob$/m);
  assert.match(seen, /^Address: Dam 1$/m);
  assert.deepEqual([await readField(caseId, "Applicant"), await readField(caseId, "Address")], ["Bob", "Dam 1"]);
});

Deno.test("an empty file cancels, also after a conflict", async () => {
  const before = await countTexts();
  const { caseId, result } = await editInConflict(`: > "$1"`);
  const note = "The file is empty, so nothing was submitted.\n";
  assert.deepEqual([result.code, result.stdout], [0, ""]);
  assert.ok(result.stderr.endsWith(note), result.stderr);
  assert.equal(await readField(caseId, "Applicant"), "Cy");
  const [, number] = await createPermit();
  const { code, stderr } = await edit(number, `: > "$1"; :`);
  assert.deepEqual([code, stderr], [0, note]);
  assert.equal(await countTexts(), before);
});

Deno.test("the form of an assignment is saved as a draft", async () => {
  const [caseId, number] = await createPermit();
  const { code, stderr } = await edit(
    `'ASSIGN-WORKLIST ${caseId}!INTAKE' --action Register`,
    "sed -i 's/^Address:.*/Address: Canal 1/'",
  );
  assert.deepEqual([code, stderr.includes("Address: ")], [0, true], stderr);
  assert.notEqual(await readField(caseId, "Address"), "Canal 1");
  assert.equal((await live.object(`assignments perform ${number} --action Register`)).status, "Pending-Review");
  assert.equal(await readField(caseId, "Address"), "Canal 1");
});
