/** `assignments perform --interactive`: a person picks the action and fills in its required fields at prompts. */
import type { ActionInfo, AssignmentAnswer } from "../answer_types.ts";
import { checkAnswer } from "../answers.ts";
import { type Caller, createCaller, type OperationRef } from "../client/caller.ts";
import type { Reply } from "../client/reply.ts";
import type { Values } from "../client/values.ts";
import { SvcError } from "../errors.ts";
import type { JsonValue } from "../json.ts";
import { toKebab } from "../names.ts";
import { operations } from "../resources/assignments.ts";
import type { CommandContext, Given } from "./command.ts";
import { type FormField, requiredFields } from "./form.ts";
import { findFault, shownValue, toFieldValue, toSubmission } from "./form_values.ts";
import { globalFlags } from "./global_flags.ts";
import type { Prompts } from "./prompts.ts";
import { callerOptions } from "./service_access.ts";

/** Performs an assignment with the answers of a person; the service's answer alone goes to stdout. */
export async function performInteractively(
  context: CommandContext,
  perform: OperationRef,
  given: Given,
): Promise<void> {
  checkAlone(perform, given);
  if (context.globals.dryRun) throw exclusive("dryRun");
  if (!context.io.stdin.isTerminal() || !context.io.stderr.isTerminal()) {
    throw new SvcError("INVALID_ARGS", "--interactive needs a terminal to ask questions on.", {
      operation: perform.name,
      hint: "Give --action and --data instead.",
    });
  }
  const work = new Work(createCaller(callerOptions(context)), given.assignmentId, context.signal);
  const assignment = await work.readAssignment();
  const { promptsOfProcess } = await import("./prompts.ts");
  const prompts = await promptsOfProcess();
  const action = await pickAction(prompts, assignment.actions);
  const values = await askFields(prompts, action, await work.readForm(action.ID));
  prompts.show(action.name, [...values].map(([field, value]) => `${field.label}: ${shownValue(field, value)}`));
  if (!await prompts.confirm(`Submit '${action.name}'?`)) {
    throw new SvcError("INTERRUPTED", "Not confirmed: nothing was sent.");
  }
  const submission = { action: action.ID, ifMatch: assignment.etag, ...toSubmission(values) };
  const { body } = await work.call(perform, submission);
  await context.print(body);
}

/** Everything else that the command takes is asked for. */
function checkAlone({ operation }: OperationRef, given: Given): void {
  const allowed = [...(operation.args ?? []).map(({ name }) => name), ...Object.keys(globalFlags)];
  const other = Object.keys(given).find((name) => given[name] !== undefined && !allowed.includes(name));
  if (other !== undefined) throw exclusive(other);
}

function exclusive(name: string): SvcError {
  return new SvcError("INVALID_ARGS", `--${toKebab(name)} and --interactive are mutually exclusive.`, {
    hint: "Leave out --interactive to give the values yourself.",
  });
}

interface OpenAssignment {
  readonly actions: readonly ActionInfo[];
  readonly etag: string;
}

/** The calls about one assignment. */
class Work {
  readonly #caller: Caller;
  readonly #assignmentId: unknown;
  readonly #signal: AbortSignal;

  constructor(caller: Caller, assignmentId: unknown, signal: AbortSignal) {
    this.#caller = caller;
    this.#assignmentId = assignmentId;
    this.#signal = signal;
  }

  async call(ref: OperationRef, values: Values): Promise<Reply> {
    return await this.#caller.call(ref, { assignmentId: this.#assignmentId, ...values }, { signal: this.#signal });
  }

  async readAssignment(): Promise<OpenAssignment> {
    const reply = await this.call({ name: "assignments.get", operation: operations.get }, {});
    const actions = actionsOf(checkAnswer("assignment", reply));
    if (actions.length === 0) {
      throw new SvcError("INVALID_ARGS", "The assignment has no action that you may perform.", {
        hint: "'svc assignments get-next' answers one that you may.",
      });
    }
    if (reply.etag === undefined) {
      throw new SvcError("MISSING_ETAG", "The service answered the assignment without an entity tag.");
    }
    return { actions, etag: reply.etag };
  }

  async readForm(action: string): Promise<FormField[]> {
    const ref = { name: "assignments.get-action", operation: operations.getAction };
    const { data, uiResources } = checkAnswer("view", await this.call(ref, { action }));
    return requiredFields(uiResources ?? {}, data.caseInfo.content ?? {});
  }
}

function actionsOf({ id, data: { caseInfo } }: AssignmentAnswer): readonly ActionInfo[] {
  const own = caseInfo.assignments?.find(({ ID }) => ID === id);
  return own?.actions ?? [];
}

async function pickAction(prompts: Prompts, actions: readonly ActionInfo[]): Promise<ActionInfo> {
  const [only, ...others] = actions;
  if (only && others.length === 0) return only;
  const picked = await prompts.choose("Which action?", actions.map(({ ID, name }) => ({ value: ID, label: name })));
  const action = actions.find(({ ID }) => ID === picked);
  if (action === undefined) {
    throw new SvcError("INTERNAL_ERROR", `The prompt gave '${picked}', which it did not offer.`);
  }
  return action;
}

async function askFields(
  prompts: Prompts,
  action: ActionInfo,
  fields: readonly FormField[],
): Promise<Map<FormField, JsonValue>> {
  const impossible = fields.find(({ kind }) => kind === "other");
  if (impossible) {
    throw new SvcError("INVALID_ARGS", `'${action.name}' requires ${impossible.label}, which prompts cannot fill in.`, {
      hint: `Give --action ${action.ID} with --data or --page-instructions.`,
    });
  }
  const values = new Map<FormField, JsonValue>();
  for (const field of fields) values.set(field, await ask(prompts, field));
  return values;
}

async function ask(prompts: Prompts, field: FormField): Promise<JsonValue> {
  const { label, kind, choices, value } = field;
  if (kind === "boolean") return await prompts.confirm(label, value === true);
  const present = value === undefined ? "" : String(value);
  if (kind === "choice") return await prompts.choose(label, choices, present);
  return toFieldValue(field, await prompts.text(label, (text) => findFault(field, text), present));
}
