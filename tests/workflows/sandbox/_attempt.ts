/** One attempt to get out of the sandbox: how it is made, and what it must leave untouched. */
import assert from "node:assert/strict";
import { toSvcError } from "../../../lib/errors.ts";
import type { JsonValue } from "../../../utils/json.ts";
import type { InputOutcome } from "../../../workflows/runs/runner.ts";
import type { Limits } from "../../../workflows/runs/limits.ts";
import { openHostile, PRELUDE } from "./_hostile.ts";
import type { World } from "./_world.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createRunner as runnerOf, openScript, scriptText } from "../../harness/workflow.ts";

/** An attempt. `{secret}` and the like in its texts are what the world holds by these names; `{root}` is the script's folder. */
export interface Attempt {
  /** What is tried, as a sentence whose subject is the script. */
  readonly attempt: string;
  /** The body of `run`; the whole program where it takes the place of the sandbox. */
  readonly script: string;
  /** What the user sees, or what the script was told and gave as its result: a part of it. */
  readonly refused: string | RegExp;
  /** What is printed meanwhile. */
  readonly printed?: string;
  /** Lines before the workflow. */
  readonly before?: string;
  /** Further files of the script's folder; one may take the script's place. */
  readonly files?: Readonly<Record<string, string>>;
  /** Links in the script's folder, by their names. */
  readonly links?: Readonly<Record<string, string>>;
  /** Inputs that run one after the other; the outcome of the last counts. */
  readonly inputs?: readonly JsonValue[];
  /** What it may use. */
  readonly limits?: Partial<Limits>;
  /** Whether the program takes the place of everything in the sandbox, and speaks bytes with the parent. */
  readonly isHost?: true;
}

/** What every script is granted. */
const GRANTED = ["cases.get"];

/** Enough for what is refused at once, and short for what hangs. */
const LIMITS: Limits = { timeoutSeconds: 60, maxMemoryMiB: 128 };

/** Makes an attempt with the parts that `svc workflow run` is made of; checks what came of it, and what it left. */
export async function checkAttempt(row: Attempt, world: World): Promise<void> {
  const files = { "script.ts": scriptText(row.isHost ? "" : row.script, GRANTED, row.before), ...row.files };
  await using folder = await makeFolder(mapText(files, (text) => world.fill(text)));
  for (const [name, target] of Object.entries(row.links ?? {})) {
    await Deno.symlink(world.fill(target), `${folder.path}/${name}`);
  }
  const log: string[] = [];
  const seen = (await outcomesOf(row, world, folder.path, log)).map(textOf);
  const last = seen.at(-1) ?? "";
  const { refused } = row;
  if (refused instanceof RegExp) assert.match(last, refused);
  else {
    const expected = world.fill(refused).replaceAll("{root}", folder.path);
    assert.ok(last.includes(expected), `was told: ${last}\n and not: ${expected}`);
  }
  if (row.printed !== undefined) assert.equal(log.join("\n"), row.printed);
  await world.checkUntouched([...seen, ...log].join("\n"));
}

async function outcomesOf(row: Attempt, world: World, path: string, log: string[]): Promise<InputOutcome[]> {
  const limits = { ...LIMITS, ...row.limits };
  try {
    await using workflow = row.isHost
      ? await openHostile(world.fill(PRELUDE + row.script), path, limits, GRANTED)
      : await openScript({ script: `${path}/script.ts`, limits, allow: GRANTED });
    const runner = runnerOf(workflow, world.caller);
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

/** An outcome as its user sees it. */
function textOf(outcome: InputOutcome): string {
  if (!("failure" in outcome)) return `gives ${JSON.stringify(outcome.result)}`;
  const { code, message } = outcome.failure;
  return `${code}: ${message}`;
}

function mapText(files: Readonly<Record<string, string>>, map: (text: string) => string): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, map(text)]));
}
