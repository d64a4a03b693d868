/**
 * Puts the globals of the sandbox in order before the script is loaded: what prints goes to the parent as a message,
 * and what a script without permissions has no use for is gone. This is tidiness, not the wall: the wall is a process
 * without permissions, whose parent alone decides.
 */
import { flush, send } from "./channel.ts";
import { elapsed } from "./clock.ts";
import { FromSandbox, MAX_LOG_CHARACTERS } from "../protocol/messages.ts";

/**
 * Storage that outlives a run, threads, the prompts that would read the parent's messages, and what depends on when
 * memory is tidied up, when something that no answer leads to is ready, or on the clock and the randomness that the runtime
 * holds itself (a form's files and boundaries, an event source that tries again): a script that is run again would take
 * another path.
 */
const GONE = [
  "localStorage",
  "sessionStorage",
  "caches",
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
];

/**
 * What tells one process from another, its throw-away folder included, the signals that somebody sends to it, and what looks
 * around before it asks for a permission: for a program in the folders that it is given, for the machine's name server.
 */
const GONE_OF_DENO = [
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
  "run",
  "spawn",
  "spawnAndWait",
  "spawnAndWaitSync",
  "resolveDns",
];

const { exit } = Deno;

/** What the script said while it was loaded: before the run there is nobody to hear it. */
let early: string[] | undefined = [];

/** Sends lines for stderr. */
export function log(...values: unknown[]): void {
  const text = format(values).slice(0, MAX_LOG_CHARACTERS);
  if (early === undefined) say(text);
  else early.push(text);
}

/** Sends what waits for the run to begin. */
export function beginLog(): void {
  early?.forEach(say);
  early = undefined;
}

/** At once: what a script says before it hangs must be seen. */
function say(text: string): void {
  send({ kind: FromSandbox.log, id: 0, text });
  flush();
}

/** Removes and replaces globals; call it once. */
export function lockDown(): void {
  for (const name of GONE) Reflect.deleteProperty(globalThis, name);
  removeForms();
  Reflect.deleteProperty(Navigator.prototype, "gpu");
  Object.assign(console, consoleMethods());
  for (const name of ["stdout", "stderr"]) Object.defineProperty(Deno, name, { value: textSink() });
  for (const name of GONE_OF_DENO) Reflect.deleteProperty(Deno, name);
  for (const name of ["createObjectURL", "revokeObjectURL"]) Reflect.deleteProperty(URL, name);
  // There is no other thread that would wake who waits, and nobody wakes it when the parent has gone.
  for (const name of ["wait", "waitAsync"]) Reflect.deleteProperty(Atomics, name);
  // The runtime's own operations, many of which check nothing: what is built on them holds them already.
  for (const key of Object.getOwnPropertySymbols(Deno)) Reflect.deleteProperty(Deno, key);
  Deno.exit = (code) => {
    flush();
    return exit(code);
  };
}

/** Removes what would make a form of a body. */
function removeForms(): void {
  removeFormsOf("Request");
  const readResponse = removeFormsOf("Response");
  const { fetch } = globalThis;
  globalThis.fetch = (...args) => {
    readResponse();
    return fetch(...args);
  };
}

/** Does so when the class is first read, and gives what reads it: the runtime then loads code that takes a while. */
function removeFormsOf(name: string): () => unknown {
  const { get: load, value, set } = Object.getOwnPropertyDescriptor(globalThis, name) ?? {};
  const get = () => {
    const loaded: unknown = load?.call(globalThis) ?? value;
    if (typeof loaded === "function") Reflect.deleteProperty(loaded.prototype, "formData");
    return loaded;
  };
  Object.defineProperty(globalThis, name, { get, set, configurable: true, enumerable: false });
  return get;
}

/** Values as `console.log` would print them, on one or more lines. */
function format(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (typeof first !== "string") return values.map(show).join(" ");
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === "%%") return "%";
    if (rest.length === 0) return directive;
    const value = rest.shift();
    return directive === "%c" ? "" : show(value);
  });
  return [text, ...rest.map(show)].join(" ");
}

function show(value: unknown): string {
  return typeof value === "string" ? value : Deno.inspect(value);
}

function consoleMethods(): Partial<Console> {
  const counts = new Map<string, number>();
  const times = new Map<string, number>();
  let indent = "";
  const print = (...values: unknown[]) => log("%s", indent + format(values).replaceAll("\n", "\n" + indent));
  const group = (...values: unknown[]) => {
    if (values.length > 0) print(...values);
    indent += "  ";
  };
  const timeLog = (label = "default", ...values: unknown[]) => {
    const since = times.get(label);
    if (since !== undefined) print("%s:", label, `${Math.round(elapsed() - since)}ms`, ...values);
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
    groupEnd: () => indent = indent.slice(2),
    count: (label = "default") => {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      print("%s:", label, counts.get(label));
    },
    countReset: (label = "default") => counts.delete(label),
    time: (label = "default") => times.set(label, elapsed()),
    timeLog,
    timeEnd: (label = "default") => {
      timeLog(label);
      times.delete(label);
    },
    clear: () => {},
  };
}

/** What a script finds as `Deno.stdout` and `Deno.stderr`: the real ones carry the messages. */
function textSink(): unknown {
  const decoder = new TextDecoder();
  const writeSync = (bytes: Uint8Array) => {
    log("%s", decoder.decode(bytes, { stream: true }));
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
