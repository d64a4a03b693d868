/**
 * Runs all tests with the built program and one PostgreSQL server, and all examples of the documentation against an
 * embedded service. The output ends with the failures and the line `N passed, N failed`.
 */
import process from "node:process";
import { startService } from "../service/mod.ts";
import { startPostgres } from "../tests/harness/postgres.ts";
import { build } from "./build.ts";
import { copyCheckout } from "./support/copy_checkout.ts";
import { runTests, type TestResults } from "./run_tests.ts";

/** Folders of `tests/service` that do not run again with PostgreSQL: they do not depend on the store, or choose it themselves. */
const FOLDERS_RUN_ONCE = [
  "application",
  "backup",
  "connections",
  "copy",
  "diagram",
  "migration",
  "seed",
  "server",
  "store",
];

const directory = await Deno.makeTempDir({ prefix: "svc-test-" });
try {
  const [tests, examples] = await Promise.all([testProgram(), testExamples()]);
  const runs = [...tests, examples];
  for (const { failures } of runs) if (failures !== "") console.log(failures);
  const passed = runs.reduce((sum, run) => sum + run.passed, 0);
  const failed = runs.reduce((sum, run) => sum + run.failed, 0);
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

/** Runs all tests, then those of the service again with PostgreSQL. */
async function testProgram(): Promise<TestResults[]> {
  const [program, postgres] = await Promise.all([buildInCopy(`${directory}/checkout`), findPostgres()]);
  await using _server = postgres.server;
  const env = { SVC_TEST_PROGRAM: program, SVC_TEST_POSTGRES: postgres.location };
  const run = async (tests: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    await runTests(tests, {
      env: { ...env, ...more },
      directory: await Deno.makeTempDir({ dir: directory }),
      write: (text) => process.stdout.write(text),
    });
  const embedded = await run(["tests"]);
  const server = await run(await listPostgresTests(), { SVC_TEST_STORE: "postgres" });
  return [embedded, server];
}

/** Lists the tests of the service to run again with PostgreSQL. Leaves out files that open a database file themselves. */
async function listPostgresTests(): Promise<string[]> {
  const found: string[] = [];
  for await (const folder of Deno.readDir("tests/service")) {
    if (FOLDERS_RUN_ONCE.includes(folder.name)) continue;
    for await (const { name } of Deno.readDir(`tests/service/${folder.name}`)) {
      const path = `tests/service/${folder.name}/${name}`;
      if (name.endsWith("_test.ts") && !(await Deno.readTextFile(path)).includes("node:sqlite")) found.push(path);
    }
  }
  return found.sort();
}

/** Returns the location of the PostgreSQL server that all tests share: the one of the environment, or a new one. */
async function findPostgres(): Promise<{ location: string; server?: AsyncDisposable }> {
  const location = Deno.env.get("SVC_TEST_POSTGRES");
  if (location !== undefined) return { location };
  const server = await startPostgres();
  return { location: server.location, server };
}

/**
 * Runs the examples, which make their calls with the client of the environment as a reader's script does. They run while
 * the program is built and its tests start, so only their failures are printed, at the end.
 */
async function testExamples(): Promise<TestResults> {
  await using service = await startService({ data: ":memory:" });
  const { clientId, clientSecret } = await service.addClient("clerk@city");
  const args = [
    "--doc",
    "mod.ts",
    "cli.ts",
    "cli",
    "lib",
    "service",
    "utils",
    "workflows",
    "docs/library.md",
    "docs/forms.md",
  ];
  const env = {
    SVC_CONFIG_DIR: directory,
    SVC_BASE_URL: service.url,
    SVC_CLIENT_ID: clientId,
    SVC_CLIENT_SECRET: clientSecret,
  };
  return await runTests(args, {
    env,
    directory: await Deno.makeTempDir({ dir: directory }),
    write: () => {},
  });
}
