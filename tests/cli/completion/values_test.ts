/** Completion with values that commands have read. */
import assert from "node:assert/strict";
import { ValueCollector } from "../../../cli/completion/collect_values.ts";
import { addValues, openValues } from "../../../cli/completion/value_cache.ts";
import { getProfileFile } from "../../../lib/auth/profile_files.ts";
import { startService } from "../../../service/mod.ts";
import { prepareCommandLines } from "../../harness/command_process.ts";
import { callFakeService, startAnswering } from "../../harness/fake_service.ts";
import { type Folder, makeFolder, svc } from "../../harness/svc.ts";
import { openTerminal } from "../../harness/terminal.ts";

const runCommandLine = prepareCommandLines();

/** Returns the words that complete a line. */
async function complete(folder: Folder, line: string, cwd?: string): Promise<string[]> {
  const { code, stdout, stderr } = await runCommandLine(["completion", "words", line], {
    env: { SVC_CONFIG_DIR: folder.path },
    cwd,
  });
  assert.deepEqual([code, stderr], [0, ""], line);
  return stdout.split("\n").slice(0, -1);
}

/** Writes the configuration of a service. */
async function writeProfile(folder: Folder, baseUrl: string, credentials: Record<string, string> = {}): Promise<void> {
  const config = { profiles: { default: { baseUrl, ...credentials } } };
  await Deno.writeTextFile(`${folder.path}/config.json`, JSON.stringify(config), { mode: 0o600 });
}

Deno.test({
  name: "a command line is completed with what commands have read at a terminal",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = await startService();
    await using folder = await makeFolder();
    await writeProfile(folder, service.url, { ...await service.addClient("clerk@city") });
    const read = async (...args: string[]) => {
      await using terminal = openTerminal(args, { env: { SVC_CONFIG_DIR: folder.path } });
      assert.equal(await terminal.exit(), 0, terminal.scrollback());
    };
    const create = ["cases", "create", "--type", "City-Permit-Work-Permit", "--data"];
    await svc([...create, '{"Applicant":"Ada"}'], { env: { SVC_CONFIG_DIR: folder.path } });
    assert.deepEqual(await complete(folder, "svc cases get "), [], "a command in a pipe keeps no values");
    await read(...create, '{"Applicant":"Bob"}');
    await read("work", "inbox");
    await read("assignments", "get", "ASSIGN-WORKLIST CITY-PERMIT-WORK P-2!INTAKE");
    for (const line of ["case-types list", "cases list-stages -", "cases list-attachment-categories -"]) {
      await read(...line.split(" "));
    }
    for (const line of ["participants list-roles -", "data list-pages", "data get-metadata D_Permits"]) {
      await read(...line.split(" "));
    }
    const file = getProfileFile(folder.path, "completion", "default");
    assert.equal((Deno.statSync(file).mode ?? 0) & 0o777, 0o600);

    const cases = ["CITY-PERMIT-WORK P-2\tPermit for Bob, New", "CITY-PERMIT-WORK P-1\tPermit for Ada, New"];
    const assignments = [2, 1].map((number) =>
      `ASSIGN-WORKLIST CITY-PERMIT-WORK P-${number}!INTAKE\tRegister the application, Permit for ${
        number === 2 ? "Bob" : "Ada"
      }, New`
    );
    const actions = ["Register\tRegister", "Withdraw\tWithdraw"];
    const expected: Record<string, string[]> = {
      "svc cases get ": cases,
      "svc cases get 'CITY-PERMIT-WORK P-2": cases.slice(0, 1),
      "svc cases get CITY-PERMIT-WORK\\ P-2": cases.slice(0, 1),
      "svc show p-": ["p-2\tPermit for Bob, New", "p-1\tPermit for Ada, New"],
      "svc show ": [...cases, ...assignments],
      "svc assignments perform ": assignments,
      "svc assignments perform 'ASSIGN-WORKLIST CITY-PERMIT-WORK P-2!INTAKE' --action ": actions,
      "svc assignments perform p-2 --action=R": ["--action=Register\tRegister"],
      "svc assignments perform - --action ": actions,
      "svc assignments perform P-1 --action ": [],
      "svc cases create --type City-Permit-Work-R": ["City-Permit-Work-Receipt\tReceipt of a request"],
      "svc cases stage-go - --stage Re": ["Review\tPrimary"],
      "svc cases bulk-actions --cases 'CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2": [
        "CITY-PERMIT-WORK P-1,CITY-PERMIT-WORK P-2\tPermit for Bob, New",
      ],
      "svc assignments perform - --file plan.pdf --category P": ["Plan\tDrawing of the site"],
      "svc cases perform-action P-2 --action x --category P": ["Plan\tDrawing of the site"],
      "svc participants add P-2 --role Ap": ["Applicant\tApplicant"],
      "svc data query D_Permits": ["D_Permits\tPermits"],
      "svc data query D_Permits --fields pyID,App": ["pyID,Applicant\tApplicant"],
      "svc find x --fields sta": ["status\t", "stage\t"],
      "svc cases get - --fields data.caseInfo.content.Ap": ["data.caseInfo.content.Applicant\t"],
      "svc cases get - --fields ur": ["urgency\t"],
      "svc assignments perform - --set Appl": ["Applicant=\t"],
      "svc work transfer P-1 --to-operator c": ["clerk@city\tClara Clerk"],
      "svc cases get --profile other ": [],
      "svc cases get --profile=other ": [],
    };
    for (const [line, words] of Object.entries(expected)) assert.deepEqual(await complete(folder, line), words, line);

    await writeProfile(folder, "http://127.0.0.1:1");
    assert.deepEqual(await complete(folder, "svc cases get "), [], "another service of the same profile");
    await writeProfile(folder, service.url);
    await read("profile", "remove", "default");
    await assert.rejects(Deno.stat(file), Deno.errors.NotFound);
  },
});

Deno.test("completion reads no network, exchanges no token, and prompts for nothing", async () => {
  await using service = startAnswering({ ID: "C" });
  await using folder = await makeFolder();
  for (const line of ["svc cases get ", "svc assignments perform x --action ", "svc workflow run x.ts --allow "]) {
    const { code, stderr } = await callFakeService(service, "x", { env: { SVC_CONFIG_DIR: folder.path } });
    assert.deepEqual([code, stderr.includes("no command or group")], [2, true]);
    await complete(folder, line);
  }
  assert.deepEqual([service.exchanges, service.calls], [0, 0]);
  assert.deepEqual([...Deno.readDirSync(folder.path)], []);
});

Deno.test("--allow is completed with groups, and after the dot with operations", async () => {
  await using folder = await makeFolder();
  const words = async (line: string) => (await complete(folder, line)).map((row) => row.split("\t")[0]);
  const groups = await words("svc workflow run x.ts --allow ");
  assert.ok(groups.includes("cases.") && groups.includes("case-types.") && !groups.includes("auth."), groups.join());
  assert.deepEqual(await words("svc workflow run x.ts --allow case-types.,tags.,assignments.sa"), [
    "case-types.,tags.,assignments.save",
  ]);
  assert.equal((await words("svc workflow plan x.ts --allow tags."))[0], "tags.*");
});

Deno.test("a value that can be a file is completed with the files after @", async () => {
  await using folder = await makeFolder({ "plan.json": "{}", "plans/a.json": "{}", ".hidden": "" });
  const offered = (line: string) => complete(folder, line, folder.path);
  assert.deepEqual(await offered("svc cases create --data @"), ["@plan.json\t", "@plans/\t"]);
  assert.deepEqual(await offered("svc cases create --data=@plans/"), ["--data=@plans/a.json\t"]);
  assert.deepEqual(await offered("svc profile add --client-secret @.h"), ["@.hidden\t"]);
  assert.deepEqual(await offered("svc cases create --data @none/"), []);
  assert.deepEqual(await offered("svc cases create --type @"), []);
});

Deno.test("a value after = may contain further ones", async () => {
  await using folder = await makeFolder();
  const baseUrl = "http://127.0.0.1:1";
  await writeProfile(folder, baseUrl);
  const collector = new ValueCollector();
  collector.collect({ path: "/cases", body: { ID: "ACME-WORK C-1", caseTypeID: "T=1", content: { Size: 1 } } });
  addValues({ configDirectory: folder.path, baseUrl }, collector);
  assert.deepEqual(await complete(folder, "svc cases create --type=T=1 --set S"), ["Size=\t"]);
});

Deno.test("the file of values stays small, and the newest values stay in it", async () => {
  await using folder = await makeFolder();
  const options = { configDirectory: folder.path, baseUrl: "http://127.0.0.1:1" };
  const about = "x".repeat(250);
  for (let round = 0; round < 6; round++) {
    const collector = new ValueCollector();
    for (let index = 0; index < 150; index++) {
      const ID = `ACME-WORK C-${round * 150 + index}`;
      collector.collect({ path: "/cases", body: { ID, caseTypeID: "T", name: about, content: { [`F${index}`]: 1 } } });
    }
    addValues(options, collector);
  }
  const cases = [...openValues(options)("cases").keys()];
  assert.equal(cases.length, 200);
  assert.equal(cases.at(-1), "ACME-WORK C-899");
  assert.ok(Deno.statSync(getProfileFile(folder.path, "completion", "default")).size <= 200_000);
});

Deno.test("a damaged file of values offers nothing, and is replaced", async () => {
  await using folder = await makeFolder({ "completion.default.json": '{"baseUrl":' });
  const options = { configDirectory: folder.path, baseUrl: "http://127.0.0.1:1" };
  assert.equal(openValues(options)("case types").size, 0);
  const collector = new ValueCollector();
  collector.collect({ path: "/casetypes", body: { caseTypes: [{ ID: "T", name: "Type" }] } });
  addValues(options, collector);
  assert.deepEqual([...openValues(options)("case types")], [["T", "Type"]]);
});

Deno.test("an assignment that is done is no longer offered", async () => {
  await using folder = await makeFolder();
  const options = { configDirectory: folder.path, baseUrl: "http://127.0.0.1:1" };
  const readCase = (...open: string[]) => {
    const collector = new ValueCollector();
    const caseInfo = { ID: "ACME-WORK C-1", caseTypeID: "T", content: {}, assignments: open.map((ID) => ({ ID })) };
    collector.collect({ path: "/cases/ACME-WORK%20C-1", body: { data: { caseInfo } } });
    addValues(options, collector);
    return [...openValues(options)("assignments").keys()];
  };
  const [first, second] = ["ASSIGN-WORKLIST ACME-WORK C-1!A", "ASSIGN-WORKBASKET ACME-WORK C-1!B"];
  assert.deepEqual(readCase(first), [first]);
  assert.deepEqual(readCase(second), [second]);
  assert.deepEqual(readCase(), []);
});
