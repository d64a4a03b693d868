/**
 * Every test, then every example of the documentation against an embedded service of its own. Ends with a line
 * `N passed, N failed`.
 */
import { startService } from "../service/mod.ts";

interface Counts {
  passed: number;
  failed: number;
}

const directory = await Deno.makeTempDir({ prefix: "svc-test-" });
try {
  // The tests often wait for something: the examples fill the gaps, and show what they have printed afterwards.
  const turn = Promise.withResolvers<void>();
  const testing = testExamples(turn.promise);
  const tests = await denoTest("tests", ["--parallel", "--no-check", "tests"]); // `deno task check` has checked them.
  turn.resolve();
  const examples = await testing;
  const passed = tests.passed + examples.passed;
  const failed = tests.failed + examples.failed;
  console.log(`\n${passed} passed, ${failed} failed`);
  Deno.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  await Deno.remove(directory, { recursive: true });
}

/** The examples make their calls with the environment's credentials, as a reader's own script does. */
async function testExamples(turn: Promise<void>): Promise<Counts> {
  await using service = await startService({ data: ":memory:" });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const env = {
    SVC_CONFIG_DIR: directory,
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  };
  return await denoTest("examples", ["--doc", "mod.ts", "cli.ts", "lib", "service", "workflows"], env, turn);
}

/** Runs tests; what they print is shown at once, or when it is their turn. */
async function denoTest(
  name: string,
  args: string[],
  env: Record<string, string> = {},
  turn?: Promise<void>,
): Promise<Counts> {
  const report = `${directory}/${name}.xml`;
  const stdio = turn === undefined ? "inherit" : "piped";
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "--allow-all", `--junit-path=${report}`, ...args],
    // What a test leaves in the directory for temporary files goes with ours.
    env: { TMPDIR: directory, ...env },
    stdout: stdio,
    stderr: stdio,
  }).spawn();
  const success = turn === undefined ? (await child.status).success : await shownIn(turn, child);
  const counts = await countsOf(report);
  // A run that broke before or between its tests failed, whatever its report counts.
  return success || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

async function shownIn(turn: Promise<void>, child: Deno.ChildProcess): Promise<boolean> {
  const { success, stdout, stderr } = await child.output();
  await turn;
  for (const bytes of [stderr, stdout]) console.log(new TextDecoder().decode(bytes));
  return success;
}

async function countsOf(report: string): Promise<Counts> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const suites = xml.match(/<testsuites [^>]*>/)?.[0] ?? "";
  const count = (attribute: string) => Number(suites.match(new RegExp(` ${attribute}="(\\d+)"`))?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  return { passed: count("tests") - failed, failed };
}
