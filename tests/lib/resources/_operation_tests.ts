/** Tests of the operations of one group: the request of each, and its calls against a service of their own. */
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { checkAnswer } from "../../../lib/client/response/check_answer.ts";
import { type Operation, takesTag, toCamel, toKebab } from "../../../lib/operation/operation.ts";
import { loadResources, type Resources } from "../../../lib/resources/mod.ts";
import type { Client } from "../../../mod.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { prepareCommandLines, type RunCommandLine } from "../../harness/command_process.ts";
import { openLive } from "../../harness/service.ts";
import { valueAt } from "../../harness/service_engine.ts";
import { CHECKOUT, makeFolder, splitWords } from "../../harness/svc.ts";

/** A request, as the specification requires it. */
export interface ExpectedRequest {
  /** Request line, with the path below the API root. */
  readonly request: string;
  /** Body; `{}` for an empty one. */
  readonly body?: unknown;
  /** Media type. Default: that of JSON. */
  readonly type?: string;
  /** Value of `If-Match`, where the request has one. */
  readonly tag?: string;
}

/** A call that succeeds. */
export interface Step {
  /** Command line. `{name}` is a value that an earlier step kept, or one of the prepared values. */
  readonly line: string;
  /** Operator who runs it (default: `clerk@city`). */
  readonly as?: string;
  /** Expected values of the response, by path. The path `` is the whole response. */
  readonly says?: Readonly<Record<string, JsonValue | RegExp>>;
  /** Values of the response to keep for later steps, by path. */
  readonly keep?: Readonly<Record<string, string>>;
  /** The file that it writes, and the one that this must be a copy of. */
  readonly file?: readonly [copy: string, original: string];
}

/** The tests of a group. Requests and steps must cover every operation. */
export interface OperationTests {
  /**
   * Requests by command line. They are written from the specification and not from the descriptions, which are tested
   * with them.
   */
  readonly requests: Readonly<Record<string, ExpectedRequest>>;
  /** Calls in order. A step of another group prepares the next ones. */
  readonly steps: readonly Step[];
}

const resources = await loadResources();

/** Runs command lines that need no service. */
export const runCommandLine: RunCommandLine = prepareCommandLines();

/** The tests of the groups whose files are loaded. */
export const operationTests = new Map<string, OperationTests>();

/** Returns the path of the file with the tests of a group. */
export function testsPath(group: string): string {
  return `tests/lib/resources/${toKebab(group).replaceAll("-", "_")}_test.ts`;
}

/**
 * Registers the tests of a group: the dry run of each request; all steps against one service, and against a strict one; and
 * that both cover every operation. Steps can name the cases `{permit}`, in review with the assignment `{review}`, and `{other}`, new with the
 * assignment `{intake}`.
 */
export function testOperations(group: keyof Resources, tests: OperationTests): void {
  const { requests, steps } = tests;
  operationTests.set(group, tests);
  const command = `svc ${toKebab(group)}`;
  for (const [line, expected] of Object.entries(requests)) {
    Deno.test(`svc ${line} --dry-run prints the request of the specification`, () => checkRequest(line, expected));
  }

  for (const strict of [false, true]) {
    const title = `every command of ${command} answers as documented, and changes nothing with a stale entity tag`;
    Deno.test(title + (strict ? ", on a strict service" : ""), (test) => runSteps(group, steps, { strict, test }));
  }

  Deno.test(`the tests of ${command} cover every operation`, () => {
    const lines = { requests: Object.keys(requests), steps: steps.map(({ line }) => line) };
    const missing = Object.keys(resources[group] ?? {}).flatMap((name) =>
      Object.entries(lines).filter(([, lines]) => !lines.some((line) => isCall(line, group, name)))
        .map(([list]) => `Add ${command} ${toKebab(name)} to the ${list} in ${testsPath(group)}`)
    );
    assert.deepEqual(missing, []);
  });
}

async function checkRequest(line: string, { request, body, type, tag }: ExpectedRequest): Promise<void> {
  const { code, stdout, stderr } = await runCommandLine([...splitWords(line), "--dry-run"], {
    env: { SVC_BASE_URL: "https://svc.example:8443" },
    cwd: CHECKOUT,
  });
  const [method, path] = request.split(" ");
  assert.equal(
    stdout,
    `${method} /dx-api/v2${path}\nHost: svc.example:8443\nAuthorization: Bearer [REDACTED]\n` +
      (tag === undefined ? "" : `If-Match: ${tag}\n`) +
      `Content-Type: ${type ?? "application/json"}\n\n${JSON.stringify(body ?? {}, null, 2)}\n`,
  );
  assert.equal(stderr, "");
  assert.equal(code, 0);
}

async function runSteps(
  group: string,
  steps: readonly Step[],
  { strict, test }: { readonly strict: boolean; readonly test: Deno.TestContext },
): Promise<void> {
  await using live = await openLive({ strict });
  await using folder = await makeFolder({ "plan.txt": "The plan\n" }, live.root);
  const kept = new Map(Object.entries(await prepareCases(await live.openClient())));
  const fill = (text: string) => text.replace(/\{(\w+)\}/g, (_, name) => kept.get(name) ?? assert.fail(`no ${name}`));

  async function run({ line, as, says = {}, keep = {}, file }: Step): Promise<void> {
    const called = parseCall(line);
    const { operation } = called;
    const place = { cwd: folder.path };
    if (called.group === group && takesTag(operation)) {
      const stale = await live.run(`${fill(line)} --if-match stale`, as, place);
      assert.match(stale.stderr, /"status":412\b/, "with a stale entity tag");
    }
    const { code, stdout, stderr } = await live.run(fill(line), as, place);
    assert.deepEqual([code, stderr], [0, ""]);
    if (file !== undefined) {
      const [copy, original] = await Promise.all(file.map((path) => Deno.readFile(resolve(folder.path, path))));
      return assert.deepEqual(copy, original);
    }
    const body: JsonValue | undefined = stdout === "" ? undefined : JSON.parse(stdout);
    assert.equal(body === undefined, operation.answer === "nothing");
    checkAnswer(operation.answer, { body });
    for (const [path, expected] of Object.entries(says)) {
      const found = path === "" ? body : valueAt(body, path);
      if (expected instanceof RegExp) assert.match(String(found), expected, path);
      else assert.deepEqual(found, typeof expected === "string" ? fill(expected) : expected, path);
    }
    for (const [name, path] of Object.entries(keep)) kept.set(name, String(valueAt(body, path)));
  }

  for (const step of steps) await test.step(`svc ${step.line}`, () => run(step));
}

/** Creates two permits without starting a process. */
export async function prepareCases(svc: Client): Promise<Record<string, string>> {
  const type = "City-Permit-Work-Permit";
  const common = { Area: 100, Channel: "Desk" };
  const Documents = [{ Title: "A" }, { Title: "B" }];
  const permit = await svc.cases.create({ type, data: { ...common, Applicant: "Ada", Documents } });
  const other = await svc.cases.create({ type, data: { ...common, Applicant: "Grace" } });
  const registered = await svc.assignments.perform(permit.nextAssignmentInfo?.ID ?? "", {
    action: "Register",
    data: { Address: "Dam 1" },
  });
  return {
    permit: permit.id,
    review: registered.nextAssignmentInfo?.ID ?? "",
    other: other.id,
    intake: other.nextAssignmentInfo?.ID ?? "",
  };
}

/** Finds the operation that a command line calls. */
export function parseCall(line: string): { group: string; name: string; operation: Operation } {
  const [group = "", name = ""] = splitWords(line).map(toCamel);
  const operation = resources[group]?.[name];
  assert.ok(operation, `there is no command ${line}`);
  return { group, name, operation };
}

function isCall(line: string, group: string, name: string): boolean {
  const [first, second] = splitWords(line);
  return first === toKebab(group) && second === toKebab(name);
}
