import { DEFAULT_MAX_OUTAGE_SECONDS, DEFAULT_WORKFLOW_RETRIES } from "../../lib/auth/call_settings.ts";
import { readTarget } from "../../lib/auth/settings.ts";
import { getAvailability } from "../../lib/client/availability.ts";
import { type Caller, type CallerOptions, createCaller } from "../../lib/client/caller.ts";
import { retrying } from "../../lib/client/retry.ts";
import type { Granted } from "../engine/live_calls.ts";
import type { RunSettings } from "../journal/journal.ts";
import type { OpenWorkflow } from "../scripts/open_workflow.ts";
import { CallPacer, createLocalLimiter } from "../pace/call_limiter.ts";
import { limitCalls } from "../pace/limit_calls.ts";
import type { RunEvents } from "./options.ts";

/** Opens the caller of a run. It retries calls, waits while the service is unavailable, and keeps to `--call-rate`. */
export function openCaller(
  settings: Pick<RunSettings, "maxOutageSeconds" | "callRate">,
  onOutage: RunEvents["onOutage"],
  options: CallerOptions,
  resources: AsyncDisposableStack,
): Caller {
  const { baseUrl, ...target } = readTarget({ ...options, warn: () => {} });
  const maxOutageSeconds = settings.maxOutageSeconds ?? target.maxOutageSeconds ?? DEFAULT_MAX_OUTAGE_SECONDS;
  if (onOutage !== undefined) {
    resources.use(getAvailability(baseUrl).listen((outage) => onOutage({ ...outage, maxOutageSeconds })));
  }
  const caller = retrying(createCaller(options), {
    attempts: (target.retries ?? DEFAULT_WORKFLOW_RETRIES) + 1,
    maxOutageSeconds,
  });
  const { callRate } = settings;
  return callRate === undefined ? caller : limitCalls(caller, new CallPacer([createLocalLimiter(callRate)]));
}

/** Permits all operations: the source of the inputs is a part of svc, and not of the script. */
export function grantAll({ operations }: OpenWorkflow): Granted {
  return { operations, grants: new Set(operations.keys()) };
}
