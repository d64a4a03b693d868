import { type SvcError, toSvcError } from "../../lib/errors.ts";
import { onAbort } from "../../utils/async/abort.ts";
import { never } from "../../utils/async/never.ts";
import { missingStep } from "../engine/divergence.ts";
import { type History, readHistory } from "../engine/history.ts";
import { InputRun } from "../engine/input_run.ts";
import { createStart, findLastStep } from "../engine/start_state.ts";
import type { InputRecord, StoredEvent } from "../journal/journal.ts";
import { isThrown } from "../sandbox/guest/script_error.ts";
import { interrupted } from "../sandbox/host/interruption.ts";
import type { CallAnswer, RunHandlers } from "../sandbox/host/sandbox.ts";
import type { CallRequest } from "../sandbox/protocol/messages.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";

/** Milliseconds without activity after which a waiting script is assumed to have replayed all that it can. */
const QUIET_MILLISECONDS = 1000;

/**
 * Replays the history of an input with a script, without sending or recording anything. Returns the error with which the
 * script leaves the history, or fails before it has repeated it. Returns undefined if it repeats the history.
 */
export async function findDivergence(
  workflow: OpenWorkflow,
  record: InputRecord,
  events: readonly StoredEvent[],
  signal?: AbortSignal,
): Promise<SvcError | undefined> {
  if (signal?.aborted) throw interrupted();
  const history = readHistory(events);
  if (history.steps.size === 0 && history.rewound.length === 0) return undefined;
  const { value, state } = createStart(record, events, history);
  const { generation } = record;
  let run: InputRun | undefined;
  let trial: Trial | undefined;
  let abort = () => {};
  using _listening = signal && onAbort(signal, () => abort());
  try {
    await workflow.run(value, state, (stop, whenIdle) => {
      abort = () => stop(interrupted());
      run = new InputRun({
        events,
        history,
        sink: { append: () => {}, durable: () => Promise.resolve(), rewind: () => Promise.resolve(generation) },
        live: { call: never },
        keyPrefix: "",
        generation,
        force: false,
        onLog: () => {},
        stop,
      });
      return trial = new Trial(run, history, stop, whenIdle);
    });
    await run?.finish();
    return undefined;
  } catch (thrown) {
    if (signal?.aborted) throw interrupted();
    if (trial?.hasRepeated) return undefined;
    const failure = toSvcError(thrown);
    if (!isThrown(failure.toJSON())) return failure;
    return await run?.finish(failure.toJSON()).then(() => undefined, toSvcError);
  } finally {
    trial?.end();
    run?.dispose();
  }
}

/** Handles the requests of a replaying script, and ends the script when it has replayed its history. */
class Trial implements RunHandlers {
  /** True if the script has repeated the history, as far as that can be told without further responses. */
  hasRepeated = false;
  readonly #run: InputRun;
  readonly #history: History<StoredEvent>;
  readonly #stop: (reason: SvcError) => void;
  readonly #whenIdle: () => Promise<void>;
  /** Position of the step with which the history is repeated. */
  readonly #end: number;
  #lastStep = 0;
  #timer?: ReturnType<typeof setTimeout>;

  constructor(
    run: InputRun,
    history: History<StoredEvent>,
    stop: (reason: SvcError) => void,
    whenIdle: () => Promise<void>,
  ) {
    this.#run = run;
    this.#history = history;
    this.#stop = stop;
    this.#whenIdle = whenIdle;
    const last = findLastStep(history);
    // A new step may resemble a rewound change, which may have been applied.
    this.#end = history.rewound.length === 0 ? last : last + 1;
  }

  async call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    this.#lastStep = position;
    this.#watch();
    const answer = this.#run.call(request, position, signal);
    if (position >= this.#end) void this.#run.verify().then(() => this.#finish(), () => {}); // Thrown by the run, too.
    return await answer;
  }

  onDelivery(position: number): number {
    this.#watch();
    return this.#run.onDelivery(position);
  }

  onTaken(position: number): void {
    this.#run.onTaken(position);
  }

  onRandomBytes(): void {}

  onLog(): void {}

  /** Stops watching the script. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #watch(): void {
    clearTimeout(this.#timer);
    const timer = this.#timer = setTimeout(async () => {
      await this.#whenIdle();
      if (timer === this.#timer) this.#onQuiet();
    }, QUIET_MILLISECONDS);
  }

  /** A script that waits for an open call has left its history if the response to another call is recorded. */
  #onQuiet(): void {
    const missing = this.#history.resultOrder.find((position) => position > this.#lastStep);
    if (missing === undefined) return this.#finish();
    this.#stop(missingStep(missing, this.#history.steps.get(missing) ?? { request: "{}" }));
  }

  #finish(): void {
    this.hasRepeated = true;
    this.#stop(interrupted());
  }
}
