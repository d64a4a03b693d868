/** `svc assignments perform --interactive`: prompts for the action and its required fields. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Caller } from "../../lib/client/caller.ts";
import { openCaller } from "../../lib/client/open_caller.ts";
import { type OperationRef, toKebab } from "../../lib/operation/operation.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import operations, { type AssignmentAnswer } from "../../lib/resources/assignments.ts";
import type { ActionInfo } from "../../lib/resources/cases.ts";
import type { CommandContext, ParsedArguments } from "../commands/command.ts";
import { type FieldValue, type FormField, requiredFields } from "./form.ts";
import { findProblem, formatIssue, formatValue, isAbout, toFieldValue, toSubmission } from "./form_values.ts";
import { globalFlags } from "../args/global_flags.ts";
import { printReply } from "../render/print_result.ts";
import { openPrompts } from "./open_prompts.ts";
import type { Prompts } from "./prompts.ts";
import { callerOptions } from "../context.ts";
import { resolveAssignmentId } from "../handles/resolve_handles.ts";

/** Performs an assignment with prompted values. Only the response goes to stdout. */
export async function performInteractively(
  context: CommandContext,
  perform: OperationRef,
  parsed: ParsedArguments,
): Promise<void> {
  checkOtherFlags(perform, parsed);
  if (context.globals.dryRun) throw createExclusiveError("dryRun");
  if (!context.io.stdin.isTerminal() || !context.io.stderr.isTerminal()) {
    throw new SvcError("INVALID_ARGS", "--interactive requires a terminal.", {
      operation: perform.name,
      hint: "Use --action and --data instead.",
    });
  }
  const assignmentId = await resolveAssignmentId(context, String(parsed.assignmentId));
  const calls = new AssignmentCalls(openCaller(callerOptions(context)), assignmentId, context.signal);
  const assignment = await calls.readAssignment();
  const prompts = await openPrompts(context.io);
  const action = await pickAction(prompts, assignment.actions);
  const fields = await calls.readForm(action.ID);
  checkAskable(action, fields);
  const reply = await fillIn(prompts, action, fields, async (values) => {
    return await calls.call(perform, { action: action.ID, ifMatch: assignment.etag, ...toSubmission(values) });
  });
  await printReply(context, perform, { ...parsed, assignmentId }, reply);
}

/** Rejects flags whose values are prompted for. */
function checkOtherFlags({ operation }: OperationRef, parsed: ParsedArguments): void {
  const allowed = [...(operation.args ?? []).map(({ name }) => name), ...Object.keys(globalFlags)];
  const other = Object.keys(parsed).find((name) => parsed[name] !== undefined && !allowed.includes(name));
  if (other !== undefined) throw createExclusiveError(other);
}

function createExclusiveError(name: string): SvcError {
  return new SvcError("INVALID_ARGS", `--${toKebab(name)} and --interactive are mutually exclusive.`, {
    hint: "Omit --interactive to pass the values as flags.",
  });
}

interface OpenAssignment {
  readonly actions: readonly ActionInfo[];
  readonly etag: string;
}

/** The calls for one assignment. */
class AssignmentCalls {
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
    const actions = listActions(checkAnswer(operations.get.answer, reply, this.#assignmentId));
    if (actions.length === 0) {
      throw new SvcError("INVALID_ARGS", "The assignment has no action that you may perform.", {
        hint: "Run 'svc assignments get-next' to get an assignment that you may perform.",
      });
    }
    if (reply.etag === undefined) {
      throw new SvcError("MISSING_ETAG", "The response has no entity tag.");
    }
    return { actions, etag: reply.etag };
  }

  async readForm(action: string): Promise<FormField[]> {
    const ref = { name: "assignments.get-action", operation: operations.getAction };
    const { data, uiResources } = checkAnswer(operations.getAction.answer, await this.call(ref, { action }));
    return requiredFields(uiResources ?? {}, data.caseInfo.content ?? {});
  }
}

function listActions({ id, data: { caseInfo } }: AssignmentAnswer): readonly ActionInfo[] {
  const own = caseInfo.assignments?.find(({ ID }) => ID === id);
  return own?.actions ?? [];
}

async function pickAction(prompts: Prompts, actions: readonly ActionInfo[]): Promise<ActionInfo> {
  const [only, ...others] = actions;
  if (only && others.length === 0) return only;
  const picked = await prompts.choose("Which action?", actions.map(({ ID, name }) => ({ value: ID, label: name })));
  const action = actions.find(({ ID }) => ID === picked);
  if (action === undefined) {
    throw new SvcError("INTERNAL_ERROR", `The prompt returned '${picked}', which is not a choice.`);
  }
  return action;
}

function checkAskable(action: ActionInfo, fields: readonly FormField[]): void {
  const impossible = fields.find(({ kind }) => kind === "other");
  if (impossible) {
    throw new SvcError("INVALID_ARGS", `'${action.name}' requires ${impossible.label}, which prompts cannot fill in.`, {
      hint: `Use --action ${action.ID} with --data, --page-instructions or --attachments.`,
    });
  }
}

type FieldValues = Map<FormField, FieldValue>;

/** Prompts for the fields and submits them after confirmation. Prompts again for fields that the service rejects. */
async function fillIn(
  prompts: Prompts,
  { name }: ActionInfo,
  fields: readonly FormField[],
  submit: (values: FieldValues) => Promise<Reply>,
): Promise<Reply> {
  const values: FieldValues = new Map();
  for (let asked = fields;;) {
    for (const field of asked) values.set(field, await ask(prompts, field, values.get(field) ?? field.value));
    prompts.show(name, [...values].map(([field, value]) => `${field.label}: ${formatValue(field, value)}`));
    if (!await prompts.confirm(`Submit '${name}'?`)) {
      throw new SvcError("INTERRUPTED", "Not confirmed. Nothing was done.");
    }
    try {
      return await submit(values);
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "VALIDATION_FAIL") throw error;
      const { details = [] } = error;
      asked = fields.filter((field) => details.some((detail) => isAbout(detail, field)));
      if (asked.length === 0) throw error;
      prompts.show(`'${name}' was rejected`, details.map((detail) => formatIssue(detail, fields)));
    }
  }
}

async function ask(prompts: Prompts, field: FormField, current: FieldValue | undefined): Promise<FieldValue> {
  const { label, kind, choices } = field;
  if (kind === "boolean") return await prompts.confirm(label, current === true);
  const text = current === undefined ? "" : String(current);
  if (kind === "choice") return await prompts.choose(label, choices, text);
  return toFieldValue(field, await prompts.text(label, (typed) => findProblem(field, typed), text));
}
