/** The client of the library. */
import { captureCallSite, locateError } from "../locate_errors.ts";
import { loadResources } from "../resources/mod.ts";
import { bindOperations } from "./bind.ts";
import type { Client } from "./client_type.ts";
import { checkAnswer } from "./response/check_answer.ts";
import { checkClientOptions, type ClientOptions } from "./client_options.ts";
import { openCaller } from "./open_caller.ts";
import { markOutcomeUnknown } from "./outcome.ts";

const resources = await loadResources();

/**
 * Creates a client of a service. It has a function for each operation, in the groups of the command line.
 *
 * Options override the environment variables `SVC_BASE_URL`, `SVC_CLIENT_ID`, `SVC_CLIENT_SECRET`, `SVC_TIMEOUT` and
 * `SVC_RETRIES`, which override the profile. Nothing is read or sent before the first call. All functions throw
 * `SvcError`. An unknown option throws `INVALID_ARGS` at once.
 *
 * @example Creating a case and getting the next assignment
 * ```ts
 * import { createClient } from "@svc/lib";
 *
 * const svc = createClient();
 * const created = await svc.cases.create({ type: "City-Permit-Work-Permit" });
 * const next = await svc.assignments.getNext();
 * console.log(created.id, created.status, next.id);
 * ```
 */
export function createClient(options: ClientOptions = {}): Client {
  try {
    checkClientOptions(options);
  } catch (error) {
    throw locateError(error, captureCallSite(createClient));
  }
  const caller = openCaller(options);
  return bindOperations(resources, async (ref, values, callOptions, onResponse) => {
    const reply = await caller.call(ref, values, callOptions);
    try {
      const { status, headers, etag, requestId } = reply.head;
      onResponse?.({ status, headers, etag, requestId });
      return checkAnswer(ref.operation.answer, reply, values.assignmentId ?? values.participantId);
    } catch (error) {
      throw markOutcomeUnknown(ref.operation, error);
    }
  });
}
