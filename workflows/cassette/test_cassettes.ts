import { type SvcError, toSvcError } from "../../lib/errors.ts";
import { locateErrors } from "../../lib/locate_errors.ts";
import type { Limits } from "../sandbox/host/limits.ts";
import { openWorkflow } from "../scripts/open_workflow.ts";
import { loadOperations } from "../scripts/permissions.ts";
import type { Cassette } from "./cassette.ts";
import { playCassette } from "./play_cassette.ts";

/** A cassette with its name. */
export interface NamedCassette {
  /** Name in results and logs, e.g. the path of the file. */
  readonly name: string;
  /** The cassette. */
  readonly cassette: Cassette;
}

/** Options of `testCassettes`. */
export interface TestOptions {
  /** Path of the script. */
  readonly script: string;
  /** Folder of the files that the script may import. Default: the folder of the script. */
  readonly root?: string;
  /** Limits of each cassette. Default: 300 seconds and 256 MiB. */
  readonly limits?: Partial<Limits>;
  /** Called with each line that the script prints, and the name of the cassette. */
  readonly onLog?: (text: string, name: string) => void;
  /** Aborts the tests. */
  readonly signal?: AbortSignal;
}

/** The result of a cassette. */
export interface CassetteResult extends NamedCassette {
  /** Difference between the script and the cassette; undefined if the test passed. */
  readonly error?: SvcError;
}

/**
 * Runs a script against cassettes, one after the other, and yields the results. Nothing is sent, and neither a profile nor
 * a journal is used.
 */
export function testCassettes(
  cassettes: readonly NamedCassette[],
  options: TestOptions,
): AsyncGenerator<CassetteResult> {
  return locateErrors(playCassettes(cassettes, options));
}

async function* playCassettes(
  cassettes: readonly NamedCassette[],
  { script, root, limits, onLog, signal = new AbortController().signal }: TestOptions,
): AsyncGenerator<CassetteResult> {
  const operations = await loadOperations();
  const called = cassettes.flatMap(({ cassette }) => cassette.calls.map(({ operation }) => operation));
  const allow = [...new Set(called)].filter((name) => operations.has(name));
  await using workflow = await openWorkflow({ script, root, limits, allow, signal });
  for (const [i, { name, cassette }] of cassettes.entries()) {
    workflow.expectInputs(i + 1 < cassettes.length ? 1 : 0);
    const options = { onLog: (text: string) => onLog?.(text, name), signal };
    const error = await playCassette(workflow, cassette, options).then(() => undefined, toSvcError);
    if (error?.code === "INTERRUPTED" && signal.aborted) throw error;
    yield { name, cassette, error };
  }
}
