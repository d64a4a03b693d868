/** Help pages and mistakes in command lines. */
import assert from "node:assert/strict";
import { main, OutputClosed } from "../../cli.ts";
import { GUESSED_COMMANDS } from "../../cli/args/guessed_commands.ts";
import { listCommands } from "../../cli/commands/groups.ts";
import { loadResources } from "../../lib/resources/mod.ts";
import { listExamples, takesTag, toKebab } from "../../lib/operation/operation.ts";
import { createCapturedIo } from "../harness/captured_io.ts";
import { parseErrorRecord, svc, svcInProcess } from "../harness/svc.ts";

Deno.test("svc --version prints only the version", async () => {
  const { version } = JSON.parse(await Deno.readTextFile(new URL("../../deno.json", import.meta.url)));
  const printed = { code: 0, stdout: `${version}\n`, stderr: "" };
  for (
    const args of [["--version"], ["--quiet", "--version"], ["--version", "--format", "table"], ["cases", "--version"]]
  ) {
    assert.deepEqual(await svc(args), printed);
    assert.deepEqual(await svcInProcess(args), printed, "in a program that imports the command line");
  }
});

Deno.test("a command ends with 0 and prints nothing if the output throws OutputClosed", async () => {
  const captured = { stdout: "", stderr: "" };
  const io = createCapturedIo(captured);
  const write = () => {
    throw new OutputClosed("The reader has closed the output.");
  };
  for (const args of [["--version"], ["--help"], ["cases", "--help"]]) {
    assert.equal(await main(args, { ...io, stdout: { ...io.stdout, write } }), 0);
  }
  assert.deepEqual(captured, { stdout: "", stderr: "" });
});

Deno.test("svc without arguments, svc help and svc --help print the same page, which lists every group", async () => {
  const page = (await svcInProcess([])).stdout;
  for (const args of [["--help"], ["-h"], ["help"], ["--format", "table", "--help"]]) {
    assert.deepEqual(await svcInProcess(args), { code: 0, stdout: page, stderr: "" });
  }
  for (const group of [...Object.keys(await loadResources()), "auth", "service", "workflow", "completion"]) {
    assert.match(page, new RegExp(`^  ${toKebab(group)} +[A-Z]`, "m"));
  }
});

Deno.test("the reference describes each global flag as the help does", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/reference/README.md", import.meta.url));
  const [, flags = ""] = (await svcInProcess(["--help"], WIDE)).stdout.split("Global flags:\n");
  const lines = [...flags.split("\n\n", 1).join().matchAll(/^ +(-.*?) {2,}(.*)$/gm)];
  assert.ok(lines.length > 5);
  for (const [, flag = "", meaning = ""] of lines) {
    assert.ok(page.replaceAll(/ +/g, " ").includes(`| \`${flag}\` | ${meaning} |`), flag);
  }
});

Deno.test("the help of a group lists its commands, in every spelling of the request", async () => {
  const page = (await svcInProcess(["case-types"])).stdout;
  const spellings = ["case-types --help", "case-types -h", "help case-types", "case-types help", "-h case-types"];
  for (const line of spellings) {
    assert.equal((await svcInProcess(line.split(" "))).stdout, page);
  }
  assert.match(page, /^ {2}list-bulk-actions +List the bulk actions of a case type$/m);
});

Deno.test("the help of every command has its usage, arguments, flags and examples", async () => {
  for (const [group, operations] of Object.entries(await loadResources())) {
    for (const [name, operation] of Object.entries(operations)) {
      const words = [toKebab(group), toKebab(name)];
      const { code, stdout } = await svcInProcess([...words, "--help"], WIDE);
      assert.equal(code, 0);
      assert.equal((await svcInProcess(["help", ...words], WIDE)).stdout, stdout);
      assert.ok(stdout.startsWith(`${operation.summary}.\n`), stdout);
      const examples = listExamples(operation).map((example) => `  svc ${words.join(" ")} ${example}`.trimEnd());
      assert.ok(stdout.includes(`Examples:\n${examples.join("\n")}\n`), stdout);
      for (const { name } of operation.args ?? []) assert.ok(stdout.includes(`  <${name}>  `), stdout);
      for (const [flag, { rejected }] of Object.entries(operation.flags ?? {})) {
        assert.equal(new RegExp(`--(\\[no-\\])?${toKebab(flag)}\\s`).test(stdout), !rejected, flag);
      }
      assert.equal(stdout.includes("--if-match <tag>"), takesTag(operation), words.join(" "));
    }
  }
});

Deno.test("the help of a command shows short forms, defaults, required and exclusive flags", async () => {
  const { stdout } = await svcInProcess(["data", "query", "--help"], WIDE);
  assert.match(
    stdout,
    /-d, --data <json> +The whole request body: dataViewParameters, query, paging; JSON, @file or -; not with --params, --max, --page, --page-size, --include-total/,
  );
  assert.match(stdout, /--include-total +Count/);
  assert.match((await svcInProcess(["data", "list-pages", "--help"], WIDE)).stdout, /--type <text> .*\(default: all\)/);
  assert.match(
    (await svcInProcess(["assignments", "save", "--help"], WIDE)).stdout,
    /^ {2}svc assignments save <assignmentId> --action <text> \[flags\]$/m,
  );
  assert.match(
    (await svcInProcess(["case-types", "list-bulk-actions", "-h"], WIDE)).stdout,
    /Only the hosted deployment variant/,
  );
});

Deno.test("the help shows the negated form of flags that are on by default", async () => {
  for (const group of ["ai-agents", "assistants"]) {
    const { stdout } = await svcInProcess([group, "start-conversation", "--help"], WIDE);
    assert.match(stdout, /^ +--\[no-\]execute-starter +Run the configured starter question$/m);
  }
});

Deno.test("a flag that has a prompt is required unless --interactive is set", async () => {
  const { stdout } = await svcInProcess(["assignments", "perform", "--help"], WIDE);
  assert.match(stdout, /^ {2}svc assignments perform <assignmentId> \(--action <text> \| --interactive\) \[flags\]$/m);
  assert.match(stdout, /^ +--action <text> +Action ID \(required unless --interactive\)$/m);
  assert.match((await svcInProcess(["assignments", "save", "--help"], WIDE)).stdout, /Action ID \(required\)$/m);
});

/** A terminal on which no line of the help is wrapped. */
const WIDE = { terminal: true, columns: 1000 };

interface Mistake {
  message: string;
  hint?: string | RegExp;
}

const MISTAKES: Record<string, Mistake> = {
  "case get C-1": { message: "svc has no command or group 'case'.", hint: /^Did you mean 'cases'\? 'svc --help'/ },
  "assignment get-next": {
    message: "svc has no command or group 'assignment'.",
    hint: /^Did you mean 'assignments'\?/,
  },
  "constructor get": {
    message: "svc has no command or group 'constructor'.",
    hint: "'svc --help' lists all commands.",
  },
  "cases gett C-1": { message: "svc cases has no command 'gett'.", hint: /^Did you mean 'get'\? 'svc cases --help'/ },
  "cases toString": { message: "svc cases has no command 'toString'." },
  "assignments getnext": { message: "svc assignments has no command 'getnext'.", hint: /^Did you mean 'get-next'/ },
  "cases perform C-1": { message: "svc cases has no command 'perform'.", hint: /^Did you mean 'perform-action'\?/ },
  "data list": {
    message: "svc data has no command 'list'.",
    hint: /^Did you mean 'list-actions', 'list-objects' or 'list-pages'\?/,
  },
  "assignments perform A": {
    message: "--action is required.",
    hint: "It is the action ID. At a terminal, --interactive asks for it.",
  },
  "assignments save A": { message: "--action is required.", hint: "It is the action ID." },
  "cases gett --help": { message: "svc cases has no command 'gett'." },
  "cases get C-1 --formt yaml": { message: "svc cases get has no flag --formt.", hint: /^Did you mean --format\?/ },
  "cases refresh-view C-1 --interest-pag x": {
    message: "svc cases refresh-view has no flag --interest-pag.",
    hint: /--interest-page\?/,
  },
  "cases get C-1 --constructor": { message: "svc cases get has no flag --constructor." },
  "cases get C-1 --if-match t": { message: "svc cases get has no flag --if-match." },
  "cases get C-1 -x": { message: "svc cases get has no flag -x.", hint: /^Write --flag=value/ },
  "cases create -d {}": {
    message: "svc cases create has no flag -d.",
    hint: "Did you mean --data or --dry-run? Write --flag=value for a value that begins with a dash.",
  },
  "cases get C-1 -v": { message: "svc cases get has no flag -v.", hint: /^Did you mean --verbose\? Write/ },
  "cases get C-1 -H": { message: "svc cases get has no flag -H.", hint: /^Did you mean --help\? Write/ },
  "cases get --x": { message: "--x is not a flag.", hint: /-- before such an argument/ },
  "--verbos cases get C-1": {
    message: "--verbos is not allowed before the command.",
    hint: /^Did you mean --verbose\? Only the global flags are: --format, .*, --help, --version\. 'svc --help'/,
  },
  "--versoin": { message: "--versoin is not allowed before the command.", hint: /^Did you mean --version\? Only/ },
  "-V": { message: "-V is not allowed before the command.", hint: /^Did you mean --verbose or --version\? Only/ },
  "- cases get C-1": { message: "- is not allowed before the command.", hint: /^Only the global flags are/ },
  "cases get C-1 --hlep": { message: "svc cases get has no flag --hlep.", hint: /^Did you mean --help\?/ },
  "login": { message: "svc has no command or group 'login'.", hint: /^Did you mean 'svc auth login'\? 'svc --help'/ },
  "get-next": {
    message: "svc has no command or group 'get-next'.",
    hint: /^Did you mean 'svc assignments get-next'\?/,
  },
  "get cases": { message: "svc has no command or group 'get'.", hint: /^Did you mean 'svc cases get'\? 'svc --help'/ },
  "get case C-1": {
    message: "svc has no command or group 'get'.",
    hint: /^Did you mean 'svc cases get'\? 'svc --help'/,
  },
  "listObjects data": {
    message: "svc has no command or group 'listObjects'.",
    hint: /^Did you mean 'svc data list-objects'\?/,
  },
  "version": {
    message: "svc has no command or group 'version'.",
    hint: /^Did you mean 'svc --version'\? 'svc --help'/,
  },
  "cases get-next": {
    message: "svc cases has no command 'get-next'.",
    hint: "Did you mean 'svc assignments get-next'? 'svc cases --help' lists the commands.",
  },
  "cases list": {
    message: "svc cases has no command 'list'.",
    hint: "Did you mean 'svc inbox', 'svc find <text>' or 'svc data query <data-view>'? " +
      "'svc cases --help' lists the commands.",
  },
  "cases search harbour": { message: "svc cases has no command 'search'.", hint: /^Did you mean 'svc find <text>'\?/ },
  "cases history C-1": { message: "svc cases has no command 'history'.", hint: /^Did you mean 'svc history'\?/ },
  "assignments list": { message: "svc assignments has no command 'list'.", hint: /^Did you mean 'svc inbox' or/ },
  "auth init": { message: "svc auth has no command 'init'.", hint: /^Did you mean 'svc profile add <name>' or/ },
  "tags get": { message: "svc tags has no command 'get'.", hint: "'svc tags --help' lists the commands." },
  "search harbour": { message: "svc has no command or group 'search'.", hint: /^Did you mean 'svc find <text>'\?/ },
  "--verbose": { message: "--verbose needs a command.", hint: "'svc --help' lists the commands." },
  "--format yaml cases": {
    message: "--format needs a command.",
    hint: "'svc cases --help' lists the commands.",
  },
  "cases --quiet": { message: "--quiet needs a command." },
  "cases get": { message: "The argument <caseId> is missing.", hint: "Usage: svc cases get <caseId> [flags]" },
  "cases get A B": {
    message: "svc cases get takes 1 argument: 'B' is one too many.",
    hint: "If an argument contains a space, quote it: 'A B'. 'svc cases get --help' shows the usage.",
  },
  "show CITY-PERMIT-WORK P-1": {
    message: "svc show takes 1 argument: 'P-1' is one too many.",
    hint: /^Quote the handle: 'CITY-PERMIT-WORK P-1'\./,
  },
  "note CITY-PERMIT-WORK P-1 Received": {
    message: "svc note takes 2 arguments: 'Received' is one too many.",
    hint: /^Quote the handle: 'CITY-PERMIT-WORK P-1'\./,
  },
  "assignments get ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE --quiet": {
    message: "svc assignments get takes 1 argument: 'CITY-PERMIT-WORK' is one too many.",
    hint: /^Quote the handle: 'ASSIGN-WORKLIST CITY-PERMIT-WORK P-1!INTAKE'\./,
  },
  "note P-1 Plan received today --quiet": {
    message: "svc note takes 2 arguments: 'received' is one too many.",
    hint: /^If an argument contains a space, quote it: 'Plan received today'\./,
  },
  "show P-1 P-2": {
    message: "svc show takes 1 argument: 'P-2' is one too many.",
    hint: /^Run the command once for each\./,
  },
  "inbox mine": { message: "svc inbox takes no arguments: 'mine' is one too many.", hint: /^Leave it out\./ },
  "get P-1": { message: "svc has no command or group 'get'.", hint: /^Did you mean 'svc show <case>'/ },
  "new": { message: "svc has no command or group 'new'.", hint: /^Did you mean 'svc do' or/ },
  "close P-1": { message: "svc has no command or group 'close'.", hint: /^Did you mean 'svc do <case>'/ },
  "assign P-1": { message: "svc has no command or group 'assign'.", hint: /^Did you mean 'svc work transfer/ },
  "log": {
    message: "svc has no command or group 'log'.",
    hint: /^Did you mean 'svc history <case>', 'svc workflow logs <run>' or 'svc service logs'/,
  },
  "wait": { message: "svc has no command or group 'wait'.", hint: /^Did you mean 'svc workflow watch <run>' or/ },
  "service log": { message: "svc service has no command 'log'.", hint: /^Did you mean 'svc service logs'\?/ },
  "service restart": { message: "svc service has no command 'restart'.", hint: /^Did you mean 'svc service stop' or/ },
  "workflow wait r": {
    message: "svc workflow has no command 'wait'.",
    hint: /^Did you mean 'svc workflow watch <run>'/,
  },
  "restart": { message: "svc has no command or group 'restart'.", hint: /^Did you mean 'svc service start'/ },
  "inbox -o json": { message: "svc inbox has no flag -o.", hint: /^Did you mean '--format json'\?/ },
  "cases get P-1 --json": { message: "svc cases get has no flag --json.", hint: /^Did you mean '--format json'\?/ },
  "--json inbox": { message: "--json is not allowed before the command.", hint: /^Did you mean '--format json'\?/ },
  "case-types list A": { message: "svc case-types list takes no arguments: 'A' is one too many." },
  "cases get C-1 --format xml": { message: '--format must be one of json, compact, yaml, table, view, not "xml".' },
  "cases get C-1 --fields id,,type": {
    message: "--fields must be names, separated by commas.",
    hint: "For example --fields id,status.",
  },
  "cases get C-1 --fields id --fields status": {
    message: "--fields is given twice.",
    hint: "Separate several with commas: --fields=a,b.",
  },
  "workflow run script.ts --timeout 5m": {
    message: "--timeout must be a whole number, 0 or more.",
    hint: "Time limit of one input in seconds, not counting sleeps.",
  },
  "service add-client --profile x": { message: "--operator is required.", hint: "Operator of the client." },
  "cases get C-1 --quiet --quiet": { message: "--quiet is given twice." },
  "--quiet cases get C-1 --quiet": { message: "--quiet is given twice." },
  "cases get C-1 --fields": { message: "--fields needs a value." },
  "cases get C-1 --fields --quiet": { message: "--fields needs a value.", hint: /^Write --flag=value/ },
  "cases get C-1 --quiet=true": { message: "--quiet takes no value." },
  "cases get C-1 --dry-run=": { message: "--dry-run takes no value." },
  "cases get C-1 --no-cache=": { message: "--no-cache takes no value." },
  "cases get --help=true": { message: "--help takes no value." },
  "cases --help=true": { message: "--help takes no value." },
  "--version=1": { message: "--version takes no value." },
  "cases get -hx": { message: "-h takes no value." },
  "data query --include-total= D": { message: "--include-total takes no value." },
  "workflow init --quiet=": { message: "--quiet takes no value." },
  "data query --data= D": { message: "--data is empty." },
  "data query D --no-include-total=1": { message: "--no-include-total takes no value." },
  "cases get C-1 --no-quiet": { message: "svc cases get has no flag --no-quiet." },
};

for (const [line, { message, hint }] of Object.entries(MISTAKES)) {
  Deno.test(`svc ${line}: ${message}`, async () => {
    const result = await svcInProcess(line.split(" "));
    assert.equal(result.code, 2, result.stderr);
    assert.equal(result.stdout, "");
    const error = parseErrorRecord(result);
    assert.equal(error.code, "INVALID_ARGS");
    assert.equal(error.message, message);
    if (hint instanceof RegExp) assert.match(String(error.hint), hint);
    else if (hint !== undefined) assert.equal(error.hint, hint);
  });
}

Deno.test("every guessed command leads to a command that exists, and is not a command itself", async () => {
  const commands = (await listCommands()).map(({ words }) => words.join(" "));
  const groupNames = new Set(
    commands.filter((command) => command.includes(" ")).map((command) => command.split(" ")[0]),
  );
  for (const [guess, lines] of Object.entries(GUESSED_COMMANDS)) {
    assert.ok(!commands.includes(guess) && !groupNames.has(guess), guess);
    for (const line of lines) {
      const isKnown = commands.some((command) => line === command || line.startsWith(`${command} `));
      assert.ok(isKnown || line === "--version" || line.startsWith("help "), `${guess}: ${line}`);
    }
  }
});

Deno.test("an empty path is an error for every file and folder, before anything is read", async () => {
  const flags = {
    "workflow run s.ts --each": "--each",
    "workflow run s.ts --root": "--root",
    "workflow run s.ts --journal": "--journal",
    "workflow report r -o": "--output",
    "workflow record s.ts -o": "--output",
    "attachments upload -f": "--file",
    "attachments get A -o": "--output",
    "static-content component C -o": "--output",
    "service start --app": "--app",
    "service status --data": "--data",
    "workflow run": "The argument <script>",
    "workflow init": "The argument <folder>",
  };
  for (const [line, called] of Object.entries(flags)) {
    const result = await svcInProcess([...line.split(" "), ""]);
    assert.equal(result.code, 2, line);
    const { code, message, hint } = parseErrorRecord(result);
    assert.deepEqual([code, message], ["INVALID_ARGS", `${called} is an empty path.`]);
    assert.match(String(hint), /^Pass a file or a directory/);
  }
});

Deno.test("the values of an operation are checked before anything is read or sent", async () => {
  const mistakes: [string[], RegExp][] = [
    [["cases", "create"], /^--type is required\.$/],
    [["data", "query", "D", "--max", "many"], /^--max must be a whole number/],
    [["data", "query", "D", "-d", "{}", "--max", "3"], /^--data and --max are mutually exclusive\.$/],
    [["data", "query", "D", "-d{}", "--max", "3"], /^--data and --max are mutually exclusive\.$/],
    [["cases", "bulk-actions", "--cases", "A,,B"], /^--cases must be a list of non-empty strings\.$/],
    [["cases", "create", "--type", "T", "--data", "[]"], /^--data must be a JSON object\.$/],
    [["cases", "refresh-view", "C", "--view", "v", "--attachments", "[]"], /only by the perform and save commands\.$/],
    [["cases", "get", ".."], /cannot be "\.\."\.$/],
    [["assignments", "perform", "A"], /^--action is required\.$/],
  ];
  for (const [args, message] of mistakes) {
    const result = await svcInProcess(args);
    assert.equal(result.code, 2);
    assert.match(String(parseErrorRecord(result).message), message);
  }
});

Deno.test("global flags may stand before the group, between the words and after the command", async () => {
  const env = { SVC_BASE_URL: "https://svc.example" };
  const lines = [
    ["--dry-run", "cases", "get", "C-1"],
    ["cases", "--dry-run", "get", "C-1"],
    ["--format", "table", "--quiet", "cases", "get", "--dry-run", "C-1"],
    ["--format=table", "cases", "get", "C-1", "--dry-run"],
  ];
  for (const args of lines) {
    const { code, stdout } = await svc(args, { env });
    assert.equal(code, 0);
    assert.match(stdout, /^GET \/dx-api\/v2\/cases\/C-1\n/);
  }
});

Deno.test("after -- everything is an argument, and an attached value may look like a flag", async () => {
  const env = { SVC_BASE_URL: "https://svc.example" };
  const escaped = await svc(["cases", "get", "--dry-run", "--", "--help"], { env });
  assert.match(escaped.stdout, /^GET \/dx-api\/v2\/cases\/--help\n/);
  const attached = await svc(["cases", "get-view", "C-1", "--dry-run", "--view=-v", "--no-cache"], { env });
  assert.match(attached.stdout, /^GET \/dx-api\/v2\/cases\/C-1\/views\/-v\n/);
  const lines = await svc(["cases", "create", "--type", "T", "--dry-run", '--data={\n"a": 1}'], { env });
  assert.match(lines.stdout, /"a": 1/);
});

Deno.test("at a terminal an error is one JSON object on several lines", async () => {
  const { code, stderr } = await svcInProcess(["nothing"], { terminal: true });
  assert.equal(code, 2);
  assert.match(stderr, /^\{\n {2}"error": \{\n/);
  assert.equal(parseErrorRecord({ code, stdout: "", stderr }).code, "INVALID_ARGS");
});

Deno.test("only SVC_DEBUG=1 adds the stack to an error", async () => {
  assert.equal(parseErrorRecord(await svcInProcess(["nothing"])).stack, undefined);
  assert.match(
    String(parseErrorRecord(await svcInProcess(["nothing"], { env: { SVC_DEBUG: "1" } })).stack),
    /usage_errors\.ts/,
  );
});
