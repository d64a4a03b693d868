/** Calls that are made for real: checked against what was granted, then sent. `sleep` is one that nobody is asked for. */
import type { Caller } from "../../lib/client/caller.ts";
import { isRead } from "../../lib/operation.ts";
import type { OnUnknown } from "../journal/journal.ts";
import { grantedOperation, type Grants, type Operations } from "../permissions.ts";
import type { CallRequest } from "../sandbox/messages.ts";
import type { CallAnswer } from "../sandbox/sandbox.ts";
import { answerOf } from "./answer.ts";
import type { LiveCall, LiveCalls } from "./input_run.ts";

/** What was granted, of what there is. */
export interface Granted {
  /** All operations. */
  readonly operations: Operations;
  /** Those that may be called. */
  readonly grants: Grants;
}

/** Makes the calls of a run. */
export class GrantedCalls implements LiveCalls {
  readonly #caller: Caller;
  readonly #operations: Operations;
  readonly #grants: Grants;
  readonly #onUnknown: OnUnknown;

  /** Makes the calls that were granted. */
  constructor(caller: Caller, { operations, grants }: Granted, onUnknown: OnUnknown = "stop") {
    this.#caller = caller;
    this.#operations = operations;
    this.#grants = grants;
    this.#onUnknown = onUnknown;
  }

  /** Makes a call. */
  async call({ operation, values, timeoutSeconds }: CallRequest, how: LiveCall): Promise<CallAnswer> {
    const granted = grantedOperation(operation, this.#operations, this.#grants);
    const { signal, sending } = how;
    if (!isRead(granted.operation)) await sending(undefined);
    return await answerOf(await this.#caller.call(granted, values, { signal, timeoutSeconds }));
  }
}
