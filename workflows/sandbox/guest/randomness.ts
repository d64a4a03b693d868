/**
 * The script's randomness: real, but drawn in blocks that the parent is told of before anything can depend on them. A run
 * that is done again is given the blocks of the first time, and uses them first.
 */
import { SvcError } from "../../../lib/errors.ts";
import { send } from "./channel.ts";
import { checkRunning } from "./clock.ts";
import { joinBytes } from "../protocol/frames.ts";
import { FromSandbox } from "../protocol/messages.ts";

/** Bytes of a block, unless more are needed at once. */
const BLOCK_BYTES = 256;

/** What the engine would draw for itself, unseen, and what a workflow without a network hardly needs. */
const UNSEEN = /^(ECDSA|RSA-PSS|RSA-OAEP|ML-.*)$/i;

/** Where the key is among the arguments. */
const KEY_POSITIONS = { encrypt: 1, sign: 1, wrapKey: 2 };

const { getRandomValues } = crypto;
const realCrypto = crypto;

let pool = new Uint8Array(0);

/** Puts recorded blocks into the pool. */
export function recallRandomness(blocks: readonly Uint8Array<ArrayBuffer>[]): void {
  pool = joinBytes([pool, ...blocks]);
}

/** Replaces all that is random; call it once. */
export function installRandomness(): void {
  let generator: (() => number) | undefined;
  Math.random = () => (generator ??= generatorOf(new Uint32Array(take(16).buffer)))();
  const { prototype } = Crypto;
  Object.assign(prototype, {
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      // The real one says what is wrong with an argument; of what it writes nothing stays.
      Reflect.apply(getRandomValues, realCrypto, [array]);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(take(array.byteLength));
      return array;
    },
    randomUUID,
  });
  refuseUnseen();
}

function take(count: number): Uint8Array<ArrayBuffer> {
  checkRunning("draws random numbers");
  if (pool.length < count) draw(Math.max(BLOCK_BYTES, count - pool.length));
  const taken = pool.slice(0, count);
  pool = pool.subarray(count);
  return taken;
}

function draw(count: number): void {
  const block = new Uint8Array(count);
  Reflect.apply(getRandomValues, realCrypto, [block]);
  send({ kind: FromSandbox.drew, id: 0, text: block.toBase64() });
  recallRandomness([block]);
}

function randomUUID(): string {
  const bytes = take(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** The generator sfc32, which is small and good: numbers from 0 to 1, exclusive. */
function generatorOf([a = 0, b = 0, c = 0, counter = 0]: Uint32Array): () => number {
  const next = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21 | c >>> 11) + sum) | 0;
    return sum >>> 0;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

/** The key itself says what the engine does with it: what a script calls it beside that may change when it is read again. */
function refuseUnseen(): void {
  const { prototype } = SubtleCrypto;
  const readAlgorithm = Object.getOwnPropertyDescriptor(CryptoKey.prototype, "algorithm")?.get;
  for (const name of ["generateKey", "encapsulateBits", "encapsulateKey"]) Reflect.deleteProperty(prototype, name);
  for (const [name, position] of Object.entries(KEY_POSITIONS)) {
    const original: unknown = Reflect.get(prototype, name);
    if (typeof original !== "function") continue;
    Reflect.set(prototype, name, async function (this: SubtleCrypto, ...args: unknown[]): Promise<unknown> {
      const algorithm: KeyAlgorithm | undefined = readAlgorithm?.call(args[position]);
      if (algorithm === undefined || !UNSEEN.test(algorithm.name)) return await Reflect.apply(original, this, args);
      throw new SvcError(
        "WORKFLOW_FAILED",
        `A workflow cannot ${name} with ${algorithm.name}: it would not be the same again.`,
        { hint: "Use HMAC, Ed25519, RSASSA-PKCS1-v1_5 or AES, or have another program do it." },
      );
    });
  }
}
