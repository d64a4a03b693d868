import type { Client } from "../../lib/client/client_type.ts";
import { SvcError } from "../../lib/errors.ts";
import type { JsonObject } from "../../utils/json.ts";

/** Attempts for a form whose values the application does not accept. */
const ATTEMPTS = 4;

/** A kind of call that the service has refused. */
export interface Refusal extends JsonObject {
  /** The work, e.g. `Permit: Check the application`. */
  work: string;
  /** The message of the service for the first of these calls. */
  message: string;
  /** Number of refused calls. */
  calls: number;
}

/** The operators of an application, as clients of a service. */
export class ActingOperators {
  readonly #open: (operator: string) => Promise<Client>;
  readonly #signal: AbortSignal | undefined;
  readonly #clients = new Map<string, Promise<Client>>();
  readonly #refusals = new Map<string, Refusal>();

  /** Opens the client of an operator on its first call. */
  constructor(open: (operator: string) => Promise<Client>, signal?: AbortSignal) {
    this.#open = open;
    this.#signal = signal;
  }

  /** Calls that the service has refused, by kind. */
  get refusals(): Refusal[] {
    return [...this.#refusals.values()];
  }

  /**
   * Makes a call as the first of these operators who may make it, with new values if the application does not accept
   * them. Returns undefined and records the refusal if the service refuses the call.
   */
  async act<T extends object>(
    work: string,
    operators: readonly string[],
    call: (client: Client, operator: string) => Promise<T>,
  ): Promise<T | undefined> {
    let refusal = new SvcError("FORBIDDEN", "No operator may do this.");
    for (const operator of operators) {
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        this.#signal?.throwIfAborted();
        try {
          return await call(await this.#getClient(operator), operator);
        } catch (error) {
          if (!isRefusal(error)) throw error;
          refusal = error;
          if (error.code !== "VALIDATION_FAIL") break;
        }
      }
      if (!isMatterOfRights(refusal)) break;
    }
    const message = refusal.details?.at(-1)?.localizedValue ?? refusal.message;
    const key = `${work}\n${message.replace(/\d+/g, "#")}`; // Messages may contain case numbers.
    const first = this.#refusals.get(key) ?? { work, message, calls: 0 };
    this.#refusals.set(key, { ...first, calls: first.calls + 1 });
    return undefined;
  }

  #getClient(operator: string): Promise<Client> {
    const client = this.#clients.get(operator) ?? this.#open(operator);
    this.#clients.set(operator, client);
    return client;
  }
}

/** Reports whether the service has understood and refused a call. It cannot carry out what an endless definition asks. */
function isRefusal(error: unknown): error is SvcError {
  if (!(error instanceof SvcError) || error.status === undefined || error.code === "UNAUTHORIZED") return false;
  return error.status >= 400 && (error.status < 500 || error.code === "INTERNAL_SERVER_ERROR");
}

/** Reports whether another operator could make a refused call. A case that an operator may not see is not found. */
function isMatterOfRights({ code }: SvcError): boolean {
  return code === "FORBIDDEN" || code === "NOT_FOUND";
}
