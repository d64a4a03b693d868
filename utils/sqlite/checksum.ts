import type { SQLOutputValue } from "node:sqlite";

/** Tells values of different types apart, e.g. the number 1 and the text "1". */
const TAGS = { null: 1, integer: 2, real: 3, text: 4, bytes: 5 } as const;

/**
 * Computes a checksum of the values of a record: an integer of 53 bits, which a change of any single byte changes.
 *
 * It finds damage and does not protect against forgery. `node:zlib` has a CRC, but takes as long to load as Deno to
 * start. Pass the values as a later read returns them: SQLite stores well-formed text only, and its texts end at a NUL.
 */
export function computeChecksum(values: readonly SQLOutputValue[]): number {
  // Two multiplicative hashes. Each step is a bijection of its state, so a single changed unit cannot be undone later.
  let high = 0x2545f491;
  let low = 0x9e3779b1 | 0;
  const add = (unit: number) => {
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  };
  for (const value of values) {
    if (value === null) add(TAGS.null);
    else if (typeof value === "string" || typeof value === "bigint") {
      const text = String(value);
      add(TAGS.text);
      add(text.length);
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        high = Math.imul(high ^ unit, 0x9e3779b1);
        low = Math.imul(low ^ unit, 0x5f356495);
      }
    } else if (typeof value !== "number") {
      add(TAGS.bytes);
      add(value.length);
      for (const byte of value) {
        high = Math.imul(high ^ byte, 0x9e3779b1);
        low = Math.imul(low ^ byte, 0x5f356495);
      }
    } else if (Number.isInteger(value)) {
      add(TAGS.integer);
      add(value | 0);
      add(Math.floor(value / 2 ** 32) | 0);
    } else {
      const [first = 0, second = 0] = new Int32Array(new Float64Array([value]).buffer);
      add(TAGS.real);
      add(first);
      add(second);
    }
  }
  high ^= high >>> 15;
  return (high >>> 11) * 2 ** 32 + (low >>> 0);
}
