/** The loss of a claim on an input. */
import { SvcError } from "../../lib/errors.ts";
import { LeftOpen } from "../sandbox/host/interruption.ts";

/** Says that a claim no longer holds. Its input stays open, and the process that has claimed it now continues it. */
export class LostClaim extends LeftOpen {}

/** Creates the error for writes through a claim that no longer holds. */
export function createLostClaimError(runId: string, number: number): SvcError {
  const message = `Another process has taken over input ${number} of run ${runId}.`;
  return new SvcError("INTERRUPTED", message, { cause: new LostClaim(message) });
}

/** Reports whether an error says that a claim no longer holds. */
export function isLostClaim(error: unknown): error is SvcError {
  return error instanceof SvcError && error.cause instanceof LostClaim;
}
