import assert from "node:assert/strict";
import { openSession, TokenSource } from "../../../lib/auth/session.ts";
import { readSettings, requireCredentials, type SessionOptions } from "../../../lib/auth/settings.ts";
import { callApi, CLIENT, createSessionOptions, startFakeService } from "../../harness/fake_service.ts";
import { holdResponse } from "../../harness/faults.ts";
import { CHECKOUT, LimitedCommand, runScript } from "../../harness/svc.ts";
import { within } from "../../harness/wait.ts";

function tokenFile({ configDirectory, profile = "default" }: SessionOptions): string {
  return `${configDirectory}/token.${profile}.json`;
}

/** Changes the cached token, keeping the rest. */
async function editToken(options: SessionOptions, changes: Record<string, unknown>): Promise<void> {
  const cached = JSON.parse(await Deno.readTextFile(tokenFile(options)));
  await Deno.writeTextFile(tokenFile(options), JSON.stringify({ ...cached, ...changes }));
}

Deno.test("a second session uses the cached token, in a file that only its owner can read", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  assert.equal(await callApi(openSession(options)), 200);
  assert.equal(await callApi(openSession(options)), 200);
  assert.equal(service.exchanges, 1);
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(tokenFile(options))).mode! & 0o777, 0o600);
  assert(!(await Deno.readTextFile(tokenFile(options))).includes(CLIENT.clientSecret));
});

Deno.test("concurrent processes without a cached token make one exchange and cache one complete token", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const runs = Array.from(
    { length: 12 },
    () => runScript("tests/lib/auth/_script.ts", ["call", JSON.stringify(options)], {}),
  );
  for (const { stdout, stderr } of await Promise.all(runs)) assert.equal(stdout, '{"status":200}\n', stderr);
  assert.equal(service.exchanges, 1);
  const names = Array.from(Deno.readDirSync(options.configDirectory ?? ""), ({ name }) => name).sort();
  assert.deepEqual(names, ["local.key", "token.default.json", "token.default.lock"]);
  assert.equal(JSON.parse(await Deno.readTextFile(tokenFile(options))).accessToken, service.issued[0]);
});

/** A process that holds the lock of the token. */
interface Holder extends AsyncDisposable {
  readonly options: SessionOptions;
  suspend(): void;
  kill(): Promise<void>;
}

/** Starts a process that holds the lock of the token during its exchange. */
async function startHolder(): Promise<Holder> {
  const held = holdResponse();
  const stuck = startFakeService({ token: held.answer });
  const options = await createSessionOptions(stuck);
  const script = `${CHECKOUT}/tests/lib/auth/_script.ts`;
  const args = ["run", "--quiet", "--allow-all", script, "call", JSON.stringify(options)];
  const holder = new LimitedCommand(Deno.execPath(), { args, stdin: "null", stdout: "null" }).spawn();
  await held.requested();
  let killed: Promise<void> | undefined;
  const kill = async () => {
    holder.kill("SIGKILL");
    await within("the killed process ends", holder.status);
  };
  return {
    options,
    suspend: () => holder.kill("SIGSTOP"),
    kill: () => killed ??= kill(),
    async [Symbol.asyncDispose]() {
      await (killed ??= kill());
      held.release(new Response());
      await stuck[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a process that is killed during its exchange does not block others", async () => {
  await using held = await startHolder();
  await using service = startFakeService();
  await held.kill();
  const warnings: string[] = [];
  const options = { ...held.options, baseUrl: service.baseUrl, warn: (message: string) => warnings.push(message) };
  assert.equal(await callApi(openSession(options)), 200);
  assert.deepEqual(warnings, []);
});

Deno.test("a process that is suspended during its exchange delays others only for a while", async () => {
  await using held = await startHolder();
  await using service = startFakeService();
  held.suspend();
  const warnings: string[] = [];
  const options = {
    ...held.options,
    baseUrl: service.baseUrl,
    timeoutSeconds: 6, // A third of it for the lock, the rest for an exchange.
    warn: (message: string) => warnings.push(message),
  };
  assert.equal(await callApi(openSession(options)), 200);
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? "", /^Another svc process has locked .*token\.default\.lock for 2\.0 s\. /);
  assert.equal(await callApi(openSession(options)), 200);
  assert.deepEqual([warnings.length, service.exchanges], [1, 1], "the next process uses the cached token");
});

Deno.test("a cached token is used only for its server, token endpoint and client", async () => {
  await using first = startFakeService();
  await using second = startFakeService();
  const options = await createSessionOptions(first);
  await callApi(openSession(options));
  assert.equal(await callApi(openSession({ ...options, baseUrl: second.baseUrl })), 200);
  assert.equal(second.exchanges, 1);
  assert.equal(second.calls, 1, "the other server's token was never sent here");
  const otherClient = openSession({ ...options, baseUrl: second.baseUrl, clientId: "another" });
  await assert.rejects(callApi(otherClient), { code: "UNAUTHORIZED" });
  const otherEndpoint = openSession({ ...options, baseUrl: second.baseUrl, tokenPath: "/elsewhere" });
  await assert.rejects(callApi(otherEndpoint), { code: "UNAUTHORIZED" });
  assert.equal(second.calls, 2);
});

Deno.test("a wrong secret is rejected although a token is cached, and the cached token stays", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  await callApi(openSession(options));
  const wrong = openSession({ ...options, clientSecret: "wrong" });
  await assert.rejects(callApi(wrong), { code: "UNAUTHORIZED" });
  assert.equal(await callApi(openSession(options)), 200);
  assert.deepEqual([service.calls, service.issued.length], [2, 1]);
});

Deno.test("the cached token reveals nothing about the secret without the key of the user", async () => {
  await using service = startFakeService();
  const [one, other] = [await createSessionOptions(service), await createSessionOptions(service)];
  await callApi(openSession(one));
  await callApi(openSession(other));
  const read = async (options: SessionOptions) => JSON.parse(await Deno.readTextFile(tokenFile(options))).proof;
  assert.match(await read(one), /^[0-9a-f]{64}$/);
  assert.notEqual(await read(one), await read(other), "the same secret has another proof in another directory");
  const key = `${one.configDirectory}/local.key`;
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(key)).mode! & 0o777, 0o600);
  await Deno.writeTextFile(key, "damaged");
  await callApi(openSession(one));
  assert.equal(service.exchanges, 3, "without the key no token is used, and a new key is made");
  await callApi(openSession(one));
  assert.equal(service.exchanges, 3);
});

Deno.test({
  name: "a directory that others can change gets no token, and a warning says so",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = startFakeService();
    const options = await createSessionOptions(service);
    const directory = options.configDirectory ?? "";
    await Deno.mkdir(directory, { recursive: true });
    await Deno.chmod(directory, 0o777);
    const warnings: string[] = [];
    assert.equal(await callApi(openSession({ ...options, warn: (message) => warnings.push(message) })), 200);
    assert.deepEqual(warnings, [
      `The token cannot be cached, so every command exchanges a new one: ${directory} can be changed by others. ` +
      "Set SVC_CONFIG_DIR to a directory of your own.",
    ]);
    const names = Array.from(Deno.readDirSync(directory), ({ name }) => name);
    assert.deepEqual(names, ["token.default.lock"]);
  },
});

Deno.test("a token is renewed a minute before it expires, a short-lived one after half its life", async () => {
  for (const [expires_in, margin] of [[3600, 60], [120, 60], [10, 5]] as const) {
    await using service = startFakeService({ grant: { expires_in } });
    const options = await createSessionOptions(service);
    await callApi(openSession(options));
    const { expiresAt, refreshAt } = JSON.parse(await Deno.readTextFile(tokenFile(options)));
    assert.equal(Date.parse(expiresAt) - Date.parse(refreshAt), margin * 1000);
    await editToken(options, { refreshAt: new Date(Date.now() - 1).toISOString() });
    await callApi(openSession(options));
    assert.equal(service.exchanges, 2);
  }
});

Deno.test("a damaged cache is ignored and replaced", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  await callApi(openSession(options));
  const good = JSON.parse(await Deno.readTextFile(tokenFile(options)));
  const damaged = [
    "",
    '{"accessToken":"tok',
    "null",
    "[]",
    JSON.stringify({ ...good, accessToken: "a\nb" }),
    JSON.stringify({ ...good, accessToken: 7 }),
    JSON.stringify({ ...good, refreshAt: "soon" }),
    JSON.stringify({ ...good, expiresAt: undefined }),
  ];
  for (const [i, text] of damaged.entries()) {
    await Deno.writeTextFile(tokenFile(options), text);
    assert.equal(await callApi(openSession(options)), 200);
    assert.equal(service.exchanges, i + 2, text);
    assert.equal(JSON.parse(await Deno.readTextFile(tokenFile(options))).accessToken, service.issued.at(-1));
  }
});

Deno.test("a 401 for a cached token causes one exchange and one more attempt, and all three are reported", async () => {
  await using service = startFakeService();
  const told: string[] = [];
  const onExchange: SessionOptions["onExchange"] = ({ method, path, status, reason, milliseconds }) => {
    told.push([method, path, status, reason].join(" "));
    assert(milliseconds >= 0);
  };
  const options = { ...await createSessionOptions(service), onExchange };
  await callApi(openSession(options));
  service.revoke();
  assert.equal(await callApi(openSession(options)), 200);
  assert.deepEqual([service.exchanges, service.calls], [2, 3]);
  const exchange = "POST /oauth2/token 200 OK";
  assert.deepEqual(told, [exchange, "GET /dx-api/v2/casetypes 401 Unauthorized", exchange]);
  assert.equal(JSON.parse(await Deno.readTextFile(tokenFile(options))).accessToken, service.issued[1]);
});

Deno.test("a 401 for a new token is final", async () => {
  await using service = startFakeService({ grant: { access_token: "never valid" } });
  await using valid = startFakeService({ grant: { access_token: "never-valid" } });
  const refused = callApi(openSession(await createSessionOptions(service)));
  await assert.rejects(refused, { code: "INVALID_RESPONSE" });
  assert.equal(await callApi(openSession(await createSessionOptions(valid))), 401);
  assert.deepEqual([valid.exchanges, valid.calls], [1, 1]);
});

Deno.test("concurrent calls share one exchange, without a cached token and after a 401", async () => {
  await using service = startFakeService();
  for (const noCache of [false, true]) {
    const session = openSession({ ...await createSessionOptions(service), noCache });
    const before = service.exchanges;
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => callApi(session)));
    assert.deepEqual(await twenty(), Array(20).fill(200));
    assert.equal(service.exchanges, before + 1);
    service.revoke();
    assert.deepEqual(await twenty(), Array(20).fill(200));
    assert.equal(service.exchanges, before + 2);
  }
});

Deno.test("after a 401 a session uses the token that another one has renewed meanwhile", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const [one, two] = [openSession(options), openSession(options)];
  await callApi(one);
  await callApi(two);
  service.revoke();
  assert.deepEqual(await Promise.all([callApi(one), callApi(two)]), [200, 200]);
  assert.equal(service.exchanges, 2);
});

Deno.test("a late rejection of a token uses the one that another call has renewed meanwhile", async () => {
  await using service = startFakeService();
  const tokens = new TokenSource(
    requireCredentials(readSettings({ ...await createSessionOptions(service), noCache: true })),
  );
  const { signal } = new AbortController();
  const { token } = await tokens.get(signal);
  const renewed = [await tokens.replace(token, signal), await tokens.replace(token, signal)];
  assert.deepEqual(renewed.map(({ accessToken }) => accessToken), [service.issued[1], service.issued[1]]);
  assert.equal(service.exchanges, 2);
});

Deno.test("noCache exchanges once per session and leaves no file", async () => {
  await using service = startFakeService();
  const options = { ...await createSessionOptions(service), noCache: true };
  const session = openSession(options);
  await callApi(session);
  await callApi(session);
  await callApi(openSession(options));
  assert.equal(service.exchanges, 2);
  assert.deepEqual(Array.from(Deno.readDirSync(options.configDirectory ?? "")), []);
});

Deno.test("a cache that cannot be read or written causes one warning, and the call succeeds", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const file = `${options.configDirectory}/file`;
  await Deno.writeTextFile(file, "");
  await Deno.mkdir(tokenFile(options));
  for (const configDirectory of [file, options.configDirectory]) {
    const warnings: string[] = [];
    const warn = (message: string) => warnings.push(message);
    assert.equal(await callApi(openSession({ ...options, configDirectory, warn })), 200);
    assert.equal(warnings.length, 1, warnings.join("\n"));
    assert.match(warnings.join(), /^The token cannot be cached, so every command exchanges a new one: /);
  }
});

Deno.test({
  name: "a token that others can read causes a warning",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using service = startFakeService();
    const warnings: string[] = [];
    const options = { ...await createSessionOptions(service), warn: (message: string) => warnings.push(message) };
    await callApi(openSession(options));
    await callApi(openSession(options));
    assert.deepEqual(warnings, []);
    await Deno.chmod(tokenFile(options), 0o644);
    await callApi(openSession(options));
    assert.match(warnings.join("\n"), /^\S*token\.default\.json contains a secret, and others can read it/);
  },
});
