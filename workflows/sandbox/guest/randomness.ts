/**
 * The random numbers of a script. They are drawn in blocks, which the host records before anything depends on them. A
 * replay uses the recorded blocks first.
 */
import { SvcError } from "../../../lib/errors.ts";
import { send } from "./channel.ts";
import { checkRunning } from "./clock.ts";
import { perInput } from "./per_input.ts";
import { joinBytes } from "../protocol/frames.ts";
import { GuestMessage } from "../protocol/messages.ts";

/** Minimum size of a block, in bytes. */
const BLOCK_BYTES = 256;

/** Algorithms that draw random numbers themselves, so that they cannot be recorded. */
const RANDOMIZED = /^(ECDSA|RSA-PSS|RSA-OAEP|ML-.*)$/i;

/** Indexes of the key among the arguments. */
const KEY_POSITIONS = { encrypt: 1, sign: 1, wrapKey: 2 };

const { getRandomValues } = crypto;
const realCrypto = crypto;

/** Random bytes to use, and the generator of `Math.random`. */
interface Randomness {
  pool: Uint8Array<ArrayBuffer>;
  generator?: () => number;
}

const randomness = perInput((): Randomness => ({ pool: new Uint8Array(0) }));

/** Adds recorded blocks to the pool. */
export function restoreRandomness(blocks: readonly Uint8Array<ArrayBuffer>[]): void {
  const state = randomness();
  state.pool = joinBytes([state.pool, ...blocks]);
}

/** Replaces everything that is random. Must be called once. */
export function installRandomness(): void {
  Math.random = () => (randomness().generator ??= createGenerator(new Uint32Array(take(16).buffer)))();
  const { prototype } = Crypto;
  Object.assign(prototype, {
    getRandomValues<T extends ArrayBufferView>(array: T): T {
      // The original checks the argument. Its bytes are overwritten.
      Reflect.apply(getRandomValues, realCrypto, [array]);
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(take(array.byteLength));
      return array;
    },
    randomUUID,
  });
  rejectRandomized();
}

function take(count: number): Uint8Array<ArrayBuffer> {
  checkRunning("draws random numbers");
  const state = randomness();
  if (state.pool.length < count) draw(Math.max(BLOCK_BYTES, count - state.pool.length));
  const taken = state.pool.slice(0, count);
  state.pool = state.pool.subarray(count);
  return taken;
}

function draw(count: number): void {
  const block = new Uint8Array(count);
  Reflect.apply(getRandomValues, realCrypto, [block]);
  send({ kind: GuestMessage.random, id: 0, text: block.toBase64() });
  restoreRandomness([block]);
}

function randomUUID(): string {
  const bytes = take(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toHex().replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Creates an sfc32 generator of numbers from 0 to 1, exclusive. */
function createGenerator([a = 0, b = 0, c = 0, counter = 0]: Uint32Array): () => number {
  const next = () => {
    const sum = (a + b + counter++) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21 | c >>> 11) + sum) | 0;
    return sum >>> 0;
  };
  return () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53;
}

/** Rejects randomized algorithms. The key names the algorithm reliably; an argument of the script may have a getter. */
function rejectRandomized(): void {
  const { prototype } = SubtleCrypto;
  const readAlgorithm = Object.getOwnPropertyDescriptor(CryptoKey.prototype, "algorithm")?.get;
  for (const name of ["generateKey", "encapsulateBits", "encapsulateKey"]) Reflect.deleteProperty(prototype, name);
  for (const [name, position] of Object.entries(KEY_POSITIONS)) {
    const original: unknown = Reflect.get(prototype, name);
    if (typeof original !== "function") continue;
    Reflect.set(prototype, name, async function (this: SubtleCrypto, ...args: unknown[]): Promise<unknown> {
      const algorithm: KeyAlgorithm | undefined = readAlgorithm?.call(args[position]);
      if (algorithm === undefined || !RANDOMIZED.test(algorithm.name)) return await Reflect.apply(original, this, args);
      throw new SvcError(
        "WORKFLOW_FAILED",
        `A workflow cannot ${name} with ${algorithm.name}: the result differs each time.`,
        { hint: "Use HMAC, Ed25519, RSASSA-PKCS1-v1_5 or AES, or do it in another program." },
      );
    });
  }
}
