/** `svc do`: a dialogue in which a person works on a case until nothing is left to do. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { SvcError } from "../../lib/errors.ts";
import assignments from "../../lib/resources/assignments.ts";
import cases, { type AssignmentInfo, type CaseAnswer } from "../../lib/resources/cases.ts";
import type { JsonObject } from "../../utils/json.ts";
import { caseFold } from "../../utils/text/case_fold.ts";
import type { CommandContext } from "../commands/command.ts";
import { canPrompt } from "../context.ts";
import { rememberCase } from "../handles/cursor.ts";
import { canPerform, getCaseHandle, isAssignmentHandle, isResolved } from "../handles/handles.ts";
import { fillValues } from "../input/fill_values.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { createCaseForm } from "../prompts/case_form.ts";
import { titleCase } from "../prompts/action_form.ts";
import { fillForm } from "../prompts/fill_form.ts";
import {
  continueDialogue,
  type Dialogue,
  openDialogue,
  performAssignment,
  performCaseAction,
  pickCaseType,
} from "../prompts/interactive.ts";
import { isCancellation } from "../prompts/open_prompts.ts";
import type { Prompts } from "../prompts/prompts.ts";
import { printReply } from "../render/print_result.ts";
import { pickWork } from "./pick_work.ts";

/** The start of the work. */
export interface WorkStart {
  /** Short ID or handle of a case, handle of an assignment, or `-`. Default: the user picks open work. */
  readonly id?: string;
  /** First action: its ID or its name. */
  readonly action?: string;
  /** Values that the first form is filled with. */
  readonly data?: JsonObject;
  /** Further values, as `--set` takes them. */
  readonly set?: readonly string[];
}

/** Something that can be done with a case. */
interface Task {
  readonly kind: "action" | "assignment" | "process";
  /** ID of the action or of the optional process, or the handle of an assignment whose actions are not known yet. */
  readonly id: string;
  readonly name: string;
  /** Displayed text. */
  readonly label: string;
  /** Handle of the assignment. Actions and processes of the whole case have none. */
  readonly assignmentId?: string;
}

/** The tasks of a case that a person can perform now. */
interface Offer {
  /** Actions of the open assignments. */
  readonly tasks: readonly Task[];
  /** Actions and optional processes of the whole case. */
  readonly others: readonly Task[];
}

const NEW_CASE = "new";
const OTHER_TASK = "other";
const STOP = "stop";

/** Works on a case: performs one action after the other until the case is resolved, or nothing is left for the user. */
export async function doWork(context: CommandContext, { id, action, data, set = [] }: WorkStart): Promise<void> {
  if (!canPrompt(context.io)) {
    throw new SvcError("INVALID_ARGS", "'svc do' requires a terminal.", {
      hint: "Use 'svc assignments perform' instead.",
    });
  }
  const ref = { name: "assignments.perform", operation: assignments.perform };
  const values = await fillValues(context, ref, { data }, { set, file: [], category: "File" });
  const dialogue = await openDialogue(context, values, false);
  const start = id ?? await pickWork(context, dialogue.prompts, "What do you want to work on?", [
    { value: NEW_CASE, label: "Start a new case" },
  ]);
  const isNew = start === NEW_CASE;
  const caseId = isNew ? await startCase(dialogue) : await resolveCaseId(context, getCaseHandle(start));
  await new CaseWork({ ...dialogue, isContinued: isNew }, caseId).run({
    action,
    assignmentId: isAssignmentHandle(start) ? start : undefined,
    opensOnlyTask: isNew || isAssignmentHandle(start),
  });
}

/** The first task, as far as the user has chosen it. */
interface FirstTask {
  readonly action?: string;
  readonly assignmentId?: string;
  /** True to open the form at once if there is only one task. */
  readonly opensOnlyTask: boolean;
}

class CaseWork {
  /** The dialogue for the next form. */
  #dialogue: Dialogue;
  readonly #caseId: string;

  constructor(dialogue: Dialogue, caseId: string) {
    this.#dialogue = dialogue;
    this.#caseId = caseId;
  }

  async run(first: FirstTask): Promise<void> {
    const { calls, prompts } = this.#dialogue;
    let reply = await this.#read();
    let task = await this.#pickFirst(checkAnswer(cases.get.answer, reply), first);
    while (task !== undefined) {
      const isSaved = await this.#perform(task);
      reply = await this.#read();
      task = isSaved ? undefined : await this.#pickNext(checkAnswer(cases.get.answer, reply));
    }
    rememberCase(calls.context, reply.head, this.#caseId);
    prompts.report(...describeEnd(checkAnswer(cases.get.answer, reply)));
    if (calls.context.globals.format === "view") return;
    await printReply(calls.context, { name: "cases.get", operation: cases.get }, { caseId: this.#caseId }, reply);
  }

  async #read(): Promise<Reply> {
    return await this.#dialogue.calls.call("cases.get", cases.get, { caseId: this.#caseId });
  }

  /** Performs a task. Returns true if a draft was saved instead. */
  async #perform(task: Task): Promise<boolean> {
    if (task.kind === "process") {
      await this.#startProcess(task);
      return false;
    }
    const dialogue = this.#dialogue;
    this.#dialogue = continueDialogue(dialogue);
    const { assignmentId, id: action } = task;
    const { ref } = assignmentId === undefined
      ? await performCaseAction(dialogue, { caseId: this.#caseId, action })
      : await performAssignment(dialogue, { assignmentId, ...(task.kind === "action" && { action }) });
    return ref.name === "assignments.save";
  }

  async #startProcess({ id: process, name }: Task): Promise<void> {
    const { calls, prompts } = this.#dialogue;
    await calls.call("cases.start-process", cases.startProcess, { caseId: this.#caseId, process });
    this.#dialogue = { ...this.#dialogue, isContinued: true };
    prompts.report(`${name} was started.`);
  }

  async #pickFirst(
    answer: CaseAnswer,
    { action, assignmentId, opensOnlyTask }: FirstTask,
  ): Promise<Task | undefined> {
    const { tasks: all, others } = listTasks(answer);
    const tasks = assignmentId === undefined ? all : all.filter((task) => task.assignmentId === assignmentId);
    if (action !== undefined) return find(action, [...tasks, ...others]);
    if (tasks.length === 0 && others.length === 0) return undefined;
    if (tasks.length === 1 && (opensOnlyTask || others.length === 0)) return tasks[0];
    return await this.#pick(titleCase(answer.data), { tasks, others });
  }

  async #pickNext(answer: CaseAnswer): Promise<Task | undefined> {
    const offer = listTasks(answer);
    if (offer.tasks.length === 0) return undefined;
    return await this.#pick(`${titleCase(answer.data)} (${answer.status}). Next?`, offer);
  }

  /** Offers tasks. Returns undefined to stop, also after Ctrl-C if something was done before. */
  async #pick(message: string, offer: Offer): Promise<Task | undefined> {
    try {
      return await pickTask(this.#dialogue.prompts, message, offer);
    } catch (error) {
      if (this.#dialogue.isContinued && isCancellation(error)) return undefined;
      throw error;
    }
  }
}

async function pickTask(prompts: Prompts, message: string, { tasks, others }: Offer): Promise<Task | undefined> {
  const toChoices = (offered: readonly Task[]) => offered.map(({ label }, i) => ({ value: String(i), label }));
  const offered = tasks.length > 0 ? tasks : others;
  const answer = await prompts.choose(message, [
    ...toChoices(offered),
    ...(offered === tasks && others.length > 0 ? [{ value: OTHER_TASK, label: "Another action of the case" }] : []),
    { value: STOP, label: "Stop" },
  ]);
  if (answer !== OTHER_TASK) return offered[Number(answer)];
  return others[Number(await prompts.search("Which action?", toChoices(others)))];
}

/** Creates a case of a type that the user picks, and prompts only for what a new case must have. */
async function startCase(dialogue: Dialogue): Promise<string> {
  const { prompts, calls } = dialogue;
  const { id, name } = await pickCaseType(dialogue);
  const form = createCaseForm(calls, id, name);
  const opened = await form.read();
  const needsValues = opened.form.questions.some(({ isRequired }) => isRequired);
  const reply = needsValues
    ? (await fillForm(prompts, calls, form, { ...continueDialogue(dialogue), requiredOnly: true })).reply
    : await form.submit({ submission: opened.form.toSubmission(), further: {} });
  const created = checkAnswer(cases.create.answer, reply);
  prompts.report(`${titleCase(created.data)} was created.`);
  return created.id;
}

/** Lists what a person can do with a case; first the work in their worklist. */
function listTasks({ data: { caseInfo } }: CaseAnswer): Offer {
  const open = (caseInfo.assignments ?? []).filter(canPerform);
  const isOwn = ({ assigneeInfo }: AssignmentInfo) => assigneeInfo?.type === "worklist";
  const tasks = [...open.filter(isOwn), ...open.filter((assignment) => !isOwn(assignment))].flatMap((assignment) =>
    listAssignmentTasks(assignment, open.length === 1)
  );
  const { availableActions = [], availableProcesses = [] } = caseInfo;
  const others: Task[] = [
    ...availableActions.map(({ ID, name }): Task => ({ kind: "action", id: ID, name, label: name })),
    ...availableProcesses.map(({ ID, name }): Task => ({ kind: "process", id: ID, name, label: `Start ${name}` })),
  ];
  return { tasks, others };
}

/** Some services list the actions of an assignment only when it is opened. */
function listAssignmentTasks({ ID, name, actions = [], isMultiStep }: AssignmentInfo, isOnly: boolean): Task[] {
  if (actions.length === 0) return [{ kind: "assignment", id: ID, name, assignmentId: ID, label: name }];
  return actions.map((action) => ({
    kind: "action",
    id: action.ID,
    name: action.name,
    assignmentId: ID,
    label: actions.length === 1 || isMultiStep === "true" || action.name === name
      ? name
      : (isOnly ? "" : `${name}: `) + action.name,
  }));
}

function find(wanted: string, tasks: readonly Task[]): Task {
  const isWanted = ({ id, name, label }: Task) => [id, name, label].some((text) => caseFold(text) === caseFold(wanted));
  const task = tasks.find(isWanted);
  if (task !== undefined) return task;
  throw new SvcError("INVALID_ARGS", `You cannot perform '${wanted}' now.`, {
    hint: `Available actions: ${[...new Set(tasks.map(({ id }) => id))].join(", ") || "none"}.`,
  });
}

/** Describes the state in which the dialogue leaves a case. */
function describeEnd({ data, status }: CaseAnswer): string[] {
  const title = titleCase(data);
  const open = data.caseInfo.assignments ?? [];
  if (open.length === 0) {
    return [isResolved(status) ? `${title} is done: ${status}.` : `${title} is ${status} and has no open work.`];
  }
  const waits = open.map(({ name, assigneeInfo }) =>
    `Open: ${name} (${assigneeInfo?.name ?? assigneeInfo?.ID ?? "not assigned"})`
  );
  return [`${title} is ${status}.`, ...waits];
}
