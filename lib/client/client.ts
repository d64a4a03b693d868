/** The library's client. */
import { checkAnswer } from "../answers.ts";
import { loadResources } from "../resources/mod.ts";
import { bindOperations, type Client } from "./bind.ts";
import { type CallerOptions, createCaller } from "./caller.ts";

const resources = await loadResources();

/**
 * Makes a client of a service: a function per operation, grouped as on the command line.
 *
 * Options win over the environment variables `SVC_BASE_URL`, `SVC_CLIENT_ID` and `SVC_CLIENT_SECRET`, and those over
 * the profile. Nothing is read or sent before the first call. Every function throws `SvcError` alone.
 *
 * @example Creating a case and taking the next assignment
 * ```ts
 * import { createClient } from "@svc/lib";
 *
 * const svc = createClient();
 * const created = await svc.cases.create({ type: "City-Permit-Work-Permit" });
 * const next = await svc.assignments.getNext();
 * console.log(created.id, created.status, next.id);
 * ```
 */
export function createClient(options: CallerOptions = {}): Client {
  const caller = createCaller(options);
  return bindOperations(resources, async (ref, values, callOptions) => {
    const reply = await caller.call(ref, values, callOptions);
    return checkAnswer(ref.operation.answer, reply);
  });
}
