import { stripVTControlCharacters } from "node:util";
import { findServices, killProcess } from "./support/processes.ts";

/** Numbers of tests by result. */
export interface TestCounts {
  readonly passed: number;
  readonly failed: number;
}

/** The results of a run of tests. */
export interface TestResults extends TestCounts {
  /** Output about the failures. Empty if no test failed. */
  readonly failures: string;
}

/** Options of a run of tests. */
export interface RunTestsOptions {
  /** Folder for temporary files, and for the report. */
  readonly directory: string;
  /** Further environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Receives what the tests print. */
  readonly write: (text: string) => void;
  /** Longest time without the end of a test or step. Default: 300. */
  readonly stallSeconds?: number;
}

/** The result of a test or step in the output of `deno test`. */
const RESULT = /\.\.\. .*\b(ok|FAILED|ignored)\b/;

/** Title of the list of failures, which ends the output of `deno test`. */
const FAILURES_TITLE = " ERRORS ";

/** Number of characters of the output that are kept if it ends without that list. */
const MAX_CHARACTERS = 10_000;

/** Seconds until tests that do not stop are killed. */
const KILL_SECONDS = 10;

/**
 * Runs `deno test` with arguments, and counts the results. Stops it when no test ends for a long time, and prints which
 * tests were running: a test that blocks its thread cannot end by a limit of its own. Ctrl-C stops them, too. Kills the
 * services that stopped tests have left running.
 */
export async function runTests(args: readonly string[], options: RunTestsOptions): Promise<TestResults> {
  const { directory, env, write, stallSeconds = 300 } = options;
  const report = `${directory}/report.xml`;
  await using child = new Deno.Command(Deno.execPath(), {
    // `deno task check` has checked the types.
    args: ["test", "--allow-all", "--parallel", "--no-check", `--junit-path=${report}`, ...args],
    env: {
      // Some tests wait for the disk or for a process, so more of them than processors run at once.
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(Math.ceil(1.5 * navigator.hardwareConcurrency)),
      TMPDIR: directory,
      ...env,
    },
    stdout: "piped",
    stderr: "piped",
  }).spawn();

  const watch = () =>
    setTimeout(() => {
      write(`\nNo test has ended for ${stallSeconds} s, so the tests are stopped.\n`);
      child.kill("SIGINT"); // Makes Deno print the tests that are running.
      timer = setTimeout(() => child.kill("SIGKILL"), KILL_SECONDS * 1000);
    }, stallSeconds * 1000);
  let timer = watch();
  let printed = "";
  async function forward(output: ReadableStream<BufferSource>): Promise<void> {
    for await (const text of output.pipeThrough(new TextDecoderStream())) {
      write(text);
      printed += text;
      if (!RESULT.test(stripVTControlCharacters(text))) continue; // Colors join words: "\x1b[32mok".
      clearTimeout(timer);
      timer = watch();
    }
  }
  const waitForTests = () => {}; // They receive the signal of Ctrl-C, too.
  Deno.addSignalListener("SIGINT", waitForTests);
  const [{ success }] = await Promise.all([child.status, forward(child.stdout), forward(child.stderr)]);
  Deno.removeSignalListener("SIGINT", waitForTests);
  clearTimeout(timer);
  if (!success && Deno.build.os !== "windows") (await findServices(directory)).forEach(killProcess);
  const title = printed.lastIndexOf(FAILURES_TITLE);
  const failures = success ? "" : printed.slice(title < 0 ? -MAX_CHARACTERS : title);
  return { ...await readCounts(report, success), failures };
}

async function readCounts(report: string, success: boolean): Promise<TestCounts> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const suites = xml.match(/<testsuites [^>]*>/)?.[0] ?? "";
  const count = (attribute: string) => Number(suites.match(new RegExp(` ${attribute}="(\\d+)"`))?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const passed = count("tests") - failed;
  // A run can also fail outside of its tests.
  return { passed, failed: success ? failed : Math.max(failed, 1) };
}
