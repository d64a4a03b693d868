/** Reads and writes files of cassettes, and prints the results of their tests. */
import { SvcError } from "../../../../lib/errors.ts";
import { describeReadError } from "../../../../utils/fs/describe_error.ts";
import { exists } from "../../../../utils/fs/exists.ts";
import { escapeControlCharacters, escapeToOneLine } from "../../../../utils/text/control_characters.ts";
import { pluralize } from "../../../../utils/text/wording.ts";
import type { Cassette } from "../../../../workflows/cassette/cassette.ts";
import { parseCassette } from "../../../../workflows/cassette/parse_cassette.ts";
import type { CassetteResult, NamedCassette } from "../../../../workflows/cassette/test_cassettes.ts";
import { loadOperations } from "../../../../workflows/scripts/permissions.ts";
import { createPayloadReader } from "../../../args/payload.ts";
import { STDOUT } from "../../../render/download.ts";
import { checkTarget, writeWhole } from "../../../render/local_files.ts";
import { evenUnread } from "../../../io/io.ts";
import type { CommandContext } from "../../command.ts";

/** Checks that a cassette can be written to a path. */
export async function checkCassetteFile(path: string, force = false): Promise<void> {
  if (path === STDOUT) {
    throw new SvcError("INVALID_ARGS", "A cassette cannot be written to stdout, which is for the result of the run.", {
      hint: "Name a file: -o cassette.json",
    });
  }
  await checkTarget(path);
  if (force || !await exists(path)) return;
  throw new SvcError("INVALID_ARGS", `${path} already exists.`, {
    hint: "Name another file, or overwrite it with --force.",
  });
}

/** Writes a cassette. */
export async function writeCassette({ note }: CommandContext, path: string, cassette: Cassette): Promise<void> {
  const text = escapeControlCharacters(JSON.stringify(cassette, null, 2)) + "\n";
  await writeWhole(path, [new TextEncoder().encode(text)]);
  note(`${countCalls(cassette)} recorded in ${path}.`);
}

/** Reads the cassettes at paths of files and folders. */
export async function readCassettes({ io }: CommandContext, paths: readonly string[]): Promise<NamedCassette[]> {
  const operations = await loadOperations();
  const read = createPayloadReader(io);
  const cassettes: NamedCassette[] = [];
  for (const name of (await Promise.all(paths.map(listFiles))).flat()) {
    cassettes.push({ name, cassette: parseCassette(name, await read("--cassette", `@${name}`), operations) });
  }
  return cassettes;
}

function countCalls({ calls }: Cassette): string {
  return pluralize(calls.length, "call");
}

/** Lists the file itself, or the cassettes in a folder. */
async function listFiles(path: string): Promise<string[]> {
  try {
    if (!(await Deno.stat(path)).isDirectory) return [path];
    const entries = await Array.fromAsync(Deno.readDir(path));
    const names = entries.filter(({ name, isFile }) => isFile && name.endsWith(".json")).map(({ name }) => name);
    if (names.length > 0) return names.map((name) => `${path.replace(/[\\/]$/, "")}/${name}`).toSorted();
  } catch (error) {
    if (describeReadError(error) === undefined) throw error;
    return [path]; // Reading the file reports the error.
  }
  throw new SvcError("INVALID_ARGS", `--cassette ${path} contains no cassette (.json file).`, {
    hint: "Record one with 'svc workflow record'.",
  });
}

/** Prints the results of cassettes, and throws an error if a test failed. */
export async function printResults(
  { globals, io, note, print }: CommandContext,
  results: AsyncIterable<CassetteResult>,
): Promise<void> {
  const all: CassetteResult[] = [];
  for await (const result of results) {
    all.push(result);
    if (!globals.isDataRequested) await evenUnread(() => io.stdout.write(formatResult(result)));
  }
  if (globals.isDataRequested) await evenUnread(() => print(all.map(toJson)));
  const failed = all.filter(({ error }) => error !== undefined);
  if (all.length > 1) note(`${all.length} cassettes: ${all.length - failed.length} passed, ${failed.length} failed.`);
  const [first] = failed;
  if (first?.error === undefined) return;
  if (all.length === 1) throw first.error;
  const names = failed.map(({ name, error }) => `${name} (${error?.code})`);
  throw new SvcError("WORKFLOW_FAILED", `${failed.length} of ${all.length} cassettes failed: ${names.join(", ")}.`, {
    hint: "Stdout shows the first difference of each cassette. Test a single cassette to see all of its differences.",
  });
}

function formatResult({ name, cassette, error }: CassetteResult): string {
  const line = error === undefined
    ? `ok ${name}: ${countCalls(cassette)}`
    : `FAILED ${name}: ${error.code} ${error.message}`;
  return escapeToOneLine(line) + "\n";
}

function toJson({ name, cassette, error }: CassetteResult) {
  return {
    cassette: name,
    calls: cassette.calls.length,
    passed: error === undefined,
    ...(error && { error: { ...error.toJSON() } }),
  };
}
