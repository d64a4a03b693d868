import { DatabaseSync } from "node:sqlite";
import { createClient } from "../../mod.ts";
import { isJsonObject, type JsonValue } from "../../utils/json.ts";
import { Workspace } from "../support/workspace.ts";
import { Batch, type BatchEnd } from "./batch.ts";
import { createNormalizer, type InputMark, readEffects } from "./effects.ts";
import { Service } from "../support/service.ts";

/** A finished batch. */
export type FinishedBatch = readonly [batch: Batch, end: BatchEnd];

/** The effects of batches in the service, and their printed lines. */
export interface Outcome {
  /** Effects of each input by its key. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
  /** Printed line of each input by its key. */
  readonly lines: ReadonlyMap<string, string>;
  /** Numbers of rows in the service's database by kind. */
  readonly totals: ReadonlyMap<string, number>;
}

/** The outcome of one undisturbed input. */
export interface Reference {
  /** Its effects. */
  readonly effects: readonly string[];
  /** Its printed line. */
  readonly line: string;
  /** Numbers of rows that it adds to the service's database by kind. */
  readonly totals: ReadonlyMap<string, number>;
  /** Numbers of rows in the database of a new service by kind. */
  readonly initialTotals: ReadonlyMap<string, number>;
}

/** More than one, to prove that the reference contains nothing specific to an input. */
const REFERENCE_INPUTS = 3;

/** Reads what batches left in a running service and printed. */
export async function readOutcome(
  workspace: Workspace,
  service: Service,
  finished: readonly FinishedBatch[],
): Promise<Outcome> {
  const results = finished.map(([batch, end]) => readResults(batch, end));
  const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
  return {
    effects: await readEffects(svc, results.flatMap(({ marks }) => marks)),
    lines: new Map(results.flatMap(({ lines }) => [...lines])),
    totals: readTotals(service.data),
  };
}

/** Runs a few undisturbed inputs on a service of their own. */
export async function createReference(program?: string): Promise<Reference> {
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const initialTotals = readTotals(service.data);
  const batch = new Batch(workspace, "reference", REFERENCE_INPUTS);
  const end = await batch.finish();
  if (end.failure !== undefined) throw new Error(`Undisturbed inputs fail: ${end.failure}`);
  const { effects, lines, totals } = await readOutcome(workspace, service, [[batch, end]]);
  return {
    effects: getCommon([...effects.values()]),
    line: getCommon([...lines.values()]),
    totals: new Map(
      [...totals].map(([kind, count]) => [kind, (count - (initialTotals.get(kind) ?? 0)) / REFERENCE_INPUTS]),
    ),
    initialTotals,
  };
}

/** Returns the value that all inputs have. If they differed, a comparison with it would be meaningless. */
function getCommon<T>(values: readonly T[]): T {
  const [first, ...others] = values;
  if (first !== undefined && others.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first;
  throw new Error(`Undisturbed inputs differ: ${JSON.stringify(values, null, 2)}`);
}

interface Results {
  readonly marks: readonly InputMark[];
  readonly lines: ReadonlyMap<string, string>;
}

/** Reads the printed lines: one per input, in the order of the inputs. */
function readResults({ keys }: Batch, { lines }: BatchEnd): Results {
  const results = keys.map((key, index) => {
    const { input, token, line } = parseLine(lines[index] ?? "");
    const place = `:${index + 1}`;
    const text = input.endsWith(place) ? line : `${input} instead of ${place}`;
    return { mark: { key, token }, text: createNormalizer({ key, token })(text) };
  });
  return {
    marks: results.map(({ mark }) => mark),
    lines: new Map(results.map(({ mark, text }) => [mark.key, text])),
  };
}

function parseLine(line: string): { input: string; token?: string; line: string } {
  const value: JsonValue = line === "" ? null : JSON.parse(line);
  if (!isJsonObject(value)) return { input: "nothing", line };
  const { input, ...outcome } = value;
  const token = isJsonObject(outcome.result) ? outcome.result.token : undefined;
  const text = JSON.stringify(outcome);
  return { input: String(input), line: text, ...(typeof token === "string" && { token }) };
}

const COUNTS = `
  SELECT 'cases' AS kind, count(*) AS count FROM cases
  UNION ALL SELECT 'assignments', count(*) FROM assignments
  UNION ALL SELECT 'history', count(*) FROM events
  UNION ALL SELECT 'records', count(*) FROM records
  UNION ALL SELECT 'items: ' || kind, count(*) FROM items WHERE kind <> 'definition' GROUP BY kind
  UNION ALL SELECT 'numbers: ' || name, value FROM sequences`;

/** Counts rows that the API does not show, such as unused uploads and skipped numbers. */
function readTotals(data: string): Map<string, number> {
  const db = new DatabaseSync(`${data}/service.db`);
  try {
    return new Map(db.prepare(COUNTS).all().map(({ kind, count }) => [String(kind), Number(count)]));
  } finally {
    db.close();
  }
}
