import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";
import { resolveOwnFile } from "../../lib/own_files.ts";
import { describeWriteError } from "../../utils/fs/describe_error.ts";
import { VERSION } from "../../lib/version.ts";

const WORKFLOW_MODULE = resolveOwnFile("workflows/mod.ts").href;

const STARTER = `import { defineWorkflow } from "@svc/lib/workflow";

/** Creates a permit, takes its first assignment and registers the application. */
export default defineWorkflow<{ Applicant: string; Address: string }>({
  name: "intake",
  allow: ["cases.create", "assignments.perform"],
  async run({ svc, input, log }) {
    const created = await svc.cases.create({ type: "City-Permit-Work-Permit" });
    log("created", created.id);
    const assignment = created.nextAssignmentInfo;
    if (!assignment) return created.status;
    const registered = await svc.assignments.perform(assignment.ID, { action: "Register", data: input });
    return { id: created.id, status: registered.status };
  },
});
`;

/** Files of an initialized folder. */
export interface InitResult extends JsonObject {
  /** Paths of the files that were written. */
  written: string[];
  /** Paths of the files that existed and were not changed. */
  kept: string[];
}

/** Writes `deno.json` and a starter script into a folder. Existing files are not changed. */
export async function initWorkflows(folder: string): Promise<InitResult> {
  const imports = WORKFLOW_MODULE.startsWith("file:")
    ? { "@svc/lib/workflow": WORKFLOW_MODULE }
    : { "@svc/lib": `jsr:@svc/lib@^${VERSION}` };
  const config = JSON.stringify({ imports }, null, 2) + "\n";
  const result: InitResult = { written: [], kept: [] };
  try {
    await Deno.mkdir(folder, { recursive: true });
    for (const [name, text] of [["deno.json", config], ["intake.ts", STARTER]] as const) {
      const path = `${folder.replace(/[\\/]+$/, "")}/${name}`;
      (await writeNewFile(path, text) ? result.written : result.kept).push(path);
    }
  } catch (cause) {
    const reason = describeWriteError(cause);
    if (reason === undefined) throw cause;
    throw new SvcError("INVALID_ARGS", `${folder} cannot be written: ${reason}.`, {
      cause,
      hint: "Name another directory.",
    });
  }
  return result;
}

async function writeNewFile(path: string, text: string): Promise<boolean> {
  try {
    await Deno.writeTextFile(path, text, { createNew: true });
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  }
}
