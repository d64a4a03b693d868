import { SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { serializeRequest } from "../engine/history.ts";
import { unrecordedStep } from "../engine/divergence.ts";
import { type EventSink, InputRun } from "../engine/input_run.ts";
import type { LiveCalls } from "../engine/live_calls.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import { never } from "../../utils/async/never.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";
import type { RunHandlers } from "../sandbox/host/sandbox.ts";
import type { Cassette } from "./cassette.ts";
import { compareOutcome, type ScriptOutcome } from "./compare_outcome.ts";
import { toHistory } from "./convert.ts";

/** Options of `playCassette`. */
export interface PlayOptions {
  /** Receives the lines that the script prints. */
  readonly onLog: (text: string) => void;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

type Stop = (reason: SvcError) => void;

/**
 * Runs a script against a cassette: its calls get the recorded responses, and nothing is sent. Throws `SvcError` if the
 * calls or the outcome differ.
 */
export async function playCassette(
  workflow: OpenWorkflow,
  cassette: Cassette,
  { onLog, signal }: PlayOptions,
): Promise<void> {
  if (signal.aborted) throw interrupted();
  let run: InputRun | undefined;
  let reason: SvcError | undefined;
  let stop: Stop = (why) => reason ??= why;
  using _listening = onAbort(signal, () => stop(new SvcError("INTERRUPTED", "The test was interrupted.")));
  try {
    const { startedAt, randomness, patches = [] } = cassette;
    const start = { startedAt: Date.parse(startedAt), randomness, patches, recordedSteps: NO_NEW_PATCHES };
    const outcome = await toOutcome(workflow.run(cassette.input, start, (end) => {
      stop = (why) => end(reason ??= why);
      run = createInputRun(cassette, onLog, stop);
      return createHandlers(run, cassette, stop);
    }));
    if (reason !== undefined) throw reason;
    await run?.finish("error" in outcome ? outcome.error : undefined);
    const difference = compareOutcome(cassette, outcome);
    if (difference !== undefined) throw difference;
  } catch (thrown) {
    throw addHint(toSvcError(thrown));
  } finally {
    run?.dispose();
  }
}

async function toOutcome(running: Promise<JsonValue | undefined>): Promise<ScriptOutcome> {
  try {
    return { result: await running };
  } catch (thrown) {
    return { error: toSvcError(thrown).toJSON() };
  }
}

function createInputRun(cassette: Cassette, onLog: (text: string) => void, stop: Stop): InputRun {
  return new InputRun({
    events: toHistory(cassette),
    sink: createSink(stop),
    live: UNANSWERED,
    keyPrefix: "",
    generation: 0,
    force: false,
    onLog,
    stop,
  });
}

/** A cassette is complete, so no patch comes after its last step: patches without a record take the old path. */
const NO_NEW_PATCHES = Number.MAX_SAFE_INTEGER;

/** Leaves calls open that were open when the recorded script ended. */
const UNANSWERED: LiveCalls = { call: never };

/** Discards events. Stops a script that needs more randomness than was recorded, because its behavior would vary. */
function createSink(stop: Stop): EventSink {
  return {
    append({ kind }) {
      if (kind !== "random") return;
      stop(new SvcError("WORKFLOW_DIVERGED", "The script needs more randomness than was recorded."));
    },
    durable: () => Promise.resolve(),
    rewind: () => Promise.resolve(0),
  };
}

/** Creates handlers that stop the script at a call that was not recorded. */
function createHandlers(run: InputRun, { calls }: Cassette, stop: Stop): RunHandlers {
  return {
    isTimeless: true, // Otherwise a sleep without end would suspend the time limit.
    async call(request, position, signal) {
      if (position <= calls.length) return await run.call(request, position, signal);
      stop(unrecordedStep(position, await serializeRequest(request)));
      return await never();
    },
    onDelivery: (position) => run.onDelivery(position),
    onRandomBytes: (block) => run.onRandomBytes(block),
    onContinued: () => stop(new SvcError("WORKFLOW_FAILED", "The script ended; now it continues with another input.")),
    onLog: (text) => run.onLog(text),
  };
}

/** Replaces the hint, because a test cannot be resumed. */
function addHint(error: SvcError): SvcError {
  if (error.code !== "WORKFLOW_DIVERGED" && error.code !== "WORKFLOW_FAILED") return error;
  return error.with({ hint: "Fix the script. If its new behavior is correct, record the cassette again." });
}
