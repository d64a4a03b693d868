/**
 * The module that workflow scripts import. `svc workflow run` runs a script in a child process without permissions. The
 * functions of `svc` are those of the library; the parent process makes each call if its operation is granted.
 *
 * @example Create a case and perform its first assignment
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
import type { Client } from "../lib/client/client_type.ts";
import { isSvcError, SvcError } from "../lib/errors.ts";
import { ExactNumber } from "../utils/exact_number.ts";
import type { JsonObject, JsonValue } from "../utils/json.ts";
import type { RequestOptions } from "../lib/operation/operation.ts";

export { ExactNumber, isSvcError, SvcError };
export type { ErrorAttempt, ErrorCode, ErrorDetail, ErrorRecord, Hint, HintCommand } from "../lib/errors.ts";
export type { JsonObject, JsonValue } from "../utils/json.ts";

/** The functions of the operations, as in the library. They take no `idempotencyKey`, because the run creates one per change. */
export type WorkflowClient = Client<Omit<RequestOptions, "idempotencyKey">, "script">;

/** The description of a workflow. */
export interface Workflow<Input = JsonObject> {
  /** Name, shown in lists and reports. */
  readonly name: string;
  /** Operations that it requests. A request alone grants nothing. */
  readonly allow: readonly PermissionName[];
  /**
   * True if many inputs may run at the same time in one process, which makes batches of small inputs several times as fast.
   * The inputs share the variables of the modules, so `run` must depend only on its input and on responses.
   *
   * @example Return the status of each case
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow<{ caseId: string }>({
   *   name: "status",
   *   allow: ["cases.get"],
   *   stateless: true,
   *   run: async ({ svc, input }) => (await svc.cases.get(input.caseId)).status,
   * });
   * ```
   */
  readonly stateless?: boolean;
  /** Does the work. The return value must be JSON; it is the result of the input. */
  run(context: WorkflowContext<Input>): unknown;
}

/** The context of a running workflow. */
export interface WorkflowContext<Input = JsonObject> {
  /** Functions of the operations. They throw only `SvcError`. */
  readonly svc: WorkflowClient;
  /** Input: the value of `--input`, or one line of `--each`. Its type is not checked. */
  readonly input: Input;
  /** Writes a line to stderr and to the journal. */
  readonly log: (...values: unknown[]) => void;
  /**
   * Resolves after a delay of any length. The delay does not count against `--timeout`. A resumed run sleeps only for the
   * rest of it. A sleep that is still open when `run` returns does not delay the end of the input.
   *
   * @example Log a reminder after a day
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
  readonly sleep: (milliseconds: number, options?: SleepOptions) => Promise<void>;
  /**
   * Repeats a call until a condition holds for its response, and returns that response. Sleeps in between, each time
   * longer. Throws `SvcError` with the code `TIMEOUT` if the condition does not hold in time.
   *
   * @example Wait until the case is resolved
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
  /**
   * Waits until a person or a program sends a signal with `svc workflow signal`, and returns its value. Signals are
   * received once each, in the order in which they were sent, even if they were sent earlier. The type of the value is not
   * checked.
   *
   * @example Wait for an approval
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow<{ caseId: string }>({
   *   name: "approval",
   *   allow: ["cases.get"],
   *   async run({ svc, input, receive, log }) {
   *     const { by } = await receive<{ by: string }>("approved");
   *     const { status } = await svc.cases.get(input.caseId);
   *     log(`${by} approved ${input.caseId}, which is ${status}.`);
   *   },
   * });
   * ```
   */
  readonly receive: <Value = JsonValue>(name: string, options?: SleepOptions) => Promise<Value>;
  /**
   * Reports whether the input takes the new path of an edited script. Inputs that had passed this place before the edit take
   * the old one, so that they still match their histories. All others take the new one, also when they are resumed. The
   * first call with a name decides for the whole input. A name has 1 to 64 letters, digits, `.`, `_` and `-`.
   *
   * @example Tag the cases of new inputs
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow({
   *   name: "intake",
   *   allow: ["cases.create", "tags.add"],
   *   async run({ svc, input, patched }) {
   *     const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit", data: input });
   *     if (patched("tag-imports")) await svc.tags.add(id, { tag: ["imported"] });
   *     return id;
   *   },
   * });
   * ```
   */
  readonly patched: (name: string) => boolean;
  /**
   * Ends the history of the input, and starts the script again with another input and an empty history. The limits apply to
   * each history. Waits for open calls first. The script gets no result, so that nothing may follow the call.
   *
   * @example Count the permits every day
   * ```ts
   * import { defineWorkflow } from "@svc/lib/workflow";
   *
   * export default defineWorkflow<{ day: number }>({
   *   name: "watch",
   *   allow: ["data.count"],
   *   async run({ svc, input, sleep, log, continueAsNew }) {
   *     const { resultCount } = await svc.data.count("D_Permits");
   *     log(`Day ${input.day}: ${resultCount} permits.`);
   *     await sleep(24 * 60 * 60 * 1000);
   *     return await continueAsNew({ day: input.day + 1 });
   *   },
   * });
   * ```
   */
  readonly continueAsNew: (input: Input) => Promise<never>;
}

/** Options of `sleep` and `receive`. */
export interface SleepOptions {
  /** Ends the sleep early: it then rejects. */
  readonly signal?: AbortSignal;
}

/** Options of `waitFor`. */
export interface WaitOptions extends SleepOptions {
  /** Seconds between the first two calls. Each further delay is 50 % longer, up to ten times the first. Default: 2. */
  readonly everySeconds?: number;
  /** Seconds from the first response to the timeout. Default: 3600. */
  readonly timeoutSeconds?: number;
}

/** Permission name of an operation (`assignments.get-next`), or a pattern (`assignments.*`, `*`). */
export type PermissionName =
  | "*"
  | { [G in keyof WorkflowClient]: `${Kebab<G>}.${Kebab<keyof WorkflowClient[G]> | "*"}` }[keyof WorkflowClient];

/** Converts `getNext` to `get-next`. */
export type Kebab<Name> = Name extends `${infer Letter}${infer Rest}`
  ? `${Letter extends Lowercase<Letter> ? Letter : `-${Lowercase<Letter>}`}${Kebab<Rest>}`
  : "";

/**
 * Returns a workflow for the default export of a script, with types for its input.
 *
 * @example Declare the type of the input
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
