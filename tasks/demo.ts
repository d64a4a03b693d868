/**
 * Shows how cases are created, performed and resolved from the command line, with the library and by a workflow. Prints
 * each command and its output.
 */
import { fileURLToPath } from "node:url";
import { createClient } from "../mod.ts";
import { Tour } from "./demo/tour.ts";
import { compareCases } from "./replay/compare.ts";
import { readLog } from "./replay/log.ts";
import { closeOnInterrupt, Workspace } from "./support/workspace.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

closeOnInterrupt();
await using workspace = await Workspace.open();
const tour = new Tour(workspace);
await resolveOneCase();
await useLibrary();
await replayLog();

async function resolveOneCase(): Promise<void> {
  tour.say("Start a service on this machine, with a sample application and a profile:");
  await tour.run("service", "start", "--port", "0", "--detach");
  tour.say("List the case types:");
  await tour.run("case-types", "list", "--fields", "caseTypes", "--format", "table");
  tour.say("Create a permit application. Its first assignment belongs to the clerk:");
  const data = JSON.stringify({ Applicant: "Ada Lovelace", Address: "Main Street 1" });
  const { id } = await tour.query(
    "cases",
    "create",
    "--type",
    "City-Permit-Work-Permit",
    "--data",
    data,
    "--fields",
    "id,status",
  );
  await performNext("Register", { Area: 40 });
  tour.say("It is in review now. The assignment has three screens.");
  await performNext("CheckApplication", {});
  await performNext("CheckDocuments", {});
  await performNext("GiveAdvice", { Complete: true, Advice: "Fits the zoning plan." });
  tour.say("Another operator decides, with a client and a profile of its own.");
  await tour.run("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  await performNext("Decide", { Decision: "Grant" }, "--profile", "decider");
  await tour.run("cases", "get", String(id), "--fields", "id,status", "--format", "table");
}

async function performNext(action: string, content: Record<string, unknown>, ...flags: string[]): Promise<void> {
  const { id } = await tour.query("assignments", "get-next", "--fields", "id", ...flags);
  const data = Object.keys(content).length === 0 ? [] : ["--data", JSON.stringify(content)];
  await tour.run("assignments", "perform", String(id), "--action", action, ...data, "--fields", "id,status", ...flags);
}

async function useLibrary(): Promise<void> {
  tour.say("Do the same in a program:");
  const script = `${HERE}demo/library.ts`;
  tour.show((await Deno.readTextFile(script)).trimEnd());
  const args = ["run", "--allow-net", "--allow-read", "--allow-write", "--allow-env", script];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env: workspace.env }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  console.log(new TextDecoder().decode(stdout).trimEnd());
}

async function replayLog(): Promise<void> {
  const log = await readLog(`${HERE}demo/log.csv`);
  const input = `${workspace.directory}/log.json`;
  await Deno.writeTextFile(input, JSON.stringify(log));
  tour.say(`Replay ${log.length} cases of a log with a sandboxed workflow, event by event:`);
  const script = `${HERE}../workflows/examples/replay_log.ts`;
  const handles = await tour.query("workflow", "run", script, "--input", `@${input}`, "--allow-declared");
  tour.say("Query the replayed cases:");
  const select = JSON.stringify({ query: { select: ["pyID", "Reference", "pyStatusWork"] } });
  await tour.run("data", "query", "D_Receipts", "-d", select, "--fields", "data", "--format", "table");
  const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
  const differences = await compareCases(
    svc,
    log,
    new Map(Object.entries(handles).map(([key, id]) => [key, String(id)])),
  );
  for (const difference of differences) console.error(difference);
  if (differences.length > 0) Deno.exit(1);
  console.log(`\nEvery case is resolved, and every history equals the log. See README.md for more.`);
}
