/** Calls that are made for real: checked against what was granted, then sent. `sleep` is one that nobody is asked for. */
import type { Caller } from "../../lib/client/caller.ts";
import { isRead } from "../../lib/operation.ts";
import { grantedOperation, type Grants, type Operations } from "../permissions.ts";
import type { CallRequest } from "../sandbox/messages.ts";
import type { CallAnswer } from "../sandbox/sandbox.ts";
import { answerOf } from "./answer.ts";
import type { LiveCall, LiveCalls } from "./input_run.ts";

/** Makes the calls of a run. */
export class GrantedCalls implements LiveCalls {
  readonly #caller: Caller;
  readonly #operations: Operations;
  readonly #grants: Grants;

  /** Makes the calls that were granted. */
  constructor(caller: Caller, operations: Operations, grants: Grants) {
    this.#caller = caller;
    this.#operations = operations;
    this.#grants = grants;
  }

  /** Makes a call. */
  async call({ operation, values, timeoutSeconds }: CallRequest, how: LiveCall): Promise<CallAnswer> {
    const granted = grantedOperation(operation, this.#operations, this.#grants);
    const { signal, sending } = how;
    if (!isRead(granted.operation)) await sending(undefined);
    return await answerOf(await this.#caller.call(granted, values, { signal, timeoutSeconds }));
  }
}
