/** Data of an earlier version: the current program opens it, shows it unchanged, and continues its runs. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { ServiceHome, START_ARGUMENTS } from "../harness/service.ts";
import { type CommandResult, runCommand } from "../harness/svc.ts";
import { workflowCommand } from "../harness/workflow.ts";
import answers from "../fixtures/before/answers.json" with { type: "json" };

const FIXTURE = fileURLToPath(new URL("../fixtures/before", import.meta.url));

/** Age that the copied data is given. */
const AGE_MILLISECONDS = 60 * 60 * 1000;

Deno.test("a data directory of an earlier version answers every read as before", async () => {
  await using home = await openEarlier();
  for (const { command, answer } of answers) {
    assert.deepEqual(await json(home, ...command), answer, `svc ${command.join(" ")}`);
  }
  const { attachments } = await json(home, "attachments", "list", "CITY-PERMIT-WORK P-1");
  const file = objects(attachments).find(({ category }) => category === "Plan");
  const { stdout } = await svc(home, 0, "attachments", "get", String(file?.ID));
  assert.equal(stdout, "A plan of the site.\n");
});

Deno.test("cases of an earlier version continue: a screen flow, a draft, messages and a new case", async () => {
  await using home = await openEarlier();
  const review = "ASSIGN-WORKBASKET CITY-PERMIT-WORK P-2!REVIEW";
  const asReviewer = ["--profile", "reviewer"];
  await json(
    home,
    "assignments",
    "perform",
    review,
    "--action",
    "CheckDocuments",
    "--data",
    '{"Area":7}',
    ...asReviewer,
  );
  const advice = ["--action", "GiveAdvice", "--data", '{"Complete":true,"Advice":"Grant it"}'];
  const advised = await json(home, "assignments", "perform", review, ...advice, ...asReviewer);
  assert.equal(advised.status, "Pending-Decision");

  const intake = "ASSIGN-WORKLIST CITY-PERMIT-WORK P-3!INTAKE";
  const registered = await json(home, "assignments", "perform", intake, "--action", "Register");
  assert.equal(registered.status, "Pending-Review");
  const permits = await permitsByNumber(home);
  assert.equal(permits.get("P-2")?.Area, 7);
  assert.equal(permits.get("P-3")?.Address, "Draft Street 3");

  const handle = "CITY-PERMIT-WORK P-1";
  await json(home, "social", "post-message", "--context", handle, "--message", "Posted later");
  await svc(home, 0, "followers", "delete", handle, "--user", "decider@city");
  assert.deepEqual((await json(home, "followers", "list", handle)).followers, []);
  const created = await json(home, "cases", "create", "--type", "City-Permit-Work-Permit");
  assert.equal(created.id, "CITY-PERMIT-WORK P-12");
});

Deno.test("runs of an earlier version are listed and shown", async () => {
  await using home = await openEarlier();
  const { stdout } = await svc(home, 0, "workflow", "list");
  const states = objects(JSON.parse(stdout)).map(({ id, state, inputs, succeeded, failed }) =>
    [id, state, inputs, succeeded, failed].join(" ")
  );
  assert.deepEqual(states, ["interrupted interrupted 3 1 0", "failed failed 3 2 1", "finished done 1 1 0"]);
  const { inputs } = await json(home, "workflow", "show", "finished", "--format", "json");
  const [input] = objects(inputs);
  assert.deepEqual(input?.result, { id: "CITY-PERMIT-WORK P-4", status: "Pending-Review" });
  const calls = objects(input?.calls).map(({ operation }) => operation);
  assert.deepEqual(calls, ["cases.create", "sleep", "assignments.perform"]);
  const { stdout: logs } = await svc(home, 0, "workflow", "logs", "finished");
  assert.equal(logs, "Created CITY-PERMIT-WORK P-4.\n");
  const { stdout: report } = await svc(home, 0, "workflow", "report", "failed");
  assert.match(report, /Validation failed: Errors Detected/);
});

Deno.test("'retry' and 'resume' continue runs of an earlier version with one effect per input", async () => {
  await using home = await openEarlier();
  const batch = `${home.directory}/scripts/failed.csv`;
  await Deno.writeTextFile(batch, (await Deno.readTextFile(batch)).replace("-5", "5"));
  const retried = readRegistered((await svc(home, 0, "workflow", "retry", "failed")).stdout);
  const resumed = readRegistered((await svc(home, 0, "workflow", "resume", "interrupted")).stdout);

  const permits = await permitsByNumber(home);
  const applicants = [...retried, ...resumed].map((number) => permits.get(number)?.Applicant);
  assert.deepEqual(applicants, ["Fred", "Ida", "Ivan", "Iris", "Igor"]);
  const madeBefore = ["P-1", "P-2", "P-3", "P-4", "P-5", "P-7", "P-11"];
  assert.deepEqual([...permits.keys()].toSorted(), [...madeBefore, ...retried, ...resumed].toSorted());
  for (const number of [...retried, ...resumed]) {
    assert.equal(permits.get(number)?.pyStatusWork, "Pending-Review", number);
    assert.deepEqual(await readHistory(home, number), ["created", "performed", "stage", "stage"], number);
  }
  const states = objects(JSON.parse((await svc(home, 0, "workflow", "list")).stdout)).map(({ state }) => state);
  assert.deepEqual(states, ["done", "done", "done"]);
});

Deno.test("a cassette of an earlier version plays", async () => {
  await using home = await ServiceHome.open();
  const cassette = `${FIXTURE}/scripts/register.cassette.json`;
  const command = ["workflow", "test", `${FIXTURE}/scripts/register.ts`, "--cassette", cassette, "--format", "json"];
  const { stdout } = await svc(home, 0, ...command);
  assert.deepEqual(JSON.parse(stdout), [{ cassette, calls: 3, passed: true }]);
});

/** Copies the fixture into a configuration directory, and starts the service on it. */
async function openEarlier(): Promise<ServiceHome> {
  await using stack = new AsyncDisposableStack();
  const home = stack.use(await ServiceHome.open());
  const { directory } = home;
  cpSync(`${FIXTURE}/home`, directory, { recursive: true });
  cpSync(`${FIXTURE}/scripts`, `${directory}/scripts`, { recursive: true });
  if (Deno.build.os !== "windows") await makePrivate(directory); // Git does not keep file modes.

  const config = await Deno.readTextFile(`${directory}/config.json`);
  const { baseUrl, service } = JSON.parse(config).profiles.default;
  await Deno.writeTextFile(`${directory}/config.json`, config.replaceAll(service, inJson(`${directory}/service`)));
  renewIdempotencyRecords(`${directory}/service/service.db`);
  const { url } = await json(home, ...START_ARGUMENTS);
  const recordedScripts = join(dirname(dirname(service)), "scripts");
  moveRuns(`${directory}/workflows.db`, [[recordedScripts, `${directory}/scripts`], [baseUrl, String(url)]]);
  stack.move();
  return home;
}

async function makePrivate(directory: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    await Deno.chmod(path, isDirectory ? 0o700 : 0o600);
    if (isDirectory) await makePrivate(path);
  }
}

/** Makes the idempotency records of the service recent: it drops them after a day. */
function renewIdempotencyRecords(path: string): void {
  using db = new DatabaseSync(path);
  db.prepare("UPDATE answers SET at = ?").run(new Date(Date.now() - AGE_MILLISECONDS).toISOString());
}

/** Makes the runs of a journal recent, and corrects the paths and the address in them. */
function moveRuns(path: string, replacements: readonly (readonly [from: string, to: string])[]): void {
  using db = new DatabaseSync(path);
  const { latest } = db.prepare("SELECT max(at) AS latest FROM events").get() ?? {};
  const shift = Date.now() - AGE_MILLISECONDS - Number(latest);
  db.prepare("UPDATE events SET at = at + ?").run(shift);
  for (const table of ["inputs", "runs"]) {
    db.prepare(`UPDATE ${table} SET startedAt = startedAt + ?1, endedAt = endedAt + ?1`).run(shift);
  }
  const update = db.prepare("UPDATE runs SET settings = replace(settings, ?, ?)");
  for (const [from, to] of replacements) update.run(from, inJson(to));
}

/** Escapes a text as inside of a JSON string. */
function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

async function svc(home: ServiceHome, expected: number, ...args: string[]): Promise<CommandResult> {
  const { directory } = home;
  const [group, ...rest] = args;
  const ended = await runCommand(group === "workflow" ? workflowCommand(rest, { directory }) : home.command(args));
  assert.equal(ended.code, expected, `svc ${args.join(" ")}: ${ended.stderr}`);
  return ended;
}

async function json(home: ServiceHome, ...args: string[]): Promise<JsonObject> {
  const { stdout } = await svc(home, 0, ...args);
  const answer: JsonValue = JSON.parse(stdout);
  assert.ok(isJsonObject(answer), stdout);
  return answer;
}

function objects(value: JsonValue | undefined): JsonObject[] {
  assert.ok(Array.isArray(value));
  return value.filter(isJsonObject);
}

async function permitsByNumber(home: ServiceHome): Promise<Map<string, JsonObject>> {
  const { data } = await json(home, "data", "query", "D_Permits", "--max", "100");
  return new Map(objects(data).map((row) => [String(row.pyID), row]));
}

/** Returns the kinds of the events in a case's history, in order of name. */
async function readHistory(home: ServiceHome, number: string): Promise<string[]> {
  const options = ["--filter-for", `CITY-PERMIT-WORK ${number}`, "--filter-by", "history"];
  const { data } = await json(home, "social", "get-feed", "pyCaseFeed", ...options);
  assert.ok(isJsonObject(data) && isJsonObject(data.FeedList));
  return objects(data.FeedList.pxResults).map(({ pyHistoryType }) => String(pyHistoryType)).toSorted();
}

/** Returns the numbers of the cases in the output of a batch, all of whose inputs were registered. */
function readRegistered(output: string): string[] {
  return output.trim().split("\n").map((line) => {
    const { result: { id, status } } = JSON.parse(line);
    assert.equal(status, "Pending-Review", line);
    return String(id).replace("CITY-PERMIT-WORK ", "");
  });
}
