import { isLoopbackHost } from "../../utils/loopback_host.ts";
import { DEFAULT_PROFILE } from "../auth/default_profile.ts";
import { getErrorMessage, type HintCommand, isImportFailure, SvcError } from "../errors.ts";

/** The profile of a service, and where its data are if svc has started it on this machine. */
export interface LocalService {
  /** Name of the profile. */
  readonly profile?: string;
  /** Data directory, if it is not the default one. */
  readonly dataDirectory?: string;
}

/**
 * Describes a failed exchange in one sentence, such as `GET http://127.0.0.1:8080/… failed: Connection refused.` Throws
 * errors of permissions and imports as they are.
 */
export function explainNetwork(error: unknown, exchange: string, service: LocalService = {}): SvcError {
  if (error instanceof Deno.errors.NotCapable || isImportFailure(error)) throw error;
  const reason = findRootReason(error);
  const { hostname = "" } = URL.parse(exchange.replace(/^\S+ /, "")) ?? {};
  const isStopped = isLoopbackHost(hostname) && /refused/i.test(reason);
  return new SvcError("NETWORK_ERROR", `${exchange} failed: ${reason}.`, {
    cause: error,
    hint: isStopped
      ? {
        text: "No service is running at this address of your machine.",
        commands: [{ args: buildStartArguments(service), purpose: "to start one" }, suggestDiagnosis(service.profile)],
      }
      : {
        text: "Check the address, and check that the service is running.",
        commands: [suggestDiagnosis(service.profile)],
      },
  });
}

/** Returns the arguments that start the service again. */
function buildStartArguments({ profile = DEFAULT_PROFILE, dataDirectory }: LocalService): string[] {
  if (dataDirectory === undefined) return ["service", "start", "--detach"];
  const ofProfile = profile === DEFAULT_PROFILE ? [] : ["--profile", profile];
  return ["service", "start", "--detach", "--data", dataDirectory, ...ofProfile];
}

/** Returns the command that finds out why a service cannot be reached. */
export function suggestDiagnosis(profile: string = DEFAULT_PROFILE): HintCommand {
  const options = profile === DEFAULT_PROFILE ? [] : ["--profile", profile];
  return { args: ["auth", "diagnose", ...options], purpose: "to find the step that fails" };
}

/** Returns the innermost reason: `fetch` wraps it in errors and sentences that repeat the address. */
function findRootReason(error: unknown): string {
  if (error instanceof Error && error.cause instanceof Error) return findRootReason(error.cause);
  const message = getErrorMessage(error);
  const last = message.split(": ").at(-1) ?? message;
  return last.replace(/ \(os error \d+\)$/, "").replace(/\.$/, "");
}
