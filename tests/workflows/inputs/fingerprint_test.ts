/** Fingerprints of files of inputs. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { findChange, type Fingerprint, readFingerprint } from "../../../workflows/inputs/fingerprint.ts";

Deno.test("a file has the same fingerprint however it is split into chunks", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ maxLength: 300 }), fc.array(fc.nat(300)), async (text, cuts) => {
      const bytes = new TextEncoder().encode(text.replaceAll(" ", "\n"));
      const ends = [...cuts.map((cut) => Math.min(cut, bytes.length)).toSorted((a, b) => a - b), bytes.length];
      const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end));
      assert.deepEqual(await readFingerprint(toStream(chunks)), await readFingerprint(toStream([bytes])));
    }),
    { numRuns: 50 },
  );
});

Deno.test("the first changed line is found, exactly in a short file and within its block in a long one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 2000 }), fc.nat(), async (count, pick) => {
      const lines = Array.from({ length: count }, (_, i) => `{"id":${i}}`);
      const number = pick % count;
      const before = await read(lines);
      const change = findChange(before, await read(lines.with(number, `{"id":"x"}`), before.linesPerBlock));
      const { first = 0, last = 0 } = change?.changed ?? {};
      assert.ok(first <= number + 1 && number + 1 <= last, `${number + 1} is not from ${first} to ${last}`);
      assert.ok(last - first < before.linesPerBlock && before.linesPerBlock <= Math.max(1, count / 64));
    }),
    { numRuns: 50 },
  );
});

Deno.test("appended, missing and changed lines are distinguished", async () => {
  for (const count of [3, 1000]) {
    const lines = Array.from({ length: count }, (_, i) => String(i));
    const before = await read(lines);
    const findIn = async (now: string[]) => findChange(before, await read(now, before.linesPerBlock));
    assert.equal(await findIn(lines), undefined);
    assert.deepEqual(await findIn([...lines, "new"]), { linesBefore: count, lines: count + 1 });
    assert.deepEqual(await findIn(lines.slice(0, -2)), { linesBefore: count, lines: count - 2 });
    const first = (await findIn(["other", ...lines]))?.changed?.first;
    assert.equal(first, 1);
  }
});

Deno.test("a line feed at the end does not change the lines of a file", async () => {
  const [one, other] = await Promise.all(["1\n2", "1\n2\n"].map((text) => readFingerprint(toStream([encode(text)]))));
  assert.ok(one && other);
  assert.equal(findChange(one, other), undefined);
});

async function read(lines: readonly string[], linesPerBlock?: number): Promise<Fingerprint> {
  return await readFingerprint(toStream([encode(lines.map((line) => `${line}\n`).join(""))]), linesPerBlock);
}

function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

function toStream(chunks: readonly Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(chunks);
}
