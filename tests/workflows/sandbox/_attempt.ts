/** Runs attempts to leave the sandbox, and checks that they are rejected and change nothing. */
import assert from "node:assert/strict";
import { toSvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { InputOutcome } from "../../../workflows/runs/runner.ts";
import type { Limits } from "../../../workflows/sandbox/host/limits.ts";
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

/** Default limits. */
const LIMITS: Limits = { timeoutSeconds: 60, maxMemoryMiB: 128 };

/** Makes an attempt, and checks its outcome and that nothing was reached. */
export async function checkAttempt(row: Attempt, world: World): Promise<void> {
  const files = { "script.ts": scriptText(row.isGuest ? "" : row.script, GRANTED, row.before), ...row.files };
  await using folder = await makeFolder(mapText(files, (text) => world.fill(text)));
  for (const [name, target] of Object.entries(row.links ?? {})) {
    await Deno.symlink(world.fill(target), `${folder.path}/${name}`);
  }
  const log: string[] = [];
  const seen = (await runInputs(row, world, folder.path, log)).map(describeOutcome);
  const last = seen.at(-1) ?? "";
  const { refused } = row;
  if (refused instanceof RegExp) assert.match(last, refused);
  else {
    const expected = world.fill(refused).replaceAll("{root}", folder.path);
    assert.ok(last.includes(expected), `got: ${last}\n instead of: ${expected}`);
  }
  if (row.printed !== undefined) assert.equal(log.join("\n"), row.printed);
  await world.checkUntouched([...seen, ...log].join("\n"));
}

async function runInputs(row: Attempt, world: World, path: string, log: string[]): Promise<InputOutcome[]> {
  const limits = { ...LIMITS, ...row.limits };
  try {
    await using workflow = row.isGuest
      ? await openHostileGuest(world.fill(PRELUDE + row.script), path, limits, GRANTED)
      : await openScript({ script: `${path}/script.ts`, limits, allow: GRANTED });
    const runner = createRunner(workflow, world.caller);
    const outcomes: InputOutcome[] = [];
    for (const value of row.inputs ?? [null]) {
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
