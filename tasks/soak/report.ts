import { formatDuration } from "../../utils/time/format_duration.ts";
import { renderRows } from "../support/render_rows.ts";
import type { Scenario, SoakResult } from "./scenario.ts";

/** A scenario that has ended. */
export interface FinishedScenario {
  /** The scenario. */
  readonly scenario: Scenario;
  /** Its result. */
  readonly result: SoakResult;
  /** Seed of its random numbers. */
  readonly seed: number;
  /** Its duration in milliseconds. */
  readonly duration: number;
}

/** Renders the results as a table with one row per scenario. */
export async function renderResults(finished: readonly FinishedScenario[]): Promise<string> {
  return await renderRows(finished.map(({ scenario: { what, target }, result, seed, duration }) => ({
    what,
    target,
    measured: result.skipped ?? result.measured,
    seed: String(seed),
    duration: formatDuration(duration),
    ok: result.skipped !== undefined ? "skipped" : result.ok ? "yes" : "NO",
  })));
}

/** Renders the scenarios with estimates of their durations. */
export async function renderScenarios(scenarios: readonly Scenario[], scale: number): Promise<string> {
  return await renderRows(scenarios.map(({ name, what, target, seconds }) => ({
    name,
    what,
    target,
    estimate: formatDuration(seconds * scale * 1000),
  })));
}
