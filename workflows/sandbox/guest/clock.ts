/**
 * The clock of a script. It stands still while the script computes, and each result of a step sets it, so that a replay
 * sees the same times.
 */
import { SvcError } from "../../../lib/errors.ts";
import { perInput } from "./per_input.ts";

const RealDate = Date;
const RealFile = File;

const clock = perInput((): { startedAt: number; time?: number } => ({ startedAt: 0 }));

/** Sets the clock, which never goes back. The first time is the start of the run. */
export function setClock(milliseconds: number): void {
  const state = clock();
  if (state.time === undefined) state.startedAt = milliseconds;
  state.time = Math.max(state.time ?? milliseconds, milliseconds);
}

/** Returns the milliseconds since the start of the run, or 0 before it. */
export function getElapsed(): number {
  const { startedAt, time = startedAt } = clock();
  return time - startedAt;
}

/** Throws while the script is being loaded, because a guest loads it before its run is known. */
export function checkRunning(what: string): void {
  if (clock().time !== undefined) return;
  throw new SvcError("WORKFLOW_FAILED", `The script ${what} while it is being loaded.`, {
    hint: "Do it inside run, where a resumed run gets the same values.",
  });
}

/** Replaces everything that reads the clock. Must be called once. */
export function installClock(): void {
  const ScriptDate = new Proxy(RealDate, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.now = now;
  define(RealDate.prototype, { constructor: ScriptDate });
  const ScriptFile = new Proxy(RealFile, {
    construct: (target, [bits, name, options], newTarget) =>
      Reflect.construct(
        target,
        [bits, name, { ...options, lastModified: options?.lastModified ?? clock().time ?? 0 }],
        newTarget,
      ),
  });
  define(RealFile.prototype, { constructor: ScriptFile });
  define(globalThis, { Date: ScriptDate, File: ScriptFile, performance: scriptPerformance() });
  installTemporal();
  installFormats();
}

function now(): number {
  checkRunning("reads the clock");
  return clock().time ?? 0;
}

function scriptPerformance(): object {
  return Object.freeze({
    now: () => now() - clock().startedAt,
    get timeOrigin() {
      checkRunning("reads the clock");
      return clock().startedAt;
    },
    toJSON: () => ({ timeOrigin: clock().startedAt }),
  });
}

function installTemporal(): void {
  const instant = () => Temporal.Instant.fromEpochMilliseconds(now());
  const zoned = (zone: Temporal.TimeZoneLike = Temporal.Now.timeZoneId()) => instant().toZonedDateTimeISO(zone);
  define(Temporal.Now, {
    instant,
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone?: Temporal.TimeZoneLike) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: Temporal.TimeZoneLike) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone?: Temporal.TimeZoneLike) => zoned(zone).toPlainTime(),
  });
}

/** Replaces the methods that format the current time by default. */
function installFormats(): void {
  const { prototype } = Intl.DateTimeFormat;
  const format = Object.getOwnPropertyDescriptor(prototype, "format")?.get;
  const { formatToParts } = prototype;
  Object.defineProperty(prototype, "format", {
    configurable: true,
    get(this: Intl.DateTimeFormat) {
      const boundFormat = format?.call(this);
      return (date: unknown) => boundFormat(date === undefined ? now() : date);
    },
  });
  define(prototype, {
    formatToParts(this: Intl.DateTimeFormat, date?: Date | number) {
      return formatToParts.call(this, date === undefined ? now() : date);
    },
  });
}

function define(target: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });
  }
}
