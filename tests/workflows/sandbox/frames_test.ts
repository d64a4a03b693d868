/** The frames of messages between host and guest. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { type Frame, FrameBuffer, FrameError, FrameReader } from "../../../workflows/sandbox/protocol/frames.ts";

const MAX_BYTES = 1024;

const byte = fc.integer({ min: 0, max: 255 });
const number = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 40 }), fc.constant("x".repeat(MAX_BYTES)));
const frame: fc.Arbitrary<Frame> = fc.record({ kind: byte, id: number, input: number, text }, {
  noNullPrototype: true,
});

function encode(frames: readonly Frame[]): Uint8Array<ArrayBuffer> {
  const buffer = new FrameBuffer();
  for (const one of frames) buffer.add(one);
  return buffer.take().slice();
}

Deno.test("a stream is read as the same frames, whatever the sizes of its parts", () => {
  fc.assert(fc.property(
    fc.array(frame, { maxLength: 12 }),
    fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 }),
    (frames, sizes) => {
      const bytes = encode(frames);
      const reader = new FrameReader(MAX_BYTES);
      const read: Frame[] = [];
      const part = new Uint8Array(200); // A part is valid only until the next one, as with a buffer that is read into.
      for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
        const size = Math.min(sizes[turn % sizes.length] ?? 1, bytes.length - offset);
        part.set(bytes.subarray(offset, offset + size));
        read.push(...reader.push(part.subarray(0, size)));
        offset += size;
      }
      assert.deepEqual(read, frames);
    },
  ));
});

Deno.test("a frame that is too long is refused when its header has arrived", () => {
  const bytes = encode([{ kind: 1, id: 1, input: 0, text: "x".repeat(MAX_BYTES + 1) }]);
  const reader = new FrameReader(MAX_BYTES);
  assert.deepEqual(reader.push(bytes.subarray(0, 12)), []);
  assert.throws(() => reader.push(bytes.subarray(12, 13)), FrameError);
});
