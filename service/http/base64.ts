/** Content as base64 text, piece by piece. */

/** Characters that so many bytes become. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

/** Encodes bytes in any pieces: what is left of a piece, less than three bytes, goes with the next. */
export function base64Encoder(): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new TextEncoder();
  let rest = new Uint8Array(0);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const bytes = new Uint8Array(rest.length + chunk.length);
      bytes.set(rest);
      bytes.set(chunk, rest.length);
      const whole = bytes.length - bytes.length % 3;
      rest = bytes.slice(whole);
      if (whole > 0) controller.enqueue(encoder.encode(bytes.subarray(0, whole).toBase64()));
    },
    flush(controller) {
      if (rest.length > 0) controller.enqueue(encoder.encode(rest.toBase64()));
    },
  });
}
