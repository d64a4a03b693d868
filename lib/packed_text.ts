/** Long texts in databases: to write ten times as many pages takes longer than to compress them. */
import { deflateRawSync, inflateRawSync } from "node:zlib";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text as it is stored. */
export function pack(text: string): Uint8Array {
  return deflateRawSync(encoder.encode(text), { level: 1 });
}

/** The text of what was stored. */
export function unpack(packed: Uint8Array): string {
  return decoder.decode(inflateRawSync(packed));
}
