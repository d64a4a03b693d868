import assert from "node:assert/strict";
import fc from "fast-check";
import { createMissingProfileError, findProfile, type Profile, saveProfile } from "../../../lib/auth/profiles.ts";
import { findOpenAccess } from "../../../utils/fs/private_file.ts";
import type { Warn } from "../../../lib/client/callback.ts";
import { catchError, freshDirectory } from "../../harness/fake_service.ts";
import { runScript } from "../../harness/svc.ts";

const PROFILE = { baseUrl: "https://svc.example", clientId: "id", clientSecret: "s3cret" };

// deno-lint-ignore require-await -- async turns a throw into a rejection, as `failure` wants it
async function loadProfile(name: string, directory: string, warn: Warn = () => {}): Promise<Profile> {
  const profile = findProfile(name, directory, warn);
  if (profile === undefined) throw createMissingProfileError(name, directory);
  return profile;
}

async function withConfig(text: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "svc-config-" });
  await Deno.writeTextFile(`${directory}/config.json`, text, { mode: 0o600 });
  return directory;
}

function withProfile(profile: unknown): Promise<string> {
  return withConfig(JSON.stringify({ profiles: { default: profile } }));
}

Deno.test("a saved profile is read back, from a file that only its owner can read", async () => {
  const directory = await freshDirectory();
  await saveProfile("work", PROFILE, directory);
  assert.deepEqual(await loadProfile("work", directory), PROFILE);
  if (Deno.build.os !== "windows") {
    assert.equal((await Deno.stat(directory)).mode! & 0o777, 0o700);
    assert.equal((await Deno.stat(`${directory}/config.json`)).mode! & 0o777, 0o600);
  }
  const names = Array.from(Deno.readDirSync(directory), (entry) => entry.name).sort();
  assert.deepEqual(names, ["config.json", "config.lock"]);
});

Deno.test("saving a profile preserves other profiles and unknown members", async () => {
  const directory = await withConfig(JSON.stringify({
    note: "mine",
    profiles: { other: PROFILE, work: { ...PROFILE, colour: "red", apiRoot: "/old" } },
  }));
  await saveProfile("work", { ...PROFILE, clientId: "new" }, directory);
  assert.deepEqual(JSON.parse(await Deno.readTextFile(`${directory}/config.json`)), {
    note: "mine",
    profiles: { other: PROFILE, work: { colour: "red", ...PROFILE, clientId: "new" } },
  });
});

Deno.test({
  name: "a config.json that is a link stays one: its target is written, even if it does not exist yet",
  ignore: Deno.build.os === "windows",
  async fn() {
    const dotfiles = await Deno.makeTempDir({ prefix: "svc-dotfiles-" });
    const directory = await Deno.makeTempDir({ prefix: "svc-config-" });
    const file = `${dotfiles}/config.json`;
    await Deno.symlink(file, `${dotfiles}/again.json`);
    await Deno.symlink(`../${dotfiles.split("/").at(-1)}/again.json`, `${directory}/config.json`);
    for (const name of ["first", "second"]) {
      await saveProfile(name, PROFILE, directory);
      assert.ok((await Deno.lstat(`${directory}/config.json`)).isSymlink);
      const { mode, isFile } = await Deno.lstat(file);
      assert.deepEqual([isFile, mode! & 0o777], [true, 0o600]);
      assert.deepEqual(await loadProfile(name, directory), PROFILE);
    }
    assert.deepEqual(Object.keys(JSON.parse(await Deno.readTextFile(file)).profiles), ["first", "second"]);
    assert.deepEqual(Array.from(Deno.readDirSync(dotfiles), ({ name }) => name).sort(), ["again.json", "config.json"]);
  },
});

Deno.test("concurrent processes that save profiles lose none of them", async () => {
  const directory = await freshDirectory();
  const names = Array.from({ length: 8 }, (_, i) => `p${i}`);
  const runs = names.map((name) =>
    runScript("tests/lib/auth/_script.ts", ["save", JSON.stringify({ name, profile: PROFILE })], {
      SVC_CONFIG_DIR: directory,
    })
  );
  for (const { code, stdout } of await Promise.all(runs)) assert.equal(code, 0, stdout);
  const { profiles } = JSON.parse(await Deno.readTextFile(`${directory}/config.json`));
  assert.deepEqual(Object.keys(profiles).sort(), names);
});

Deno.test("a name that cannot be part of a file name is rejected before anything is written", async () => {
  const directory = await freshDirectory();
  for (const name of ["", ".", "..", "../x", "a/b", "a\\b", "a\u0000b", "a\nb", ".hidden", "x".repeat(65), "a:b"]) {
    assert.equal((await catchError(saveProfile(name, PROFILE, directory))).code, "INVALID_ARGS", JSON.stringify(name));
    assert.equal((await catchError(loadProfile(name, directory))).code, "INVALID_ARGS");
  }
  await assert.rejects(Deno.stat(directory), Deno.errors.NotFound);
});

Deno.test("any other name works, including names of inherited members", async () => {
  const directory = await freshDirectory();
  for (const name of ["__proto__", "constructor", "toString"]) {
    assert.equal((await catchError(loadProfile(name, directory))).code, "INVALID_CONFIG");
    await saveProfile(name, PROFILE, directory);
    assert.deepEqual(await loadProfile(name, directory), PROFILE);
  }
  const names = fc.stringMatching(/^[\p{L}\p{N}_-][\p{L}\p{N}._ @-]{0,20}$/u);
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      await saveProfile(name, PROFILE, directory);
      assert.deepEqual(await loadProfile(name, directory), PROFILE);
    }),
    { numRuns: 20 },
  );
});

Deno.test("each invalid member is named with its rule", async () => {
  const cases: [profile: unknown, message: RegExp][] = [
    [7, /profiles\.default must be an object\.$/],
    [{ baseUrl: 7 }, /profiles\.default\.baseUrl must be an http or https address/],
    [{ baseUrl: "svc.example" }, /baseUrl must be/],
    [{ baseUrl: "ftp://svc.example" }, /baseUrl must be/],
    [{ baseUrl: "https://user:pw@svc.example" }, /baseUrl must be .* without user name/],
    [{ baseUrl: "https://svc.example/?a=1" }, /baseUrl must be/],
    [{ baseUrl: "https://svc.example/#a" }, /baseUrl must be/],
    [{ clientId: "" }, /clientId must be a non-empty string without control characters\.$/],
    [{ clientSecret: 1 }, /clientSecret must be a non-empty string/],
    [{ clientSecretCommand: "pass svc" }, /clientSecretCommand must be an array with a program and its arguments\.$/],
    [{ clientSecretCommand: [] }, /clientSecretCommand must be/],
    [{ clientSecretCommand: ["pass", 1] }, /clientSecretCommand must be/],
    [{ clientSecret: "a", clientSecretCommand: ["b"] }, /clientSecret or clientSecretCommand, not both\.$/],
    [{ apiRoot: "dx-api" }, /apiRoot must be a path such as "\/dx-api\/v2"/],
    [{ apiRoot: "/a/../b" }, /apiRoot must be/],
    [{ tokenPath: "/token?x=1" }, /tokenPath must be a path such as "\/oauth2\/token"/],
    [{ timeoutSeconds: 0 }, /timeoutSeconds must be a number of seconds above 0 and at most 86400\.$/],
    [{ timeoutSeconds: "30" }, /timeoutSeconds must be/],
    [{ allowInsecureHttp: "yes" }, /allowInsecureHttp must be true or false\.$/],
    [{ idempotencyKeys: 1 }, /idempotencyKeys must be true or false\.$/],
    [{ tags: "always" }, /tags must be one of first, on-demand, never\.$/],
    [{ recordKeys: true }, /recordKeys must be one of separate, json\.$/],
    [{ supports: { testedAt: "yesterday" } }, /supports must be an object as 'svc profile test' writes it/],
    [{ supports: { testedAt: "2026-01-02T03:04:05Z", history: "yes" } }, /supports must be an object/],
  ];
  for (const [profile, message] of cases) {
    const directory = await withProfile(profile);
    const error = await catchError(loadProfile("default", directory));
    assert.equal(error.code, "INVALID_CONFIG", JSON.stringify(profile));
    assert.match(error.message, message);
    assert(error.message.startsWith(`${directory}/config.json: profiles.default`), error.message);
    assert(error.hint);
  }
});

Deno.test("invalid JSON is rejected with its position and without its text", async () => {
  for (
    const text of ['{"profiles": {"default": {"clientSecret": "s3cret" "x"}}}', '{"profiles":', "s3cret", '"s3cret', ""]
  ) {
    const directory = await withConfig(text);
    const error = await catchError(loadProfile("default", directory));
    assert.equal(error.code, "INVALID_CONFIG");
    assert.match(error.message, /config\.json is not valid JSON/);
    assert(!Deno.inspect(error).includes("s3cret"), Deno.inspect(error));
    await catchError(saveProfile("x", PROFILE, directory));
    assert.equal(await Deno.readTextFile(`${directory}/config.json`), text);
  }
  const error = await catchError(loadProfile("default", await withConfig('{\n  "profiles": {\n  },\n}')));
  assert.match(error.message, /line 4 column 1/);
});

Deno.test("a byte order mark is accepted, and not written back", async () => {
  const directory = await withConfig("\ufeff" + JSON.stringify({ profiles: { default: PROFILE } }) + "\r\n");
  assert.deepEqual(await loadProfile("default", directory), PROFILE);
  await saveProfile("lab", PROFILE, directory);
  const { profiles } = JSON.parse(await Deno.readTextFile(`${directory}/config.json`));
  assert.deepEqual(profiles, { default: PROFILE, lab: PROFILE });
});

Deno.test("a file that is not UTF-8 is rejected, so that no wrong secret is sent", async () => {
  const directory = await withConfig("");
  const text = JSON.stringify({ profiles: { default: { ...PROFILE, clientSecret: "s3crét" } } });
  const latin1 = Uint8Array.from(text, (character) => character.charCodeAt(0));
  await Deno.writeFile(`${directory}/config.json`, latin1);
  for (const run of [loadProfile("default", directory), saveProfile("x", PROFILE, directory)]) {
    const error = await catchError(run);
    assert.deepEqual([error.code, error.hint], ["INVALID_CONFIG", "Save it as UTF-8."]);
    assert.equal(error.message, `${directory}/config.json is not UTF-8 text.`);
  }
  assert.deepEqual(await Deno.readFile(`${directory}/config.json`), latin1);
});

Deno.test("JSON of another shape is rejected", async () => {
  assert.match((await catchError(loadProfile("x", await withConfig("[]")))).message, /must contain a JSON object\.$/);
  const error = await catchError(loadProfile("x", await withConfig('{"profiles": []}')));
  assert.match(error.message, /profiles must be an object\.$/);
});

Deno.test("a missing profile is an error whose hint explains how to create it", async () => {
  const directory = await withProfile(PROFILE);
  const error = await catchError(loadProfile("prod", directory));
  assert.equal(error.code, "INVALID_CONFIG");
  assert.equal(error.message, `There is no profile "prod" in ${directory}/config.json.`);
  assert.match(error.hint ?? "", /^Without a profile, svc uses SVC_BASE_URL.*svc profile add prod.*svc service start/);
});

Deno.test("the hint for a mistyped profile suggests the similar one", async () => {
  const directory = await freshDirectory();
  await saveProfile("prod-west", PROFILE, directory);
  const error = await catchError(loadProfile("prod-wset", directory));
  assert.match(error.hint ?? "", /^Did you mean "prod-west"\? Without a profile/);
});

Deno.test({
  name: "a configuration with a secret that others can read causes a warning",
  ignore: Deno.build.os === "windows",
  async fn() {
    const { baseUrl, clientId } = PROFILE;
    const command = "names a program that prints the secret";
    const table: [profile: Profile, mode: number, warning?: string][] = [
      [PROFILE, 0o600],
      [PROFILE, 0o640, "contains a secret, and others can read it"],
      [{ baseUrl, clientId, clientSecretCommand: ["pass"] }, 0o600],
      [{ baseUrl, clientId, clientSecretCommand: ["pass"] }, 0o604, `${command}, and others can read it`],
      [{ baseUrl }, 0o644],
    ];
    for (const [profile, mode, warning] of table) {
      const directory = await withProfile(profile);
      const file = `${directory}/config.json`;
      await Deno.chmod(file, mode);
      const warnings: string[] = [];
      await loadProfile("default", directory, (message) => warnings.push(message));
      assert.deepEqual(warnings, warning === undefined ? [] : [`${file} ${warning}. Run: chmod 600 ${file}`]);
    }
    const directory = `${await freshDirectory()}/Ada's`;
    await saveProfile("default", PROFILE, directory);
    await Deno.chmod(`${directory}/config.json`, 0o640);
    const warnings: string[] = [];
    await loadProfile("default", directory, (message) => warnings.push(message));
    assert.match(warnings.join("\n"), /Run: chmod 600 '\/\S*\/Ada'\\''s\/config\.json'$/);
  },
});

Deno.test({
  name: "a configuration that others can change is refused, whatever is open: the file or a directory above it",
  ignore: Deno.build.os === "windows",
  async fn() {
    const top = await Deno.makeTempDir({ prefix: "svc-config-" });
    const directory = `${top}/a/svc`;
    await saveProfile("default", PROFILE, directory);
    const file = `${directory}/config.json`;
    const refuse = async (path: string, reason: string, command: string) => {
      for (const run of [loadProfile("default", directory), saveProfile("new", PROFILE, directory)]) {
        const error = await catchError(run);
        assert.equal(error.code, "INVALID_CONFIG");
        assert.match(error.message, / is not used, because others could change it\. /);
        assert.ok(error.message.endsWith(` ${reason}.`), error.message);
        assert.ok(error.hint?.includes(`${command} ${path}. Or set SVC_CONFIG_DIR`), error.hint);
      }
    };
    for (
      const [path, closed, open] of [[file, 0o600, [0o620, 0o606]], [directory, 0o700, [0o777]], [`${top}/a`, 0o755, [
        0o775,
      ]]] as const
    ) {
      for (const mode of open) {
        await Deno.chmod(path, mode);
        await refuse(path, "can be changed by others", "chmod go-w");
      }
      await Deno.chmod(path, closed);
    }
    await Deno.chmod(`${top}/a`, 0o1777); // As /tmp.
    assert.deepEqual(await loadProfile("default", directory), PROFILE);
    if (Deno.uid() !== 0) return;
    for (const path of [file, directory, `${top}/a`]) {
      await Deno.chown(path, 12345, null);
      await refuse(path, "belongs to another user", 'sudo chown "$(id -un)"');
      await Deno.chown(path, 0, null);
    }
  },
});

Deno.test({
  name: "a link to a configuration is refused if others can change the directory of either",
  ignore: Deno.build.os === "windows",
  async fn() {
    const [directory, elsewhere] = [await freshDirectory(), await Deno.makeTempDir({ prefix: "svc-config-" })];
    await saveProfile("default", PROFILE, elsewhere);
    await Deno.mkdir(directory, { mode: 0o700 });
    await Deno.symlink(`${elsewhere}/config.json`, `${directory}/config.json`);
    assert.deepEqual(await loadProfile("default", directory), PROFILE);
    for (const path of [directory, elsewhere]) {
      await Deno.chmod(path, 0o777);
      assert.match((await catchError(loadProfile("default", directory))).message, /can be changed by others\.$/);
      await Deno.chmod(path, 0o700);
    }
  },
});

Deno.test("an invalid profile stops neither another one nor saving it", async () => {
  const broken = { baseUrl: "not an address", clientSecret: 7 };
  const directory = await withConfig(JSON.stringify({ profiles: { broken, list: [], work: PROFILE } }));
  assert.deepEqual(await loadProfile("work", directory), PROFILE);
  assert.match((await catchError(loadProfile("broken", directory))).message, /profiles\.broken\.baseUrl must be/);
  assert.match((await catchError(loadProfile("wrok", directory))).hint ?? "", /^Did you mean "work"\?/);
  await saveProfile("new", PROFILE, directory);
  const { profiles } = JSON.parse(await Deno.readTextFile(`${directory}/config.json`));
  assert.deepEqual(profiles, { broken, list: [], work: PROFILE, new: PROFILE });
});

Deno.test("on Windows, where every file has a mode that is open to all, there is no warning", () => {
  assert.deepEqual(findOpenAccess(0o100666, ["read", "change"], "windows"), []);
  assert.deepEqual(findOpenAccess(0o100666, ["read", "change"], "darwin"), ["read", "change"]);
});

Deno.test("an error about a directory that cannot be written names it", async () => {
  const file = `${await Deno.makeTempDir()}/file`;
  await Deno.writeTextFile(file, "");
  const error = await catchError(saveProfile("default", PROFILE, file));
  assert.equal(error.code, "INVALID_CONFIG");
  assert(error.message.startsWith(`${file} cannot be written: `), error.message);
  assert.match(error.hint ?? "", /SVC_CONFIG_DIR/);
});

Deno.test("a save that fails leaves the old file and no other", async () => {
  const directory = await freshDirectory();
  await saveProfile("default", PROFILE, directory);
  const before = await Deno.readTextFile(`${directory}/config.json`);
  await catchError(saveProfile("default", { baseUrl: "nowhere" }, directory));
  assert.equal(await Deno.readTextFile(`${directory}/config.json`), before);
  assert.deepEqual(Array.from(Deno.readDirSync(directory), ({ name }) => name).sort(), ["config.json", "config.lock"]);
});
