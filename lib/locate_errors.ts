/** Errors of the library with the stack of the program that called it. */
import { SvcError, toSvcError } from "./errors.ts";

/** The stack of a program that has called a function of the library. It is formatted when an error needs it. */
export interface CallSite {
  /** Stack without the function and what it has called. */
  readonly stack?: string;
}

/** Captures the stack of the program that has called a function of the library. */
export function captureCallSite(called: (...args: never[]) => unknown): CallSite {
  const site: CallSite = {};
  if ("captureStackTrace" in Error) Error.captureStackTrace(site, called);
  return site;
}

/** Returns the error of a call with the stack of the program that made the call, without the modules of the library. */
export function locateError(thrown: unknown, { stack }: CallSite, described?: string): SvcError {
  const error = toSvcError(thrown);
  const located = error.with({}, described === undefined ? error.message : `${described}: ${error.message}`);
  const frames = stack?.match(/\n +at [^]*/)?.[0];
  if (frames !== undefined) located.stack = located.toString() + frames;
  if (located.code !== "INTERNAL_ERROR") dropOwnFrames(located.cause); // Those of a bug are reported.
  return located;
}

/**
 * Returns an object whose methods throw errors with the stack of the program that called them. The same applies to the
 * iterators and resources that it returns.
 */
export function locateErrors<T extends object>(target: T): T {
  const wrap = (value: unknown): unknown => value === target ? proxy : isHandle(value) ? locateErrors(value) : value;
  const proxy = new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return wrap(value);
      return function call(...args: unknown[]) {
        const site = captureCallSite(call);
        const locate = (thrown: unknown) => thrown instanceof SvcError ? locateError(thrown, site) : thrown;
        try {
          const result: unknown = Reflect.apply(value, target, args);
          return result instanceof Promise
            ? result.then(wrap, (thrown) => Promise.reject(locate(thrown)))
            : wrap(result);
        } catch (thrown) {
          throw locate(thrown);
        }
      };
    },
  });
  return proxy;
}

function isHandle(value: unknown): value is object {
  return typeof value === "object" && value !== null && (Symbol.asyncIterator in value || Symbol.asyncDispose in value);
}

/** The address of the library. Undefined in a bundle, whose module has another name. */
const [, ROOT] = /^(.*\/)lib\/locate_errors\.[jt]s$/.exec(import.meta.url) ?? [];

const FOLDERS = ["cli", "lib", "service", "utils", "workflows"];

/** Drops the frames of the library from the stacks of an error and its causes. */
function dropOwnFrames(cause: unknown): void {
  const seen = new Set<unknown>();
  for (let error = cause; error instanceof Error && !seen.has(error); error = error.cause) {
    seen.add(error);
    const stack = error.stack?.split("\n").filter((line) => !isOwnFrame(line)).join("\n");
    Reflect.set(error, "stack", stack);
  }
}

function isOwnFrame(line: string): boolean {
  return ROOT !== undefined && /^ +at /.test(line) && FOLDERS.some((folder) => line.includes(`${ROOT}${folder}/`));
}
