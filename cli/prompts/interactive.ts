/** `--interactive`: fills in the form of an operation in a dialogue, and prints the response. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Values } from "../../lib/client/request/values.ts";
import { SvcError } from "../../lib/errors.ts";
import { type OperationRef, toKebab } from "../../lib/operation/operation.ts";
import assignments, { type AssignmentAnswer } from "../../lib/resources/assignments.ts";
import caseForms from "../../lib/resources/case_forms.ts";
import caseTypes from "../../lib/resources/case_types.ts";
import cases, { type ActionInfo } from "../../lib/resources/cases.ts";
import data from "../../lib/resources/data.ts";
import {
  filterObjects,
  isJsonObject,
  isScalar,
  type JsonObject,
  type JsonValue,
  parseJsonObject,
} from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { canPrompt } from "../context.ts";
import { resolveAssignmentId, resolveCaseId } from "../handles/resolve_handles.ts";
import { printReply } from "../render/print_result.ts";
import { isTechnical } from "../view/format_value.ts";
import { createAssignmentForm, createCaseActionForm } from "./action_form.ts";
import { createCaseForm } from "./case_form.ts";
import { fillForm, type FormOptions } from "./fill_form.ts";
import { FormCalls, MAX_ROWS } from "./form_calls.ts";
import { openPrompts } from "./open_prompts.ts";
import type { Prompts } from "./prompts.ts";
import { createRecordActionForm, createRecordForm, createStoredRecordForm, readMetadata } from "./record_form.ts";

/** A dialogue: the terminal, the calls, and what the command line already says about its first form. */
export interface Dialogue extends FormOptions {
  /** Prompts at the terminal. */
  readonly prompts: Prompts;
  /** Calls of the service. */
  readonly calls: FormCalls;
  /** Attachments that are submitted with the form. */
  readonly attachments?: readonly JsonValue[];
}

/** The end of a dialogue: the response to print, and the operation that it belongs to. */
export interface Performed {
  /** The last operation that was called. */
  readonly ref: OperationRef;
  /** Its values, for the fields that the response leaves out. */
  readonly values: Values;
  /** Its response. */
  readonly reply: Reply;
}

/** The dialogues by the name of their operation. */
const DIALOGUES: Readonly<Record<string, (dialogue: Dialogue, values: Values) => Promise<Performed>>> = {
  "assignments.perform": performAssignment,
  "cases.create": createCase,
  "cases.perform-action": performCaseAction,
  "data.create": createRecord,
  "data.patch": (dialogue, values) => changeRecord(dialogue, values, "patch"),
  "data.perform-action": performRecordAction,
  "data.update": (dialogue, values) => changeRecord(dialogue, values, "update"),
};

/** Fills in the form of an operation. Only the response goes to stdout. */
export async function runInteractively(
  context: CommandContext,
  { name, operation }: OperationRef,
  values: Values,
  requiredOnly: boolean,
): Promise<void> {
  const run = DIALOGUES[name];
  if (run === undefined) throw new SvcError("INTERNAL_ERROR", `${name} has no dialogue.`);
  if (!canPrompt(context.io)) {
    const flags = Object.keys(operation.flags ?? {}).filter((flag) => ["type", "action", "data"].includes(flag));
    throw new SvcError("INVALID_ARGS", "--interactive requires a terminal.", {
      operation: name,
      hint: `Use ${flags.map((flag) => `--${toKebab(flag)}`).join(" and ")} instead.`,
    });
  }
  const performed = await run(await openDialogue(context, values, requiredOnly), values);
  await printReply(context, performed.ref, performed.values, performed.reply);
}

/** Opens a dialogue whose first form is filled with values, e.g. those of `--data`. */
export async function openDialogue(
  context: CommandContext,
  { data, pageInstructions, attachments, ifMatch }: Values,
  requiredOnly: boolean,
): Promise<Dialogue> {
  const content = isJsonObject(data) ? data : {};
  const instructions = Array.isArray(pageInstructions) ? pageInstructions : [];
  const calls = new FormCalls(context);
  return {
    prompts: await openPrompts(context.io),
    calls,
    requiredOnly,
    prefill: { data: content, pageInstructions: instructions },
    ...(Array.isArray(attachments) && { attachments }),
    ...(typeof ifMatch === "string" && { ifMatch }),
    signal: calls.signal,
  };
}

/** Returns the dialogue for the next form, which the command line does not fill in. */
export function continueDialogue({ prompts, calls, requiredOnly, signal }: Dialogue): Dialogue {
  return { prompts, calls, requiredOnly, signal, isContinued: true };
}

/** The operation that ends the dialogue about an assignment. */
const OPERATIONS = {
  submitted: "perform",
  saved: "save",
  wentBack: "navigateBack",
  wentToStep: "navigateToStep",
} as const;

/** Performs an assignment: one action, or all screens of a screen flow. */
export async function performAssignment(dialogue: Dialogue, values: Values): Promise<Performed> {
  const { prompts, calls } = dialogue;
  const assignmentId = await resolveAssignmentId(calls.context, String(values.assignmentId));
  let action = typeof values.action === "string" ? values.action : await pickAssignmentAction(dialogue, assignmentId);
  for (let current = dialogue;; current = continueDialogue(current)) {
    const { attachments, ifMatch } = current;
    const form = createAssignmentForm(calls, { assignmentId, action, attachments, ifMatch });
    const { done, reply } = await fillForm(prompts, calls, form, current);
    const name = OPERATIONS[done];
    const ref = { name: `assignments.${toKebab(name)}`, operation: assignments[name] };
    const next = done === "saved" ? undefined : findNextScreen(reply, assignmentId);
    if (next === undefined) return { ref, values: { assignmentId }, reply };
    action = next;
  }
}

/** Performs an action of a case. */
export async function performCaseAction(dialogue: Dialogue, values: Values): Promise<Performed> {
  const { prompts, calls, attachments, ifMatch } = dialogue;
  const caseId = await resolveCaseId(calls.context, String(values.caseId));
  const action = typeof values.action === "string" ? values.action : await pickCaseAction(dialogue, caseId);
  const form = createCaseActionForm(calls, { caseId, action, attachments, ifMatch });
  const { reply } = await fillForm(prompts, calls, form, dialogue);
  return { ref: { name: "cases.perform-action", operation: caseForms.performAction }, values: { caseId }, reply };
}

async function createCase(dialogue: Dialogue, values: Values): Promise<Performed> {
  const { prompts, calls } = dialogue;
  const type = typeof values.type === "string" ? { id: values.type } : await pickCaseType(dialogue);
  const { reply } = await fillForm(prompts, calls, createCaseForm(calls, type.id, type.name, values), dialogue);
  return { ref: { name: "cases.create", operation: cases.create }, values: { type: type.id }, reply };
}

async function createRecord(dialogue: Dialogue, { dataViewId }: Values): Promise<Performed> {
  const { prompts, calls } = dialogue;
  const { reply } = await fillForm(prompts, calls, createRecordForm(calls, String(dataViewId)), dialogue);
  return { ref: { name: "data.create", operation: data.create }, values: { dataViewId }, reply };
}

async function changeRecord(dialogue: Dialogue, values: Values, verb: "patch" | "update"): Promise<Performed> {
  const { prompts, calls, ifMatch } = dialogue;
  const dataViewId = String(values.dataViewId);
  const key = await pickRecord(dialogue, dataViewId, isJsonObject(values.data) ? values.data : {});
  const form = createStoredRecordForm(calls, { dataViewId, key, ifMatch }, verb);
  const { reply } = await fillForm(prompts, calls, form, dialogue);
  return { ref: { name: `data.${verb}`, operation: data[verb] }, values: { dataViewId }, reply };
}

async function performRecordAction(dialogue: Dialogue, values: Values): Promise<Performed> {
  const { prompts, calls, ifMatch } = dialogue;
  const dataViewId = String(values.dataViewId);
  const action = typeof values.action === "string" ? values.action : await pickRecordAction(dialogue, dataViewId);
  const key = await pickRecord(dialogue, dataViewId, isJsonObject(values.data) ? values.data : {});
  const form = createRecordActionForm(calls, { dataViewId, action, key, ifMatch });
  const { reply } = await fillForm(prompts, calls, form, dialogue);
  return { ref: { name: "data.perform-action", operation: data.performAction }, values: { dataViewId }, reply };
}

/** Returns the action of the next screen, if the assignment is a screen flow that has not ended. */
function findNextScreen({ text }: Reply, assignmentId: string): string | undefined {
  const data = parseJsonObject(text)?.data;
  const info = isJsonObject(data) ? data.caseInfo : undefined;
  const open = filterObjects(isJsonObject(info) ? info.assignments : []);
  const own = open.find(({ ID, isMultiStep }) => ID === assignmentId && isMultiStep === "true");
  const [action] = filterObjects(own?.actions);
  return typeof action?.ID === "string" ? action.ID : undefined;
}

async function pickAssignmentAction({ prompts, calls }: Dialogue, assignmentId: string): Promise<string> {
  const reply = await calls.call("assignments.get", assignments.get, { assignmentId });
  const actions = listActions(checkAnswer(assignments.get.answer, reply, assignmentId));
  if (actions.length === 0) {
    throw new SvcError("INVALID_ARGS", "The assignment has no action that you can perform.", {
      hint: "Run 'svc assignments get-next' to get an assignment that you can perform.",
    });
  }
  return await pickAction(prompts, actions);
}

function listActions({ id, data: { caseInfo } }: AssignmentAnswer): readonly ActionInfo[] {
  return caseInfo.assignments?.find(({ ID }) => ID === id)?.actions ?? [];
}

async function pickCaseAction({ prompts, calls }: Dialogue, caseId: string): Promise<string> {
  const answer = checkAnswer(cases.get.answer, await calls.call("cases.get", cases.get, { caseId }));
  const actions = answer.data.caseInfo.availableActions ?? [];
  if (actions.length === 0) {
    throw new SvcError("INVALID_ARGS", `${caseId} has no action that you can perform.`, {
      hint: { commands: [{ args: ["show", caseId], purpose: "to see its status and its open work" }] },
    });
  }
  return await pickAction(prompts, actions);
}

async function pickRecordAction({ prompts, calls }: Dialogue, dataViewId: string): Promise<string> {
  const reply = await calls.call("data.list-actions", data.listActions, { dataViewId });
  const { actions = [] } = checkAnswer(data.listActions.answer, reply);
  if (actions.length === 0) {
    const args = ["data", "patch", dataViewId, "--interactive"];
    throw new SvcError("INVALID_ARGS", `The records of ${dataViewId} have no actions.`, {
      hint: { commands: [{ args, purpose: "to change fields of a record" }] },
    });
  }
  return await pickAction(prompts, actions);
}

async function pickAction(prompts: Prompts, actions: readonly ActionInfo[]): Promise<string> {
  const [only, ...others] = actions;
  if (only && others.length === 0) return only.ID;
  return await prompts.choose("Which action?", actions.map(({ ID, name }) => ({ value: ID, label: name })));
}

/** Prompts for a case type. */
export async function pickCaseType({ prompts, calls }: Dialogue): Promise<{ id: string; name?: string }> {
  const reply = await calls.call("case-types.list", caseTypes.list, {});
  const types = checkAnswer(caseTypes.list.answer, reply).caseTypes;
  if (types.length === 0) {
    throw new SvcError("INVALID_ARGS", "There are no case types that you can create.", {
      hint: { commands: [{ args: ["auth", "whoami"], purpose: "to see which operator you are" }] },
    });
  }
  const choices = types.map(({ ID, name = ID }) => ({ value: ID, label: name }));
  const id = await prompts.search("Which case type?", choices);
  return { id, name: choices.find(({ value }) => value === id)?.label };
}

/** Returns the fields that identify a record: those of `--data`, or those of a row that the user selects. */
async function pickRecord({ prompts, calls }: Dialogue, dataViewId: string, given: JsonObject): Promise<JsonObject> {
  const { keys } = await readMetadata(calls, dataViewId);
  const select = (row: JsonObject) => Object.fromEntries(keys.map((name) => [name, row[name] ?? null]));
  if (keys.length > 0 && keys.every((name) => given[name] !== undefined)) return select(given);
  const reply = await calls.call("data.query", data.query, { dataViewId, max: MAX_ROWS });
  const answer = checkAnswer(data.query.answer, reply);
  const rows = (answer.data ?? []).filter(isJsonObject);
  if (rows.length === 0) {
    const args = ["data", "create", dataViewId, "--interactive"];
    throw new SvcError("NOT_FOUND", `${dataViewId} has no records.`, {
      hint: { commands: [{ args, purpose: "to create one" }] },
    });
  }
  if (answer.hasMoreResults) {
    prompts.warn(
      `Only the first ${rows.length} records are listed. To change another one, pass its key, e.g. --set ${keys[0]}=….`,
    );
  }
  const picked = await prompts.search(
    "Which record?",
    rows.map((row, i) => ({ value: String(i), label: labelRow(row) })),
  );
  return select(rows[Number(picked)] ?? {});
}

function labelRow(row: JsonObject): string {
  const shown = Object.entries(row).filter(([name, value]) => !isTechnical(name) && isScalar(value));
  return [...new Set(shown.map(([, value]) => String(value)))].slice(0, 4).join(", ");
}
