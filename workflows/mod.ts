/**
 * What a workflow script imports. `svc workflow run` runs the script in a child process that has no permission at all;
 * the functions of `svc` are the library's, and each call is made by the parent, if the operation was granted.
 *
 * @example A workflow that creates a case and performs its first assignment
 * ```ts
 * import { defineWorkflow } from "@svc/lib/workflow";
 *
 * export default defineWorkflow({
 *   name: "intake",
 *   allow: ["cases.create", "assignments.perform"],
 *   async run({ svc, input, log }) {
 *     const created = await svc.cases.create({ type: "City-Permit-Work-Permit", data: input });
 *     log("created", created.id);
 *     const first = created.nextAssignmentInfo;
 *     return first && await svc.assignments.perform(first.ID, { action: "Register" });
 *   },
 * });
 * ```
 *
 * @module
 */
import type { Client as LibraryClient } from "../lib/client/bind.ts";
import { SvcError } from "../lib/errors.ts";
import type { JsonObject } from "../utils/json.ts";
import type { RequestOptions } from "../lib/operation/operation.ts";

export { SvcError };
export type { ErrorAttempt, ErrorCode, ErrorDetail, ErrorRecord, Hint, HintCommand } from "../lib/errors.ts";
export type { JsonObject, JsonValue } from "../utils/json.ts";

/** The functions of the operations, as in the library, but without its `idempotencyKey`: each change has one of the run's. */
export type Client = LibraryClient<Omit<RequestOptions, "idempotencyKey">>;

/** A workflow: what it is called, what it asks for, what it does. */
export interface Workflow<Input = JsonObject> {
  /** Name for people. */
  readonly name: string;
  /** The operations that it asks for: nothing is granted by asking. */
  readonly allow: readonly PermissionName[];
  /** Does the work. What it gives back must be JSON; it is the result of the run. */
  run(context: WorkflowContext<Input>): unknown;
}

/** What a running workflow has. */
export interface WorkflowContext<Input = JsonObject> {
  /** The functions of the operations. Each throws `SvcError` alone. */
  readonly svc: Client;
  /** The input: of `--input`, or one line of `--each`. Its type is the script's claim: nobody checks it. */
  readonly input: Input;
  /** Writes a line to stderr. */
  readonly log: (...values: unknown[]) => void;
  /**
   * Resolves when the time is up, however long that is: it does not count against `--timeout`, and a run that is resumed
   * sleeps only as long as is left.
   *
   * @example A reminder after a day
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow<{ caseId: string }>({
   *   name: "reminder",
   *   allow: ["cases.get"],
   *   async run({ svc, input, sleep, log }) {
   *     await sleep(24 * 60 * 60 * 1000);
   *     const { status } = await svc.cases.get(input.caseId);
   *     if (!status.startsWith("Resolved")) log(`${input.caseId} is still ${status}.`);
   *   },
   * });
   * ```
   */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /**
   * Repeats a call until its answer is as wished, and gives that answer; sleeps in between, each time somewhat longer.
   * Throws `SvcError` with the code `TIMEOUT` where that does not happen in time.
   *
   * @example Going on when somebody has resolved the case
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow<{ caseId: string }>({
   *   name: "await-decision",
   *   allow: ["cases.get"],
   *   async run({ svc, input, waitFor }) {
   *     const found = await waitFor(
   *       () => svc.cases.get(input.caseId),
   *       ({ status }) => status.startsWith("Resolved"),
   *       { everySeconds: 30, timeoutSeconds: 7 * 24 * 3600 },
   *     );
   *     return found.status;
   *   },
   * });
   * ```
   */
  readonly waitFor: <Answer>(
    operation: () => Promise<Answer>,
    until: (answer: Answer) => boolean | Promise<boolean>,
    options?: WaitOptions,
  ) => Promise<Answer>;
}

/** How to wait for something. */
export interface WaitOptions {
  /** Seconds between the first two calls, 2 without it; each further wait is longer by half, up to ten times the first. */
  readonly everySeconds?: number;
  /** Seconds from the first answer until it is given up: an hour without it. */
  readonly timeoutSeconds?: number;
}

/** An operation's name, as permissions spell it (`assignments.get-next`), or a pattern (`assignments.*`, `*`). */
export type PermissionName =
  | "*"
  | { [G in keyof Client]: `${Kebab<G>}.${Kebab<keyof Client[G]> | "*"}` }[keyof Client];

/** `getNext` as `get-next`. */
export type Kebab<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${Kebab<Rest>}`
  : "";

/**
 * Describes a workflow; a script exports the description as its default.
 *
 * @example An input of one's own type
 * ```ts
 * import { defineWorkflow } from "@svc/lib/workflow";
 *
 * export default defineWorkflow<{ caseId: string }>({
 *   name: "status",
 *   allow: ["cases.get"],
 *   run: async ({ svc, input }) => (await svc.cases.get(input.caseId)).status,
 * });
 * ```
 */
export function defineWorkflow<Input = JsonObject>(workflow: Workflow<Input>): Workflow<Input> {
  return workflow;
}

/** Whether a value that was thrown is an error of the library. */
export function isSvcError(thrown: unknown): thrown is SvcError {
  return thrown instanceof SvcError;
}
