/** Completion in a shell. */
import assert from "node:assert/strict";
import { everyday, groups } from "../../../cli/commands/groups.ts";
import { topics } from "../../../cli/help/topics.ts";
import { toKebab } from "../../../lib/operation/operation.ts";
import { CHECKOUT, LimitedCommand, makeFolder, svc, svcInProcess } from "../../harness/svc.ts";
import { openScriptWorkspace } from "../../harness/workflow.ts";

const CLI = `${CHECKOUT}/cli.ts`;

const wordsAfter = async (line: string) => {
  const { code, stdout, stderr } = await svcInProcess(["completion", "words", line]);
  assert.deepEqual([code, stderr], [0, ""], line);
  return stdout.split("\n").slice(0, -1).map((row) => row.split("\t")[0] ?? "");
};

Deno.test("svc is completed with the groups, and each group with its commands", async () => {
  assert.deepEqual(await wordsAfter("svc "), Object.keys({ ...await everyday.load(), ...groups }).map(toKebab));
  for (const [name, group] of Object.entries(groups)) {
    const names = new Set(Object.keys(await group.load()).map((command) => toKebab(command).split(" ")[0]));
    assert.deepEqual(await wordsAfter(`svc ${toKebab(name)} `), [...names]);
  }
  assert.deepEqual(
    await wordsAfter("svc help "),
    Object.keys({ ...await everyday.load(), ...groups, ...topics }).map(toKebab),
  );
  assert.deepEqual(await wordsAfter("svc --format table help workflow re"), ["record", "resume", "retry", "report"]);
});

Deno.test("a command of three words is completed word by word, and then with its flags", async () => {
  assert.deepEqual(await wordsAfter("svc workflow sch"), ["schedule"]);
  assert.deepEqual(await wordsAfter("svc workflow schedule r"), ["resume", "run-now", "remove"]);
  assert.deepEqual(await wordsAfter("svc workflow schedule add --over"), ["--overlap"]);
});

Deno.test("a command with all arguments is completed with the unused flags", async () => {
  assert.deepEqual(await wordsAfter("svc cases get "), []);
  const flags = await wordsAfter("svc cases get C-1 --format yaml --quiet ");
  assert(flags.includes("--fields") && flags.includes("--help"), flags.join());
  assert(!flags.includes("--format") && !flags.includes("--quiet"), flags.join());
  assert.deepEqual(await wordsAfter("svc workflow resume --state"), []);
  assert.deepEqual([await wordsAfter("svc --ver"), await wordsAfter("svc cases get --ver")], [
    ["--verbose", "--version"],
    ["--verbose"],
  ]);
});

Deno.test("a flag is completed with its choices, if it has any", async () => {
  assert.deepEqual(await wordsAfter("svc workflow list --state "), [
    ...["running", "interrupted", "done", "failed", "cancelled"],
  ]);
  assert.deepEqual(await wordsAfter("svc cases get C-1 --format c"), ["compact"]);
  assert.deepEqual(await wordsAfter("svc cases get C-1 --format=c"), ["--format=compact"]);
  assert.deepEqual(await wordsAfter("svc cases get C-1 --nothing="), []);
  assert.deepEqual(await wordsAfter("svc workflow run script.ts --input "), []);
  assert.deepEqual(await wordsAfter("svc attachments add C-1 -"), await wordsAfter("svc attachments add C-1 --"));
});

Deno.test("a flag takes the next word as its value, also by its short name, and can be repeated only if it says so", async () => {
  const flags = await wordsAfter("svc attachments get A-1 --format yaml ");
  assert.ok(flags.includes("--output"));
  assert.deepEqual(await wordsAfter("svc attachments get A-1 -o "), []);
  const afterOutput = flags.filter((flag) => flag !== "--output");
  for (const output of ["-o a.pdf", "-o=a.pdf", "--output a.pdf", "--output=a.pdf"]) {
    assert.deepEqual(await wordsAfter(`svc attachments get A-1 --format yaml ${output} `), afterOutput, output);
  }
  const afterTag = await wordsAfter("svc tags add C-1 --tag urgent --quiet ");
  assert.deepEqual([afterTag.includes("--tag"), afterTag.includes("--quiet")], [true, false]);
});

Deno.test("the word of a group or of help is an argument after the command", async () => {
  assert.deepEqual(await wordsAfter("svc workflow show schedule "), await wordsAfter("svc workflow show r1 "));
  assert.deepEqual(await wordsAfter("svc cases get help "), await wordsAfter("svc cases get C-1 "));
  assert.deepEqual(await wordsAfter("svc help workflow schedule r"), ["resume", "run-now", "remove"]);
});

Deno.test("commands for runs are completed with the runs, and --profile with the profiles", async () => {
  await using workspace = await openScriptWorkspace("return input;");
  for (const run of ["r1", "r2"]) await workspace.svc("run", "script.ts", "--run-id", run, "--allow-declared");
  const env = { SVC_CONFIG_DIR: workspace.config };
  const shown = await svc(["completion", "words", "svc workflow show r"], { env });
  assert.deepEqual([shown.stdout, shown.stderr], ["r2\ttest, done\nr1\ttest, done\n", ""]);
  const config = { profiles: { city: { baseUrl: "http://127.0.0.1:1" }, county: { baseUrl: "http://127.0.0.1:2" } } };
  await Deno.writeTextFile(`${workspace.config}/config.json`, JSON.stringify(config), { mode: 0o600 });
  assert.equal(
    (await svc(["completion", "words", "svc cases get --profile co"], { env })).stdout,
    "county\thttp://127.0.0.1:2\n",
  );
  await using empty = await makeFolder({});
  const none = await svc(["completion", "words", "svc workflow show "], { env: { SVC_CONFIG_DIR: empty.path } });
  assert.deepEqual([none.stdout, none.stderr, [...Deno.readDirSync(empty.path)]], ["", "", []]);
});

Deno.test("completions from a journal or a configuration contain no control characters", async () => {
  await using workspace = await openScriptWorkspace("return 1;");
  await workspace.svc("run", "script.ts", "--run-id", "r1", "--allow-declared");
  workspace.sql(`UPDATE runs SET name = 'a' || char(27) || '[2J' || char(9, 10) || 'b'`);
  const profiles = { "city\x1b[2J": {}, "city\nhall": {}, "city hall": {} };
  await Deno.writeTextFile(`${workspace.config}/config.json`, JSON.stringify({ profiles }), { mode: 0o600 });
  const offered = async (line: string) => {
    return (await svc(["completion", "words", line], { env: { SVC_CONFIG_DIR: workspace.config } })).stdout;
  };
  assert.equal(await offered("svc workflow show r"), "r1\ta\\u001b[2J\\t\\nb, done\n");
  assert.equal(await offered("svc cases get --profile c"), "city hall\t\n");
});

Deno.test("an unknown group or command has no completions", async () => {
  for (const line of ["svc nothing ", "svc constructor ", "svc cases nothing ", "svc cases toString --type T "]) {
    assert.deepEqual(await wordsAfter(line), [], line);
  }
});

/** Returns the completions of bash after the last of these words. */
async function offeredByBash(words: readonly string[], folder: string, line = words.join(" ")): Promise<string> {
  const script = `svc() { "$DENO" run --allow-all "$CLI" "$@"; }
    source <(svc completion bash)
    COMP_LINE="$LINE" COMP_POINT=\${#COMP_LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _svc
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = await new LimitedCommand("bash", {
    args: ["--norc", "-c", script, "bash", ...words],
    cwd: folder,
    env: { DENO: Deno.execPath(), CLI, LINE: line, SVC_CONFIG_DIR: folder },
  }).output();
  const [printed = "", said] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(said, "");
  return printed;
}

Deno.test({
  name: "bash completes svc with the completion script",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using folder = await makeFolder({});
    assert.equal(await offeredByBash(["svc", "workflow", "li"], folder.path), "list\n");
    assert.equal(await offeredByBash(["svc", "cases", "get", "C-1", "--fo"], folder.path), "--format\n");
    assert.equal(await offeredByBash(["svc", "cases", "nothing", "--x"], folder.path), "\n");
    const list = ["svc", "workflow", "list", "--state", "="];
    assert.equal(await offeredByBash([...list, "d"], folder.path, "svc workflow list --state=d"), "done\n");
    const all = "running\ninterrupted\ndone\nfailed\ncancelled\n";
    assert.equal(await offeredByBash(list, folder.path, "svc workflow list --state="), all);
  },
});

Deno.test({
  name: "bash quotes the name of a profile with special characters",
  ignore: Deno.build.os === "windows",
  async fn() {
    const profiles = Object.fromEntries(
      ["$(touch made)", "`touch made`", "{a,b}", "my lab", "*"].map((one) => [one, {}]),
    );
    await using folder = await makeFolder({ "config.json": JSON.stringify({ profiles }) });
    const offered = await offeredByBash(["svc", "cases", "get", "C-1", "--profile", ""], folder.path);
    assert.equal(offered, "\\$\\(touch\\ made\\)\n\\`touch\\ made\\`\n\\{a\\,b\\}\nmy\\ lab\n\\*\n");
    assert(!Array.from(Deno.readDirSync(folder.path), ({ name }) => name).includes("made"));
  },
});

for (const shell of ["bash", "zsh", "fish", "powershell", "nushell"]) {
  Deno.test(`svc completion ${shell} prints a script that calls svc completion words`, async () => {
    const { code, stdout } = await svcInProcess(["completion", shell]);
    assert.equal(code, 0);
    assert.match(stdout, /svc completion words/);
  });
}
