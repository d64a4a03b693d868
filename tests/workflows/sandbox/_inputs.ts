/** Runs a script on many inputs in the process of the test. */
import { GrantedCalls } from "../../../workflows/engine/live_calls.ts";
import { openJournal } from "../../../workflows/journal/sqlite/sqlite_journal.ts";
import { runBatch } from "../../../workflows/runs/batch.ts";
import { Runner } from "../../../workflows/runs/runner.ts";
import type { BatchInput } from "../../../workflows/inputs/batch_input.ts";
import type { Limits } from "../../../workflows/sandbox/host/limits.ts";
import type { JsonValue } from "../../../utils/json.ts";
import { findSandboxes } from "../../../tasks/support/processes.ts";
import { makeFolder } from "../../harness/svc.ts";
import { createCaseBody, newRun, openScript, type ReceivedRequest, TinyApi } from "../../harness/workflow.ts";

async function* toInputs(values: readonly JsonValue[]): AsyncGenerator<BatchInput> {
  for (const [index, value] of values.entries()) yield { place: `in:${index + 1}`, value };
}

/** The outcome of a batch. */
export interface Outcome {
  /** Result or error code of each input. */
  readonly results: readonly unknown[];
  /** Number of processes. */
  readonly processes: number;
  /** Requests that the API has received. */
  readonly received: readonly ReceivedRequest[];
  /** Highest number of concurrent requests. */
  readonly mostAtOnce: number;
  /** Printed lines and kinds of the recorded events of each input. */
  readonly histories: readonly { readonly printed: readonly string[]; readonly kinds: ReadonlySet<string> }[];
}

/** Options of `runInputs`. */
export interface InputsOptions {
  /** Number of inputs to run at the same time. Default: 1. */
  readonly concurrency?: number;
  /** Limits of each input. */
  readonly limits?: Partial<Limits>;
  /** Called with each request, and the processes of the script, before it is answered. */
  readonly onRequest?: (call: string, processes: readonly number[]) => void | Promise<void>;
}

/** Runs a script on inputs, and notes the processes. */
export async function runInputs(
  files: Readonly<Record<string, string>>,
  values: readonly JsonValue[],
  { concurrency = 1, limits, onRequest }: InputsOptions = {},
): Promise<Outcome> {
  await using folder = await makeFolder(files);
  const script = `${folder.path}/script.ts`;
  const processes = new Set<number>();
  await using api = new TinyApi(async (call) => {
    const found = await findSandboxes(Deno.pid, script);
    for (const process of found) processes.add(process);
    await onRequest?.(call, found);
    return Response.json(createCaseBody("C-1"));
  });
  await using workflow = await openScript({ script, allowDeclared: true, limits });
  await using journal = await openJournal(`${folder.path}/journal.db`);
  await journal.createRun(newRun("r1"));
  const runner = new Runner({ workflow, live: new GrantedCalls(api.caller, workflow), journal, id: "r1" });
  const results: unknown[] = [];
  for await (const one of runBatch(runner, toInputs(values), { concurrency })) {
    results.push("error" in one ? one.error.code : one.result);
  }
  const histories = await Promise.all(values.map(async (_, index) => {
    const events = await journal.events("r1", index + 1);
    return {
      printed: events.filter(({ kind }) => kind === "log").map(({ content }) => content),
      kinds: new Set(events.map(({ kind }) => kind)),
    };
  }));
  return { results, processes: processes.size, histories, received: api.received, mostAtOnce: api.mostAtOnce };
}

/** Returns the numbers from 0. */
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
