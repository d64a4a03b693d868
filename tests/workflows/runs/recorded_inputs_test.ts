/** Records of inputs that are read in pages when a run resumes. */
import assert from "node:assert/strict";
import { createDamageError, type DamagedPart, JournalDamage } from "../../../workflows/journal/damage.ts";
import type { InputRecord } from "../../../workflows/journal/journal.ts";
import { RecordedInputs } from "../../../workflows/runs/recorded_inputs.ts";

async function* readRecords(numbers: readonly number[], error?: Error): AsyncGenerator<InputRecord> {
  for (const number of numbers) {
    await Promise.resolve();
    yield { number, place: `in:${number}`, value: number, startedAt: 1, generation: 0 };
  }
  if (error !== undefined) throw error;
}

function damage(part: DamagedPart): Error {
  return createDamageError("journal.db", new JournalDamage(part, "it is damaged"));
}

async function findAll(inputs: RecordedInputs, numbers: readonly number[]): Promise<(number | undefined)[]> {
  return await Array.fromAsync(numbers, async (number) => (await inputs.find(number))?.number);
}

Deno.test("each recorded input is found, and others are not", async () => {
  const inputs = new RecordedInputs(readRecords([1, 2, 4, 7]));
  assert.deepEqual(await findAll(inputs, [1, 2, 3, 5, 7, 8, 9]), [1, 2, undefined, undefined, 7, undefined, undefined]);
});

Deno.test("from a damaged record on, inputs read their own records", async () => {
  const inputs = new RecordedInputs(readRecords([1, 2], damage({ run: "r1", input: 3 })));
  assert.deepEqual(await findAll(inputs, [1, 2, 3, 4]), [1, 2, undefined, undefined]);
});

Deno.test("any other error is thrown", async () => {
  for (const error of [damage({}), new Error("The connection was closed.")]) {
    const inputs = new RecordedInputs(readRecords([1, 2], error));
    assert.deepEqual(await findAll(inputs, [1, 2]), [1, 2]);
    await assert.rejects(inputs.find(3), error);
  }
});
