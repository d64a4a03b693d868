/**
 * Work that other threads of this process do for a script: digests and signatures, and compiling WebAssembly. When it is
 * finished is nobody's decision, so one is done after the other, and no message is handled while any is in progress.
 */

const WORK: readonly [owner: () => object, names: readonly string[]][] = [
  [() => SubtleCrypto.prototype, [
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
  ]],
  [() => WebAssembly, ["compile", "instantiate"]],
];

let last: Promise<unknown> = Promise.resolve();
let inProgress = 0;

/** Puts work into order; call it once. */
export function orderLocalWork(): void {
  for (const [owner, names] of WORK) {
    for (const name of names) putInOrder(owner(), name);
  }
  // They wait for a response that may wait for a message.
  for (const name of ["compileStreaming", "instantiateStreaming"]) Reflect.deleteProperty(WebAssembly, name);
}

/** Resolves when no work is in progress; nothing where none is. */
export function localWork(): Promise<unknown> | undefined {
  return inProgress === 0 ? undefined : last;
}

function putInOrder(owner: object, name: string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== "function") return;
  Reflect.set(owner, name, function (this: unknown, ...args: unknown[]): Promise<unknown> {
    inProgress++;
    const result = last.then(() => Reflect.apply(original, this, args));
    const leave = () => void inProgress--;
    last = result.then(leave, leave);
    return result;
  });
}
