import type { SvcError } from "../../lib/errors.ts";
import { nextEvent } from "../../utils/async/next_event.ts";
import type { JsonObject } from "../../utils/json.ts";
import type { LiveCalls } from "../engine/live_calls.ts";
import type { BatchInput } from "../inputs/batch_input.ts";
import type { InputRecord } from "../journal/journal.ts";
import type { FramedInput, InputSource } from "../runs/input_source.ts";
import { AssignmentHandler } from "./assignment_handler.ts";
import type { FailureCounts } from "./failure_counts.ts";
import { QueueInbox } from "./queue_inbox.ts";
import type { QueueOptions } from "./robot_options.ts";

/** Milliseconds between two checks of an empty queue. */
export const POLL_MILLISECONDS = 2000;

/** Number of assignments after which another run begins, so that a run stays short enough to be resumed quickly. */
export const MAX_INPUTS = 1000;

/** Supplies the assignments of a queue as the inputs of a run. It takes each before its script runs. */
export class AssignmentSource implements InputSource {
  readonly #inbox: QueueInbox;
  readonly #handler: AssignmentHandler;
  readonly #recorded: AsyncIterable<InputRecord>;
  readonly #failures: FailureCounts;
  readonly #options: QueueOptions;
  /** Assignments that are being worked on. */
  readonly #active = new Set<string>();
  #changed = Promise.withResolvers<void>();

  /** Creates the source of a run. `failures` includes the failures of earlier runs. */
  constructor(
    calls: LiveCalls,
    recorded: AsyncIterable<InputRecord>,
    failures: FailureCounts,
    options: QueueOptions,
  ) {
    this.#inbox = new QueueInbox(calls, options.queue, options.drain);
    this.#handler = new AssignmentHandler(calls, failures, options);
    this.#recorded = recorded;
    this.#failures = failures;
    this.#options = options;
  }

  get inputs(): AsyncIterable<BatchInput> {
    return this.#list();
  }

  async before(input: FramedInput): Promise<{ readonly result: JsonObject } | undefined> {
    return await this.#handler.before(input);
  }

  async after(input: FramedInput, failure: SvcError | undefined): Promise<void> {
    await this.#handler.after(input, failure);
  }

  close({ place }: FramedInput): void {
    this.#active.delete(place);
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Lists the recorded inputs, then takes assignments as they come. */
  async *#list(): AsyncGenerator<BatchInput> {
    let count = 0;
    for await (const { place, value, end } of this.#recorded) {
      count++;
      if (end === undefined) this.#active.add(place);
      yield { place, value };
    }
    const { drain, untilEmpty } = this.#options;
    while (count < MAX_INPUTS && !drain.aborted) {
      const [next] = await this.#inbox.take(1, (id) => this.#isAvailable(id));
      if (drain.aborted) return;
      if (next !== undefined) {
        count++;
        this.#active.add(next.place);
        yield next;
      } else if (untilEmpty && this.#active.size === 0) return;
      else await this.#wait();
    }
  }

  /** Reports whether no other input works on an assignment, and it has not just failed. */
  #isAvailable(id: string): boolean {
    return !this.#active.has(id) && !this.#failures.isDelayed(id, Date.now(), this.#options.retryMilliseconds);
  }

  /** Waits until an assignment has ended, the robot is stopped, or a delay is over. */
  async #wait(): Promise<void> {
    await nextEvent([this.#changed.promise], this.#options.drain, POLL_MILLISECONDS);
  }
}
