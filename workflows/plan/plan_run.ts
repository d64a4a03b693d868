/**
 * A run that changes nothing. Reads are made, and so are those of entity tags; a change is written down, and what it would
 * answer is a stand-in. The plan ends where the script needs the real thing.
 */
import { type Caller, missingTag } from "../../lib/client/caller.ts";
import { shownBody } from "../../lib/client/dry_run.ts";
import { type EncodedRequest, encodeRequest } from "../../lib/client/encode.ts";
import { SvcError, toSvcError } from "../../lib/errors.ts";
import { hasEffect, type Operation, type OperationRef } from "../../lib/operation/operation.ts";
import { answerOf } from "../engine/answer.ts";
import { isSleep } from "../engine/sleeping.ts";
import { never } from "../../utils/async/never.ts";
import { findOperation, type Grants, type Operations } from "../scripts/permissions.ts";
import { type CallRequest, SLEEP } from "../sandbox/protocol/messages.ts";
import type { CallAnswer, RunHandlers } from "../sandbox/host/sandbox.ts";
import type { PlannedRequest, PlannedStep } from "./plan.ts";
import { PlannedTime } from "./planned_time.ts";
import { type Reference, References } from "./references.ts";

/** Steps that a plan has at most. */
const MAX_STEPS = 1000;

/** Changes of which each needs the answer of the one before, at most: a loop that waits for an answer never ends here. */
const MAX_CHAIN = 25;

/** What a plan is made with. */
export interface PlanRunOptions {
  /** Makes the reads. */
  readonly caller: Caller;
  /** All operations. */
  readonly operations: Operations;
  /** Those that were granted: nothing is read that was not. */
  readonly grants: Grants;
  /** Takes what the script prints. */
  readonly onLog: (text: string) => void;
  /** Ends the sandbox. */
  readonly stop: (reason: SvcError) => void;
  /** Tells when the script does nothing but wait. */
  readonly rested: () => Promise<void>;
}

/** The script of a plan in progress. */
export class PlanRun implements RunHandlers {
  /** The steps so far. */
  readonly steps: PlannedStep[] = [];
  /** References to answers that are not known. */
  readonly references = new References();
  readonly #options: PlanRunOptions;
  readonly #time: PlannedTime;
  readonly #chains = new Map<number, number>();
  readonly #taken = new Map<string, number>();
  readonly #readingTags = new Set<Promise<unknown>>();
  readonly #asked = new Set<string>();
  readonly #askedBeforeSleep = new Set<string>();
  #ended?: string;

  /** A plan that has no steps yet. */
  constructor(options: PlanRunOptions) {
    this.#options = options;
    this.#time = new PlannedTime(options.rested);
  }

  /** How far the plan reaches, where it does not reach the end of the script. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Where the plan is. */
  get place(): string {
    return this.steps.length === 0 ? "before its first step" : `after step ${this.steps.length}`;
  }

  /** Reads, or writes down a change, or passes the time. */
  async call(request: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    if (this.#ended !== undefined) return await never();
    if (position > MAX_STEPS) return await this.#end(`after step ${MAX_STEPS}: a plan has no more.`);
    if (isSleep(request)) return await this.#sleep(request, position, signal);
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

  /** The time that it would be. */
  delivering(): number {
    return this.#time.now;
  }

  /** Chance is not the same in the run. */
  drew(): void {}

  /** Prints a line, with references in it as people read them. */
  log(text: string): void {
    this.#options.onLog(this.references.readable(text));
  }

  /** The script needs the real value of something. */
  needs(reference: Reference, where: string): void {
    this.#ended ??= `The plan ends ${this.place}: ${where} needs ${lacking(reference)}`;
  }

  /** Resolves when the steps are known as far as they can be. */
  async settled(): Promise<void> {
    this.#time.end();
    await Promise.allSettled(this.#readingTags);
  }

  #add({ name, operation }: OperationRef, position: number): PlannedStep {
    const isGranted = this.#options.grants.has(name);
    const kind = hasEffect(operation) ? "change" : "read";
    const step: PlannedStep = { step: position, operation: name, kind, isGranted };
    this.steps.push(step);
    this.#time.goesOn();
    return step;
  }

  async #sleep({ values }: CallRequest, position: number, signal: AbortSignal): Promise<CallAnswer> {
    const milliseconds = Number(values.milliseconds);
    this.steps.push({ step: position, operation: SLEEP, kind: "sleep", isGranted: true, milliseconds });
    for (const text of this.#asked) this.#askedBeforeSleep.add(text);
    await this.#time.sleep(milliseconds, signal);
    return { head: {}, text: "" };
  }

  async #read(ref: OperationRef, request: CallRequest, step: PlannedStep, signal: AbortSignal): Promise<CallAnswer> {
    const { values, timeoutSeconds } = request;
    const encodable = this.references.encodable(ref.operation, values);
    if (encodable !== undefined) step.request = this.#planned(encodeRequest(ref.operation, encodable));
    const [needed] = this.references.in(values);
    if (needed !== undefined) return await this.#end(`at step ${step.step}: ${ref.name} needs ${lacking(needed)}`);
    if (!step.isGranted) return this.#standIn(ref, step);
    if (this.#isPolling(request)) {
      return await this.#end(`at step ${step.step}: the script waits for another answer of ${ref.name}.`);
    }
    return await this.#time.during(this.#answer(ref, request, { signal, timeoutSeconds }));
  }

  async #answer(
    ref: OperationRef,
    { values }: CallRequest,
    options: Parameters<Caller["call"]>[2],
  ): Promise<CallAnswer> {
    return await answerOf(await this.#options.caller.call(ref, values, options));
  }

  async #change(ref: OperationRef, { values }: CallRequest, step: PlannedStep): Promise<CallAnswer> {
    const at = `at step ${step.step}`;
    const needed = this.references.in(values);
    const encodable = this.references.encodable(ref.operation, values);
    if (encodable === undefined) return await this.#end(`${at}: ${ref.name} needs ${lacking(needed[0])}`);
    const encoded = encodeRequest(ref.operation, encodable);
    const before = ref.operation.takes && this.#taken.get(JSON.stringify(values));
    if (before) return await this.#end(`${at}: only step ${before} would show what is left for ${ref.name}.`);
    step.request = this.#planned(encoded);
    if (ref.operation.takes) this.#taken.set(JSON.stringify(values), step.step);
    const chain = 1 + Math.max(0, ...needed.map((reference) => this.#chains.get(reference.step) ?? 0));
    if (chain > MAX_CHAIN) {
      return await this.#end(`${at}: the last ${MAX_CHAIN} changes each need the answer of the one before.`);
    }
    this.#chains.set(step.step, chain);
    this.#asked.clear();
    this.#askedBeforeSleep.clear();
    if (encoded.tagPath !== undefined) await this.#time.during(this.#readTag(ref, encoded.tagPath, step));
    return this.#standIn(ref, step);
  }

  /** The tag that the change would be sent with; it is read if all that takes is known and granted. */
  async #readTag({ name, operation }: OperationRef, path: string, { isGranted, request }: PlannedStep): Promise<void> {
    if (request === undefined) return;
    if (!isGranted || this.references.in(path).length > 0) {
      request.tagFrom = this.references.readable(path);
      return;
    }
    const reading = this.#options.caller.call({ name, operation: tagRead(operation, path) }, {});
    this.#readingTags.add(reading);
    const { etag } = await reading;
    if (etag === undefined) throw missingTag(path);
    request.ifMatch = etag;
  }

  #planned(encoded: EncodedRequest): PlannedRequest {
    const { method, path, ifMatch } = encoded;
    const body = shownBody(encoded);
    return {
      method,
      path: this.references.readable(path),
      ...(ifMatch !== undefined && { ifMatch: this.references.readable(ifMatch) }),
      ...(body && { body: this.references.shown(body) }),
    };
  }

  #standIn({ operation }: OperationRef, { step }: PlannedStep): CallAnswer {
    return { head: operation.answer === "nothing" ? {} : { standIn: this.references.of(step) }, text: "" };
  }

  /** Whether the script asks again for what it asked before it slept, and nothing has changed since. */
  #isPolling({ operation, values }: CallRequest): boolean {
    const text = JSON.stringify({ operation, values });
    this.#asked.add(text);
    return this.#askedBeforeSleep.has(text);
  }

  #end(where: string): Promise<never> {
    this.#ended ??= `The plan ends ${where}`;
    this.#options.stop(new SvcError("INTERRUPTED", this.#ended));
    return never();
  }
}

function lacking(reference: Reference | undefined): string {
  return reference === undefined
    ? "what is not known."
    : `${reference.text}, which only step ${reference.step} would give.`;
}

/** The read of an entity tag, which no operation describes. */
function tagRead({ summary, example }: Operation, path: string): Operation {
  return { summary, example, method: "GET", path, answer: "any" };
}
