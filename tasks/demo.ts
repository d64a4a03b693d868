/**
 * The tour: cases are created, taken, performed and resolved from the command line, from the library and from a
 * workflow. Shows the commands that it runs and what they answer.
 */
import { fileURLToPath } from "node:url";
import { createClient } from "../mod.ts";
import { Tour } from "./demo/tour.ts";
import { readLog } from "./replay/log.ts";
import { differences } from "./replay/prove.ts";
import { closeOnInterrupt, Workspace } from "./workspace.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));

closeOnInterrupt();
await using workspace = await Workspace.open();
const tour = new Tour(workspace);
await resolveOneCase();
await useTheLibrary();
await replayALog();

async function resolveOneCase(): Promise<void> {
  tour.say("A service on this machine, with a sample application and a profile to call it:");
  await tour.run("service", "start", "--port", "0", "--detach");
  tour.say("What can be created?");
  await tour.run("case-types", "list", "--fields", "caseTypes", "--format", "table");
  tour.say("A permit application comes in. Its first assignment is ours:");
  const data = JSON.stringify({ Applicant: "Ada Lovelace", Address: "Main Street 1" });
  const { id } = await tour.ask(
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
  tour.say("It is in review now: three screens of one assignment.");
  await performNext("CheckApplication", {});
  await performNext("CheckDocuments", {});
  await performNext("GiveAdvice", { Complete: true, Advice: "Fits the zoning plan." });
  tour.say("Somebody else decides: another operator, with a client and a profile of its own.");
  await tour.run("service", "add-client", "--operator", "decider@city", "--profile", "decider");
  await performNext("Decide", { Decision: "Grant" }, "--profile", "decider");
  await tour.run("cases", "get", String(id), "--fields", "id,status", "--format", "table");
}

async function performNext(action: string, content: Record<string, unknown>, ...flags: string[]): Promise<void> {
  const { id } = await tour.ask("assignments", "get-next", "--fields", "id", ...flags);
  const data = Object.keys(content).length === 0 ? [] : ["--data", JSON.stringify(content)];
  await tour.run("assignments", "perform", String(id), "--action", action, ...data, "--fields", "id,status", ...flags);
}

async function useTheLibrary(): Promise<void> {
  tour.say("The same from a program:");
  const script = `${HERE}demo/library.ts`;
  tour.show((await Deno.readTextFile(script)).trimEnd());
  const args = ["run", "--allow-net", "--allow-read", "--allow-write", "--allow-env", script];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env: workspace.env }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  console.log(new TextDecoder().decode(stdout).trimEnd());
}

async function replayALog(): Promise<void> {
  const log = await readLog(`${HERE}demo/log.csv`);
  const input = `${workspace.directory}/log.json`;
  await Deno.writeTextFile(input, JSON.stringify(log));
  tour.say(`And from a workflow, which has no permission but to ask: ${log.length} cases of a log, event by event.`);
  const script = `${HERE}../workflows/examples/replay_log.ts`;
  const handles = await tour.ask("workflow", "run", script, "--input", `@${input}`, "--allow-declared");
  tour.say("What the service has of it:");
  const select = JSON.stringify({ query: { select: ["pyID", "Reference", "pyStatusWork"] } });
  await tour.run("data", "query", "D_Receipts", "-d", select, "--fields", "data", "--format", "table");
  const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
  const found = await differences(svc, log, new Map(Object.entries(handles).map(([key, id]) => [key, String(id)])));
  for (const difference of found) console.error(difference);
  if (found.length > 0) Deno.exit(1);
  console.log(`\nEvery case is resolved, and every history equals the log. That was it; README.md has the rest.`);
}
