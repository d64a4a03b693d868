/**
 * The availability of a service. When calls fail in a way that suggests an outage, one probe at a time finds out whether
 * there is one. Calls wait until a probe succeeds.
 */
import { getRetryDelay, type SvcError, toSvcError } from "../errors.ts";
import { delay } from "../../utils/async/abort.ts";
import { SingleFlight } from "../../utils/async/single_flight.ts";
import { formatDuration } from "../../utils/time/format_duration.ts";
import type { Caller } from "./caller.ts";
import { joinMessages } from "./outcome.ts";

/** The beginning or the end of an outage. */
export interface Outage {
  /** Base URL of the service. */
  readonly baseUrl: string;
  /** True if the service is available again. */
  readonly isOver: boolean;
  /** Seconds since the first failure. */
  readonly seconds: number;
  /** Error of the first failure. */
  readonly error: SvcError;
}

/** Options for a call that waits. */
export interface OutageWait {
  /** Seconds after which the service has been unavailable for too long. */
  readonly maxSeconds: number;
  /** Makes an inexpensive call. */
  readonly probe: (signal: AbortSignal) => Promise<unknown>;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Chance and time, which tests replace. */
export interface Chance {
  /** Returns a number from 0 to 1. */
  readonly random: () => number;
  /** Returns milliseconds since 1970. */
  readonly now: () => number;
  /** Waits. Rejects when the signal aborts. */
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const REAL_CHANCE: Chance = { random: Math.random, now: Date.now, wait: delay };

/** Interval after the first failed probe, in milliseconds. */
const FIRST_INTERVAL = 500;

/** Growth of the interval with each probe. With a larger one, calls would wait long after an outage has ended. */
const GROWTH = 1.5;

/** Longest interval, in milliseconds. */
const MAX_INTERVAL = 30_000;

/** Cause of the error of a call that an outage outlasts. */
class OutageTooLong extends Error {}

/** Reports whether an error ends a call because an outage lasts too long. */
export function isOutageTooLong({ cause }: SvcError): boolean {
  return cause instanceof OutageTooLong;
}

/** The availability of one service. */
export class Availability {
  readonly #baseUrl: string;
  readonly #chance: Chance;
  readonly #watch = new SingleFlight<boolean>();
  readonly #listeners = new Set<(outage: Outage) => void>();
  #first: { readonly error: SvcError; readonly at: number } | undefined;
  #isUnavailable = false;
  #hasAnswered = false;
  /** Time before the next probe. It is 0 unless the service was unavailable since it last answered a call. */
  #interval = 0;

  /** Assumes that the service is available. */
  constructor(baseUrl: string, chance: Chance = REAL_CHANCE) {
    this.#baseUrl = baseUrl;
    this.#chance = chance;
  }

  /** The error that showed that the service is unavailable, as long as it is. */
  get outage(): SvcError | undefined {
    return this.#isUnavailable ? this.#first?.error : undefined;
  }

  /** Calls a listener when the service is unavailable and when it is available again, until the result is disposed of. */
  listen(listener: (outage: Outage) => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  /** Notes that the service has responded to a call. */
  noteAnswer(): void {
    this.#hasAnswered = true;
    this.#interval = 0;
  }

  /**
   * Reports whether an error may be due to an outage. A name that cannot be resolved and a certificate that is not
   * trusted may be due to a wrong address, unless the service has answered before.
   */
  mayBeOutage({ status, code, cause }: SvcError): boolean {
    if (status !== undefined) return OUTAGE_STATUSES.includes(status);
    if (code === "TIMEOUT") return true;
    return code === "NETWORK_ERROR" && (this.#hasAnswered || !isWrongAddress(cause));
  }

  /**
   * Finds out whether an error is due to an outage, and resolves to the result when the service is available. Rejects with
   * an error for which `isOutageTooLong` holds when the outage lasts too long, and with the reason of the signal.
   */
  async outlast(error: SvcError, { maxSeconds, probe, signal }: OutageWait): Promise<boolean> {
    const now = this.#chance.now();
    const left = (this.#first?.at ?? now) + maxSeconds * 1000 - now;
    const limitText = formatDuration(maxSeconds * 1000);
    if (left < 0) throw this.#createError(error, `has been unavailable for ${limitText}`);
    if (this.#requestedDelay(error) > left) {
      throw this.#createError(error, `will be unavailable for longer than ${limitText}`);
    }
    this.#first ??= { error, at: now };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), left);
    try {
      const watch = (flightSignal: AbortSignal) => this.#watchUntilAvailable(error, probe, flightSignal);
      return await this.#watch.join(watch, AbortSignal.any([signal, limit.signal]));
    } catch (thrown) {
      if (!limit.signal.aborted || signal.aborted) throw thrown;
      throw this.#createError(error, `has been unavailable for ${limitText}`);
    } finally {
      clearTimeout(timer);
      if (!this.#watch.isRunning) this.#first = undefined;
    }
  }

  #createError(error: SvcError, what: string): SvcError {
    return error.with(
      { cause: new OutageTooLong(undefined, { cause: error }), rejectedByService: undefined },
      `The service at ${this.#baseUrl} ${what}: ${error.message}`,
    );
  }

  /** Probes until the service is available. Resolves to true if it was unavailable. */
  async #watchUntilAvailable(first: SvcError, probe: OutageWait["probe"], signal: AbortSignal): Promise<boolean> {
    try {
      let failure: SvcError | undefined = first;
      if (this.#requestedDelay(first) > 0) this.#announce();
      while (failure !== undefined) {
        await this.#pause(failure, signal);
        failure = await this.#probe(probe, signal);
        if (failure === undefined) continue;
        this.#interval = Math.min(MAX_INTERVAL, this.#interval * GROWTH || FIRST_INTERVAL);
        this.#announce();
      }
      const wasUnavailable = this.#isUnavailable;
      if (wasUnavailable) this.#notify(true);
      return wasUnavailable;
    } finally {
      this.#isUnavailable = false;
    }
  }

  /** Waits before the next probe: at least half of the interval, and for as long as the service requests. */
  async #pause(failure: SvcError, signal: AbortSignal): Promise<void> {
    const jittered = this.#interval * (1 + this.#chance.random()) / 2;
    const milliseconds = Math.max(this.#requestedDelay(failure), jittered);
    if (milliseconds > 0) await this.#chance.wait(milliseconds, signal);
  }

  async #probe(probe: OutageWait["probe"], signal: AbortSignal): Promise<SvcError | undefined> {
    try {
      await probe(signal);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = toSvcError(thrown);
      return this.mayBeOutage(error) ? error : undefined; // Any other error is an answer.
    }
    return undefined;
  }

  #requestedDelay({ status, retryAfter }: SvcError): number {
    return status === 503 ? getRetryDelay(retryAfter, this.#chance.now()) : 0;
  }

  #announce(): void {
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#notify(false);
  }

  #notify(isOver: boolean): void {
    if (this.#first === undefined) return;
    const { error, at } = this.#first;
    const outage = { baseUrl: this.#baseUrl, isOver, seconds: (this.#chance.now() - at) / 1000, error };
    for (const listener of this.#listeners) listener(outage);
  }
}

/** Statuses with which gateways, and services that start or stop, answer in place of the service. */
const OUTAGE_STATUSES: readonly number[] = [502, 503, 504];

function isWrongAddress(cause: unknown): boolean {
  return cause instanceof Error && /dns error|certificate|tls|handshake/i.test(joinMessages(cause));
}

const services = new Map<string, Availability>();

/** Returns the availability of a service, which all calls of the process share. */
export function getAvailability(baseUrl: string): Availability {
  const known = services.get(baseUrl) ?? new Availability(baseUrl);
  services.set(baseUrl, known);
  return known;
}

/** Lists the case types: every service has some, and every client may list them. */
export async function probeService(caller: Caller, signal: AbortSignal): Promise<void> {
  const { default: caseTypes } = await import("../resources/case_types.ts");
  await caller.call({ name: "case-types.list", operation: caseTypes.list }, {}, { signal });
}
