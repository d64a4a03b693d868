/** The loss of a claim on an input. */
import { SvcError } from "../../lib/errors.ts";
import { LeftOpen } from "../sandbox/host/interruption.ts";

/** Marks an error as the loss of a claim. The input stays open, and the process that now has the claim continues it. */
export class LostClaim extends LeftOpen {}

/** Creates the error for writes through a claim that no longer holds. */
export function createLostClaimError(runId: string, number: number): SvcError {
  const message = `Another process has taken over input ${number} of run ${runId}.`;
  return new SvcError("INTERRUPTED", message, { cause: new LostClaim(message) });
}

/** Reports whether an error is the loss of a claim. */
export function isLostClaim(error: unknown): error is SvcError {
  return error instanceof SvcError && error.cause instanceof LostClaim;
}
