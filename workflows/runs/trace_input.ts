/** Traces inputs: one span each time an input runs, with a child span for each call. Loaded only if traces are on. */
import { SvcError } from "../../lib/errors.ts";
import { markFailed, Tracer } from "../../lib/telemetry/tracer.ts";
import { sha256Text } from "../../utils/text/sha256.ts";
import type { Granted, LiveCalls } from "../engine/live_calls.ts";
import { isReceive, isSleep } from "../sandbox/protocol/messages.ts";

/** Name of the span of a call that is not granted. A script chooses the names of its calls. */
const NOT_GRANTED = "call";

/** Identity of a traced input. */
export interface TracedInput {
  /** Name of the workflow. */
  readonly workflow: string;
  /** Identifier of the run. */
  readonly run: string;
  /** Number of the input in the run. */
  readonly number: number;
  /** Prefix of the idempotency keys of the input. Every process that continues the input derives the same trace from it. */
  readonly keyPrefix: string;
}

/** Derives the identifier of the trace of an input. */
export async function deriveTraceId(keyPrefix: string): Promise<string> {
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

/** Returns calls that record spans under the current one, which is not current when the messages of a sandbox arrive. */
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
