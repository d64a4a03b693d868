/** All that batches have left: effects, printed lines, and totals of the service. */
import { createClient } from "../../mod.ts";
import { Workspace } from "../workspace.ts";
import { Batch, type BatchEnd } from "./batch.ts";
import { effectsOfAll } from "./effects.ts";
import { resultsOf } from "./results.ts";
import { Service } from "./service.ts";
import { totalsOf } from "./totals.ts";

/** A batch that has ended. */
export type EndedBatch = readonly [batch: Batch, end: BatchEnd];

/** What batches have left. */
export interface Left {
  /** The effects of each input, by its key. */
  readonly effects: ReadonlyMap<string, readonly string[]>;
  /** The line of each input, by its key. */
  readonly lines: ReadonlyMap<string, string>;
  /** How much of what the service keeps. */
  readonly totals: ReadonlyMap<string, number>;
}

/** What an input leaves that nothing disturbs. */
export interface Reference {
  /** Its effects. */
  readonly effects: readonly string[];
  /** Its line. */
  readonly line: string;
  /** How much of what the service keeps for it. */
  readonly totals: ReadonlyMap<string, number>;
}

/** Inputs that the reference is taken of: more than one, to know that it holds nothing of its input. */
const REFERENCE_INPUTS = 3;

/** Reads what batches have left with a service that runs. */
export async function readLeft(workspace: Workspace, service: Service, ended: readonly EndedBatch[]): Promise<Left> {
  const results = ended.map(([batch, end]) => resultsOf(batch, end));
  const svc = createClient({ configDirectory: workspace.env.SVC_CONFIG_DIR });
  return {
    effects: await effectsOfAll(svc, results.flatMap(({ marks }) => marks)),
    lines: new Map(results.flatMap(({ lines }) => [...lines])),
    totals: totalsOf(service.data),
  };
}

/** Runs a few inputs on a service of their own, undisturbed. */
export async function takeReference(program?: string): Promise<Reference> {
  await using workspace = await Workspace.open(program);
  await using service = new Service(workspace);
  await service.start();
  const batch = new Batch(workspace, "reference", REFERENCE_INPUTS);
  const end = await batch.finish();
  if (end.failure !== undefined) throw new Error(`Undisturbed inputs fail: ${end.failure}`);
  const { effects, lines, totals } = await readLeft(workspace, service, [[batch, end]]);
  return {
    effects: theOneOf([...effects.values()]),
    line: theOneOf([...lines.values()]),
    totals: new Map([...totals].map(([what, count]) => [what, count / REFERENCE_INPUTS])),
  };
}

/** What several inputs have in common: all of it, or the comparison would mean nothing. */
function theOneOf<T>(values: readonly T[]): T {
  const [first, ...others] = values;
  if (first !== undefined && others.every((other) => JSON.stringify(other) === JSON.stringify(first))) return first;
  throw new Error(`Undisturbed inputs differ: ${JSON.stringify(values, null, 2)}`);
}
