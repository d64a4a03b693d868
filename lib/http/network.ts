/** Failures of the network, in words. */
import { getErrorMessage, isImportFailure, SvcError } from "../errors.ts";

/** A failure of the network, in one sentence. */
export function explainNetwork(error: unknown, exchange: string): SvcError {
  if (error instanceof Deno.errors.NotCapable || isImportFailure(error)) throw error;
  const reason = rootReason(error);
  return new SvcError("NETWORK_ERROR", `${exchange} failed: ${reason}.`, {
    cause: error,
    hint: "Check the address and that the service runs; 'svc auth diagnose' shows where it fails.",
  });
}

/** The innermost reason: `fetch` wraps it in errors and sentences that repeat the address. */
function rootReason(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return rootReason(error.cause);
  const message = getErrorMessage(error);
  const last = message.split(": ").at(-1) ?? message;
  return last.replace(/ \(os error \d+\)$/, "").replace(/\.$/, "");
}
