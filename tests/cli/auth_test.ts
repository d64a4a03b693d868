/** `svc auth`, and the number of token exchanges. */
import assert from "node:assert/strict";
import { saveProfile } from "../../lib/auth/profiles.ts";
import {
  callFakeService,
  CLIENT,
  freshDirectory,
  NO_SERVICE,
  startAnswering,
  startFakeService,
} from "../harness/fake_service.ts";
import { startService } from "../../service/mod.ts";
import { makeFolder, parseErrorRecord, svc } from "../harness/svc.ts";

Deno.test("--no-cache stores no token; otherwise one exchange serves many calls", async () => {
  await using service = startAnswering({ id: "C" });
  await using folder = await makeFolder();
  const env = { SVC_CONFIG_DIR: folder.path };
  await callFakeService(service, "cases get C --no-cache", { env });
  assert.deepEqual(await Array.fromAsync(Deno.readDir(folder.path)), []);
  await callFakeService(service, "cases get C", { env });
  await callFakeService(service, "cases get C", { env });
  assert.deepEqual([service.exchanges, service.calls], [2, 3]);
});

Deno.test("auth commands print their result, and a failed diagnosis ends with the error of the failed step", async () => {
  await using service = startFakeService();
  await using folder = await makeFolder();
  const env = { SVC_CONFIG_DIR: folder.path };
  const login = JSON.parse((await callFakeService(service, "auth login", { env })).stdout);
  assert.deepEqual([login.profile, login.server], ["default", service.baseUrl]);
  assert.equal(JSON.parse((await callFakeService(service, "auth status", { env })).stdout).tokenCached, true);
  assert.equal(
    (await callFakeService(service, "auth ping --fields status --format compact", { env })).stdout,
    '{"status":200}\n',
  );
  assert.equal(JSON.parse((await callFakeService(service, "auth diagnose", { env })).stdout).ok, true);
  const untouched = await callFakeService(service, "auth logout --dry-run", { env });
  assert.deepEqual([untouched.code, untouched.stdout], [0, ""]);
  assert.match(untouched.stderr, /^Nothing was done/);
  assert.equal(JSON.parse((await callFakeService(service, "auth logout", { env })).stdout).removed, true);
  const refused = await callFakeService(service, "auth diagnose", { env: { ...env, SVC_CLIENT_SECRET: "wrong" } });
  assert.equal(refused.code, 4);
  assert.equal(JSON.parse(refused.stdout).ok, false);
  assert.equal(parseErrorRecord(refused).code, "UNAUTHORIZED");
});

Deno.test("a dry run of auth login and auth ping prints the request that each would make, and sends nothing", async () => {
  await using service = startFakeService();
  const login = await callFakeService(service, "auth login --dry-run");
  const host = `Host: ${new URL(service.baseUrl).host}`;
  assert.deepEqual([login.code, login.stderr, login.stdout.split("\n")], [0, "", [
    "POST /oauth2/token",
    host,
    "Authorization: Basic [REDACTED]",
    "Content-Type: application/x-www-form-urlencoded",
    "",
    "grant_type=client_credentials",
    "",
  ]]);
  const ping = await callFakeService(service, "auth ping --dry-run");
  assert.equal(ping.stdout, (await callFakeService(service, "case-types list --dry-run")).stdout);
  assert.ok(ping.stdout.startsWith(`GET /dx-api/v2/casetypes\n${host}\n`), ping.stdout);
  assert.deepEqual([service.exchanges, service.calls], [0, 0]);
});

Deno.test("a hint with an auth command contains the profile of the call", async () => {
  const hints = {
    "": "'svc auth diagnose' to find",
    " --profile test": "'svc auth diagnose --profile test' to find",
    " --profile $&$": "'svc auth diagnose --profile '$&$'' to find",
  };
  for (const [flag, expected] of Object.entries(hints)) {
    const { hint } = parseErrorRecord(await callFakeService(NO_SERVICE, `cases get C${flag}`));
    assert.ok(String(hint).includes(expected), String(hint));
  }
});

Deno.test("auth whoami shows the operator that the service names, or that of the token", async () => {
  await using embedded = await startService();
  const { clientId, clientSecret } = await embedded.addClient("reviewer@city");
  const env = { SVC_BASE_URL: embedded.url, SVC_CLIENT_ID: clientId, SVC_CLIENT_SECRET: clientSecret };
  const named = await svc(["auth", "whoami"], { env });
  assert.deepEqual(JSON.parse(named.stdout), {
    profile: "default",
    server: embedded.url,
    clientId,
    operator: "reviewer@city",
    name: "Rosa Reviewer",
    queues: ["Review"],
  });

  const claims = new TextEncoder().encode(JSON.stringify({ sub: "ada@city", app_name: "Permits" }));
  const payload = claims.toBase64({ alphabet: "base64url", omitPadding: true });
  await using hosted = startFakeService({ accessToken: `e30.${payload}.x` });
  const claimed = JSON.parse((await callFakeService(hosted, "auth whoami")).stdout);
  assert.deepEqual([claimed.operator, claimed.application], ["ada@city", "Permits"]);
  await using silent = startFakeService();
  const { code, stdout, stderr } = await callFakeService(silent, "auth whoami");
  assert.deepEqual([code, JSON.parse(stdout).operator], [0, undefined]);
  assert.equal(stderr, "Warning: The service does not say which operator the client acts as.\n");
});

Deno.test("variables of another client hide behind no profile: results, diagnosis and a warning name them", async () => {
  await using service = startFakeService();
  const directory = await freshDirectory();
  const own = { baseUrl: service.baseUrl, clientId: "lab-client", clientSecret: "lab" };
  await saveProfile("lab", own, directory);
  const variables = { SVC_CLIENT_ID: CLIENT.clientId, SVC_CLIENT_SECRET: CLIENT.clientSecret };
  const env = { SVC_CONFIG_DIR: directory, ...variables };
  const sources = { baseUrl: 'profile "lab"', clientId: "SVC_CLIENT_ID", clientSecret: "SVC_CLIENT_SECRET" };
  const warning = 'Warning: SVC_CLIENT_ID and SVC_CLIENT_SECRET override the profile "lab". ' +
    "Unset them to use the profile.\n";
  for (const command of ["whoami", "login", "ping", "diagnose"]) {
    const { stdout, stderr } = await svc(["auth", command, "--profile", "lab", "--no-cache"], { env });
    const result = JSON.parse(stdout);
    assert.deepEqual([result.profile, result.sources], [undefined, sources], command);
    assert.equal(stderr.split(warning).length, 2, `${command} warns once: ${stderr}`);
    if (command === "diagnose") {
      assert.match(
        result.steps[0].result,
        /; baseUrl from profile "lab"; clientId from SVC_CLIENT_ID; clientSecret from/,
      );
    }
  }
  const status = JSON.parse((await svc(["auth", "status", "--profile", "lab"], { env })).stdout);
  assert.deepEqual([status.profile, status.sources], [undefined, sources]);
  const call = await svc(["case-types", "list"], { env: { ...env, SVC_PROFILE: "lab" } });
  assert.deepEqual([call.code, call.stderr], [0, warning]);
  assert.equal((await svc(["case-types", "list", "--profile", "lab", "--quiet"], { env })).stderr, "");

  const same = { SVC_CONFIG_DIR: directory, SVC_BASE_URL: service.baseUrl + "/", SVC_CLIENT_ID: own.clientId };
  const { stdout, stderr } = await svc(["auth", "status", "--profile", "lab"], { env: same });
  assert.deepEqual([JSON.parse(stdout).profile, stderr], ["lab", ""], "the same client");
  const only = await svc(["auth", "status"], { env: { ...env, SVC_BASE_URL: service.baseUrl } });
  assert.deepEqual([JSON.parse(only.stdout).profile, only.stderr], ["default", ""], "no profile is hidden");
});
