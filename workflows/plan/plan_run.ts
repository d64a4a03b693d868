import { type Caller, canSkipTag, isTagRequired, missingTag } from "../../lib/client/caller.ts";
import { shownBody } from "../../lib/client/request/dry_run.ts";
import { type EncodedRequest, encodeRequest } from "../../lib/client/request/encode.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import { hasEffect, type Operation, type OperationRef } from "../../lib/operation/operation.ts";
import { DEFAULT_STYLE, type RequestStyle } from "../../lib/operation/request_style.ts";
import type { JsonValue } from "../../utils/json.ts";
import { toCallAnswer } from "../engine/live_calls.ts";
import { never } from "../../utils/async/never.ts";
import { findOperation, type Grants, type Operations } from "../scripts/permissions.ts";
import { type CallRequest, isReceive, isSleep, SLEEP } from "../sandbox/protocol/messages.ts";
import type { CallAnswer, RunHandlers } from "../sandbox/host/sandbox.ts";
import type { PlannedRequest, PlannedStep } from "./plan.ts";
import { PlanClock } from "./plan_clock.ts";
import { type Placeholder, Placeholders } from "./placeholders.ts";

/** Largest number of steps. */
const MAX_STEPS = 1000;

/** Longest chain of changes that each need the response of the previous one. A loop over responses never ends in a plan. */
const MAX_CHAIN = 25;

/** Dependencies of a plan run. */
export interface PlanRunOptions {
  /** Makes the reads. */
  readonly caller: Caller;
  /** All operations. */
  readonly operations: Operations;
  /** Granted operations. Other reads are not made. */
  readonly grants: Grants;
  /** Receives the lines that the script prints. */
  readonly onLog: (text: string) => void;
  /** Stops the sandbox. */
  readonly stop: (reason: SvcError) => void;
  /** Resolves when the script only waits. */
  readonly whenIdle: () => Promise<void>;
}

/**
 * Runs a script without changes. Reads are made, including those of entity tags. A change is recorded, and its response is
 * a placeholder. The plan ends where the script needs the real value.
 */
export class PlanRun implements RunHandlers {
  /** The steps so far. */
  readonly steps: PlannedStep[] = [];
  /** Placeholders of the unknown responses. */
  readonly placeholders = new Placeholders();
  readonly #options: PlanRunOptions;
  readonly #clock: PlanClock;
  readonly #chains = new Map<number, number>();
  readonly #taken = new Map<string, number>();
  readonly #readingTags = new Set<Promise<unknown>>();
  readonly #reads = new Set<string>();
  readonly #readsBeforeSleep = new Set<string>();
  #ended?: string;

  /** Creates a plan without steps. */
  constructor(options: PlanRunOptions) {
    this.#options = options;
    this.#clock = new PlanClock(options.whenIdle);
  }

  /** Sentence that says where the plan ends, if that is before the end of the script. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Current place in the script, e.g. `after step 2`. */
  get place(): string {
    return this.steps.length === 0 ? "before its first step" : `after step ${this.steps.length}`;
  }

  /** Makes a read, records a change, or advances the clock. */
  async call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    if (this.#ended !== undefined) return await never();
    if (position > MAX_STEPS) return await this.#end(`after step ${MAX_STEPS}: a plan has at most ${MAX_STEPS} steps.`);
    if (isSleep(request)) return await this.#sleep(request, position, signal);
    if (isReceive(request)) {
      return await this.#end(
        `at step ${position}: the script waits for the signal ${JSON.stringify(request.values.name)}.`,
      );
    }
    const ref = findOperation(request.operation, this.#options.operations);
    const step = this.#add(ref, position);
    try {
      return await (step.kind === "read" ? this.#read(ref, request, step, signal) : this.#change(ref, request, step));
    } catch (thrown) {
      const error = toSvcError(thrown).withOperation(ref.name);
      if (!signal.aborted) step.error = error.toJSON();
      throw error;
    }
  }

  /** Returns the simulated time. */
  onDelivery(): number {
    return this.#clock.now;
  }

  /** Ends the plan: the input continues with a new history. */
  onContinued(input: JsonValue | undefined): void {
    const next = input === undefined ? "no input" : this.placeholders.describe(JSON.stringify(input));
    void this.#end(`${this.place}: the input continues as new with ${next}.`);
  }

  /** Ignores random numbers: a run uses others. */
  onRandomBytes(): void {}

  /** Prints a line with readable placeholders. */
  onLog(text: string): void {
    this.#options.onLog(this.placeholders.describe(text));
  }

  /** Ends the plan because the script needs the real value of a placeholder. */
  endAtPlaceholder(placeholder: Placeholder, user: string): void {
    this.#ended ??= `The plan ends ${this.place}: ${describeNeed(user, placeholder)}`;
  }

  /** Stops the clock, and resolves when pending reads of entity tags have settled. */
  async settle(): Promise<void> {
    this.#clock.stop();
    await Promise.allSettled(this.#readingTags);
  }

  #add({ name, operation }: OperationRef, position: number): PlannedStep {
    const isGranted = this.#options.grants.has(name);
    const kind = hasEffect(operation) ? "change" : "read";
    const step: PlannedStep = { step: position, operation: name, kind, isGranted };
    this.steps.push(step);
    this.#clock.noteActivity();
    return step;
  }

  async #sleep({ values }: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    const milliseconds = Number(values.milliseconds);
    this.steps.push({ step: position, operation: SLEEP, kind: "sleep", isGranted: true, milliseconds });
    for (const text of this.#reads) this.#readsBeforeSleep.add(text);
    await this.#clock.sleep(milliseconds, signal);
    return { head: {}, text: "" };
  }

  async #read(ref: OperationRef, request: CallRequest, step: PlannedStep, signal: AbortSignal): Promise<CallAnswer> {
    const { values, timeoutSeconds } = request;
    const encodable = this.placeholders.toEncodable(ref.operation, values);
    if (encodable !== undefined) step.request = this.#describeRequest(encodeRequest(ref.operation, encodable));
    const [needed] = this.placeholders.find(values);
    if (needed !== undefined) return await this.#end(`at step ${step.step}: ${describeNeed(ref.name, needed)}`);
    if (!step.isGranted) return this.#toPlaceholder(ref, step);
    if (this.#isPolling(request)) {
      return await this.#end(`at step ${step.step}: the script waits for ${ref.name} to return something else.`);
    }
    return await this.#clock.during(this.#call(ref, request, { signal, timeoutSeconds }));
  }

  async #call(
    ref: OperationRef,
    { values }: CallRequest,
    options: Parameters<Caller["call"]>[2],
  ): Promise<CallAnswer> {
    return await toCallAnswer(await this.#options.caller.call(ref, values, options));
  }

  async #change(ref: OperationRef, { values }: CallRequest, step: PlannedStep): Promise<CallAnswer> {
    const at = `at step ${step.step}`;
    const needed = this.placeholders.find(values);
    const encodable = this.placeholders.toEncodable(ref.operation, values);
    if (encodable === undefined) return await this.#end(`${at}: ${describeNeed(ref.name, needed[0])}`);
    const encoded = encodeRequest(ref.operation, encodable, () => this.#getStyle());
    const before = ref.operation.takes && this.#taken.get(JSON.stringify(values));
    if (before) return await this.#end(`${at}: the response of ${ref.name} depends on step ${before}.`);
    step.request = this.#describeRequest(encoded);
    if (ref.operation.takes) this.#taken.set(JSON.stringify(values), step.step);
    const chain = 1 + Math.max(0, ...needed.map((placeholder) => this.#chains.get(placeholder.step) ?? 0));
    if (chain > MAX_CHAIN) {
      return await this.#end(`${at}: each of the last ${MAX_CHAIN} changes needs the response of the previous one.`);
    }
    this.#chains.set(step.step, chain);
    this.#reads.clear();
    this.#readsBeforeSleep.clear();
    if (encoded.tagPath !== undefined) await this.#clock.during(this.#readTag(ref, encoded.tagPath, step));
    return this.#toPlaceholder(ref, step);
  }

  /** Returns the style of the service. A plan that reads nothing needs no service. */
  #getStyle(): RequestStyle {
    try {
      return this.#options.caller.getTarget();
    } catch (error) {
      if (toSvcError(error).code === "INVALID_CONFIG") return DEFAULT_STYLE;
      throw error;
    }
  }

  /** Reads the entity tag for a change, if its path is known and the operation is granted. */
  async #readTag({ name, operation }: OperationRef, path: string, { isGranted, request }: PlannedStep): Promise<void> {
    if (request === undefined) return;
    if (!isGranted || this.placeholders.find(path).length > 0) {
      request.tagFrom = this.placeholders.describe(path);
      return;
    }
    const reading = this.#options.caller.call({ name, operation: toTagRead(operation, path) }, {});
    this.#readingTags.add(reading);
    const etag = await reading.then((reply) => reply.etag, (error) => {
      if (!canSkipTag(operation, error)) throw error;
      return undefined;
    });
    if (etag === undefined && isTagRequired(operation)) throw missingTag(path);
    request.ifMatch = etag;
  }

  #describeRequest(encoded: EncodedRequest): PlannedRequest {
    const { method, path, ifMatch } = encoded;
    const body = shownBody(encoded);
    return {
      method,
      path: this.placeholders.describe(path),
      ...(ifMatch !== undefined && { ifMatch: this.placeholders.describe(ifMatch) }),
      ...(body && { body: this.placeholders.describeValue(body) }),
    };
  }

  #toPlaceholder({ operation }: OperationRef, { step }: PlannedStep): CallAnswer {
    return {
      head: operation.answer === "nothing" ? {} : { placeholder: this.placeholders.markPrefix(step) },
      text: "",
    };
  }

  /** Reports whether the script repeats a read after a sleep although nothing has changed. */
  #isPolling({ operation, values }: CallRequest): boolean {
    const text = JSON.stringify({ operation, values });
    this.#reads.add(text);
    return this.#readsBeforeSleep.has(text);
  }

  #end(where: string): Promise<never> {
    this.#ended ??= `The plan ends ${where}`;
    this.#options.stop(new SvcError("INTERRUPTED", this.#ended));
    return never();
  }
}

function describeNeed(user: string, placeholder: Placeholder | undefined): string {
  return placeholder === undefined
    ? `${user} needs an unknown value.`
    : `${user} needs ${placeholder.text}, which is unknown until step ${placeholder.step} runs.`;
}

/** Describes the read of an entity tag, which is not an operation of the API. */
function toTagRead({ summary, example }: Operation, path: string): Operation {
  return { summary, example, method: "GET", path, answer: "any" };
}
