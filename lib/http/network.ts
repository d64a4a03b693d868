import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { getErrorMessage, type HintCommand, isImportFailure, SvcError } from "../errors.ts";

/**
 * Describes a failed exchange in one sentence, such as `GET http://127.0.0.1:8080/… failed: Connection refused.` Throws
 * errors of permissions and imports as they are.
 */
export function explainNetwork(error: unknown, exchange: string, profile?: string): SvcError {
  if (error instanceof Deno.errors.NotCapable || isImportFailure(error)) throw error;
  const reason = findRootReason(error);
  const { hostname = "" } = URL.parse(exchange.replace(/^\S+ /, "")) ?? {};
  const isStopped = isLoopbackHost(hostname) && /refused/i.test(reason);
  return new SvcError("NETWORK_ERROR", `${exchange} failed: ${reason}.`, {
    cause: error,
    hint: isStopped
      ? {
        text: "No service is running at this address of your machine.",
        commands: [{ args: ["service", "start", "--detach"], purpose: "to start one" }, suggestDiagnosis(profile)],
      }
      : { text: "Check the address, and check that the service is running.", commands: [suggestDiagnosis(profile)] },
  });
}

/** Returns the command that finds out why a service cannot be reached. */
export function suggestDiagnosis(profile: string = "default"): HintCommand {
  const options = profile === "default" ? [] : ["--profile", profile];
  return { args: ["auth", "diagnose", ...options], purpose: "to find the step that fails" };
}

/** Returns the innermost reason: `fetch` wraps it in errors and sentences that repeat the address. */
function findRootReason(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return findRootReason(error.cause);
  const message = getErrorMessage(error);
  const last = message.split(": ").at(-1) ?? message;
  return last.replace(/ \(os error \d+\)$/, "").replace(/\.$/, "");
}
