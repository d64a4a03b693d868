/**
 * Runs workflow scripts from a program, as `svc workflow` does from the command line.
 *
 * A *run* executes a script for one *input*, or for each input of a batch. A journal records every call before it is sent
 * and every response, so that another process can resume a run: recorded calls are replayed from the history and not sent
 * again.
 *
 * @example Run a script for each input, and resume the run after an interruption
 * ```ts
 * import { openRuns } from "@svc/lib/runs";
 *
 * const folder = await Deno.makeTempDir();
 * await Deno.writeTextFile(
 *   `${folder}/intake.ts`,
 *   `import { defineWorkflow } from "@svc/lib/workflow";
 *   export default defineWorkflow({
 *     name: "intake",
 *     allow: ["cases.create"],
 *     async run({ svc, input }) {
 *       return (await svc.cases.create({ type: "City-Permit-Work-Permit", data: input })).id;
 *     },
 *   });`,
 * );
 *
 * await using runs = openRuns({ journal: `${folder}/journal.db` });
 * const inputs = ["Ada", "Ben", "Eve"].map((Applicant) => ({ Applicant, Address: "Main St 1" }));
 * {
 *   await using run = await runs.start({ script: `${folder}/intake.ts`, inputs, allow: ["cases.create"], id: "intake-1" });
 *   for await (const result of run.results) {
 *     console.log(result); // { input: "inputs:1", result: "CITY-PERMIT-WORK P-1" }
 *     break; // Interrupts the run.
 *   }
 * }
 * await using run = await runs.resume("intake-1", { inputs });
 * const { succeeded, error } = await run.finish();
 * if (error) throw error;
 * console.log(succeeded, await runs.list({ state: "done" }));
 * ```
 *
 * @module
 */
export { openRuns } from "./open_runs.ts";
export { Runs } from "./runs.ts";
export type { ListOptions, LogLine } from "./runs.ts";
export type { Run, RunSummary } from "./run.ts";
export type { RunStatus } from "../workers/read_status.ts";
export type {
  InputCounts,
  PaceOptions,
  ResumeRunOptions,
  RunEvents,
  RunOutage,
  RunsOptions,
  StartRunOptions,
  WorkOptions,
} from "./options.ts";
export type { BatchProgress, FailedResult, InputResult } from "./batch.ts";
export type { CheckOptions, InputCheck } from "../check/check_script.ts";
export type { CallDescription, InputDescription, RunDescription } from "./describe_run.ts";
export type { Limits } from "../sandbox/host/limits.ts";
export type { Fingerprint } from "../inputs/fingerprint.ts";
export type { Damage, DamagedPart, JournalCheck } from "../journal/damage.ts";
export type { PrunedRun, PrunedTo, PruneOptions } from "./prune.ts";
export type { Keep, OnUnknown, RunSettings, RunState, ShownState } from "../journal/journal.ts";
export type { Ask, GrantOptions } from "../scripts/permissions.ts";
export type { PlanOptions, PlanResult } from "../plan/make_plan.ts";
export type { Plan, PlanEnd, PlannedRequest, PlannedStep, StepKind } from "../plan/plan.ts";
export {
  type CassetteResult,
  type NamedCassette,
  testCassettes,
  type TestOptions,
} from "../cassette/test_cassettes.ts";
export type { Cassette, CassetteAnswer, CassetteCall, CassetteContent } from "../cassette/cassette.ts";
export { ERROR_CODES, isSvcError, SvcError } from "../../lib/errors.ts";
export type {
  ErrorAttempt,
  ErrorCode,
  ErrorDetail,
  ErrorRecord,
  Hint,
  HintCommand,
  SvcErrorOptions,
} from "../../lib/errors.ts";
export type { Outage } from "../../lib/client/availability.ts";
export type { CallerOptions, Exchange } from "../../lib/client/caller.ts";
export type { ExchangeSummary, Fetch, SentRequest, SessionOptions } from "../../lib/auth/settings.ts";
export type { Warn } from "../../lib/client/callback.ts";
export type { JsonObject, JsonValue } from "../../utils/json.ts";
export type { PasswordSource } from "../../utils/postgres/password.ts";
export type { JournalLocation } from "./hints.ts";
