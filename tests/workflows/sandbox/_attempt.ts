/** Runs attempts to leave the sandbox, and checks that they are rejected and change nothing. */
import assert from "node:assert/strict";
import { toSvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { InputOutcome } from "../../../workflows/runs/runner.ts";
import type { Limits } from "../../../workflows/sandbox/host/limits.ts";
import type { OpenWorkflow } from "../../../workflows/scripts/open_workflow.ts";
import { openHostileGuest, PRELUDE } from "./_hostile_guest.ts";
import type { World } from "./_world.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createRunner, openScript, scriptText } from "../../harness/workflow.ts";

/** An attempt. In its texts, names such as `{secret}` stand for values of the world, and `{root}` for the folder of the script. */
export interface Attempt {
  /** Predicate of a sentence whose subject is the script. */
  readonly attempt: string;
  /** The body of `run`, or the whole program of a hostile guest. */
  readonly script: string;
  /** Part of the expected error or result. */
  readonly refused: string | RegExp;
  /** Expected output. */
  readonly printed?: string;
  /** Lines before the workflow. */
  readonly before?: string;
  /** Files of the folder. They may include the script. */
  readonly files?: Readonly<Record<string, string>>;
  /** Symbolic links in the folder, by name. */
  readonly links?: Readonly<Record<string, string>>;
  /** Inputs that run one after the other. The outcome of the last one is checked. */
  readonly inputs?: readonly JsonValue[];
  /** Limits of the input. */
  readonly limits?: Partial<Limits>;
  /** True if the program replaces the guest and exchanges bytes with the host. */
  readonly isGuest?: true;
}

/** Operations that every script may call. */
const GRANTED = ["cases.get"];

/** Number of attempts in a shared file. */
const GROUP_SIZE = 20;

/** Default limits. */
const LIMITS: Limits = { timeoutSeconds: 60, maxMemoryMiB: 128 };

/**
 * Groups attempts that can share the file of a script. Each attempt still runs in its own sandbox, but the file is checked
 * and loaded once. An attempt has its own file if it imports something, or needs files, limits or inputs.
 */
export function groupAttempts(table: readonly Attempt[]): readonly (readonly Attempt[])[] {
  const { shared = [], alone = [] } = Object.groupBy(table, (row) => isShareable(row) ? "shared" : "alone");
  const groups: Attempt[][] = [];
  for (let start = 0; start < shared.length; start += GROUP_SIZE) groups.push(shared.slice(start, start + GROUP_SIZE));
  return [...groups, ...alone.map((row) => [row])];
}

function isShareable({ script, before, files, links, inputs, limits, isGuest }: Attempt): boolean {
  return !script.includes("import") &&
    [before, files, links, inputs, limits, isGuest].every((one) => one === undefined);
}

/** Returns a script that makes the attempt whose index is its input. */
function toSharedScript(attempts: readonly Attempt[]): string {
  const cases = attempts.map(({ script }, i) => `case ${i}: return await (async (input) => {\n${script}\n})(null);`);
  return `switch (input) {\n${cases.join("\n")}\n}`;
}

/** Makes attempts. Calls `step` for each, to check its outcome and that nothing was reached. */
export async function checkAttempts(
  attempts: readonly Attempt[],
  world: World,
  step: (row: Attempt, check: () => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const [first] = attempts;
  if (first === undefined) return;
  const isShared = attempts.length > 1;
  const text = first.isGuest ? "" : isShared ? toSharedScript(attempts) : first.script;
  const files = { "script.ts": scriptText(text, GRANTED, first.before), ...first.files };
  await using folder = await makeFolder(mapText(files, (text) => world.fill(text)));
  for (const [name, target] of Object.entries(first.links ?? {})) {
    await Deno.symlink(world.fill(target), `${folder.path}/${name}`);
  }
  const opening = openAttempt(first, world, folder.path);
  opening.catch(() => {}); // Each step reports it.
  try {
    for (const [i, row] of attempts.entries()) {
      await step(row, async () => {
        const log: string[] = [];
        const inputs = isShared ? [i] : row.inputs ?? [null];
        const seen = (await runInputs(opening, inputs, world, log)).map(describeOutcome);
        checkOutcome(row, seen.at(-1) ?? "", log, (text) => world.fill(text).replaceAll("{root}", folder.path));
        await world.checkUntouched([...seen, ...log].join("\n"));
      });
    }
  } finally {
    await opening.then((workflow) => workflow[Symbol.asyncDispose](), () => {});
  }
}

function checkOutcome(
  { refused, printed }: Attempt,
  outcome: string,
  log: readonly string[],
  fill: (text: string) => string,
): void {
  if (refused instanceof RegExp) assert.match(outcome, refused);
  else assert.ok(outcome.includes(fill(refused)), `got: ${outcome}\n instead of: ${fill(refused)}`);
  if (printed !== undefined) assert.equal(log.join("\n"), printed);
}

async function openAttempt(row: Attempt, world: World, path: string): Promise<OpenWorkflow> {
  const limits = { ...LIMITS, ...row.limits };
  return row.isGuest
    ? await openHostileGuest(world.fill(PRELUDE + row.script), path, limits, GRANTED)
    : await openScript({ script: `${path}/script.ts`, limits, allow: GRANTED });
}

async function runInputs(
  opening: Promise<OpenWorkflow>,
  inputs: readonly JsonValue[],
  world: World,
  log: string[],
): Promise<InputOutcome[]> {
  try {
    const runner = createRunner(await opening, world.caller);
    const outcomes: InputOutcome[] = [];
    for (const value of inputs) {
      const input = { number: outcomes.length + 1, place: "input", value };
      outcomes.push(await runner.run(input, (text) => void log.push(text)));
    }
    return outcomes;
  } catch (thrown) {
    return [{ failure: toSvcError(thrown) }];
  }
}

/** Describes an outcome as the user sees it. */
function describeOutcome(outcome: InputOutcome): string {
  if (!("failure" in outcome)) return `gives ${JSON.stringify(outcome.result)}`;
  const { code, message } = outcome.failure;
  return `${code}: ${message}`;
}

function mapText(files: Readonly<Record<string, string>>, map: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, map(text)]));
}
