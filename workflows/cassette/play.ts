/** Runs a script against a cassette: every answer is the recorded one, and nothing is sent to anybody. */
import { SvcError, toSvcError } from "../../lib/errors.ts";
import type { JsonValue } from "../../utils/json.ts";
import { onAbort } from "../../utils/async/on_abort.ts";
import { asked } from "../engine/asked.ts";
import { newCall } from "../engine/diverged.ts";
import { type EventSink, InputRun } from "../engine/input_run.ts";
import type { LiveCalls } from "../engine/live_call.ts";
import { interrupted } from "../runs/interruption.ts";
import { never } from "../../utils/async/never.ts";
import type { OpenWorkflow } from "../runs/open_workflow.ts";
import type { RunHandlers } from "../sandbox/host/sandbox.ts";
import type { Cassette } from "./cassette.ts";
import { eventsOf } from "./convert.ts";
import { differenceOf, type Ending } from "./difference.ts";

/** What is wanted of a run. */
export interface PlayOptions {
  /** Takes what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends the run. */
  readonly signal: AbortSignal;
}

type Stop = (reason: SvcError) => void;

/** Runs a script; throws what is not as it was recorded. */
export async function play(workflow: OpenWorkflow, cassette: Cassette, { onLog, signal }: PlayOptions): Promise<void> {
  if (signal.aborted) throw interrupted(); // There is nothing to stop yet.
  let run: InputRun | undefined;
  let reason: SvcError | undefined;
  let stop: Stop = (why) => reason ??= why;
  using _listening = onAbort(signal, () => stop(new SvcError("INTERRUPTED", "The test was interrupted.")));
  try {
    const beginning = { startedAt: Date.parse(cassette.startedAt), randomness: cassette.randomness };
    const ending = await endingOf(workflow.run(cassette.input, beginning, (end) => {
      stop = (why) => end(reason ??= why);
      run = runOf(cassette, onLog, stop);
      return handlersOf(run, cassette, stop);
    }));
    if (reason !== undefined) throw reason;
    await run?.finish("error" in ending ? ending.error : undefined);
    const difference = differenceOf(cassette, ending);
    if (difference !== undefined) throw difference;
  } catch (thrown) {
    throw withHint(toSvcError(thrown));
  } finally {
    run?.dispose();
  }
}

async function endingOf(running: Promise<JsonValue | undefined>): Promise<Ending> {
  try {
    return { result: await running };
  } catch (thrown) {
    return { error: toSvcError(thrown).toJSON() };
  }
}

function runOf(cassette: Cassette, onLog: (text: string) => void, stop: Stop): InputRun {
  return new InputRun({
    events: eventsOf(cassette),
    sink: sinkOf(stop),
    live: NEVER_ANSWERED,
    keyOf: () => "",
    generation: 0,
    force: false,
    onLog,
    stop,
  });
}

/** A call that the cassette has without an answer: it was open when the script ended, and so it stays. */
const NEVER_ANSWERED: LiveCalls = { call: never };

/** Nothing is written; but what a script does with randomness that nobody recorded is another thing every time. */
function sinkOf(stop: Stop): EventSink {
  return {
    append({ kind }) {
      if (kind !== "random") return;
      stop(new SvcError("WORKFLOW_DIVERGED", "The script draws more randomness than was recorded."));
    },
    durable: () => Promise.resolve(),
    leave: () => Promise.resolve(0),
  };
}

/** The handlers of the run, with an end for a call that the cassette does not have. */
function handlersOf(run: InputRun, { calls }: Cassette, stop: Stop): RunHandlers {
  return {
    isTimeless: true, // A sleep that was never over would leave the script all the time there is.
    async call(request, position, signal) {
      if (position <= calls.length) return await run.call(request, position, signal);
      stop(newCall(position, await asked(request)));
      return await never();
    },
    delivering: (position) => run.delivering(position),
    drew: (block) => run.drew(block),
    log: (text) => run.log(text),
  };
}

/** The error with what to do about it here; a test has no run to go on with. */
function withHint(error: SvcError): SvcError {
  if (error.code !== "WORKFLOW_DIVERGED" && error.code !== "WORKFLOW_FAILED") return error;
  return error.with({ hint: "Mend the script; if it is right as it is now, record the cassette again." });
}
