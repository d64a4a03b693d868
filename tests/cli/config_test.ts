/** `svc config`, and the format that is chosen without `--format`. */
import assert from "node:assert/strict";
import { readTarget } from "../../lib/auth/settings.ts";
import { openLiveForAll } from "../harness/service.ts";
import { type Folder, makeFolder, parseErrorRecord, splitWords, svc } from "../harness/svc.ts";
import { openTerminal } from "../harness/terminal.ts";

const live = await openLiveForAll();
await live.createPermit();

async function runInTerminal(folder: Folder, line: string, env: Record<string, string> = {}): Promise<string> {
  const variables = { ...await live.environment(), SVC_CONFIG_DIR: folder.path, ...env };
  await using terminal = openTerminal(splitWords(line), { env: variables });
  assert.equal(await terminal.exit(), 0, terminal.scrollback());
  return terminal.scrollback();
}

async function run(folder: Folder, line: string, env: Record<string, string> = {}) {
  return await svc(splitWords(line), { env: { ...await live.environment(), SVC_CONFIG_DIR: folder.path, ...env } });
}

/** Names the format of a printed case. */
function nameFormat(text: string): string | undefined {
  if (text.startsWith("P-1")) return "view";
  if (text.startsWith("{\n") || text.startsWith('{\r\n  "')) return "json";
  return text.startsWith("{") ? "compact" : text.startsWith("id:") ? "yaml" : undefined;
}

Deno.test("svc config sets, shows, lists and removes the format, and keeps the profiles", async () => {
  await using folder = await makeFolder({
    "config.json": '{"profiles":{"default":{"baseUrl":"https://svc.example"}}}',
  });
  const value = async (line: string) => JSON.parse((await run(folder, line)).stdout).value;
  assert.equal(await value("config get format"), null);
  assert.equal(await value("config set format view"), "view");
  const file = JSON.parse(await Deno.readTextFile(`${folder.path}/config.json`));
  assert.deepEqual(file, { profiles: { default: { baseUrl: "https://svc.example" } }, format: "view" });
  assert.equal(JSON.parse((await run(folder, "config list")).stdout)[0].setting, "format");
  assert.match(await runInTerminal(folder, "config get format"), /^Setting +format\nValue +view\n/);
  assert.equal(await value("config unset format"), null);
  const wrong = parseErrorRecord(await run(folder, "config set format veiw"));
  assert.equal(wrong.message, 'format must be one of json, compact, yaml, table, view, not "veiw".');
  assert.equal(wrong.hint, "Did you mean 'view'?");
});

Deno.test("svc config sets defaults of global flags, and lists where each value comes from", async () => {
  await using folder = await makeFolder({
    "config.json": JSON.stringify({ profiles: { default: { retries: 2 }, lab: {} } }),
  });
  for (const setting of ["retries 3", "timeout 7.5", "max-outage 0", "profile lab", "pager 'less -R'"]) {
    assert.equal((await run(folder, `config set ${setting}`)).code, 0, setting);
  }
  const list = async (env: Record<string, string>, line = "config list"): Promise<unknown[]> => {
    const settings: Record<string, unknown>[] = JSON.parse((await run(folder, line, env)).stdout);
    return settings.map(({ setting, used, source }) => [setting, used, source].join(" ")).slice(1);
  };
  const own = ["profile lab config", "timeout 7.5 config", "retries 3 config", "max-outage 0 config"];
  assert.deepEqual(await list({}), [...own, "pager less -R config"]);
  assert.deepEqual(await list({ SVC_TIMEOUT: "9", SVC_PAGER: "cat" }, "config list --profile default"), [
    "profile lab config",
    "timeout 9 SVC_TIMEOUT",
    'retries 2 profile "default"',
    "max-outage 0 config",
    "pager cat SVC_PAGER",
  ]);
  const target = (profile: string) =>
    readTarget({ configDirectory: folder.path, profile, baseUrl: "https://svc.example", clientId: "c" });
  const { timeoutSeconds, retries, maxOutageSeconds } = target("lab");
  assert.deepEqual([timeoutSeconds, retries, maxOutageSeconds], [7.5, 3, 0]);
  assert.equal(target("default").retries, 2);
  assert.equal(target("missing").retries, 3);
  for (const setting of ["retries", "profile"]) await run(folder, `config unset ${setting}`);
  assert.deepEqual((await list({ SVC_PROFILE: "lab" })).slice(0, 3), [
    "profile lab SVC_PROFILE",
    "timeout 7.5 config",
    "retries 0; in workflows 5 default",
  ]);
  const refused = async (line: string) => parseErrorRecord(await run(folder, line)).message;
  assert.equal(await refused("config set retries many"), 'retries must be a whole number from 0 to 100, not "many".');
  assert.match(String(await refused("config set profile none")), /^There is no profile "none" in /);
});

Deno.test("a flag overrides the environment, the profile, the setting and the default of the command", async () => {
  await using folder = await makeFolder();
  const format = async (line: string, env?: Record<string, string>) =>
    nameFormat(await runInTerminal(folder, line, env));
  const writeConfig = (config: unknown) =>
    Deno.writeTextFile(`${folder.path}/config.json`, JSON.stringify(config), { mode: 0o600 });
  const get = "cases get 'CITY-PERMIT-WORK P-1'";
  assert.equal(await format(get), "json");
  assert.equal(await format("show P-1"), "view");
  await run(folder, "config set format view");
  assert.equal(await format(get), "view");
  await writeConfig({ profiles: { default: { format: "compact" } }, format: "view" });
  assert.equal(await format(get), "compact");
  assert.equal(await format("show P-1"), "compact");
  assert.equal(await format(get, { SVC_FORMAT: "yaml" }), "yaml");
  assert.equal(await format(`${get} --format view`, { SVC_FORMAT: "yaml" }), "view");
});

Deno.test("neither a setting nor the environment changes what a pipe gets", async () => {
  await using folder = await makeFolder();
  await run(folder, "config set format view");
  const { stdout } = await run(folder, "cases get 'CITY-PERMIT-WORK P-1'", { SVC_FORMAT: "view" });
  assert.equal(nameFormat(stdout), "json");
});

Deno.test("an invalid SVC_FORMAT is an error, and an invalid setting is ignored", async () => {
  await using folder = await makeFolder({ "config.json": '{"profiles":{},"format":"pretty"}' });
  assert.equal(nameFormat(await runInTerminal(folder, "cases get 'CITY-PERMIT-WORK P-1'")), "json");
  const env = { ...await live.environment(), SVC_CONFIG_DIR: folder.path, SVC_FORMAT: "pretty" };
  await using terminal = openTerminal(["show", "P-1"], { env });
  assert.equal(await terminal.exit(), 2);
  assert.match(
    terminal.scrollback().replaceAll(/\s+/g, " "),
    /SVC_FORMAT must be one of json, compact, yaml, table, view/,
  );
});
