/** docs/workflows.md, done as it says: the script that it teaches, in the folder that it makes, and its plan. */
import assert from "node:assert/strict";
import { printed, Workspace } from "../tasks/workspace.ts";
import { compiledIn } from "./_support/compiled.ts";
import { PROGRAM } from "./_support/program.ts";

const PAGE = await Deno.readTextFile(new URL("../docs/workflows.md", import.meta.url));

Deno.test("the script of the guide passes an editor's check, has the plan that is shown, and does what it says", async () => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  const folder = `${workspace.directory}/flows`;
  await workspace.svc("workflow", "init", folder);
  const script = `${folder}/intake.ts`;
  await Deno.writeTextFile(script, block("import { defineWorkflow, isSvcError }"));
  await printed(new Deno.Command(Deno.execPath(), { args: ["check", script], cwd: folder }), "deno check");
  const flags = ["--input", `{"Applicant":"Ada","Address":"Main St 1"}`, "--allow-declared"];
  const plan = await workspace.svc("workflow", "plan", script, ...flags);
  const [before = "", after = ""] = block("Step 1: cases.create").split("  …\n");
  assert.equal(plan.slice(0, before.length), before);
  assert.equal(plan.slice(-after.length), after);
  assert.equal(
    await workspace.svc("data", "count", "D_Permits", "--fields", "resultCount"),
    `{\n  "resultCount": 0\n}\n`,
  );
  assert.equal(await workspace.svc("workflow", "run", script, ...flags), `"Pending-Review"\n`);
});

const TYPED = `
import type { CaseAnswer } from "@svc/lib";
import { defineWorkflow } from "@svc/lib/workflow";

type Input = { Applicant: string; Address: string };

export default defineWorkflow<Input>({
  name: "typed",
  allow: ["cases.create", "assignments.perform"],
  async run({ svc, input }) {
    const created: CaseAnswer = await svc.cases.create({ type: "City-Permit-Work-Permit", data: input });
    const { ID } = created.nextAssignmentInfo!;
    return (await svc.assignments.perform(ID, { action: "Register", ifMatch: created.etag })).status;
  },
});
`;

Deno.test("what the guide says of types holds: the compiler knows the library's and takes no interface, svc checks none", async () => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  const folder = `${workspace.directory}/flows`;
  await workspace.svc("workflow", "init", folder);
  const input = `{"Applicant":"Ada","Address":"Main St 1"}`;
  const scripts = {
    typed: TYPED,
    taking: TYPED.replace("type Input =", "interface Input"),
    naming: TYPED.replace("created: CaseAnswer", "created: string"),
  };
  const faults = await compiledIn(folder, scripts);
  assert.equal(faults.typed, "");
  assert.match(faults.taking, /Type 'Input' is not assignable to type 'JsonObject'/);
  assert.match(faults.naming, /Type 'CaseAnswer' is not assignable to type 'string'/);
  for (const name in scripts) {
    const result = await workspace.svc("workflow", "run", `${folder}/${name}.ts`, "--input", input, "--allow-declared");
    assert.equal(result, `"Pending-Review"\n`);
  }
});

/** The block that begins with these words. */
function block(first: string): string {
  const rest = PAGE.slice(PAGE.indexOf(first));
  return rest.slice(0, rest.indexOf("```"));
}
