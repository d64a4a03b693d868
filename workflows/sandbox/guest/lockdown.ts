/**
 * Prepares the globals of a guest before the script is loaded. Output becomes a message to the host, and globals that a
 * script cannot use are removed. This is not the security boundary: that is a process without permissions, whose requests
 * the host checks.
 */
import { flush, send } from "./channel.ts";
import { getElapsed } from "./clock.ts";
import { loadingInput, perInput } from "./per_input.ts";
import { GuestMessage, MAX_LOG_CHARACTERS } from "../protocol/messages.ts";

/**
 * Globals to remove: storage, locks, threads, prompts, which would read messages of the host, and whatever makes a
 * replay take another path. That is what depends on garbage collection, on events other than results of steps, or on the
 * clock and the random numbers of the runtime (files and boundaries of forms, retries of event sources). Graphics
 * is removed because no script needs it.
 */
const REMOVED_GLOBALS = [
  "localStorage",
  "sessionStorage",
  "Storage",
  "caches",
  "Cache",
  "CacheStorage",
  "Lock",
  "LockManager",
  "Worker",
  "alert",
  "confirm",
  "prompt",
  "process",
  "WeakRef",
  "FinalizationRegistry",
  "MessageChannel",
  "MessagePort",
  "BroadcastChannel",
  "FileReader",
  "EventSource",
  "PerformanceObserver",
  "PerformanceObserverEntryList",
  "PerformanceEntry",
  "PerformanceMark",
  "PerformanceMeasure",
  "Performance",
  "FormData",
  "ImageBitmapRenderingContext",
  "OffscreenCanvas",
];

/**
 * Members of `Deno` to remove: those that differ between processes, such as the temporary folder, those that keep a value for
 * the next input, signals, child processes, tools of Deno, and functions that read the system before they check permissions:
 * they look for a program, or for the name server.
 */
const REMOVED_OF_DENO = [
  "stdin",
  "pid",
  "ppid",
  "cwd",
  "mainModule",
  "memoryUsage",
  "cpuUsage",
  "addSignalListener",
  "removeSignalListener",
  "Command",
  "Process",
  "ChildProcess",
  "run",
  "spawn",
  "spawnAndWait",
  "spawnAndWaitSync",
  "resolveDns",
  "telemetry",
  "test",
  "bench",
  "lint",
  "internal",
];

const { exit } = Deno;

/** The console and the output of an input. */
const output = perInput(() => ({
  counts: new Map<string, number>(),
  times: new Map<string, number>(),
  indent: "",
  /** Decoders of what is written to stdout and stderr. Each keeps the part of a character at the end of a write. */
  decoders: { stdout: new TextDecoder(), stderr: new TextDecoder() },
  /** Lines of the time of loading. The host takes them when the run starts. */
  early: new Array<string>(),
  hasStarted: false,
}));

/** Prints values to stderr. */
export function log(...values: unknown[]): void {
  const text = format(values).slice(0, MAX_LOG_CHARACTERS);
  const { hasStarted, early } = output();
  if (hasStarted) sendLog(text);
  else early.push(text);
}

/** Prints the lines of the time of loading, and all later ones at once. */
export function startLog(): void {
  output().hasStarted = true;
  output(loadingInput()).early.forEach(sendLog);
}

/** Sends a message without delay: the last lines of a script that hangs are printed. */
function sendLog(text: string): void {
  send({ kind: GuestMessage.log, id: 0, text });
  flush();
}

/** Removes and replaces globals. Must be called once. */
export function lockDown(): void {
  for (const name of REMOVED_GLOBALS) Reflect.deleteProperty(globalThis, name);
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (name.startsWith("GPU")) Reflect.deleteProperty(globalThis, name);
  }
  removeForms();
  for (const name of ["gpu", "locks"]) Reflect.deleteProperty(Navigator.prototype, name);
  Object.assign(console, consoleMethods());
  for (const name of ["stdout", "stderr"] as const) {
    Object.defineProperty(Deno, name, { value: createTextSink(name) });
  }
  for (const name of REMOVED_OF_DENO) Reflect.deleteProperty(Deno, name);
  for (const name of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(URL, name);
  // No other thread could wake a waiting script, not even when the host has ended.
  for (const name of ["wait", "waitAsync"]) Reflect.deleteProperty(Atomics, name);
  // Internal operations of the runtime. Many check no permissions. The public API has its own references.
  for (const key of Object.getOwnPropertySymbols(Deno)) Reflect.deleteProperty(Deno, key);
  Deno.exit = (code) => {
    flush();
    return exit(code);
  };
}

/** Removes `formData` of requests and responses. */
function removeForms(): void {
  removeFormsFrom("Request");
  const readResponse = removeFormsFrom("Response");
  const { fetch } = globalThis;
  globalThis.fetch = (...args) => {
    readResponse();
    return fetch(...args);
  };
}

/** Removes it when the class is first read, because the runtime then loads code. Returns a function that reads the class. */
function removeFormsFrom(name: string): () => unknown {
  const { get: load, value, set } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  const get = () => {
    const loaded: unknown = load?.call(globalThis) ?? value;
    if (typeof loaded === "function") Reflect.deleteProperty(loaded.prototype, "formData");
    return loaded;
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  return get;
}

/** Formats values like `console.log`, on one or more lines. */
function format(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== "string") return values.map(inspect).join(" ");
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === "%%") return "%";
    if (rest.length === 0) return directive;
    const value = rest.shift();
    return directive === "%c" ? "" : inspect(value);
  });
  return [text, ...rest.map(inspect)].join(" ");
}

function inspect(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}

function consoleMethods(): Partial<Console> {
  const print = (...values: unknown[]) => {
    const { indent } = output();
    log("%s", indent + format(values).replaceAll("\n", "\n" + indent));
  };
  const group = (...values: unknown[]) => {
    if (values.length > 0) print(...values);
    output().indent += "  ";
  };
  const timeLog = (label = "default", ...values: unknown[]) => {
    const since = output().times.get(label);
    if (since !== undefined) print("%s:", label, `${Math.round(getElapsed() - since)}ms`, ...values);
  };
  return {
    log: print,
    info: print,
    debug: print,
    warn: print,
    error: print,
    dirxml: print,
    dir: (value, options) => print(Deno.inspect(value, options)),
    table: (data) => print(data),
    trace: (...values) => print("Trace:", ...values),
    assert: (condition, ...values) => condition || print("Assertion failed:", ...values),
    group,
    groupCollapsed: group,
    groupEnd: () => output().indent = output().indent.slice(2),
    count: (label = "default") => {
      const { counts } = output();
      counts.set(label, (counts.get(label) ?? 0) + 1);
      print("%s:", label, counts.get(label));
    },
    countReset: (label = "default") => output().counts.delete(label),
    time: (label = "default") => output().times.set(label, getElapsed()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      output().times.delete(label);
    },
    clear: () => {},
  };
}

/** Creates a replacement for `Deno.stdout` and `Deno.stderr`, which transport messages. */
function createTextSink(name: "stdout" | "stderr"): unknown {
  const writeSync = (bytes: Uint8Array) => {
    log("%s", output().decoders[name].decode(bytes, { stream: true }));
    return bytes.length;
  };
  return {
    writeSync,
    write: (bytes: Uint8Array) => Promise.resolve(writeSync(bytes)),
    isTerminal: () => false,
    get writable() {
      return new WritableStream<Uint8Array>({ write: (bytes) => void writeSync(bytes) });
    },
  };
}
