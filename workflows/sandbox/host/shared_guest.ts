import { SvcError } from "../../../lib/errors.ts";
import type { CopiedPaths } from "./copied_paths.ts";
import type { Guest, GuestListener, GuestMessage as Message, GuestPort } from "./guest.ts";
import { LostSharedProcess } from "./interruption.ts";
import type { Limits } from "./limits.ts";
import type { Frame } from "../protocol/frames.ts";
import { GuestMessage, HostMessage } from "../protocol/messages.ts";

/** Milliseconds between two checks that the process responds. */
const CHECK_MILLISECONDS = 1000;

/** Number of checks without a response after which the process counts as blocked. */
const MAX_MISSED_CHECKS = 3;

/** Shortest time for which a process takes inputs, in milliseconds. Its processor time is limited. */
const MIN_LIFETIME = 30_000;

/** Kinds of messages after which an input has ended. */
const ENDS: readonly number[] = [GuestMessage.result, GuestMessage.failure, GuestMessage.continued];

/**
 * A guest process that runs a stateless script on many inputs at the same time. If it ends, or one input blocks its thread,
 * all its inputs end with the cause `LostSharedProcess`. Each then runs in a process of its own, where only the culprit fails.
 */
export class SharedGuest {
  readonly #guest: Guest;
  readonly #inputs = new Map<number, SharedInput>();
  readonly #startedAt = performance.now();
  /** The declaration of the script, when it is loaded. */
  #declaration?: Message;
  #lastInput = 0;
  #missedChecks = 0;
  #checks?: ReturnType<typeof setInterval>;
  #hasEnded = false;

  /** Takes over a process that loads the script. */
  constructor(guest: Guest) {
    this.#guest = guest;
    guest.listener = {
      onMessage: (frame) => this.#handle(frame),
      onExit: () => this.kill(),
      onError: () => this.kill(),
    };
  }

  /** Number of inputs in progress. */
  get size(): number {
    return this.#inputs.size;
  }

  /** True if the process takes no more inputs, because it has ended or reached its lifetime. */
  get isFull(): boolean {
    const lifetime = Math.max(MIN_LIFETIME, this.#guest.limits.timeoutSeconds * 1000);
    return this.#hasEnded || performance.now() - this.#startedAt > lifetime;
  }

  /** Opens the connection of a further input. */
  open(): GuestPort {
    const number = ++this.#lastInput;
    const input = new SharedInput(this.#guest, number, () => this.#remove(number));
    this.#inputs.set(number, input);
    this.#checks ??= setInterval(() => this.#check(), CHECK_MILLISECONDS);
    const declaration = this.#declaration;
    if (declaration !== undefined) queueMicrotask(() => input.receive(declaration));
    return input;
  }

  /** Ends the process. */
  kill(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearInterval(this.#checks);
    this.#guest.kill();
    for (const input of this.#inputs.values()) input.lose();
    this.#inputs.clear();
  }

  #handle(frame: Frame): void {
    if (frame.input === 0 && frame.kind === GuestMessage.ready && this.#declaration === undefined) {
      this.#declaration = frame;
      for (const input of this.#inputs.values()) input.receive(frame);
    } else if (frame.input === 0 && frame.kind === GuestMessage.idle) this.#missedChecks = 0;
    else if (frame.input === 0) this.kill(); // The script cannot be loaded, or it failed outside of all inputs.
    else {
      const input = this.#inputs.get(frame.input);
      if (ENDS.includes(frame.kind)) this.#remove(frame.input);
      input?.receive(frame);
    }
  }

  #remove(number: number): void {
    this.#inputs.delete(number);
    if (this.#inputs.size > 0) return;
    clearInterval(this.#checks);
    this.#checks = undefined;
    this.#missedChecks = 0;
    if (this.isFull) this.kill();
  }

  /** Ends a process that does not respond. Counts checks instead of time, because time also passes while the machine sleeps. */
  #check(): void {
    if (this.#missedChecks++ >= MAX_MISSED_CHECKS) this.kill();
    else this.#guest.send({ kind: HostMessage.askIdle, id: 0, text: "" });
  }
}

/** An input in a shared process. */
class SharedInput implements GuestPort {
  readonly isShared = true;
  listener?: GuestListener;
  readonly #guest: Guest;
  readonly #number: number;
  readonly #remove: () => void;
  #hasEnded = false;

  constructor(guest: Guest, number: number, remove: () => void) {
    this.#guest = guest;
    this.#number = number;
    this.#remove = remove;
  }

  get paths(): CopiedPaths | undefined {
    return this.#guest.paths;
  }

  get limits(): Limits {
    return this.#guest.limits;
  }

  send(message: Message, onTaken?: () => void): void {
    if (!this.#hasEnded) this.#guest.sendTo(this.#number, message, onTaken);
  }

  /** Passes on a message. An invalid one ends this input. */
  receive(message: Message): void {
    if (this.#hasEnded) return;
    this.#hasEnded = ENDS.includes(message.kind);
    try {
      this.listener?.onMessage({ ...message, input: this.#number });
    } catch (error) {
      this.listener?.onError(error);
    }
  }

  /** Ends the input because its process has ended. */
  lose(): void {
    this.#hasEnded = true;
    this.listener?.onError(
      new SvcError("WORKFLOW_FAILED", "The process of the input has ended.", { cause: new LostSharedProcess() }),
    );
  }

  kill(): void {
    this.send({ kind: HostMessage.end, id: 0, text: "" });
    this.#hasEnded = true;
    this.#remove();
  }

  gone(): Promise<void> {
    return this.#guest.gone();
  }
}
