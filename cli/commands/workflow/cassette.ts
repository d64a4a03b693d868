/** `svc workflow record` and `test`. */
import type { Cassette } from "../../../workflows/cassette/cassette.ts";
import { toCassette } from "../../../workflows/cassette/convert.ts";
import { parseCassette } from "../../../workflows/cassette/parse_cassette.ts";
import { playCassette } from "../../../workflows/cassette/play_cassette.ts";
import { newRunId } from "../../../workflows/journal/run_id.ts";
import { loadOperations } from "../../../workflows/scripts/permissions.ts";
import { type OpenWorkflow, openWorkflow } from "../../../workflows/runs/open_workflow.ts";
import { SvcError, toSvcError } from "../../../lib/errors.ts";
import { exists } from "../../../utils/fs/exists.ts";
import { escapeControlCharacters, escapeToOneLine, prefixLines } from "../../../utils/text/control_characters.ts";
import { describeReadError } from "../../../utils/fs/describe_error.ts";
import { pluralize } from "../../../utils/text/wording.ts";
import type { CommandContext } from "../command.ts";
import { STDOUT } from "../../render/download.ts";
import { evenUnread } from "../../io/io.ts";
import { checkTarget, writeWhole } from "../../render/local_files.ts";
import { payloadReader } from "../../args/payload.ts";
import { begin, type RunFlags, type ScriptFlags } from "./begin.ts";
import { journalAt, NO_JOURNAL } from "./journal.ts";
import { findRun } from "./manage.ts";

/** What `svc workflow record` may be given. */
export interface RecordFlags extends Omit<RunFlags, "concurrency" | "each" | "runId" | "resume"> {
  /** File of the cassette. */
  readonly output: string;
  /** Writes over a file that is there. */
  readonly force?: boolean;
}

/** What `svc workflow test` may be given. */
export interface TestFlags extends ScriptFlags {
  /** Files of cassettes, and folders of them. */
  readonly cassette: readonly string[];
}

/** Runs a script, and writes what it did into a cassette, also where it failed. */
export async function record(context: CommandContext, { output, force, ...flags }: RecordFlags): Promise<void> {
  if (flags.journal === NO_JOURNAL) {
    throw new SvcError("INVALID_ARGS", "A cassette is made from the journal.", { hint: "Leave out --journal none." });
  }
  await checkOutput(output, force);
  const runId = newRunId();
  const failure = await failureOf(begin(context, { ...flags, concurrency: 1, runId }));
  const cassette = await exported(runId, flags.journal);
  if (cassette !== undefined) {
    await writeWhole(output, [new TextEncoder().encode(textOf(cassette))]);
    context.note(`${countOf(cassette)} recorded in ${output}.`);
  }
  if (failure !== undefined) throw failure;
}

/** Runs a script against cassettes; nothing is sent and no profile is read. */
export async function test(context: CommandContext, flags: TestFlags): Promise<void> {
  const { script, root, timeout, maxMemory } = flags;
  const cassettes = await readAll(context, flags.cassette);
  await using workflow = await openWorkflow({
    script,
    root,
    limits: { timeoutSeconds: timeout, maxMemoryMiB: maxMemory },
    allow: [...new Set(cassettes.flatMap(({ operations }) => operations))],
    signal: context.signal,
  });
  const results: Played[] = [];
  for (const [i, read] of cassettes.entries()) {
    workflow.reserve = i + 1 < cassettes.length ? 1 : 0;
    const result = await playOne(context, workflow, read, cassettes.length > 1);
    results.push(result);
    if (!context.globals.isDataRequested) await evenUnread(() => printLine(context, result));
  }
  await report(context, results);
}

interface Read {
  readonly path: string;
  readonly cassette: Cassette;
  /** Operations that it has calls of. */
  readonly operations: readonly string[];
}

interface Played extends Read {
  readonly failure?: SvcError;
}

async function playOne(
  { io, signal }: CommandContext,
  workflow: OpenWorkflow,
  read: Read,
  isOneOfMany: boolean,
): Promise<Played> {
  const prefix = isOneOfMany ? `${read.path}: ` : "";
  const onLog = (text: string) => io.stderr.write(prefixLines(text, prefix));
  const failure = await failureOf(playCassette(workflow, read.cassette, { onLog, signal }));
  if (failure?.code === "INTERRUPTED" && signal.aborted) throw failure;
  return { ...read, failure };
}

function printLine({ io }: CommandContext, { path, cassette, failure }: Played): void {
  const line = failure === undefined
    ? `ok ${path}: ${countOf(cassette)}`
    : `FAILED ${path}: ${failure.code} ${failure.message}`;
  io.stdout.write(escapeToOneLine(line) + "\n");
}

async function report({ globals, note, print }: CommandContext, results: readonly Played[]): Promise<void> {
  if (globals.isDataRequested) {
    const shown = results.map(({ path, cassette, failure }) => ({
      cassette: path,
      calls: cassette.calls.length,
      passed: failure === undefined,
      ...(failure && { error: { ...failure.toJSON() } }),
    }));
    await evenUnread(() => print(shown));
  }
  const failed = results.filter(({ failure }) => failure !== undefined);
  if (results.length > 1) {
    note(`${results.length} cassettes: ${results.length - failed.length} passed, ${failed.length} failed.`);
  }
  const [first] = failed;
  if (first?.failure === undefined) return;
  if (results.length === 1) throw first.failure;
  const names = failed.map(({ path, failure }) => `${path} (${failure?.code})`);
  throw new SvcError(
    "WORKFLOW_FAILED",
    `${failed.length} of ${results.length} cassettes failed: ${names.join(", ")}.`,
    {
      hint: "The line of each on stdout says why. Test one alone for the whole difference.",
    },
  );
}

async function readAll({ io }: CommandContext, paths: readonly string[]): Promise<Read[]> {
  const operations = await loadOperations();
  const read = payloadReader(io);
  const cassettes: Read[] = [];
  for (const path of (await Promise.all(paths.map(filesAt))).flat()) {
    const cassette = parseCassette(path, await read("--cassette", `@${path}`), operations);
    const called = cassette.calls.map(({ operation }) => operation).filter((name) => operations.has(name));
    cassettes.push({ path, cassette, operations: called });
  }
  return cassettes;
}

/** The file itself, or the cassettes in the folder. */
async function filesAt(path: string): Promise<string[]> {
  try {
    if (!(await Deno.stat(path)).isDirectory) return [path];
    const names = (await Array.fromAsync(Deno.readDir(path))).filter(({ name, isFile }) =>
      isFile && /\.json$/.test(name)
    );
    if (names.length > 0) return names.map(({ name }) => `${path.replace(/[\\/]$/, "")}/${name}`).toSorted();
  } catch (error) {
    if (describeReadError(error) === undefined) throw error;
    return [path]; // Reading it will say what is wrong.
  }
  throw new SvcError("INVALID_ARGS", `--cassette ${path} has no cassette: no file there ends in .json.`, {
    hint: "Record one with 'svc workflow record'.",
  });
}

async function checkOutput(path: string, force = false): Promise<void> {
  if (path === STDOUT) {
    throw new SvcError("INVALID_ARGS", "A cassette cannot go to stdout: the result of the run goes there.", {
      hint: "Name a file: -o cassette.json",
    });
  }
  await checkTarget(path);
  if (force || !await exists(path)) return;
  throw new SvcError("INVALID_ARGS", `${path} exists.`, { hint: "Name another file, or write over it with --force." });
}

/** The cassette of a run; undefined where it has not come to an end. */
async function exported(runId: string, path: string | undefined): Promise<Cassette | undefined> {
  await using journal = await journalAt(path);
  const input = await journal.findInput(runId, 1);
  if (input?.end === undefined) return undefined;
  const { name } = await findRun(journal, runId, path);
  return toCassette(name, input, await journal.events(runId, 1), await loadOperations());
}

function textOf(cassette: Cassette): string {
  return escapeControlCharacters(JSON.stringify(cassette, null, 2)) + "\n";
}

function countOf({ calls }: Cassette): string {
  return pluralize(calls.length, "call");
}

async function failureOf(work: Promise<void>): Promise<SvcError | undefined> {
  try {
    await work;
    return undefined;
  } catch (thrown) {
    return toSvcError(thrown);
  }
}
