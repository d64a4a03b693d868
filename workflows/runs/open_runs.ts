import { locateErrors } from "../../lib/locate_errors.ts";
import type { RunsOptions } from "./options.ts";
import { Runs } from "./runs.ts";

/**
 * Opens the runs of a journal. The journal file is created when the first run starts, and read from then on; the options
 * that reach the service are read when a run calls it.
 */
export function openRuns(options: RunsOptions = {}): Runs {
  return locateErrors(new Runs(options));
}
