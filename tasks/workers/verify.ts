import { createClient } from "../../mod.ts";
import type { PrintedResult } from "./batch.ts";

/** Number of cases that are read at once. */
const PAGE = 500;

/** Returns the applicant that identifies the case of a step of an input. */
export function formatApplicant(input: number, step: number): string {
  return `Applicant ${input}.${step}`;
}

/** Numbers of the differences between a batch and its cases. */
export interface Verdict {
  /** Cases that are missing, or differ from those in the results. */
  readonly lost: number;
  /** Further cases. */
  readonly repeated: number;
  /** Results that are missing, or not in the order of the inputs. */
  readonly disordered: number;
}

/** Compares the results of a batch with the cases of the service: each step of each input has created one. */
export async function verify(
  results: readonly PrintedResult[],
  { inputs, steps, baseUrl, configDirectory }: {
    readonly inputs: number;
    readonly steps: number;
    readonly baseUrl: string;
    readonly configDirectory: string;
  },
): Promise<Verdict> {
  const client = createClient({ baseUrl, configDirectory });
  const cases = new Map<string, string[]>();
  let total = 0;
  for await (const row of client.data.query("D_Permits", { max: PAGE })) {
    const applicant = String(row.Applicant);
    cases.set(applicant, [...cases.get(applicant) ?? [], String(row.pzInsKey)]);
    total++;
  }
  let lost = 0;
  let disordered = Math.abs(inputs - results.length);
  for (let input = 1; input <= inputs; input++) {
    const result = results[input - 1];
    if (result !== undefined && result.input !== input) disordered++;
    for (let step = 1; step <= steps; step++) {
      const id = result?.ids?.[step - 1];
      if (id === undefined || !cases.get(formatApplicant(input, step))?.includes(id)) lost++;
    }
  }
  return { lost, repeated: Math.max(0, total - (inputs * steps - lost)), disordered };
}
