/**
 * Work that other threads of this process do for a script: digests and signatures, and compiling WebAssembly. When it is
 * finished is nobody's decision, so the script is told of one after the other, in the order in which it began them, and no
 * message is handled while any is in progress.
 */
import { nextTurn } from "./turn.ts";

/** Members of `crypto.subtle`. */
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

/** Puts work into order; call it once. */
export function orderLocalWork(): void {
  for (const name of CRYPTOGRAPHY) putInOrder(SubtleCrypto.prototype, name);
  putInOrder(WebAssembly, "compile");
  Reflect.set(WebAssembly, "instantiate", instantiateInTurn);
  // They wait for a response that may wait for a message.
  for (const name of ["compileStreaming", "instantiateStreaming"]) Reflect.deleteProperty(WebAssembly, name);
}

/** Resolves when no work is in progress; nothing where none is. */
export function localWork(): Promise<unknown> | undefined {
  return inProgress === 0 ? undefined : last;
}

/** The work begins at once: later the script may have changed what it gave. */
function putInOrder(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): Promise<unknown> {
    return inTurn(Promise.try(() => Reflect.apply(original, this, args)), (done) => done);
  });
}

/** Compiles at once; what runs the script's own code waits for its turn. */
function instantiateInTurn(source: BufferSource, imports?: WebAssembly.Imports, ...options: unknown[]): unknown {
  if (source instanceof Module) return inTurn(Promise.resolve(source), (module) => instantiate(module, imports));
  const compiled: Promise<WebAssembly.Module> = Reflect.apply(compile, WebAssembly, [source, ...options]);
  return inTurn(compiled, async (module) => ({ module, instance: await instantiate(module, imports) }));
}

/** What becomes of work, in a turn after that of all earlier work. */
function inTurn<Done>(work: Promise<Done>, finish: (done: Done) => unknown): Promise<unknown> {
  inProgress++;
  const result = finishAfter(last, work, finish);
  const leave = () => void inProgress--;
  last = result.then(leave, leave);
  return result;
}

async function finishAfter<Done>(
  earlier: Promise<unknown>,
  work: Promise<Done>,
  finish: (done: Done) => unknown,
): Promise<unknown> {
  await Promise.allSettled([earlier, work]);
  await nextTurn();
  return finish(await work);
}
