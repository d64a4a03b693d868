/** Lines for a stream whose reader may stop reading. */
import assert from "node:assert/strict";
import { describeDropped, OutputQueue } from "../../utils/async/output_queue.ts";
import { within } from "../harness/wait.ts";

/** A stream that takes at most 1,000 bytes at once, and nothing while it is stopped. */
class Reader {
  text = "";
  /** Set to fail writes. */
  failure: Error | undefined;
  #resumed = Promise.resolve();
  #resume = () => {};

  stop(): void {
    ({ promise: this.#resumed, resolve: this.#resume } = Promise.withResolvers<void>());
  }

  resume(): void {
    this.#resume();
  }

  async write(bytes: Uint8Array): Promise<number> {
    await this.#resumed;
    if (this.failure !== undefined) throw this.failure;
    const taken = bytes.subarray(0, 1000);
    this.text += new TextDecoder().decode(taken);
    return taken.length;
  }
}

Deno.test("a queue writes all lines in order, in any number of writes", async () => {
  const reader = new Reader();
  const queue = new OutputQueue(reader);
  const lines = Array.from({ length: 500 }, (_, index) => `line ${index}\n`);
  for (const line of lines) queue.write(line);
  await queue.flush();
  assert.equal(reader.text, lines.join(""));
});

Deno.test("a queue whose reader stops drops lines, counts them, and says so when the reader continues", async () => {
  const reader = new Reader();
  const queue = new OutputQueue(reader);
  reader.stop();
  const line = "x".repeat(99) + "\n";
  queue.write(line);
  await Promise.resolve();
  for (let n = 0; n < 30_000; n++) queue.write(line);
  await within("the flush gives up", queue.flush(), { seconds: 10 });
  assert.equal(reader.text, "");
  reader.resume();
  await queue.flush();
  queue.write("last\n");
  await queue.flush();
  const lines = reader.text.split("\n");
  const written = lines.filter((one) => one.startsWith("x")).length;
  assert.ok(written >= 10_000 && written < 30_001, `${written} lines`);
  assert.deepEqual(lines.slice(written), [describeDropped(30_001 - written), "last", ""]);
});

Deno.test("lines that cannot be written are counted, and later lines are written", async () => {
  const reader = new Reader();
  const queue = new OutputQueue(reader, (count) => `${count} dropped`);
  reader.failure = new Error("No space left on device (os error 28)");
  queue.write("one\n");
  await queue.flush();
  queue.write("two\n");
  await queue.flush();
  reader.failure = undefined;
  queue.write("three\n");
  await queue.flush();
  assert.equal(reader.text, "three\n2 dropped\n");
});
