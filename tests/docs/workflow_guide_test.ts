/** Follows docs/workflows.md: its script, in the folder that it creates, and its plan. */
import assert from "node:assert/strict";
import { Workspace } from "../../tasks/support/workspace.ts";
import { findTypeErrorsIn } from "../harness/project.ts";
import { PROGRAM, splitWords } from "../harness/svc.ts";

const PAGE = await Deno.readTextFile(new URL("../../docs/workflows.md", import.meta.url));

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
    return (await svc.assignments.perform(ID, { action: "Register" }, { ifMatch: created.etag })).status;
  },
});
`;

/** Scripts by the names of their files. */
const SCRIPTS = {
  guide: block("import { defineWorkflow, isSvcError }"),
  advise: block("import { defineWorkflow, type JsonObject }"),
  typed: TYPED,
  taking: TYPED.replace("type Input =", "interface Input"),
  naming: TYPED.replace("created: CaseAnswer", "created: string"),
};

const FLAGS = ["--input", `{"Applicant":"Ada","Address":"Main St 1"}`, "--allow-declared"];

Deno.test("the steps of the guide work in a folder of svc workflow init", async (t) => {
  await using workspace = await Workspace.open(PROGRAM);
  await workspace.startService();
  const folder = `${workspace.directory}/flows`;
  await workspace.svc("workflow", "init", folder);
  const intake = await Deno.readTextFile(`${folder}/intake.ts`);
  const errors = await findTypeErrorsIn(folder, { intake, ...SCRIPTS });
  await t.step("the script of the guide and the generated one pass the type check", () => {
    assert.deepEqual([errors.guide, errors.advise, errors.intake], ["", "", ""]);
  });
  await t.step(
    "the script of the guide has the plan that the page shows, and runs",
    () => followGuide(workspace, folder),
  );
  await t.step("the schedule of the guide is added, and a worker runs it", () => followSchedule(workspace));
  await t.step("the robot of the guide works on its queue", () => followRobot(workspace));
  await t.step("the compiler checks the types of the library, and rejects an interface as input", () => {
    assert.equal(errors.typed, "");
    assert.match(errors.taking, /Type 'Input' is not assignable to type 'Partial<NoInfer<JsonObject>>'/);
    assert.match(
      errors.naming,
      /Type '\{ id: string; .* readonly raw: JsonObject; \}' is not assignable to type 'string'/,
    );
  });
  await t.step("svc runs scripts without a type check", async () => {
    for (const name of ["typed", "taking", "naming"]) {
      assert.equal(await workspace.svc("workflow", "run", `${folder}/${name}.ts`, ...FLAGS), `"Pending-Review"\n`);
    }
  });
});

async function followGuide(workspace: Workspace, folder: string): Promise<void> {
  const script = `${folder}/guide.ts`;
  const plan = await workspace.svc("workflow", "plan", script, ...FLAGS);
  const [before = "", after = ""] = block("Step 1: cases.create").split("  …\n");
  assert.equal(plan.slice(0, before.length), before);
  assert.equal(plan.slice(-after.length), after);
  assert.equal(
    await workspace.svc("data", "count", "D_Permits", "--fields", "resultCount"),
    `{\n  "resultCount": 0\n}\n`,
  );
  assert.equal(await workspace.svc("workflow", "run", script, ...FLAGS), `"Pending-Review"\n`);
}

async function followSchedule(workspace: Workspace): Promise<void> {
  for (const line of block("svc workflow schedule add nightly").trimEnd().split("\n")) {
    const [, ...args] = splitWords(line.replace(" flows/", ` ${workspace.directory}/flows/`));
    await workspace.svc(...args, ...(args[0] === "worker" ? ["--until-idle"] : []));
  }
  const [run] = JSON.parse(await workspace.svc("workflow", "list", "--schedule", "nightly"));
  assert.deepEqual([run.name, run.state, run.succeeded], ["intake", "done", 1]);
}

/** Runs the robot on the permits that the earlier steps have registered. */
async function followRobot(workspace: Workspace): Promise<void> {
  await workspace.addClient("reviewer@city");
  const [line = ""] = block("svc workflow work flows/advise.ts").split("\n");
  const [, ...args] = splitWords(line.replace(" flows/", ` ${workspace.directory}/flows/`));
  const results = (await workspace.svc(...args, "--until-empty")).trimEnd().split("\n").map((text) => JSON.parse(text));
  assert.deepEqual(new Set(results.map(({ result }) => result)), new Set(["Pending-Decision"]));
}

/** Returns the code block that starts with a text. */
function block(first: string): string {
  const rest = PAGE.slice(PAGE.indexOf(first));
  return rest.slice(0, rest.indexOf("```"));
}
