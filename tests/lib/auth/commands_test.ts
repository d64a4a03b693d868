import assert from "node:assert/strict";
import { login, logout, ping, status } from "../../../lib/auth/commands.ts";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { openSession } from "../../../lib/auth/session.ts";
import {
  callApi,
  catchError,
  CLIENT,
  createSessionOptions,
  freshDirectory,
  startFakeService,
} from "../../harness/fake_service.ts";
import { PROGRAM, runScript } from "../../harness/svc.ts";

function secretCommand(code: string): string[] {
  return [Deno.execPath(), "eval", "--quiet", code];
}

/** Saves a profile whose secret a program prints. Returns the options that select it. */
async function withSecretCommand(baseUrl: string, command: string[], timeoutSeconds = 20) {
  const configDirectory = await freshDirectory();
  const profile = { baseUrl, clientId: CLIENT.clientId, clientSecretCommand: command, timeoutSeconds };
  await saveProfile("default", profile, configDirectory);
  return { configDirectory };
}

Deno.test("login caches a token, status reports it, logout deletes it", async () => {
  await using service = startFakeService();
  const options = { ...await createSessionOptions(service), profile: "work" };
  const known = { profile: "work", server: service.baseUrl };
  assert.deepEqual(await status(options), { ...known, tokenCached: false });
  const { expiresAt, ...rest } = await login(options);
  assert.deepEqual(rest, known);
  assert(Date.parse(expiresAt) > Date.now());
  assert.deepEqual(await status(options), { ...known, tokenCached: true, expiresAt });
  assert.equal(await callApi(openSession(options)), 200);
  assert.equal(service.exchanges, 1, "the call used login's token");
  assert.deepEqual(await logout(options), { profile: "work", removed: true, revoked: false });
  assert.deepEqual(await status(options), { ...known, tokenCached: false });
  assert.deepEqual(await logout(options), { profile: "work", removed: false, revoked: false });
});

Deno.test("logout deletes a token that it cannot revoke, and its warning says when the token expires", async () => {
  await using service = startFakeService();
  const configDirectory = await freshDirectory();
  const reasons: [string | undefined, RegExp][] = [
    [undefined, /The profile has no revocationPath\.$/],
    ["/oauth2/revoke", /The revocation endpoint .*\/oauth2\/revoke responded with 401 Unauthorized\.$/],
  ];
  for (const [revocationPath, reason] of reasons) {
    const profile = { baseUrl: service.baseUrl, ...CLIENT, ...(revocationPath !== undefined && { revocationPath }) };
    await saveProfile("default", profile, configDirectory);
    const { expiresAt } = await login({ configDirectory });
    const warnings: string[] = [];
    const result = await logout({ configDirectory, warn: (line) => warnings.push(line) });
    assert.deepEqual(result, { profile: "default", removed: true, revoked: false });
    assert.equal((await status({ configDirectory })).tokenCached, false);
    assert.ok(warnings[0]?.startsWith(`The token was not revoked and is valid until ${expiresAt}: `), warnings[0]);
    assert.match(warnings.join(), reason);
  }
});

Deno.test({
  name: "a clientSecretCommand of a configuration that others can change does not run",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = startFakeService();
    const marker = await freshDirectory();
    const command = secretCommand(`Deno.mkdirSync(${JSON.stringify(marker)}); console.log("s3cret")`);
    const { configDirectory } = await withSecretCommand(service.baseUrl, command);
    await Deno.chmod(configDirectory, 0o777);
    assert.match((await catchError(login({ configDirectory }))).message, /can be changed by others\.$/);
    await assert.rejects(Deno.stat(marker), Deno.errors.NotFound);
    assert.equal(service.exchanges, 0);
  },
});

Deno.test("login exchanges again although a token is cached, and keeps the cached one if the exchange fails", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  await login(options);
  await login(options);
  assert.equal(service.exchanges, 2);
  assert.equal((await catchError(login({ ...options, clientSecret: "wrong" }))).code, "UNAUTHORIZED");
  assert.equal((await status(options)).tokenCached, true);
});

Deno.test("a cancelled login or ping is INTERRUPTED", async () => {
  for (const command of [login, ping]) {
    const interrupt = new AbortController();
    await using service = startFakeService({
      token() {
        interrupt.abort();
        return new Response();
      },
    });
    const error = await catchError(command({ ...await createSessionOptions(service), signal: interrupt.signal }));
    assert.equal(error.code, "INTERRUPTED");
  }
});

Deno.test("logout works without a profile and rejects a name with a separator", async () => {
  const configDirectory = await freshDirectory();
  assert.deepEqual(await logout({ configDirectory }), { profile: "default", removed: false, revoked: false });
  assert.equal((await catchError(logout({ configDirectory, profile: "../x" }))).code, "INVALID_ARGS");
});

Deno.test("ping makes one call and returns its status and duration", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const { milliseconds, ...rest } = await ping(options);
  assert.deepEqual(rest, { profile: "default", server: service.baseUrl, status: 200 });
  assert(Number.isInteger(milliseconds) && milliseconds >= 0);
  assert.equal(service.calls, 1);
  await using portal = startFakeService({ api: () => Response.json("Welcome to our network") });
  assert.equal((await catchError(ping(await createSessionOptions(portal)))).code, "INVALID_RESPONSE");
  const error = await catchError(ping({ ...options, apiRoot: "/elsewhere" }));
  assert.equal(error.code, "NOT_FOUND");
  assert.equal(error.operation, "case-types.list");
});

Deno.test("a program can provide the secret, and runs only for an exchange", async () => {
  await using service = startFakeService();
  const marker = `${await Deno.makeTempDir()}/runs`;
  const options = await withSecretCommand(
    service.baseUrl,
    secretCommand(`
      Deno.writeTextFileSync(${JSON.stringify(marker)}, "x", { append: true });
      console.log(${JSON.stringify(CLIENT.clientSecret)});
    `),
  );
  await ping(options);
  await ping(options);
  assert.equal(await Deno.readTextFile(marker), "x");
});

Deno.test("a secret program that fails is INVALID_CONFIG with its exit code and without its output", async () => {
  const cases: [command: string[], message: RegExp][] = [
    [
      secretCommand(`console.log("s3cret"); Deno.exit(3)`),
      /^clientSecretCommand: \S*deno\S* exited with code 3\.$/,
    ],
    [secretCommand(`Deno.exit(0)`), /printed nothing\.$/],
    [secretCommand(`console.log("\\r\\n")`), /printed nothing\.$/],
    [secretCommand(`console.log("one\\ntwo")`), /printed a control character, such as a second line\.$/],
    [secretCommand(`Deno.stdout.writeSync(new Uint8Array([0xff, 0xfe]))`), /did not print UTF-8 text\.$/],
    [["/no/such/program", "s3cret"], /^clientSecretCommand: \/no\/such\/program does not exist\.$/],
  ];
  for (const [command, message] of cases) {
    const error = await catchError(login(await withSecretCommand("http://127.0.0.1:9999", command)));
    assert.equal(error.code, "INVALID_CONFIG", command.join(" "));
    assert.match(error.message, message);
    assert(!Deno.inspect(error).includes("s3cret"));
  }
});

Deno.test("a secret program that hangs is stopped at the timeout", async () => {
  const command = secretCommand("await new Promise(() => setInterval(() => {}, 1000))");
  const error = await catchError(login(await withSecretCommand("http://127.0.0.1:9999", command, 0.2)));
  assert.equal(error.code, "TIMEOUT");
  assert.match(error.message, /^clientSecretCommand \S*deno\S* did not respond within 0\.2 s\.$/);
});

Deno.test("no command shows the secret or a token with --verbose, after a rejection, or in a stack trace", async () => {
  await using service = startFakeService();
  const { configDirectory = "" } = await createSessionOptions(service);
  const profile = { baseUrl: service.baseUrl, ...CLIENT };
  await saveProfile("default", profile, configDirectory);
  await saveProfile("wrong", { ...profile, clientId: "unknown client" }, configDirectory);
  await saveProfile("gone", { ...profile, baseUrl: "http://127.0.0.1:9" }, configDirectory);
  const commands = ["login", "status", "ping", "diagnose", "logout"].map((name) => ["auth", name]);
  commands.push(["case-types", "list"], ["case-types", "list", "--no-cache"], ["case-types", "list", "--dry-run"]);
  const env = { SVC_CONFIG_DIR: configDirectory, SVC_DEBUG: "1" };
  const runs = ["default", "wrong", "gone"].flatMap((name) =>
    commands.map((command) => runScript(PROGRAM, [...command, "--verbose", "--profile", name], env))
  );
  const outputs = (await Promise.all(runs)).map(({ stdout, stderr }) => stdout + stderr).join("\n");
  assert.match(outputs, /\[HTTP\] POST \/oauth2\/token 200 OK \(\d+ms\)/);
  assert.match(outputs, /UNAUTHORIZED/);
  const { clientSecret } = CLIENT;
  const basic = btoa("client+one:").slice(0, 12);
  for (const secret of [clientSecret, encodeURIComponent(clientSecret), "s3cret", basic, ...service.issued]) {
    assert(!outputs.includes(secret), `shown: ${secret}`);
  }
});

Deno.test("a token that the service repeats is redacted with --verbose and in errors", async () => {
  await using service = startFakeService({
    api: (request) => Response.json({ localizedValue: request.headers.get("authorization") }, { status: 500 }),
  });
  const { configDirectory = "" } = await createSessionOptions(service);
  await saveProfile("default", { baseUrl: service.baseUrl, ...CLIENT }, configDirectory);
  const env = { SVC_CONFIG_DIR: configDirectory };
  for (const _ of ["exchanged", "cached"]) {
    const { stderr } = await runScript(PROGRAM, ["case-types", "list", "--verbose"], env);
    assert.match(stderr, /^\[HTTP\] Response: \{"localizedValue":"Bearer \[REDACTED\]"\}$/m);
    assert.match(stderr, /"message":"Bearer \[REDACTED\]"/);
    for (const token of service.issued) assert(!stderr.includes(token), stderr);
  }
});
