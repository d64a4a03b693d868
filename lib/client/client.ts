/** The library's client. */
import { checkAnswer } from "../answers.ts";
import { SvcError } from "../errors.ts";
import { importUnseen } from "../import_unseen.ts";
import { loadResources } from "../resources/mod.ts";
import { bindOperations, type Client } from "./bind.ts";
import { type Caller, type CallerOptions, createCaller } from "./caller.ts";
import { checkClientOptions } from "./client_options.ts";
import { spoiled } from "./spoiled.ts";

const resources = await loadResources();

/** How a client reaches its service, and how often it tries. */
export interface ClientOptions extends CallerOptions {
  /**
   * How often a call that failed is tried again: 0 without it. Only what cannot do anything twice is repeated: reads,
   * changes with an `idempotencyKey` where the service knows keys, and what surely has not been done. Between attempts
   * it waits for a random time whose range grows, and as long as the service asks for; after a `Retry-After` of more than
   * a minute there is none. All calls of the process share a budget.
   */
  retries?: number;
}

/**
 * Makes a client of a service: a function per operation, grouped as on the command line.
 *
 * Options win over the environment variables `SVC_BASE_URL`, `SVC_CLIENT_ID` and `SVC_CLIENT_SECRET`, and those over
 * the profile. Nothing is read or sent before the first call. Every function throws `SvcError` alone. An option that there
 * is not is refused at once, with `INVALID_ARGS`.
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
export function createClient(options: ClientOptions = {}): Client {
  checkClientOptions(options);
  const { retries = 0 } = options;
  checkRetries(retries);
  const once = createCaller(options);
  let repeating: Promise<Caller> | undefined;
  return bindOperations(resources, async (ref, values, callOptions) => {
    const caller = retries === 0 ? once : await (repeating ??= withRetries(once, retries));
    const reply = await caller.call(ref, values, callOptions);
    try {
      return checkAnswer(ref.operation.answer, reply, values.assignmentId ?? values.participantId);
    } catch (error) {
      throw spoiled(ref.operation, error);
    }
  });
}

async function withRetries(caller: Caller, retries: number): Promise<Caller> {
  const { retrying } = await importUnseen<typeof import("./retry.ts")>("lib/client/retry.ts");
  return retrying(caller, { attempts: retries + 1 });
}

function checkRetries(retries: unknown): void {
  if (typeof retries === "number" && Number.isInteger(retries) && retries >= 0) return;
  throw new SvcError("INVALID_ARGS", "retries must be a whole number that is not negative.", {
    hint: "Leave it out to try each call once.",
  });
}
