/** How the results of a batch are written. */
import assert from "node:assert/strict";
import type { Output } from "../../../cli/io/io.ts";
import { ResultOutput } from "../../../cli/io/result_output.ts";

/** An output whose reader takes one write after another. */
class SlowOutput implements Output {
  readonly written: string[] = [];
  /** Takes the current write, or refuses it. */
  readonly taken: PromiseWithResolvers<void>[] = [];

  write(): void {
    throw new Error("A result must not block the process.");
  }

  readonly writeBytes = () => this.write();
  readonly isTerminal = () => false;
  readonly columns = () => undefined;

  async writeAsync(chunk: string | Uint8Array): Promise<void> {
    this.written.push(String(chunk));
    const taken = Promise.withResolvers<void>();
    this.taken.push(taken);
    await taken.promise;
  }
}

function open() {
  const output = new SlowOutput();
  let failures = 0;
  const results = new ResultOutput(output, { signal: new AbortController().signal, onFailure: () => void failures++ });
  return { output, results, countFailures: () => failures };
}

Deno.test("results that arrive during a write are written together, in order", async () => {
  const { output, results, countFailures } = open();
  for (const text of ["1\n", "2\n", "3\n"]) await results.write(text);
  assert.deepEqual(output.written, ["1\n"]);
  output.taken[0]?.resolve();
  const large = "x".repeat(65_537) + "\n";
  const writing = results.write(large); // It waits, because that is too much to keep.
  while (output.taken.length < 2) await Promise.resolve();
  output.taken[1]?.resolve();
  await writing;
  await results.flush();
  assert.deepEqual([output.written.join(""), output.written.length], [`1\n2\n3\n${large}`, 2]);
  assert.equal(countFailures(), 0);
});

Deno.test("a failed write is reported once, and thrown by each later write and by flush", async () => {
  const { output, results, countFailures } = open();
  await results.write("1\n");
  const reason = new Error("The reader has gone.");
  output.taken[0]?.reject(reason);
  await assert.rejects(results.flush(), reason);
  await assert.rejects(results.write("2\n"), reason);
  await assert.rejects(results.flush(), reason);
  assert.deepEqual([output.written, countFailures()], [["1\n"], 1]);
});
