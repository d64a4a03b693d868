import assert from "node:assert/strict";
import { saveProfile } from "../../../lib/auth/profiles.ts";
import { createClient } from "../../../mod.ts";
import { openSession } from "../../../lib/auth/session.ts";
import { readTarget, type SessionOptions } from "../../../lib/auth/settings.ts";
import {
  catchError,
  CLIENT,
  clientEnvironment,
  createSessionOptions,
  freshDirectory,
  NO_SERVICE,
  startFakeService,
} from "../../harness/fake_service.ts";
import { mapValues } from "../../../utils/map_values.ts";
import { isJsonObject, type JsonValue } from "../../../utils/json.ts";
import {
  CHECKOUT,
  LimitedCommand,
  makeFolder,
  readDenoDirectory,
  runScript,
  svc,
  svcCommand,
} from "../../harness/svc.ts";

const PROFILE = { baseUrl: "https://profile.example", clientId: "id", clientSecret: "s3cret" };

async function script(action: string, options: SessionOptions, env: Record<string, string>): Promise<JsonValue> {
  const { stdout } = await runScript("tests/lib/auth/_script.ts", [action, JSON.stringify(options)], env);
  return JSON.parse(stdout);
}

Deno.test("a profile defines the target, and its missing members have defaults", async () => {
  const configDirectory = await freshDirectory();
  await saveProfile("default", { ...PROFILE, baseUrl: "https://profile.example/" }, configDirectory);
  assert.deepEqual(readTarget({ configDirectory }), {
    profile: "default",
    baseUrl: "https://profile.example",
    apiRoot: "/dx-api/v2",
    timeoutSeconds: 30,
    idempotencyKeys: true,
    tags: "on-demand",
    recordKeys: "separate",
  });
  const more = {
    baseUrl: "https://profile.example/prweb/",
    apiRoot: "/api/application/v2/",
    timeoutSeconds: 5,
    idempotencyKeys: false,
    tags: "never",
    recordKeys: "json",
  } as const;
  await saveProfile("other", { ...PROFILE, ...more }, configDirectory);
  assert.deepEqual(readTarget({ configDirectory, profile: "other" }), {
    profile: "other",
    baseUrl: "https://profile.example/prweb",
    apiRoot: "/api/application/v2",
    timeoutSeconds: 5,
    idempotencyKeys: false,
    tags: "never",
    recordKeys: "json",
  });
});

Deno.test("the features of a service count for its own address, as long as their test is recent", async () => {
  const configDirectory = await freshDirectory();
  const supports = { testedAt: new Date().toISOString(), workOperations: false };
  await saveProfile("recent", { ...PROFILE, supports }, configDirectory);
  await saveProfile(
    "old",
    { ...PROFILE, supports: { ...supports, testedAt: "2026-01-02T03:04:05Z" } },
    configDirectory,
  );
  assert.deepEqual(readTarget({ configDirectory, profile: "recent" }).supports, supports);
  assert.equal(readTarget({ configDirectory, profile: "old" }).supports, undefined);
  const other = { baseUrl: "https://other.example" };
  const env = { SVC_CONFIG_DIR: configDirectory, SVC_PROFILE: "recent" };
  for (const [options, variables] of [[other, env], [{}, { ...env, SVC_BASE_URL: other.baseUrl }]] as const) {
    const target = await script("target", options, variables);
    assert.ok(isJsonObject(target) && target.supports === undefined);
  }
  assert.equal(readTarget({ configDirectory, profile: "recent", apiRoot: "/api" }).supports, undefined);
});

Deno.test("a service that is known to have no entity tags is not asked for them before each change", async () => {
  const configDirectory = await freshDirectory();
  const testedAt = new Date().toISOString();
  for (const [entityTags, mode] of [[true, "first"], [false, "on-demand"]] as const) {
    await saveProfile("hosted", { ...PROFILE, tags: "first", supports: { testedAt, entityTags } }, configDirectory);
    assert.equal(readTarget({ configDirectory, profile: "hosted" }).tags, mode);
    assert.equal(readTarget({ configDirectory, profile: "hosted", tags: "never" }).tags, "never");
  }
});

Deno.test("the environment overrides the profile, and options override both", async () => {
  const directory = await freshDirectory();
  await saveProfile("default", { ...PROFILE, apiRoot: "/api" }, directory);
  const env = { SVC_CONFIG_DIR: directory, SVC_BASE_URL: "https://env.example" };
  const expected = {
    profile: "default",
    apiRoot: "/api",
    timeoutSeconds: 30,
    idempotencyKeys: true,
    tags: "on-demand",
    recordKeys: "separate",
  };
  assert.deepEqual(await script("target", {}, env), { ...expected, baseUrl: "https://env.example" });
  const option = { baseUrl: "https://option.example" };
  assert.deepEqual(await script("target", option, env), { ...expected, ...option });
});

Deno.test("an option overrides a variable, and a variable the profile, for timeout, retries and longest outage", async () => {
  const directory = await freshDirectory();
  await saveProfile("default", { ...PROFILE, timeoutSeconds: 1, retries: 2, maxOutageSeconds: 3 }, directory);
  const readNumbers = async (options: SessionOptions, env: Record<string, string>) => {
    const target = await script("target", options, { SVC_CONFIG_DIR: directory, ...env });
    assert.ok(isJsonObject(target));
    return [target.timeoutSeconds, target.retries, target.maxOutageSeconds];
  };
  const env = { SVC_TIMEOUT: "0.5", SVC_RETRIES: "0", SVC_MAX_OUTAGE: "60" };
  assert.deepEqual(await readNumbers({}, {}), [1, 2, 3]);
  assert.deepEqual(await readNumbers({}, { ...env, SVC_RETRIES: "" }), [0.5, 2, 60]);
  assert.deepEqual(await readNumbers({ timeoutSeconds: 7, retries: 8 }, env), [7, 8, 60]);
  for (const [name, value] of Object.entries({ SVC_TIMEOUT: "0", SVC_RETRIES: "1.5", SVC_MAX_OUTAGE: "1h" })) {
    const result = await script("target", {}, { SVC_CONFIG_DIR: directory, [name]: value });
    assert.ok(isJsonObject(result) && isJsonObject(result.error));
    assert.equal(result.error.code, "INVALID_CONFIG");
    assert.match(String(result.error.message), new RegExp(`^${name} must be a `));
  }
});

Deno.test("credentials of the environment override those of the profile", async () => {
  await using service = startFakeService();
  const directory = await freshDirectory();
  await saveProfile("default", { ...PROFILE, baseUrl: service.baseUrl }, directory);
  const env = {
    SVC_CONFIG_DIR: directory,
    SVC_CLIENT_ID: CLIENT.clientId,
    SVC_CLIENT_SECRET: CLIENT.clientSecret,
  };
  assert.deepEqual(await script("call", {}, env), { status: 200 });
});

Deno.test("line ends at the end of address and credentials are removed, wherever they come from", async () => {
  await using service = startFakeService();
  const directory = await freshDirectory();
  const members = { baseUrl: service.baseUrl, ...CLIENT };
  for (const end of ["\n", "\r", "\r\n", "\n\n"]) {
    const ended = mapValues({ ...members }, (value) => value + end);
    const env = {
      SVC_BASE_URL: ended.baseUrl ?? "",
      SVC_CLIENT_ID: ended.clientId ?? "",
      SVC_CLIENT_SECRET: ended.clientSecret ?? "",
      SVC_NO_CACHE: "true" + end,
    };
    assert.deepEqual(await script("call", {}, { SVC_CONFIG_DIR: directory, ...env }), { status: 200 });
    await createClient({ ...ended, noCache: true }).caseTypes.list();
    await saveProfile("default", members, directory);
    const edited = { profiles: { default: { ...ended, tokenPath: "/oauth2/token" + end } } };
    await Deno.writeTextFile(`${directory}/config.json`, JSON.stringify(edited));
    assert.deepEqual(await script("call", { noCache: true }, { SVC_CONFIG_DIR: directory }), { status: 200 });
  }
  const names = Array.from(Deno.readDirSync(directory), ({ name }) => name);
  assert.ok(names.every((name) => !name.startsWith("token.")), "SVC_NO_CACHE was read, too");
});

Deno.test("any other control character in a credential is an error that names the member", async () => {
  const configDirectory = await freshDirectory();
  const { baseUrl } = NO_SERVICE;
  const rule = "must be a non-empty string without control characters.";
  for (const secret of ["a\nb", "a\rb\n", "\u0000", "tab\there", "\u007f", "\u0085"]) {
    const options = { baseUrl, clientId: "id", clientSecret: secret, configDirectory };
    assert.equal((await catchError(() => openSession(options))).message, `clientSecret ${rule}`);
    const swapped = { ...options, clientId: secret, clientSecret: "s" };
    assert.equal((await catchError(() => openSession(swapped))).message, `clientId ${rule}`);
    await saveProfile("default", PROFILE, configDirectory);
    await Deno.writeTextFile(
      `${configDirectory}/config.json`,
      JSON.stringify({ profiles: { default: { ...PROFILE, clientSecret: secret } } }),
    );
    const { message } = await catchError(() => openSession({ configDirectory }));
    assert.match(message, /config\.json: profiles\.default\.clientSecret must be a non-empty string without control/);
  }
  const env = { SVC_CONFIG_DIR: configDirectory, SVC_BASE_URL: baseUrl, SVC_CLIENT_ID: "a\tb", SVC_CLIENT_SECRET: "s" };
  const result = await script("call", {}, env);
  assert.ok(isJsonObject(result) && isJsonObject(result.error));
  assert.equal(result.error.message, `SVC_CLIENT_ID ${rule}`);
});

Deno.test("a complete environment needs no configuration file, even with another profile", async () => {
  await using service = startFakeService();
  const env = {
    SVC_CONFIG_DIR: await freshDirectory(),
    SVC_BASE_URL: service.baseUrl,
    SVC_CLIENT_ID: CLIENT.clientId,
    SVC_CLIENT_SECRET: CLIENT.clientSecret,
  };
  assert.deepEqual(await script("call", { profile: "ci" }, env), { status: 200 });
  assert(await Deno.stat(`${env.SVC_CONFIG_DIR}/token.ci.json`));
});

Deno.test("a complete environment works with a configuration that cannot be used, and says so", async () => {
  await using service = startFakeService();
  const configDirectory = await freshDirectory();
  await saveProfile("default", PROFILE, configDirectory);
  const env = { SVC_BASE_URL: service.baseUrl, SVC_CLIENT_ID: CLIENT.clientId, SVC_CLIENT_SECRET: CLIENT.clientSecret };
  for (const text of [`{"profiles":{"default":{"baseUrl":7}}}`, `{"profiles":`]) {
    await Deno.writeTextFile(`${configDirectory}/config.json`, text);
    assert.deepEqual(await script("call", {}, { ...env, SVC_CONFIG_DIR: configDirectory }), { status: 200 });
    const named = await script("call", { profile: "default" }, { ...env, SVC_CONFIG_DIR: configDirectory });
    assert.ok(isJsonObject(named) && isJsonObject(named.error));
    assert.equal(named.error.code, "INVALID_CONFIG", "a profile that is named must be valid");
  }
  const { stderr, code } = await svc(["auth", "status"], { env: { ...env, SVC_CONFIG_DIR: configDirectory } });
  assert.match(stderr, /^Warning: The profile is ignored\. \S*config\.json is not valid JSON/);
  assert.equal(code, 0);
});

Deno.test("the default directory is ~/.svc-cli", async () => {
  await using service = startFakeService();
  const home = await Deno.makeTempDir();
  await saveProfile("default", { baseUrl: service.baseUrl, ...CLIENT }, `${home}/.svc-cli`);
  const cached = { HOME: home, DENO_DIR: await readDenoDirectory() };
  assert.deepEqual(await script("call", {}, cached), { status: 200 });
  assert(await Deno.stat(`${home}/.svc-cli/token.default.json`));
});

Deno.test("without a home directory there is no profile and no cache, and the environment suffices", async () => {
  await using service = startFakeService();
  const env = { HOME: "", USERPROFILE: "", DENO_DIR: await readDenoDirectory() };
  const credentials = { SVC_CLIENT_ID: CLIENT.clientId, SVC_CLIENT_SECRET: CLIENT.clientSecret };
  const complete = { ...env, ...credentials, SVC_BASE_URL: service.baseUrl };
  assert.deepEqual(await script("call", {}, complete), { status: 200 });
  assert.deepEqual(await script("call", {}, { ...complete, SVC_NO_CACHE: "true" }), { status: 200 });
  assert.deepEqual(await script("target", {}, { ...env, SVC_BASE_URL: service.baseUrl }), {
    profile: "default",
    baseUrl: service.baseUrl,
    apiRoot: "/dx-api/v2",
    timeoutSeconds: 30,
    idempotencyKeys: true,
    tags: "on-demand",
    recordKeys: "separate",
  });
  assert.deepEqual(await script("call", {}, { ...env, ...credentials }), {
    error: {
      code: "INVALID_CONFIG",
      message: 'baseUrl is missing, and there is no profile "default".',
      hint: "Set SVC_BASE_URL. Run 'svc profile add default' to create the profile instead.",
    },
  });
});

Deno.test("SVC_NO_CACHE=true neither reads nor writes a token", async () => {
  await using service = startFakeService();
  const options = await createSessionOptions(service);
  const env = { SVC_NO_CACHE: "true" };
  assert.deepEqual(await script("call", options, env), { status: 200 });
  assert.deepEqual(await script("call", options, env), { status: 200 });
  assert.equal(service.exchanges, 2);
  assert.deepEqual(Array.from(Deno.readDirSync(options.configDirectory ?? "")), []);
});

Deno.test("a value of SVC_NO_CACHE other than true has no effect, and one warning says so", async () => {
  await using service = startFakeService();
  for (const value of ["1", "TRUE", "false"]) {
    await using folder = await makeFolder();
    const env = { ...clientEnvironment(service), SVC_CONFIG_DIR: folder.path, SVC_NO_CACHE: value };
    const { code, stderr } = await svc(["case-types", "list"], { env });
    assert.deepEqual([code, stderr], [
      0,
      `Warning: SVC_NO_CACHE=${value} has no effect. Set it to true to turn the token cache off, or unset it.\n`,
    ]);
    assert.ok(Array.from(Deno.readDirSync(folder.path)).some(({ name }) => name.startsWith("token.")));
    const quiet = await svc(["case-types", "list", "--no-cache"], { env });
    assert.equal(quiet.stderr, "");
  }
});

Deno.test("an error about an invalid value names its source", async () => {
  const configDirectory = await freshDirectory();
  const fromEnvironment = await script("target", { configDirectory }, { SVC_BASE_URL: "svc.example" });
  assert.match(JSON.stringify(fromEnvironment), /"code":"INVALID_CONFIG","message":"SVC_BASE_URL must be an http/);
  const fromOption = await catchError(() => readTarget({ configDirectory, baseUrl: "https://a:b@svc.example" }));
  assert.match(fromOption.message, /^baseUrl must be .* without user name/);
  assert(!fromOption.message.includes("a:b"));
  const { allowInsecureHttp }: { allowInsecureHttp: boolean } = JSON.parse('{"allowInsecureHttp":"no"}');
  const unclear = await catchError(() =>
    readTarget({ configDirectory, baseUrl: "http://10.0.0.1", allowInsecureHttp })
  );
  assert.match(unclear.message, /^allowInsecureHttp must be true or false/);
});

Deno.test({
  name: "an error about a variable that is not UTF-8 names it without its value",
  ignore: Deno.build.os === "windows",
  async fn() {
    for (const name of ["SVC_CLIENT_SECRET", "SVC_BASE_URL", "SVC_CONFIG_DIR"]) {
      const script = `${name}="$(printf 's3cret\\377')" SVC_DEBUG=1 exec "$@"`;
      const args = ["-c", script, "sh", ...svcCommand(["case-types", "list"], await freshDirectory())];
      const output = await new LimitedCommand("sh", { args, stdin: "null" }).output();
      const stderr = new TextDecoder().decode(output.stderr);
      assert.equal(output.code, 2);
      assert.match(
        stderr,
        new RegExp(`"INVALID_CONFIG","message":"The environment variable ${name} is not valid UTF-8\\."`),
      );
      assert(!stderr.includes("s3cret"), stderr);
    }
  },
});

Deno.test("http to other machines is rejected unless it is allowed", async () => {
  const configDirectory = await freshDirectory();
  const secureEnough = [
    "http://127.0.0.1:1",
    "http://127.9.9.9",
    "http://[::1]:1",
    "http://localhost:1",
    "https://a.example",
  ];
  for (const baseUrl of secureEnough) assert.equal(readTarget({ baseUrl, configDirectory }).baseUrl, baseUrl);
  const insecure = ["http://svc.example", "http://127.0.0.1.example", "http://localhost.example", "http://10.0.0.1"];
  for (const baseUrl of insecure) {
    const error = await catchError(() => readTarget({ baseUrl, configDirectory }));
    assert.equal(error.code, "INVALID_CONFIG");
    assert.match(error.hint ?? "", /https:\/\/.*"allowInsecureHttp": true/);
    assert.equal((readTarget({ baseUrl, configDirectory, allowInsecureHttp: true })).baseUrl, baseUrl);
  }
  await saveProfile("lab", { ...PROFILE, baseUrl: "http://10.0.0.1", allowInsecureHttp: true }, configDirectory);
  assert.equal((readTarget({ profile: "lab", configDirectory })).baseUrl, "http://10.0.0.1");
});

Deno.test("an address that ends with the path of the API is used without it", async () => {
  const configDirectory = await freshDirectory();
  for (const end of ["/dx-api/v2", "/dx-api/v2/"]) {
    const { baseUrl, apiRoot } = readTarget({ baseUrl: `https://city.example/prweb${end}`, configDirectory });
    assert.deepEqual([baseUrl, apiRoot], ["https://city.example/prweb", "/dx-api/v2"]);
  }
  const other = { baseUrl: "https://city.example/dx-api/v2", apiRoot: "/api", configDirectory };
  assert.equal(readTarget(other).baseUrl, "https://city.example/dx-api/v2");
});

Deno.test("an error names the values that are missing, and a misspelt member of the profile", async () => {
  const configDirectory = await freshDirectory();
  const partial = { baseUrl: "https://city.example", configDirectory };
  const values = await catchError(() => openSession(partial));
  assert.equal(values.message, 'clientId and clientSecret are missing, and there is no profile "default".');
  assert.match(values.hint ?? "", /^Set SVC_CLIENT_ID and SVC_CLIENT_SECRET\./);
  const none = await catchError(() => openSession({ configDirectory }));
  assert.match(none.message, /^There is no profile "default" in /);
  const path = `${configDirectory}/config.json`;
  await Deno.mkdir(configDirectory, { mode: 0o700 });
  await Deno.writeTextFile(path, '{"profiles":{"default":{"baseURL":"https://city.example"}}}', { mode: 0o600 });
  const misspelt = await catchError(() => readTarget({ configDirectory }));
  assert.equal(misspelt.hint, `svc does not know its member 'baseURL': rename it to 'baseUrl' in ${path}.`);
});

Deno.test("a dry run needs only an address, and a session reports missing credentials", async () => {
  const configDirectory = await freshDirectory();
  await saveProfile("a", { baseUrl: PROFILE.baseUrl }, configDirectory);
  await saveProfile("b", { baseUrl: PROFILE.baseUrl, clientId: "id" }, configDirectory);
  assert.equal((readTarget({ configDirectory, profile: "a" })).baseUrl, PROFILE.baseUrl);
  const noId = await catchError(() => openSession({ configDirectory, profile: "a" }));
  assert.equal(noId.message, 'Profile "a" has no clientId.');
  assert.match(noId.hint ?? "", /config\.json, or set SVC_CLIENT_ID\.$/);
  const noSecret = await catchError(() => openSession({ configDirectory, profile: "b" }));
  assert.equal(noSecret.message, 'Profile "b" has no clientSecret or clientSecretCommand.');
  for (const open of [readTarget, openSession]) {
    const error = await catchError(() => open({ configDirectory, profile: "c" }));
    assert.equal(error.code, "INVALID_CONFIG");
    assert.equal(error.message, `There is no profile "c" in ${configDirectory}/config.json.`);
  }
});

Deno.test({
  name: "a call without complete credentials warns once about the configuration, and reports invalid arguments first",
  ignore: Deno.build.os === "windows",
  async fn() {
    const configDirectory = await freshDirectory();
    await saveProfile("default", { baseUrl: PROFILE.baseUrl, clientSecret: PROFILE.clientSecret }, configDirectory);
    await Deno.chmod(`${configDirectory}/config.json`, 0o640);
    const warnings: string[] = [];
    const client = createClient({ configDirectory, warn: (message) => warnings.push(message) });
    await assert.rejects(client.cases.get("C"), { code: "INVALID_CONFIG", operation: "cases.get" });
    assert.equal(warnings.length, 1);
    await assert.rejects(client.cases.get(""), { code: "INVALID_ARGS", operation: "cases.get" });
  },
});

Deno.test("a program that passes all options needs only the network permission", async () => {
  await using service = startFakeService();
  const { configDirectory: _, ...options } = await createSessionOptions(service);
  const library = new URL("../../../lib/auth/session.ts", import.meta.url).href;
  const program = `
    import { openSession } from ${JSON.stringify(library)};
    Deno.env.get = (name) => { throw new Error("On a terminal, Deno would prompt for " + name); };
    const session = openSession({ ...${JSON.stringify(options)}, noCache: true });
    const url = session.target.baseUrl + "/dx-api/v2/casetypes";
    const { signal } = new AbortController();
    const response = await session.fetch({ method: "GET", url, headers: new Headers(), signal });
    console.log(response.status);
  `;
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/program.ts`, program);
  const { host } = new URL(service.baseUrl);
  const flags = ["--quiet", "--no-prompt", "--config", `${CHECKOUT}/deno.json`, `--allow-net=${host}`];
  const args = ["run", ...flags, `${directory}/program.ts`];
  const { stdout, stderr } = await new LimitedCommand(Deno.execPath(), { args }).output();
  assert.equal(new TextDecoder().decode(stdout), "200\n", new TextDecoder().decode(stderr));
});

Deno.test("a program that may read only the configuration directory is not prompted for those above it", async () => {
  const directory = await freshDirectory();
  await saveProfile("default", PROFILE, directory);
  const library = new URL("../../../lib/auth/profiles.ts", import.meta.url).href;
  const program = `
    import { findProfile } from ${JSON.stringify(library)};
    for (const name of ["lstatSync", "realPathSync"]) {
      const read = Deno[name];
      Deno[name] = (path) => {
        const { state } = Deno.permissions.querySync({ name: "read", path });
        if (state !== "granted") throw new Error("On a terminal, Deno would prompt for " + path);
        return read(path);
      };
    }
    console.log(findProfile("default", ${JSON.stringify(directory)}, () => {}).clientId);
  `;
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/program.ts`, program);
  const flags = ["--quiet", "--no-prompt", "--config", `${CHECKOUT}/deno.json`, `--allow-read=${directory}`];
  const { stdout, stderr } = await new LimitedCommand(Deno.execPath(), {
    args: ["run", ...flags, `${folder}/program.ts`],
  }).output();
  assert.equal(new TextDecoder().decode(stdout), "id\n", new TextDecoder().decode(stderr));
});
