/**
 * Runs all tests with the built program, and all examples of the documentation against an embedded service. The last
 * line of the output is `N passed, N failed`.
 */
import { startService } from "../service/mod.ts";
import { build } from "./build.ts";
import { copyCheckout } from "./copy_checkout.ts";

interface Counts {
  passed: number;
  failed: number;
}

const directory = await Deno.makeTempDir({ prefix: "svc-test-" });
try {
  const [tests, examples] = await Promise.all([testProgram(), testExamples()]);
  console.log(examples.output);
  const passed = tests.passed + examples.passed;
  const failed = tests.failed + examples.failed;
  console.log(`\n${passed} passed, ${failed} failed`);
  Deno.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  await Deno.remove(directory, { recursive: true });
}

/**
 * Builds the program in a copy of the checkout, so that an installed program stays unchanged. Scripts also find the types
 * of the library there.
 */
async function buildInCopy(checkout: string): Promise<string> {
  copyCheckout(checkout);
  await build(`${checkout}/dist`);
  return `${checkout}/dist/cli.js`;
}

async function testProgram(): Promise<Counts> {
  const program = await buildInCopy(`${directory}/checkout`);
  const [report, command] = createTestRun("tests", ["tests"], { SVC_TEST_PROGRAM: program });
  const { success } = await command.spawn().status;
  return await readCounts(report, success);
}

/**
 * Runs the examples with credentials from the environment, as scripts of readers do. They run concurrently with the
 * tests, so their output is printed afterwards.
 */
async function testExamples(): Promise<Counts & { output: string }> {
  await using service = await startService({ data: ":memory:" });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const args = ["--doc", "mod.ts", "cli.ts", "cli", "lib", "service", "utils", "workflows", "docs/library.md"];
  const [report, command] = createTestRun("examples", args, {
    SVC_CONFIG_DIR: directory,
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  });
  const { success, stdout, stderr } = await command.output();
  const output = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { ...await readCounts(report, success), output };
}

/** Creates a command that runs tests, and the path of its report. */
function createTestRun(name: string, args: string[], env: Record<string, string>): [report: string, Deno.Command] {
  const report = `${directory}/${name}.xml`;
  const command = new Deno.Command(Deno.execPath(), {
    // `deno task check` checks the types.
    args: ["test", "--allow-all", "--parallel", "--no-check", `--junit-path=${report}`, ...args],
    env: {
      // Tests spend some of their time waiting, so a few more than the processors can run at a time.
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(Math.ceil(1.5 * navigator.hardwareConcurrency)),
      // Temporary files of the tests are removed with this directory.
      TMPDIR: directory,
      ...env,
    },
  });
  return [report, command];
}

async function readCounts(report: string, success: boolean): Promise<Counts> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const suites = xml.match(/<testsuites [^>]*>/)?.[0] ?? "";
  const count = (attribute: string) => Number(suites.match(new RegExp(` ${attribute}="(\\d+)"`))?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const passed = count("tests") - failed;
  // A run can also fail outside of its tests.
  return { passed, failed: success ? failed : Math.max(failed, 1) };
}
