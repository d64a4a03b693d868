/**
 * Work that other threads of this process do for a script: cryptography, and compiling WebAssembly. The time at which it
 * ends is random. So the script gets the results one at a time, in the order in which it started the work, and no message is
 * delivered while work is in progress.
 */

/** Members of `crypto.subtle` that are asynchronous. */
const CRYPTOGRAPHY = [
  "decapsulateBits",
  "decapsulateKey",
  "decrypt",
  "deriveBits",
  "deriveKey",
  "digest",
  "encrypt",
  "exportKey",
  "getPublicKey",
  "importKey",
  "sign",
  "unwrapKey",
  "verify",
  "wrapKey",
];

const { compile, instantiate, Module } = WebAssembly;

let last: Promise<unknown> = Promise.resolve();
let inProgress = 0;

/** The descriptor of `setImmediate`. Its value is read late: the runtime then loads code that takes longer than a script. */
const immediate = Object.getOwnPropertyDescriptor(globalThis, "setImmediate");

let schedule: ((callback: () => void) => unknown) | undefined;

/** Resolves in the next turn of the event loop. All reactions to promises of this turn have run then. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    schedule ??= immediate?.get?.call(globalThis) ?? immediate?.value;
    schedule?.(resolve);
  });
}

/** Makes the order of results deterministic. Must be called once. */
export function orderLocalWork(): void {
  for (const name of CRYPTOGRAPHY) orderResults(SubtleCrypto.prototype, name);
  orderResults(WebAssembly, "compile");
  Reflect.set(WebAssembly, "instantiate", instantiateInOrder);
  // They wait for a response, which may depend on a message.
  for (const name of ["compileStreaming", "instantiateStreaming"]) Reflect.deleteProperty(WebAssembly, name);
}

/** Returns a promise that resolves when no work is in progress, or undefined if none is. */
export function getLocalWork(): Promise<unknown> | undefined {
  return inProgress === 0 ? undefined : last;
}

/** Wraps a function. The work starts at once, because the script may change the arguments later. */
function orderResults(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): Promise<unknown> {
    return inOrder(Promise.try(() => Reflect.apply(original, this, args)), (result) => result);
  });
}

/** Compiles at once. Instantiating runs code of the script, and waits for its turn. */
function instantiateInOrder(source: BufferSource, imports?: WebAssembly.Imports, ...options: unknown[]): unknown {
  if (source instanceof Module) return inOrder(Promise.resolve(source), (module) => instantiate(module, imports));
  const compiled: Promise<WebAssembly.Module> = Reflect.apply(compile, WebAssembly, [source, ...options]);
  return inOrder(compiled, async (module) => ({ module, instance: await instantiate(module, imports) }));
}

/** Returns the result of work, in a turn after those of all earlier work. */
function inOrder<T>(work: Promise<T>, finish: (result: T) => unknown): Promise<unknown> {
  inProgress++;
  const result = finishAfter(last, work, finish);
  const leave = () => void inProgress--;
  last = result.then(leave, leave);
  return result;
}

async function finishAfter<T>(
  earlier: Promise<unknown>,
  work: Promise<T>,
  finish: (result: T) => unknown,
): Promise<unknown> {
  await Promise.allSettled([earlier, work]);
  await nextTurn();
  return finish(await work);
}
