/** The lines that a batch prints, and what they tell of its inputs. */
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import type { Batch, BatchEnd } from "./batch.ts";
import { type Mark, plainer } from "./effects.ts";

/** What a batch has printed. */
export interface Results {
  /** What its inputs are known by, in their order. */
  readonly marks: readonly Mark[];
  /** Its lines by key, without what is chance. */
  readonly lines: ReadonlyMap<string, string>;
}

/** Reads what a batch has printed; each input must have a line, in their order. */
export function resultsOf({ keys }: Batch, { lines }: BatchEnd): Results {
  const read = keys.map((key, index) => {
    const { input, token, line } = readLine(lines[index] ?? "");
    const place = `:${index + 1}`;
    const text = input.endsWith(place) ? line : `${input} where ${place} should be`;
    return { mark: { key, token }, text: plainer({ key, token })(text) };
  });
  return {
    marks: read.map(({ mark }) => mark),
    lines: new Map(read.map(({ mark, text }) => [mark.key, text])),
  };
}

function readLine(line: string): { input: string; token?: string; line: string } {
  const value: JsonValue = line === "" ? null : JSON.parse(line);
  if (!isJsonObject(value)) return { input: "nothing", line };
  const { input, ...outcome } = value;
  const token = isJsonObject(outcome.result) ? outcome.result.token : undefined;
  const text = JSON.stringify(outcome);
  return { input: String(input), line: text, ...(typeof token === "string" && { token }) };
}
