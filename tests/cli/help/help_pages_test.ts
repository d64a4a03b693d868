/** The help pages: their width, their topics, and the commands that they name. */
import assert from "node:assert/strict";
import { parseArguments, splitCommandLine } from "../../../cli/args/parse_arguments.ts";
import { groups, listCommands } from "../../../cli/commands/groups.ts";
import { EXIT_CODES, toExitCode } from "../../../cli/exit.ts";
import { topics } from "../../../cli/help/topics.ts";
import { ENVIRONMENT_VARIABLES } from "../../../lib/auth/environment.ts";
import { ERROR_CODES, SvcError } from "../../../lib/errors.ts";
import { entryNamed, listExamples, toKebab } from "../../../lib/operation/operation.ts";
import { FORMATS } from "../../../lib/output/format.ts";
import { CHECKOUT, parseErrorRecord, splitWords, svcInProcess } from "../../harness/svc.ts";

const COMMANDS = (await listCommands()).map(({ words, command }) => ({ path: words.join(" "), command }));

const PAGES = [
  "--help",
  ...Object.keys(groups).map((group) => `${toKebab(group)} --help`),
  "workflow schedule --help",
  ...COMMANDS.map(({ path }) => `${path} --help`),
  ...Object.keys(topics).map((topic) => `help ${toKebab(topic)}`),
];

async function readPage(line: string, columns?: number): Promise<string> {
  const surroundings = columns === undefined ? {} : { terminal: true, columns };
  const { code, stdout, stderr } = await svcInProcess(line.split(" "), surroundings);
  assert.deepEqual([code, stderr], [0, ""], line);
  return stdout;
}

Deno.test("help is wrapped to the width of the terminal, and to 80 columns without one", async () => {
  for (const page of PAGES) {
    for (const columns of [undefined, 60, 120]) {
      const limit = columns ?? 80;
      const tooLong = (await readPage(page, columns)).split("\n").filter((line) => line.length > limit);
      // Only a word that is longer than the line may exceed the width.
      const wrappable = tooLong.filter((line) =>
        /\S \S/.test(line.trim().replace(/ \\$/, "").replace(/'[^']*'/g, "_"))
      );
      assert.deepEqual(wrappable, [], `${page} at ${limit} columns`);
    }
  }
});

Deno.test("the words of a page are the same at every width", async () => {
  const flatten = (text: string) => text.replaceAll(/ \\\n/g, " ").replaceAll(/\s+/g, " ");
  for (const page of ["--help", "workflow run --help", "assignments perform --help", "help exit-codes"]) {
    const wide = flatten(await readPage(page, 1000));
    for (const columns of [undefined, 60, 40]) assert.equal(flatten(await readPage(page, columns)), wide, page);
  }
});

Deno.test("an example that is wrapped is still one command for the shell", async () => {
  const page = await readPage("workflow run --help");
  const [, examples = ""] = /Examples:\n(.*?)\n\n/s.exec(page) ?? [];
  const [first = ""] = listExamples(COMMANDS.find(({ path }) => path === "workflow run")?.command ?? assert.fail());
  assert.ok(examples.includes("\\\n"), examples);
  assert.ok(examples.replaceAll(/ \\\n +/g, " ").split("\n").includes(`  svc workflow run ${first}`), examples);
});

Deno.test("svc help lists the topics, and each topic has a page with headings and examples", async () => {
  const root = await readPage("help");
  for (const [name, { summary }] of Object.entries(topics)) {
    assert.match(root, new RegExp(`^  ${toKebab(name)} +${summary}$`, "m"));
    assert.match(await readPage(`help ${toKebab(name)}`), /^Examples:\n {2}\S[^]*^See also:\n {2}svc /m);
  }
});

Deno.test("the page about exit codes lists every exit code with its errors", async () => {
  const page = await readPage("help exit-codes", 1000);
  for (const { exit, meaning, errors = [] } of EXIT_CODES) {
    const line = page.split("\n").find((line) => line.startsWith(`  ${exit} `)) ?? "";
    for (const part of [meaning, ...errors]) assert.ok(line.includes(part), `${exit}: ${part}`);
  }
  const exits = new Set(ERROR_CODES.map((code) => toExitCode(new SvcError(code, ""))));
  for (const exit of exits) assert.ok(EXIT_CODES.some((one) => one.exit === exit), String(exit));
});

Deno.test("the page about the environment lists every variable, and that about formatting every format", async () => {
  const environment = await readPage("help environment", 1000);
  for (const [name, meaning] of Object.entries(ENVIRONMENT_VARIABLES)) {
    assert.match(environment, new RegExp(`^  ${name} +${meaning.replace(/[.()]/g, "\\$&")}$`, "m"));
  }
  const formatting = await readPage("help formatting");
  for (const format of FORMATS) assert.match(formatting, new RegExp(`^  ${format} +\\S`, "m"));
});

Deno.test("docs/permissions.md allows and explains every variable that svc itself needs", async () => {
  const page = await Deno.readTextFile(`${CHECKOUT}/docs/permissions.md`);
  const [, list = ""] = /^--allow-env=(SVC_BASE_URL,.*)$/m.exec(page) ?? [];
  // Deno itself reads the proxy for https, and which hosts need none.
  const own = Object.keys(ENVIRONMENT_VARIABLES).filter((name) => !["HTTPS_PROXY", "NO_PROXY"].includes(name));
  const upper = list.split(",").filter((name) => name !== name.toLowerCase());
  assert.deepEqual(upper.toSorted(), own.toSorted());
  for (const name of own) assert.match(page, new RegExp(`^\\|.*\`${name}\`.*\\|`, "m"));
});

Deno.test("every example and every related command of a help page can be run", () => {
  for (const { path, command } of COMMANDS) {
    for (const example of listExamples(command)) {
      const [line = ""] = example.split(/(?:^| )[<>|] /);
      const words = path.split(" ");
      const { rest } = splitCommandLine([...words, ...splitWords(line)], words.length);
      assert.ok("values" in parseArguments(command, rest), `${path} ${example}`);
    }
    for (const related of command.seeAlso ?? []) {
      const [, topic] = /^help (.*)$/.exec(related) ?? [];
      const exists = topic === undefined
        ? COMMANDS.some(({ path }) => `${path} --help` === related)
        : entryNamed(topics, topic) !== undefined;
      assert.ok(exists, `${path} refers to ${related}`);
    }
  }
});

Deno.test("an unknown topic is an error that suggests topics and groups", async () => {
  const mistakes: Record<string, [message: string, hint: RegExp]> = {
    "help nonsense": ["svc has no command, group or topic 'nonsense'.", /^'svc help' lists all commands and topics\.$/],
    "help exit-code": ["svc has no command, group or topic 'exit-code'.", /^Did you mean 'svc help exit-codes'\? /],
    "help form": ["svc has no command, group or topic 'form'.", /^Did you mean 'svc help formatting'\? /],
    "help wrkflow": ["svc has no command, group or topic 'wrkflow'.", /^Did you mean 'svc help workflow'\? /],
    "help constructor": ["svc has no command, group or topic 'constructor'.", /lists all commands and topics\.$/],
    "help formatting json": [
      "svc has no command, group or topic 'formatting'.",
      /^Did you mean 'svc help formatting'\? /,
    ],
    "exit-codes": ["svc has no command or group 'exit-codes'.", /^Did you mean 'svc help exit-codes'\? /],
    "workflows --help": ["svc has no command or group 'workflows'.", /^Did you mean 'workflow'\? /],
  };
  for (const [line, [message, hint]] of Object.entries(mistakes)) {
    const result = await svcInProcess(line.split(" "));
    assert.deepEqual([result.code, result.stdout], [2, ""], line);
    assert.equal(parseErrorRecord(result).message, message);
    assert.match(String(parseErrorRecord(result).hint), hint);
  }
});
