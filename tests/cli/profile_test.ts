/** `svc profile`: adding, selecting, showing, testing and removing profiles. */
import assert from "node:assert/strict";
import { filterObjects } from "../../utils/json.ts";
import { CLIENT, clientEnvironment, startFakeService } from "../harness/fake_service.ts";
import { CASE, CASE_INFO, startPublishedService } from "../harness/published_service.ts";
import { openLive } from "../harness/service.ts";
import {
  BUILT_PROGRAM,
  CHECKOUT,
  type Folder,
  LimitedCommand,
  makeFolder,
  parseErrorRecord,
  PROGRAM,
  readDenoEnvironment,
  runCommand,
  splitWords,
  svc,
  svcCommand,
} from "../harness/svc.ts";
import { KEYS, openTerminal } from "../harness/terminal.ts";

const LAB = ["--base-url", "https://lab.example", "--client-id", "me"];
const COMMAND = ["--client-secret-command", `pass show "my lab"`];

/** Runs a command with a configuration directory. */
async function run(folder: Folder, args: readonly string[], stdin = "", env: Record<string, string> = {}) {
  const result = await svc(args, { env: { SVC_CONFIG_DIR: folder.path, ...env }, stdin });
  return { ...result, json: result.code === 0 ? JSON.parse(result.stdout || "null") : undefined };
}

async function readConfig(folder: Folder) {
  return JSON.parse(await Deno.readTextFile(`${folder.path}/config.json`));
}

Deno.test("svc profile add writes a private file, and no command prints the secret", async () => {
  await using folder = await makeFolder();
  const added = await run(folder, ["profile", "add", "lab", ...LAB, "--client-secret", "-"], "hunter2\n");
  const shown = {
    profile: "lab",
    default: true,
    baseUrl: "https://lab.example",
    clientId: "me",
    secret: "in the configuration file",
    file: `${folder.path}/config.json`,
  };
  assert.deepEqual([added.json, added.stderr], [shown, ""]);
  assert.deepEqual(await readConfig(folder), {
    defaultProfile: "lab",
    profiles: { lab: { baseUrl: "https://lab.example", clientId: "me", clientSecret: "hunter2" } },
  });
  if (Deno.build.os !== "windows") {
    assert.equal((Deno.statSync(`${folder.path}/config.json`).mode ?? 0) & 0o777, 0o600);
  }
  const show = await run(folder, ["profile", "show", "--verbose"]);
  assert.deepEqual(show.json, shown);
  const list = await run(folder, ["profile", "list"]);
  assert.deepEqual(list.json, [{ profile: "lab", default: true, baseUrl: "https://lab.example", clientId: "me" }]);
  for (const { stdout, stderr } of [added, show, list]) assert.ok(!(stdout + stderr).includes("hunter2"));
});

Deno.test("a secret is read from a file, and never from the command line", async () => {
  await using folder = await makeFolder({ "secret.txt": "from a file\r\n" });
  const add = (source: string) => run(folder, ["profile", "add", "lab", ...LAB, "--client-secret", source]);
  const typed = parseErrorRecord(await add("hunter2"));
  assert.equal(typed.message, "--client-secret takes @file, or - for standard input.");
  assert.ok(!JSON.stringify(typed).includes("hunter2"));
  assert.match(String(parseErrorRecord(await add("-")).message), /^--client-secret from standard input is empty\.$/);
  assert.equal((await add(`@${folder.path}/secret.txt`)).code, 0);
  assert.equal((await readConfig(folder)).profiles.lab.clientSecret, "from a file");
});

Deno.test("a preset sets the paths of a deployment", async () => {
  await using folder = await makeFolder();
  const add = (name: string, ...flags: string[]) =>
    run(folder, ["profile", "add", name, "--client-id", "me", ...COMMAND, ...flags]);
  await add("a", "--base-url", "https://host.example/prweb/", "--preset", "hosted");
  await add("b", "--base-url", "https://host.example", "--preset", "hosted", "--app-alias", "permits");
  await add("c", "--base-url", "https://host.example", "--token-path", "/token");
  const { profiles } = await readConfig(folder);
  const members = { clientId: "me", clientSecretCommand: ["pass", "show", "my lab"], baseUrl: "https://host.example" };
  const hosted = {
    ...members,
    tokenPath: "/prweb/PRRestService/oauth2/v1/token",
    idempotencyKeys: false,
    tags: "first",
    recordKeys: "json",
  };
  assert.deepEqual(profiles, {
    a: { ...hosted, apiRoot: "/prweb/api/application/v2" },
    b: { ...hosted, apiRoot: "/prweb/app/permits/api/application/v2" },
    c: { ...members, tokenPath: "/token" },
  });
  const show = await run(folder, ["profile", "show", "a"]);
  assert.equal(show.json.secret, "printed by pass");
});

Deno.test("svc profile add and set say how the client authenticates, and what its tokens are for", async () => {
  await using folder = await makeFolder();
  const added = await run(folder, [
    "profile",
    "add",
    "a",
    ...LAB,
    ...COMMAND,
    "--client-auth",
    "post",
    "--scope",
    "read",
  ]);
  assert.deepEqual([added.json.clientAuth, added.json.scope, added.json.audience], ["post", "read", undefined]);
  const env = { SVC_CONFIG_DIR: folder.path };
  const { stdout } = await svc(["auth", "login", "--profile", "a", "--dry-run"], { env });
  assert.doesNotMatch(stdout, /Authorization/);
  assert.match(stdout, /\n\ngrant_type=client_credentials&scope=read&client_id=\S+&client_secret=\[REDACTED\]\n$/);
  const set = await run(folder, ["profile", "set", "a", "--client-auth", "basic-plain", "--audience", "https://api"]);
  assert.deepEqual([set.json.clientAuth, set.json.scope, set.json.audience], ["basic-plain", "read", "https://api"]);
  const refused = await run(folder, ["profile", "set", "a", "--scope", ""]);
  assert.match(refused.stderr, /--scope must be a non-empty string without control characters/);
});

Deno.test("svc profile add --tags says when entity tags are read, also instead of a preset", async () => {
  await using folder = await makeFolder();
  for (const [name, ...flags] of [["a", "--tags", "never"], ["b", "--preset", "hosted", "--tags", "on-demand"]]) {
    const added = await run(folder, ["profile", "add", name ?? "", ...LAB, ...COMMAND, ...flags]);
    assert.equal(added.json.tags, flags.at(-1));
    assert.equal((await run(folder, ["profile", "show", name ?? ""])).json.tags, flags.at(-1));
  }
  const refused = await run(folder, ["profile", "add", "c", ...LAB, ...COMMAND, "--tags", "always"]);
  assert.equal(refused.code, 2);
  assert.match(String(parseErrorRecord(refused).message), /--tags must be one of first, on-demand, never/);
});

Deno.test("svc profile set changes how a profile calls its service, and nothing else", async () => {
  await using folder = await makeFolder();
  await run(folder, ["profile", "add", "default", ...LAB, ...COMMAND, "--tags", "never", "--record-keys", "json"]);
  const read = async () => (await readConfig(folder)).profiles.default;
  const { recordKeys, ...before } = await read();
  assert.equal(recordKeys, "json");
  const set = await run(folder, ["profile", "set", "--tags", "first", "--record-keys", "separate"]);
  assert.deepEqual([set.json.tags, set.json.recordKeys], ["first", "separate"]);
  assert.deepEqual(await read(), { ...before, tags: "first", recordKeys: "separate" });
  assert.equal((await run(folder, ["profile", "set", "default", "--api-root", "/api/v2"])).json.apiRoot, "/api/v2");

  const refusals: [flags: string[], message: RegExp][] = [
    [["--tags", "always"], /--tags must be one of first, on-demand, never/],
    [["--record-keys", "xml"], /--record-keys must be one of separate, json/],
    [["--api-root", "api"], /--api-root must be a path such as/],
    [[], /At least one of --api-root, .*--tags, --record-keys is required/],
    [["lab", "--tags", "first"], /There is no profile "lab"/],
  ];
  for (const [flags, message] of refusals) {
    const refused = await run(folder, ["profile", "set", ...flags]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(String(parseErrorRecord(refused).message), message);
  }
});

Deno.test("another path of the API makes the tested features of a profile void", async () => {
  await using folder = await makeFolder();
  const supports = { testedAt: new Date().toISOString(), worklist: false };
  const lab = { baseUrl: "https://svc.example", clientId: "id", clientSecret: "secret", supports };
  await Deno.writeTextFile(`${folder.path}/config.json`, JSON.stringify({ profiles: { lab } }), { mode: 0o600 });
  const set = async (...flags: string[]) => (await run(folder, ["profile", "set", "lab", ...flags])).json.supports;
  assert.deepEqual([await set("--tags", "first"), await set("--api-root", "/api/v2")], [supports, undefined]);
});

Deno.test("invalid flags of svc profile add are named, with advice", async () => {
  await using folder = await makeFolder({
    "config.json": JSON.stringify({ profiles: { lab: { baseUrl: "https://lab.example" } } }),
  });
  const cases: [args: string[], message: RegExp, hint: RegExp][] = [
    [["x"], /^--base-url, --client-id, --client-secret or --client-secret-command are required\.$/, /At a terminal/],
    [["x", "--base-url", "svc.example"], /^--base-url must be .*, not "svc\.example"\.$/, /https:\/\/svc\.example\?$/],
    [["x", "--base-url", "http://svc.example"], /would send the secret unencrypted/, /--allow-insecure-http/],
    [["x", ...LAB, "--client-secret-command", "pass 'show"], /unclosed quotation mark/, /pass show/],
    [["x", ...LAB, ...COMMAND, "--client-secret", "-"], /mutually exclusive/, /^Leave out one of them\.$/],
    [["x", ...LAB, ...COMMAND, "--app-alias", "a"], /only for the hosted deployment/, /--preset hosted/],
    [["lab", ...LAB, ...COMMAND], /^There is already a profile "lab"\.$/, /--replace/],
    [["a/b", ...LAB, ...COMMAND], /"a\/b" is not a valid profile name/, /letters/],
  ];
  for (const [args, message, hint] of cases) {
    const result = await run(folder, ["profile", "add", ...args]);
    assert.equal(result.code, 2, args.join(" "));
    const record = parseErrorRecord(result);
    assert.match(String(record.message), message);
    assert.match(String(record.hint ?? ""), hint);
  }
  assert.equal((await run(folder, ["profile", "add", "lab", ...LAB, ...COMMAND, "--replace"])).code, 0);
});

Deno.test("commands use --profile, then SVC_PROFILE, then the profile that svc profile use selects", async () => {
  await using folder = await makeFolder();
  for (const name of ["default", "lab", "prod"]) {
    await run(folder, [
      "profile",
      "add",
      name,
      "--base-url",
      `https://${name}.example`,
      "--client-id",
      "me",
      ...COMMAND,
    ]);
  }
  const used = async (args: string[] = [], env = {}) =>
    (await run(folder, ["auth", "status", ...args], "", env)).json.profile;
  assert.equal(await used(), "default");
  assert.equal((await run(folder, ["profile", "use", "lab"])).json.default, true);
  assert.equal(await used(), "lab");
  assert.equal(await used([], { SVC_PROFILE: "prod" }), "prod");
  assert.equal(await used(["--profile", "default"], { SVC_PROFILE: "prod" }), "default");
  const overridden = await run(folder, ["profile", "use", "default"], "", { SVC_PROFILE: "prod" });
  assert.equal(
    overridden.stderr,
    "Warning: SVC_PROFILE names the profile prod, which commands use until you unset it.\n",
  );
  assert.equal(await used(), "default");
  const unknown = parseErrorRecord(await run(folder, ["profile", "use", "lap"]));
  assert.match(String(unknown.hint), /^Did you mean "lab"\? Run 'svc profile list' to see the profiles\.$/);
  const missing = parseErrorRecord(await run(folder, ["auth", "status"], "", { SVC_PROFILE: "nowhere" }));
  assert.match(String(missing.message), /^There is no profile "nowhere"/);
  assert.match(String(missing.hint), /'svc profile list'.*'svc profile add nowhere' to create/);
});

Deno.test("svc profile remove deletes the profile and its token, and keeps everything else", async () => {
  await using service = startFakeService();
  await using folder = await makeFolder({ "secret.txt": CLIENT.clientSecret });
  const flags = ["--base-url", service.baseUrl, "--client-id", CLIENT.clientId];
  const secret = ["--client-secret", `@${folder.path}/secret.txt`];
  for (const name of ["default", "lab"]) await run(folder, ["profile", "add", name, ...flags, ...secret]);
  await run(folder, ["profile", "use", "lab"]);
  await run(folder, ["auth", "login"]);
  const removed = await run(folder, ["profile", "remove", "lab"]);
  assert.deepEqual(removed.json, { profile: "lab", removed: true, revoked: false });
  assert.match(removed.stderr, /^Warning: The token was not revoked and is valid until /);
  assert.deepEqual(Object.keys((await readConfig(folder)).profiles), ["default"]);
  await assert.rejects(Deno.stat(`${folder.path}/token.lab.json`), Deno.errors.NotFound);
  assert.equal((await run(folder, ["auth", "status"])).json.profile, "default");
  assert.equal((await run(folder, ["profile", "remove", "lab"])).code, 2);
});

Deno.test("an invalid profile is listed with its problem, and can be removed", async () => {
  const profiles = { bad: { baseUrl: 1 }, good: { baseUrl: "https://svc.example" } };
  await using folder = await makeFolder({ "config.json": JSON.stringify({ profiles, other: true }) });
  const [bad, good] = (await run(folder, ["profile", "list"])).json;
  assert.match(bad.problem, /^bad\.baseUrl must be an http or https address/);
  assert.equal(good.problem, undefined);
  assert.equal((await run(folder, ["profile", "remove", "bad"])).code, 0);
  assert.deepEqual(await readConfig(folder), { profiles: { good: profiles.good }, other: true });
});

Deno.test("svc profile test checks each layer, and at a terminal prints a line for each", async () => {
  await using service = startFakeService();
  await using folder = await makeFolder();
  const flags = ["--base-url", service.baseUrl, "--client-id", CLIENT.clientId, "--client-secret", "-"];
  await run(folder, ["profile", "add", "lab", ...flags], CLIENT.clientSecret);
  await run(folder, ["profile", "add", "wrong", ...flags], "wrong");
  assert.equal((await run(folder, ["profile", "test", "lab"])).json.ok, true);
  await using terminal = openTerminal(["profile", "test", "wrong"], {
    env: { SVC_CONFIG_DIR: folder.path },
    columns: 200,
  });
  assert.equal(await terminal.exit(), 4);
  const lines = terminal.scrollback().split("\n");
  assert.deepEqual(lines.slice(0, 4).map((line) => line.split("  ")[0]), [
    "✓ configuration",
    "✓ dns",
    "✓ tcp",
    "✓ tls",
  ]);
  assert.match(lines[4] ?? "", /^✗ token +The token endpoint .* responded with 401/);
});

Deno.test("svc profile test finds out what the service supports, and commands do not try what it lacks", async () => {
  await using service = startPublishedService({
    [`GET /cases/${CASE}`]: () =>
      Response.json({ data: { caseInfo: CASE_INFO } }, { headers: { etag: "20260102T030405.678 GMT" } }),
    [`GET /cases/${CASE}/attachments`]: { attachments: [] },
    [`GET /cases/${CASE}/followers`]: {},
    "GET /ai-agents": () => new Response("<html>Not found</html>", { headers: { "content-type": "text/html" } }),
  });
  await using folder = await makeFolder();
  const flags = ["--base-url", service.baseUrl, "--client-id", CLIENT.clientId, "--client-secret", "-"];
  await run(folder, ["profile", "add", "lab", ...flags], CLIENT.clientSecret);
  const { json } = await run(folder, ["profile", "test", "lab"]);
  const listed = json.features.map((one: Record<string, string>) => [one.name ?? one.feature, one.supported]);
  assert.deepEqual(Object.fromEntries(listed), {
    workOperations: "no",
    worklist: "yes",
    history: "yes",
    caseViews: "no",
    paging: "no",
    queries: "yes",
    metadata: "no",
    entityTags: "yes",
    attachments: "yes",
    participants: "no",
    followers: "yes",
    tags: "no",
    relatedCases: "no",
    messages: "no",
    agents: "no",
    "Creation of cases": "not tested",
    "Forms of actions": "not tested",
    Uploads: "not tested",
    "Bulk actions": "not tested",
    "Changes of records": "not tested",
    "Conversations with agents": "not tested",
    "Idempotency keys": "not tested",
  });
  assert.ok(service.requests.every((request) => !/ \/(assignments|cases\/[^/]+\/actions)\b/.test(request)));
  const { supports } = (await readConfig(folder)).profiles.lab;
  assert.deepEqual([supports.workOperations, supports.worklist, supports.agents], [false, true, false]);
  assert.ok(Math.abs(Date.parse(supports.testedAt) - Date.now()) < 600_000);
  assert.deepEqual((await run(folder, ["profile", "show", "lab"])).json.supports, supports);

  service.requests.length = 0;
  assert.equal((await run(folder, ["inbox", "--profile", "lab"])).json.assignments.length, 3);
  assert.deepEqual(service.requests, ["POST /data_views/D_pyMyWorkList"]);
});

Deno.test("a profile that denies what the service supports costs a request, and commands still work", async () => {
  await using live = await openLive();
  const permit = await live.createPermit({ Applicant: "Ada Harbour", Address: "Quay 1" });
  const { SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret } = await live.environment();
  const supports = { testedAt: new Date().toISOString(), workOperations: false, worklist: false, caseViews: false };
  const profiles = { default: { baseUrl, clientId, clientSecret, supports } };
  await using folder = await makeFolder();
  await Deno.writeTextFile(`${folder.path}/config.json`, JSON.stringify({ profiles }), { mode: 0o600 });
  for (
    const line of ["inbox --status New", "find quay", "find Harbour", "show p-1", "assignments get P-1", "auth whoami"]
  ) {
    const { code, stdout } = await svc(splitWords(line), { env: { SVC_CONFIG_DIR: folder.path } });
    assert.equal(code, 0, line);
    assert.ok(stdout.includes(line === "auth whoami" ? "clerk@city" : permit), line);
  }
});

Deno.test("a test of features without a case or a profile says what it could not do", async () => {
  await using service = startPublishedService({ "POST /data_views/D_pyMyWorkList": {} });
  await using folder = await makeFolder();
  const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path };
  await using terminal = openTerminal(["profile", "test"], { env });
  assert.equal(await terminal.exit(), 0);
  const text = terminal.scrollback();
  assert.match(text, /^ {2}Inbox and search +no: Invalid resource$/m);
  assert.match(text, /^ {2}Worklist +yes$/m);
  assert.match(text, /^ {2}Entity tags of cases +not tested: No case was found to read\.$/m);
  assert.match(text, /^ {2}Uploads +not tested$/m);
  assert.match(text, /^Not stored, because no profile names this service\.$/m);
});

Deno.test("a test of the embedded service finds its own operations", async () => {
  await using live = await openLive();
  await live.createPermit();
  const { features } = await live.object("profile test", "reviewer@city");
  const supported = filterObjects(features).filter(({ name }) => name !== undefined);
  const lacking = supported.filter((one) => one.supported !== "yes").map(({ name }) => name);
  assert.deepEqual(lacking, []);
});

Deno.test("a host and a program without permission are named with the command that adds them", async () => {
  await using folder = await makeFolder();
  const [program = "", ...args] = svcCommand(["profile", "add", "lab", ...LAB, ...COMMAND], folder.path);
  const limit = (words: readonly string[]) =>
    words.map((word) => word === "--allow-net" ? "--allow-net=127.0.0.1" : word);
  const options = { clearEnv: true, env: { ...readDenoEnvironment(), SVC_CONFIG_DIR: folder.path } };
  const added = await runCommand(new LimitedCommand(program, { args: limit(args), ...options }));
  const install = [
    `deno install --global --force --name svc --no-prompt --config ${
      PROGRAM.replace(/(dist\/cli\.js|cli\.ts)$/, "deno.json")
    }`,
    "--allow-net=127.0.0.1,lab.example --allow-read",
    `--allow-write=${folder.path} --allow-env=SVC_BASE_URL,`,
  ].join(" ");
  assert.ok(added.stderr.includes(`connect to lab.example and run pass yet. Add it: ${install}`), added.stderr);
  assert.ok(added.stderr.trimEnd().endsWith(`--allow-sys=uid --allow-run=pass ${PROGRAM}`), added.stderr);
  const [, ...call] = svcCommand(["profile", "test", "--format", "compact"], folder.path);
  const tested = await runCommand(new LimitedCommand(program, { args: limit(call), ...options }));
  assert.equal(JSON.parse(tested.stdout).steps[1].code, "PERMISSION_DENIED");
  assert.ok(String(parseErrorRecord(tested).hint).includes(install), tested.stderr);
});

const KEYRING = `#!/bin/sh
echo "$@" >> "$KEYRING/calls"
case "$1" in
  store) cat > "$KEYRING/secret" ;;
  lookup) cat "$KEYRING/secret" ;;
  clear) rm "$KEYRING/secret" ;;
esac
`;

Deno.test({
  name: "a secret can live in the keyring, which gets it through standard input",
  ignore: Deno.build.os !== "linux",
  async fn() {
    await using service = startFakeService();
    await using folder = await makeFolder({ "bin/secret-tool": KEYRING, "secret.txt": CLIENT.clientSecret });
    await Deno.chmod(`${folder.path}/bin/secret-tool`, 0o755);
    const call = (...args: string[]) =>
      runCommand(
        new LimitedCommand(Deno.execPath(), {
          args: ["run", "--allow-all", "--quiet", BUILT_PROGRAM ?? `${CHECKOUT}/cli.ts`, ...args],
          env: {
            SVC_CONFIG_DIR: folder.path,
            KEYRING: folder.path,
            PATH: `${folder.path}/bin:${Deno.env.get("PATH")}`,
          },
        }),
      );
    const flags = ["--base-url", service.baseUrl, "--client-id", CLIENT.clientId];
    const secret = ["--client-secret", `@${folder.path}/secret.txt`, "--secret-store", "keyring"];
    const added = await call("profile", "add", "lab", ...flags, ...secret);
    assert.equal(JSON.parse(added.stdout).secret, "in the keyring", added.stderr);
    const attributes = `application svc service ${service.baseUrl} client ${CLIENT.clientId}`;
    const { clientSecretCommand, clientSecret } = (await readConfig(folder)).profiles.lab;
    assert.deepEqual([clientSecretCommand.join(" "), clientSecret], [`secret-tool lookup ${attributes}`, undefined]);
    assert.equal((await call("auth", "login")).code, 0);
    assert.equal((await call("profile", "remove", "lab")).code, 0);
    const calls = (await Deno.readTextFile(`${folder.path}/calls`)).trimEnd().split("\n");
    const label = `--label=svc ${CLIENT.clientId} at ${service.baseUrl}`;
    assert.deepEqual(calls, [`store ${label} ${attributes}`, `lookup ${attributes}`, `clear ${attributes}`]);
    await assert.rejects(Deno.stat(`${folder.path}/secret`), Deno.errors.NotFound);
  },
});

Deno.test({
  name: "svc profile add prompts at a terminal, does not show the secret, and tests the connection",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = startFakeService();
    await using folder = await makeFolder();
    await using terminal = openTerminal(["profile", "add"], { env: { SVC_CONFIG_DIR: folder.path } });
    await terminal.converse([
      ["Name of the profile", KEYS.ctrlU, "lab", KEYS.enter],
      ["Which deployment is it?", KEYS.enter],
      ["Address of the service", "svc.example", KEYS.enter],
      ["It must be an http or https address", KEYS.ctrlU, service.baseUrl, KEYS.enter],
      ["Client ID", CLIENT.clientId, KEYS.enter],
      ["Where shall svc keep the client secret?", KEYS.enter],
      ["Client secret (not shown)", CLIENT.clientSecret, KEYS.enter],
      ["Show results for people at a terminal", KEYS.enter],
      ["Test the connection now?", KEYS.enter],
    ]);
    assert.equal(await terminal.exit(), 0, terminal.screen());
    const printed = terminal.scrollback();
    assert.ok(!printed.includes(CLIENT.clientSecret), printed);
    assert.match(printed, /Added the profile lab\. Try it: svc case-types list\n/);
    assert.match(printed, /✓ token .*\n?.*✓ api /s);
    const { profiles, defaultProfile } = await readConfig(folder);
    assert.equal(defaultProfile, "lab");
    assert.deepEqual(profiles.lab, { baseUrl: service.baseUrl, format: "view", ...CLIENT });
  },
});

Deno.test({
  name: "Ctrl-C during the prompts adds no profile",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder();
    const flags = ["--base-url", "https://svc.example", "--preset", "standard"];
    await using terminal = openTerminal(["profile", "add", "lab", ...flags], { env: { SVC_CONFIG_DIR: folder.path } });
    await terminal.converse([["Client ID", KEYS.ctrlC]]);
    assert.equal(await terminal.exit(), 130);
    assert.deepEqual([...Deno.readDirSync(folder.path)], []);
  },
});
