import assert from "node:assert/strict";
import fc from "fast-check";
import { globalFlags, HELP_FLAG } from "../../../cli/args/global_flags.ts";
import { parseArguments, splitCommandLine } from "../../../cli/args/parse_arguments.ts";
import type { Command, Flag, ParsedArguments } from "../../../cli/commands/command.ts";
import { groups, listCommands } from "../../../cli/commands/groups.ts";
import { toKebab } from "../../../lib/operation/operation.ts";

const SEED = Number(Deno.env.get("SVC_TEST_SEED") ?? Math.trunc(Math.random() * 2 ** 31));

const COMMANDS = (await listCommands()).filter(({ command }) => !command.args?.some(({ rest }) => rest));

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary", maxLength: 5 }),
  fc.constantFrom("", "-", "--", "-5", "--help", "-h", "help", "=", "a=b", "--format=x", "{\n}", "a b", "D_Cars"),
);

/** A command line: its arguments, and the values that they stand for. */
interface Line {
  readonly args: readonly string[];
  /** Number of words that name the command. */
  readonly length: number;
  readonly command: Command;
  readonly values: ParsedArguments;
}

const commandLine: fc.Arbitrary<Line> = fc.constantFrom(...COMMANDS).chain(({ words, command }) => {
  const { args = [], flags = {} } = command;
  const options = Object.entries({ ...flags, ...globalFlags });
  return fc.record({
    texts: fc.tuple(...args.map(() => text)),
    options: fc.tuple(...options.map(([name, flag]) => fc.option(writtenFlag(name, flag, name in flags), { freq: 3 }))),
    split: fc.nat(),
    hasEnd: fc.boolean(),
    globalsFirst: fc.boolean(),
  }).map(({ texts, options: written, split, hasEnd, globalsFirst }) => {
    const present = written.filter((option) => option !== null);
    const leading = present.filter(({ isGlobal }) => isGlobal && globalsFirst).flatMap(({ tokens }) => tokens);
    const following = present.filter(({ isGlobal }) => !(isGlobal && globalsFirst)).map(({ tokens }) => tokens);
    // Arguments that look like flags come after `--`, with all arguments that follow them.
    const firstDashed = texts.findIndex((text) => text.startsWith("-") && text !== "-");
    const open = firstDashed < 0 ? texts : texts.slice(0, firstDashed);
    const at = split % (following.length + 1);
    const tokens = [...following.slice(0, at), open, ...following.slice(at)].flat();
    const escaped = firstDashed < 0 ? [] : texts.slice(firstDashed);
    return {
      args: [...leading, ...words, ...tokens, ...(hasEnd || escaped.length > 0 ? ["--", ...escaped] : [])],
      length: words.length,
      command,
      values: Object.fromEntries([
        ...present.map(({ name, value }) => [name, value]),
        ...args.map(({ name }, index) => [name, texts[index]]),
      ]),
    };
  });
});

interface WrittenFlag {
  readonly name: string;
  readonly value: string | boolean | readonly string[];
  readonly tokens: readonly string[];
  readonly isGlobal: boolean;
}

/** A flag of a command with a value, in any of its spellings. */
function writtenFlag(name: string, flag: Flag, isOwn: boolean): fc.Arbitrary<WrittenFlag> {
  const isGlobal = !isOwn;
  const long = fc.constantFrom(`--${toKebab(name)}`, `--${name}`);
  if (flag.type === "boolean") {
    const negated = fc.constantFrom(`--no-${toKebab(name)}`, `--no${name[0]?.toUpperCase()}${name.slice(1)}`);
    const on = long.map((token) => ({ name, value: true, tokens: [token], isGlobal }));
    return isGlobal ? on : fc.oneof(on, negated.map((token) => ({ name, value: false, tokens: [token], isGlobal })));
  }
  const one = fc.record({ value: text, long, spelling: fc.nat() }).map(({ value, long, spelling }) => {
    const spellings = [[`${long}=${value}`]];
    const canFollow = !value.startsWith("-") || value === "-";
    if (canFollow) spellings.push([long, value]);
    if (flag.short !== undefined) {
      spellings.push([`-${flag.short}=${value}`]);
      if (canFollow) spellings.push([`-${flag.short}`, value]);
      if (value !== "" && !value.startsWith("=")) spellings.push([`-${flag.short}${value}`]);
    }
    return { value, tokens: spellings[spelling % spellings.length] ?? [] };
  });
  if (!flag.repeatable) return one.map(({ value, tokens }) => ({ name, value, tokens, isGlobal }));
  return fc.array(one, { minLength: 1, maxLength: 3 }).map((all) => ({
    name,
    value: all.map(({ value }) => value),
    tokens: all.flatMap(({ tokens }) => tokens),
    isGlobal,
  }));
}

Deno.test(`a command line in any spelling is parsed to the values it was written for (SVC_TEST_SEED=${SEED})`, () => {
  fc.assert(
    fc.property(commandLine, ({ args, length, command, values }) => {
      const { rest, help, version, misplaced } = splitCommandLine(args, length);
      assert.deepEqual({ help, version, misplaced }, { help: false, version: false, misplaced: undefined });
      assert.deepEqual(parseArguments(command, rest), { values });
    }),
    { numRuns: 2000, seed: SEED },
  );
});

Deno.test(`any text is parsed to values of the command or to one problem (SVC_TEST_SEED=${SEED})`, () => {
  fc.assert(
    fc.property(fc.constantFrom(...COMMANDS), fc.array(text, { maxLength: 6 }), ({ command }, inputs) => {
      const result = parseArguments(command, inputs);
      const known = [
        ...(command.args ?? []).map(({ name }) => name),
        ...Object.keys({ ...command.flags, ...globalFlags, help: HELP_FLAG }),
      ];
      if ("values" in result) assert.deepEqual(Object.keys(result.values).filter((name) => !known.includes(name)), []);
      else assert.ok(result.problem.kind.length > 0);
    }),
    { numRuns: 2000, seed: SEED },
  );
});

/** The arguments of `svc data query`, its parsed values, or the kind of the problem in them. */
async function parseQuery(...inputs: string[]) {
  const command = (await groups.data?.load())?.query?.describe() ?? assert.fail();
  const result = parseArguments(command, inputs);
  return "values" in result ? result.values : result.problem;
}

Deno.test("a flag is written in kebab or camel case, with its value attached or after it", async () => {
  const values = { dataViewId: "D", includeTotal: true, max: "3", data: "-", format: "table" };
  const lines = [
    ["D", "--include-total", "--max=3", "--data", "-", "--format", "table"],
    ["--includeTotal", "--max", "3", "-d-", "D", "--format=table"],
    ["-d=-", "--format", "table", "--max=3", "--include-total", "--", "D"],
    ["-d", "-", "--max", "3", "--format", "table", "--include-total", "D"],
  ];
  for (const line of lines) assert.deepEqual(await parseQuery(...line), values, line.join(" "));
});

Deno.test("a boolean flag of a command can be negated, a global flag cannot", async () => {
  for (const flag of ["--no-include-total", "--noIncludeTotal"]) {
    assert.deepEqual(await parseQuery("D", flag), { dataViewId: "D", includeTotal: false });
  }
  for (const flag of ["--no-quiet", "--no-help", "--no-max"]) {
    assert.deepEqual(await parseQuery("D", flag), { kind: "unknown flag", name: flag.slice(2) });
  }
});

Deno.test("a flag that is given twice is a problem, in any spelling", async () => {
  for (const [first, second] of [["-d{}", "--data={}"], ["--include-total", "--no-include-total"]] as const) {
    const name = first === "-d{}" ? "data" : "includeTotal";
    assert.deepEqual(await parseQuery("D", first, second), { kind: "repeated flag", name });
  }
});

Deno.test("a word after a flag is its value unless it looks like a flag", async () => {
  for (const value of ["-", "-5", "-x1", "", "D"]) {
    assert.deepEqual(await parseQuery("D", "--max", value), { dataViewId: "D", max: value });
  }
  for (const value of ["--", "-x", "-d{}", "--quiet", "--unknown"]) {
    assert.deepEqual(await parseQuery("D", "--max", value), { kind: "missing value", flag: "--max" }, value);
  }
});

Deno.test("a name that every object inherits is not a flag", async () => {
  for (const name of ["constructor", "to-string", "has-own-property"]) {
    assert.deepEqual(await parseQuery("D", `--${name}`), { kind: "unknown flag", name });
  }
});

Deno.test("an argument of all remaining words takes the flags after its first word", () => {
  const command = {
    summary: "",
    example: "",
    args: [{ name: "command", help: "", type: "list", rest: true }],
    flags: { output: { help: "", type: "path" } },
  } as const;
  const inputs = ["--output", "a", "show", "P-1", "--output", "b", "--", "--help"];
  assert.deepEqual(parseArguments(command, inputs), {
    values: { output: "a", command: ["show", "P-1", "--output", "b", "--", "--help"] },
  });
  assert.deepEqual(parseArguments(command, ["--output", "a"]), { problem: { kind: "missing argument", index: 0 } });
});
