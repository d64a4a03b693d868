/**
 * Long texts in databases: to write ten times as many pages takes longer than to compress them. The module that does it
 * takes as long to load as Deno to start, and many a workflow has no long text: so it is loaded with the first one.
 */
const zlib = () => loaded ??= process.getBuiltinModule("node:zlib");
let loaded: typeof import("node:zlib") | undefined;

/** With more memory for itself, which is made anew for each text, it would take longer and save nothing. */
const DEFLATE = { level: 1, windowBits: 13, memLevel: 5 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A text as it is stored. */
export function pack(text: string): Uint8Array {
  return zlib().deflateRawSync(encoder.encode(text), DEFLATE);
}

/** The text of what was stored. */
export function unpack(packed: Uint8Array): string {
  return decoder.decode(zlib().inflateRawSync(packed));
}
