/** Traces of inputs: a span each time that an input runs, and in it a span for each call. Loaded only if traces are on. */
import { SvcError } from "../../lib/errors.ts";
import { markFailed, Tracer } from "../../lib/telemetry/tracer.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import type { Granted, LiveCalls } from "../engine/live_calls.ts";
import { isReceive, isSleep } from "../sandbox/protocol/messages.ts";

/** Name of the span of a call that is not granted. A script chooses the names of its calls. */
const NOT_GRANTED = "call";

/** An input as its trace shows it. */
export interface TracedInput {
  /** Name of the workflow. */
  readonly workflow: string;
  /** Identifier of the run. */
  readonly run: string;
  /** Number of the input in the run. */
  readonly number: number;
  /** Start of the idempotency keys of the input. All processes that continue the input derive the same trace from it. */
  readonly keyPrefix: string;
}

/** Returns the identifier of the trace of an input. */
export async function readTraceId(keyPrefix: string): Promise<string> {
  return new Tracer().openTrace(await sha256Text(keyPrefix)).traceId;
}

/** Runs an input in a span of its trace. The outcome of `work` may have a `failure`, or wait until a time. */
export async function traceInput<T extends object>(
  { workflow, run, number, keyPrefix }: TracedInput,
  work: () => Promise<T>,
): Promise<T> {
  const tracer = new Tracer();
  const { context: parent } = tracer.openTrace(await sha256Text(keyPrefix));
  const attributes = { "svc.workflow": workflow, "svc.run": run, "svc.input": number };
  return await tracer.inSpan("input", { parent, attributes }, async (span) => {
    const outcome = await work();
    if ("failure" in outcome && outcome.failure instanceof SvcError) markFailed(span, outcome.failure.code);
    else if ("waitsUntil" in outcome) span.setAttribute("svc.waits", true);
    return outcome;
  });
}

/** Returns calls that are spans of the current one. The messages of a sandbox arrive outside of it. */
export function traceCalls(live: LiveCalls, { grants }: Pick<Granted, "grants">): LiveCalls {
  const tracer = new Tracer();
  const parent = tracer.getContext();
  return {
    call(request, options) {
      if (isSleep(request) || isReceive(request)) return live.call(request, options);
      const name = grants.has(request.operation) ? request.operation : NOT_GRANTED;
      return tracer.inSpan(name, { parent }, () => live.call(request, options));
    },
  };
}
