import { DEFAULT_MAX_OUTAGE_SECONDS, DEFAULT_WORKFLOW_RETRIES } from "../../lib/auth/call_settings.ts";
import { readTarget } from "../../lib/auth/settings.ts";
import { getAvailability } from "../../lib/client/availability.ts";
import { type Caller, type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { retrying } from "../../lib/client/retry.ts";
import type { Granted } from "../engine/live_calls.ts";
import type { RunSettings } from "../journal/journal.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";
import type { RunEvents } from "./options.ts";

/** Opens the caller of a run. It retries calls, waits while the service is unavailable, and keeps to `--call-rate`. */
export async function openCaller(
  settings: Pick<RunSettings, "maxOutageSeconds" | "callRate">,
  onOutage: RunEvents["onOutage"],
  options: CallerOptions,
  resources: AsyncDisposableStack,
): Promise<Caller> {
  const { baseUrl, ...retries } = readRetries(settings, options);
  if (onOutage !== undefined) {
    const { maxOutageSeconds } = retries;
    resources.use(getAvailability(baseUrl).listen((outage) => onOutage({ ...outage, maxOutageSeconds })));
  }
  const caller = retrying(createCaller(options), retries);
  const { callRate } = settings;
  if (callRate === undefined) return caller;
  const { createLocalLimiter } = await import("../pace/call_limiter.ts");
  const { limitCalls } = await import("../pace/limit_calls.ts");
  return limitCalls(caller, [createLocalLimiter(callRate)]);
}

/** Reads how often the calls of a run are retried, and for how long they wait while the service is unavailable. */
export function readRetries({ maxOutageSeconds }: Pick<RunSettings, "maxOutageSeconds">, options: CallerOptions) {
  const target = readTarget({ ...options, warn: () => {} });
  return {
    baseUrl: target.baseUrl,
    attempts: (target.retries ?? DEFAULT_WORKFLOW_RETRIES) + 1,
    maxOutageSeconds: maxOutageSeconds ?? target.maxOutageSeconds ?? DEFAULT_MAX_OUTAGE_SECONDS,
  };
}

/** Permits all operations: the source of the inputs is a part of svc, and not of the script. */
export function grantAll({ operations }: OpenWorkflow): Granted {
  return { operations, grants: new Set(operations.keys()) };
}
