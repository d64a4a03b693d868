// `node:zlib` takes as long to load as Deno to start, and few programs store a long text.
const zlib = () => loaded ??= process.getBuiltinModule("node:zlib");
let loaded: typeof import("node:zlib") | undefined;

// A larger window is allocated for each text, takes longer and saves nothing.
const DEFLATE = { level: 1, windowBits: 13, memLevel: 5 };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Compresses a text with raw DEFLATE. */
export function compressText(text: string): Uint8Array {
  return zlib().deflateRawSync(encoder.encode(text), DEFLATE);
}

/** Decompresses a text of `compressText`. */
export function decompressText(packed: Uint8Array): string {
  return decoder.decode(zlib().inflateRawSync(packed));
}
