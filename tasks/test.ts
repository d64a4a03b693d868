/**
 * Every test of the program as it is installed, then every example of the documentation against an embedded service of
 * its own. Ends with a line `N passed, N failed`.
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
  console.log(examples.said);
  const passed = tests.passed + examples.passed;
  const failed = tests.failed + examples.failed;
  console.log(`\n${passed} passed, ${failed} failed`);
  Deno.exitCode = failed > 0 || passed === 0 ? 1 : 0;
} finally {
  await Deno.remove(directory, { recursive: true });
}

/**
 * Builds the program in a copy of the checkout, so that what is installed of this one stays as it is. Scripts find the
 * types of the library there too.
 */
async function buildApart(checkout: string): Promise<string> {
  copyCheckout(checkout);
  await build(`${checkout}/dist`);
  return `${checkout}/dist/cli.js`;
}

async function testProgram(): Promise<Counts> {
  const program = await buildApart(`${directory}/checkout`);
  const [report, command] = denoTest("tests", ["tests"], { SVC_TEST_PROGRAM: program });
  const { success } = await command.spawn().status;
  return await countsOf(report, success);
}

/**
 * The examples make their calls with the environment's credentials, as a reader's own script does. They run while the
 * program is built and its tests begin; what they print is kept until these are done.
 */
async function testExamples(): Promise<Counts & { said: string }> {
  await using service = await startService({ data: ":memory:" });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const args = ["--doc", "mod.ts", "cli.ts", "cli", "lib", "service", "utils", "workflows", "docs/library.md"];
  const [report, command] = denoTest("examples", args, {
    SVC_CONFIG_DIR: directory,
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  });
  const { success, stdout, stderr } = await command.output();
  const said = [stderr, stdout].map((bytes) => new TextDecoder().decode(bytes)).join("");
  return { ...await countsOf(report, success), said };
}

/** A run of tests, and the file to which it reports. */
function denoTest(name: string, args: string[], env: Record<string, string>): [report: string, Deno.Command] {
  const report = `${directory}/${name}.xml`;
  const command = new Deno.Command(Deno.execPath(), {
    // `deno task check` has checked the types.
    args: ["test", "--allow-all", "--parallel", "--no-check", `--junit-path=${report}`, ...args],
    env: {
      // A part of a test is waiting, for the disk or for what takes its time; more at once cost more than that.
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? String(Math.ceil(1.5 * navigator.hardwareConcurrency)),
      // What a test leaves in the directory for temporary files goes with ours.
      TMPDIR: directory,
      ...env,
    },
  });
  return [report, command];
}

async function countsOf(report: string, success: boolean): Promise<Counts> {
  const xml = await Deno.readTextFile(report).catch(() => "");
  const suites = xml.match(/<testsuites [^>]*>/)?.[0] ?? "";
  const count = (attribute: string) => Number(suites.match(new RegExp(` ${attribute}="(\\d+)"`))?.[1] ?? 0);
  const failed = count("failures") + count("errors");
  const passed = count("tests") - failed;
  // A run that broke before or between its tests failed, whatever its report counts.
  return { passed, failed: success ? failed : Math.max(failed, 1) };
}
