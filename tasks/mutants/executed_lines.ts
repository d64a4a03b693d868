/** Finds the test files that execute a line of the sources. */
import { runTests } from "../run_tests.ts";
import { forEachConcurrently } from "../support/for_each_concurrently.ts";
import { listFiles } from "./list_files.ts";
import type { Subject } from "./subjects.ts";

/** A test file, and the lines that it executes. */
interface MeasuredTest {
  readonly path: string;
  readonly milliseconds: number;
  /** How often each measured line was executed, by the path of the source file. */
  readonly lines: ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** The lines of a subject that each of its test files executes. Code that runs only in killed processes is missing. */
export class ExecutedLines {
  /** From the fastest to the slowest. */
  readonly #tests: readonly MeasuredTest[];

  private constructor(tests: readonly MeasuredTest[]) {
    this.#tests = tests;
  }

  /** Runs each test file of a subject in a checkout. Throws if a test fails. */
  static async measure(checkout: string, subject: Subject, signal: AbortSignal): Promise<ExecutedLines> {
    const { tests, skipped = [] } = subject;
    const paths = tests.flatMap((path) => path.endsWith(".ts") ? [path] : listFiles(checkout, path))
      .filter((path) => path.endsWith("_test.ts") && !skipped.includes(path));
    const measured: MeasuredTest[] = [];
    await forEachConcurrently(paths, navigator.hardwareConcurrency, async (path) => {
      if (!signal.aborted) measured.push(await measureTest(checkout, subject, path));
    });
    if (measured.every(({ lines }) => lines.size === 0) && !signal.aborted) {
      throw new Error(`No test of ${subject.name} executes its sources.`);
    }
    return new ExecutedLines(measured.toSorted((one, other) => one.milliseconds - other.milliseconds));
  }

  /** Longest time that a test file took. */
  get longestMilliseconds(): number {
    return this.#tests.at(-1)?.milliseconds ?? 0;
  }

  /** Lists the test files that execute a line, the fastest first. Lines without code count with the others of their file. */
  listTests(source: string, line: number): string[] {
    return this.#tests.filter(({ lines }) => {
      const counts = lines.get(source);
      return counts !== undefined && counts.get(line) !== 0;
    }).map(({ path }) => path);
  }
}

async function measureTest(checkout: string, subject: Subject, path: string): Promise<MeasuredTest> {
  const directory = await Deno.makeTempDir({ prefix: "svc-coverage-" });
  try {
    const coverage = `${directory}/coverage`;
    const start = performance.now();
    const { failures } = await runTests([`--config=${checkout}/deno.json`, `${checkout}/${path}`], {
      directory,
      env: { DENO_COVERAGE_DIR: coverage },
      write: () => {},
    });
    if (failures !== "") throw new Error(`The tests of ${subject.name} fail:\n${failures}`);
    const milliseconds = performance.now() - start;
    return { path, milliseconds, lines: await readCoverage(checkout, `${checkout}/${subject.sources}/`, coverage) };
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function readCoverage(checkout: string, sources: string, directory: string): Promise<MeasuredTest["lines"]> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["coverage", "--lcov", `--include=^file://${sources}`, directory],
    cwd: checkout,
    stderr: "null",
  });
  const { stdout } = await command.output();
  const lines = new Map<string, Map<number, number>>();
  let counts = new Map<number, number>();
  for (const record of new TextDecoder().decode(stdout).split("\n")) {
    const [kind = "", value = ""] = record.split(/:(.*)/);
    if (kind === "SF") lines.set(value.slice(checkout.length + 1), counts = new Map());
    if (kind !== "DA") continue;
    const [line, count] = value.split(",");
    counts.set(Number(line), Number(count));
  }
  return lines;
}
