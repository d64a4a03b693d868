/** Handles on the command line: short IDs, `-` for the last case, and cases in place of assignments. */
import assert from "node:assert/strict";
import { callFakeService, startFakeService } from "../../harness/fake_service.ts";
import { openLive, openLiveForAll } from "../../harness/service.ts";
import { makeFolder, parseErrorRecord, splitWords, svc } from "../../harness/svc.ts";

const live = await openLiveForAll();

/** Creates a permit and returns its number. */
async function createPermit(): Promise<string> {
  return (await live.createPermit()).split(" ").at(-1) ?? "";
}

Deno.test("a short ID names a case or its assignment in any command, in any case", async () => {
  const number = await createPermit();
  const handle = `CITY-PERMIT-WORK ${number}`;
  for (const text of [number, number.toLowerCase()]) {
    assert.equal((await live.object(`cases get ${text}`)).id, handle);
    assert.equal((await live.object(`show ${text}`)).id, handle);
    assert.equal((await live.object(`assignments get ${text}`)).id, `ASSIGN-WORKLIST ${handle}!INTAKE`);
  }
  await live.json(`tags add ${number} --tag urgent`);
  assert.deepEqual(await live.json(`tags list ${number}`), await live.json(`tags list '${handle}'`));
  const performed = await live.object(`assignments perform ${number} --action Register --data '{"Address":"Dam 1"}'`);
  assert.deepEqual([performed.id, performed.status], [handle, "Pending-Review"]);
  assert.equal((await live.object(`work take '${handle}'`)).id, `ASSIGN-WORKBASKET ${handle}!REVIEW`);
});

Deno.test("- names the last case that a command has read, created or changed", async () => {
  await using own = await openLive();
  const { message, hint } = await own.refused("show -");
  assert.equal(message, 'There is no last case for -: the profile "default" has not used a case yet.');
  assert.match(String(hint), /^Name a case once/);
  const [first, second] = [await own.createPermit(), await own.createPermit()];
  assert.equal((await own.object("show -")).id, second);
  await own.run(`tags list '${first}'`);
  assert.equal((await own.object("cases get -")).id, first);
  await own.run("data query D_Permits");
  assert.equal((await own.object('assignments perform - --action Register --data {"Address":"Dam"}')).id, first);
  await own.run(`assignments get 'ASSIGN-WORKLIST ${second}!INTAKE'`);
  await own.run("cases get 'CITY-PERMIT-WORK P-99'");
  assert.equal((await own.object("show -")).id, second, "a command that fails does not count");
  assert.equal((await own.run("cases delete -")).code, 0);
  assert.equal((await own.refused("show -")).code, "NOT_FOUND");
  const other = await own.refused("show -", "reviewer@city");
  assert.equal(other.code, "INVALID_ARGS", "each configuration directory has its own");
});

Deno.test("a number without a case, and a case without an open assignment, are errors that say so", async () => {
  assert.deepEqual(await live.refused("cases get p-999"), {
    code: "NOT_FOUND",
    message: "Case P-999 was not found, or you have no access to it.",
    operation: "cases.get",
    hint: "Run 'svc find <text>' to search for a case.",
  });
  const handle = await live.createPermit();
  await live.run(`assignments perform '${handle}' --action Withdraw --data '{"Reason":"late"}'`);
  const { message, hint } = await live.refused(`assignments get '${handle}'`);
  assert.equal(message, `${handle} has no open assignment.`);
  assert.equal(hint, `Run 'svc show ${handle.split(" ").at(-1)}' to see its status.`);
});

Deno.test("several open assignments of a case are listed, and one in the own worklist is preferred", async () => {
  const handle = await live.createPermit();
  await live.run(`cases start-process '${handle}' --process Site_Visit`);
  const own = await live.object(`assignments get '${handle}'`);
  assert.equal(own.id, `ASSIGN-WORKLIST ${handle}!INTAKE`);
  const { code, message } = await live.refused(`assignments get '${handle}'`, "decider@city");
  assert.equal(code, "INVALID_ARGS");
  assert.equal(
    message,
    `${handle} has 2 open assignments: 'ASSIGN-WORKLIST ${handle}!INTAKE' (Register the application), ` +
      `'ASSIGN-WORKBASKET ${handle}!SITE_VISIT' (Visit the site).`,
  );
});

Deno.test("a dry run prints the request and explains on stderr which handle svc would find", async () => {
  const short = await live.run("cases get p-1 --dry-run");
  assert.match(short.stdout, /^GET \/dx-api\/v2\/cases\/p-1\n/);
  assert.equal(short.stderr, "p-1 is a short ID. Without --dry-run, svc finds its full handle and sends that.\n");
  const handle = await live.createPermit();
  const last = await live.run("cases get - --dry-run");
  assert.ok(last.stdout.startsWith(`GET /dx-api/v2/cases/${encodeURIComponent(handle)}\n`));
  assert.equal(last.stderr, "");
  const assignment = await live.run("assignments get - --dry-run");
  assert.match(
    assignment.stderr,
    /is a case\. Without --dry-run, svc sends the handle of your open assignment there\.\n$/,
  );
});

Deno.test("flags that name cases accept - and, with a service of this machine, short IDs", async () => {
  const [first, second] = [await live.createPermit(), await live.createPermit()];
  const [one, two] = [first, second].map((handle) => handle.split(" ").at(-1)?.toLowerCase());
  const { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret } = await live.environment();
  await using folder = await makeFolder();
  const profile = { baseUrl, clientId, clientSecret, service: "/data" };
  const config = JSON.stringify({ profiles: { default: profile } });
  await Deno.writeTextFile(`${folder.path}/config.json`, config, { mode: 0o600 });
  const run = async (line: string) => await svc(splitWords(line), { env: { SVC_CONFIG_DIR: folder.path } });
  const bulk = await run(
    `cases bulk-perform --action Expedite --cases ${one},${two} --fields results --format compact`,
  );
  const results: { ID: string }[] = JSON.parse(bulk.stdout).results;
  assert.deepEqual(results.map(({ ID }) => ID), [first, second]);
  await run(`show ${two}`);
  assert.equal((await run(`related add ${one} --related-case-id - --relationship duplicate`)).code, 0);
  assert.match((await run(`related list ${one}`)).stdout, new RegExp(`"ID": "${second}"`));
  assert.equal((await run(`social post-message --context - --message Hello`)).code, 0);
  assert.match((await run(`social list-messages --filter-by All --filter-for ${one}`)).stdout, /Hello/);
  const dry = await run("cases bulk-actions --cases -,p-1 --dry-run");
  assert.match(dry.stdout, new RegExp(`"ID": "${first}"\n[^]*"ID": "p-1"`));
  assert.equal(dry.stderr, "--cases has a short ID (p-1). Without --dry-run, svc finds the full handle.\n");
});

Deno.test("another service gets full handles and short ones as they are, and is asked once more only after a 404", async () => {
  const paths: string[] = [];
  const isKnown = (path: string) => /\/cases\/(C-1|ACME-WORK%20C-1)$/.test(path);
  await using service = startFakeService({
    api: (request) => {
      const path = new URL(request.url).pathname.replace("/dx-api/v2", "");
      paths.push(path);
      const status = isKnown(path) ? 200 : 404;
      return Response.json(status === 200 ? { data: { caseInfo: { ID: decodeURIComponent(path.slice(7)) } } } : {}, {
        status,
      });
    },
  });
  await using folder = await makeFolder();
  const env = { SVC_CONFIG_DIR: folder.path };
  const call = async (line: string) => {
    paths.length = 0;
    const result = await callFakeService(service, line, { env });
    return { ...result, paths: paths.join(" ") };
  };
  assert.equal((await call("cases get C-1")).paths, "/cases/C-1");
  const unknown = await call("cases get C-2");
  const searches = "/svc/cases /data_views/D_pyMyWorkList /data_objects";
  assert.deepEqual([unknown.code, unknown.paths], [1, `/cases/C-2 ${searches}`]);
  assert.equal(
    parseErrorRecord(unknown).hint,
    "This service does not find short IDs such as C-2. Write the full handle in quotes.",
  );
  await Deno.writeTextFile(
    `${folder.path}/last-case.default.json`,
    JSON.stringify({ baseUrl: service.baseUrl, caseId: "ACME-WORK C-1" }),
  );
  assert.equal((await call("show c-1")).paths, "/svc/cases /cases/ACME-WORK%20C-1", "the last case has the number");
  await Deno.writeTextFile(
    `${folder.path}/last-case.default.json`,
    '{"baseUrl":"https://other.example","caseId":"C-1"}',
  );
  assert.equal(parseErrorRecord(await call("show -")).code, "INVALID_ARGS", "the last case of another service");
});

Deno.test("without a configuration directory that can be written, commands work and - does not", async () => {
  const handle = await live.createPermit();
  const env = { SVC_NO_CACHE: "true" };
  const { code, stderr } = await live.run(`cases get '${handle}'`, "inspector@city", { env });
  assert.deepEqual([code, stderr], [0, ""]);
  const last = await live.run("show -", "inspector@city", { env });
  assert.equal(parseErrorRecord(last).code, "INVALID_ARGS");
});

Deno.test("- keeps its meaning where JSON is expected", async () => {
  const { code, stdout } = await svc(["cases", "create", "--type", "T", "--data", "-", "--dry-run"], {
    env: { SVC_BASE_URL: "https://svc.example" },
    stdin: '{"A":1}',
  });
  assert.equal(code, 0);
  assert.match(stdout, /"A": 1/);
});

Deno.test({
  name: "a command that makes several calls to find a handle prints a warning once",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using own = await openLive();
    const handle = await own.createPermit();
    const profiles = { default: { baseUrl: "https://svc.example", clientId: "a", clientSecret: "b" } };
    const file = `${own.folder}/config.json`;
    await Deno.writeTextFile(file, JSON.stringify({ profiles }), { mode: 0o644 });
    for (const name of [handle.split(" ").at(-1), "-"]) {
      const { code, stderr } = await own.run(`assignments get ${name}`);
      assert.equal(code, 0);
      assert.match(stderr, /^Warning: \S+config\.json contains a secret, and others can read it\. [^\n]+\n$/);
    }
  },
});

Deno.test("an attachment is named by its case with a number or a file, and a participant by name", async () => {
  const handle = await live.createPermit();
  const number = handle.split(" ").at(-1);
  await using folder = await makeFolder({ "plan.txt": "0 1", "site plan.txt": "2 3" });
  for (const file of ["plan.txt", "site plan.txt"]) {
    await live.run(`attachments add ${number} --file '${file}'`, "clerk@city", { cwd: folder.path });
  }
  const page = await live.run(`attachments list ${number} --format view`);
  assert.match(page.stdout, new RegExp(`^${number}/2 .*site plan.*\n${number}/1 .*plan`, "m"));
  await live.run(`show ${number}`);
  for (const name of [`${number}/1`, `${number}/plan.txt`, "-/Plan.TXT", `'${handle}/plan'`, "plan.txt"]) {
    const { stdout, stderr } = await live.run(`attachments get ${name}`);
    assert.deepEqual([stdout, stderr], ["0 1", ""], name);
  }
  assert.equal((await live.run(`attachments get '${number}/site plan.txt'`)).stdout, "2 3");
  assert.equal((await live.run(`attachments patch ${number}/2 --name plan`)).code, 0);
  const several = await live.refused(`attachments delete ${number}/plan`);
  assert.equal(
    several.message,
    `${number} has 2 attachments named plan. Use one of these names: ${number}/1, ${number}/2.`,
  );
  const missing = await live.refused(`attachments get ${number}/3`);
  assert.equal(missing.message, `${number} has no attachment 3.`);
  const dry = await live.run(`attachments delete ${number}/1 --dry-run`);
  assert.equal(dry.stderr, `${number}/1 is a name. Without --dry-run, svc finds the ID and sends that.\n`);
  assert.equal((await live.run(`attachments delete ${number}/1`)).code, 0);

  const role = `--role Adviser --data '{"pyFirstName":"Chen","pyLastName":"Costa","Subject":"Heritage"}'`;
  assert.equal((await live.run(`participants add ${number} ${role}`)).code, 0);
  assert.match((await live.run(`participants list ${number} --format view`)).stdout, /Chen Costa/);
  const read = await live.object(`participants get ${number} --participant-id 'chen costa'`);
  assert.match(String(read.id), /^PARTY-\d+$/);
  const unknown = await live.refused(`participants get ${number} --participant-id 'Ada Byron'`);
  assert.equal(unknown.code, "NOT_FOUND");
});
