/** `svc do`: a dialogue in which a person works on a case until nothing is left to do. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import { SvcError } from "../../lib/errors.ts";
import cases, { type AssignmentInfo, type CaseAnswer } from "../../lib/resources/cases.ts";
import { filterObjects, type JsonObject } from "../../utils/json.ts";
import type { CommandContext } from "../commands/command.ts";
import { rememberCase } from "../handles/cursor.ts";
import { getCaseHandle, isAssignmentHandle } from "../handles/handles.ts";
import { resolveCaseId } from "../handles/resolve_handles.ts";
import { createCaseForm } from "../prompts/case_form.ts";
import { titleCase } from "../prompts/assignment_form.ts";
import { fillForm } from "../prompts/fill_form.ts";
import { readFields } from "../prompts/form.ts";
import {
  canPrompt,
  type Dialogue,
  openDialogue,
  performAssignment,
  performCaseAction,
  pickCaseType,
} from "../prompts/interactive.ts";
import { printReply } from "../render/print_result.ts";
import { readInbox } from "./read_inbox.ts";

/** The start of the work. */
export interface WorkStart {
  /** Short ID or handle of a case, handle of an assignment, or `-`. Default: the user picks open work. */
  readonly id?: string;
  /** First action: its ID or its name. */
  readonly action?: string;
  /** Values that the first form is filled with. */
  readonly data?: JsonObject;
}

/** Something that can be done with a case. */
interface Task {
  readonly label: string;
  readonly action: string;
  /** Handle of the assignment. Actions of the whole case have none. */
  readonly assignmentId?: string;
}

const NEW_CASE = "new";
const OTHER_ACTION = "other";
const STOP = "stop";

/** Works on a case: performs one action after the other until the case is resolved, or nothing is left for the user. */
export async function doWork(context: CommandContext, { id, action, data }: WorkStart): Promise<void> {
  if (!canPrompt(context) || context.globals.dryRun) {
    const problem = context.globals.dryRun ? "'svc do' has no dry run." : "'svc do' requires a terminal.";
    throw new SvcError("INVALID_ARGS", problem, { hint: "Use 'svc assignments perform' instead." });
  }
  const dialogue = await openDialogue(context, { data }, false);
  const start = id ?? await pickWork(dialogue);
  const assignmentId = isAssignmentHandle(start) ? start : undefined;
  const work = new CaseWork(
    dialogue,
    start === NEW_CASE ? await startCase(dialogue) : await resolveCaseId(context, getCaseHandle(start)),
  );
  await work.run({ assignmentId, action });
}

class CaseWork {
  readonly #dialogue: Dialogue;
  readonly #caseId: string;

  constructor(dialogue: Dialogue, caseId: string) {
    this.#dialogue = dialogue;
    this.#caseId = caseId;
  }

  async run({ assignmentId, action }: { assignmentId?: string; action?: string }): Promise<void> {
    const { calls, prompts } = this.#dialogue;
    let reply = await this.#read();
    for (let round = 0;; round++) {
      const answer = checkAnswer(cases.get.answer, reply);
      const tasks = listTasks(answer).filter((task) =>
        round > 0 || [undefined, task.assignmentId].includes(assignmentId)
      );
      const others = listCaseActions(answer);
      if (tasks.length === 0 && (round > 0 || others.length === 0)) break;
      const task = round === 0
        ? action === undefined ? await this.#pickFirst(answer, tasks, others) : find(action, [...tasks, ...others])
        : await this.#pickNext(answer, tasks, others);
      if (task === undefined) break;
      const isSaved = await this.#perform(task, round === 0);
      reply = await this.#read();
      if (isSaved) break;
    }
    rememberCase(calls.context, reply.head, this.#caseId);
    prompts.report(describeEnd(checkAnswer(cases.get.answer, reply)));
    if (calls.context.globals.format === "view") return;
    await printReply(calls.context, { name: "cases.get", operation: cases.get }, { caseId: this.#caseId }, reply);
  }

  async #read(): Promise<Reply> {
    return await this.#dialogue.calls.call("cases.get", cases.get, { caseId: this.#caseId });
  }

  /** Performs a task. Returns true if a draft was saved instead. */
  async #perform({ assignmentId, action }: Task, isFirst: boolean): Promise<boolean> {
    const dialogue = isFirst ? this.#dialogue : { ...this.#dialogue, prefill: undefined };
    try {
      if (assignmentId === undefined) await performCaseAction(dialogue, { caseId: this.#caseId, action });
      else {
        const { ref } = await performAssignment(dialogue, { assignmentId, action });
        return ref.name === "assignments.save";
      }
      return false;
    } catch (error) {
      if (isFirst || !isInterruption(error)) throw error;
      throw new SvcError("INTERRUPTED", "Cancelled. The open form was not submitted.");
    }
  }

  async #pickFirst(answer: CaseAnswer, tasks: readonly Task[], others: readonly Task[]): Promise<Task | undefined> {
    const [only, ...more] = tasks;
    if (only !== undefined && more.length === 0) return only;
    return await this.#pick(titleCase(answer.data), tasks, others);
  }

  /** Offers the next tasks. Ctrl-C stops here: everything before is done. */
  async #pickNext(answer: CaseAnswer, tasks: readonly Task[], others: readonly Task[]): Promise<Task | undefined> {
    try {
      return await this.#pick(`${titleCase(answer.data)} (${answer.status}). Next?`, tasks, others);
    } catch (error) {
      if (isInterruption(error)) return undefined;
      throw error;
    }
  }

  async #pick(message: string, tasks: readonly Task[], others: readonly Task[]): Promise<Task | undefined> {
    const { prompts } = this.#dialogue;
    const choose = async (
      message: string,
      offered: readonly Task[],
      more: { value: string; label: string }[],
    ): Promise<Task | string> => {
      const choices = offered.map(({ label }, i) => ({ value: String(i), label }));
      const answer = await prompts.choose(message, [...choices, ...more]);
      return offered[Number(answer)] ?? answer;
    };
    const answer = await choose(message, tasks, [
      ...(others.length > 0 ? [{ value: OTHER_ACTION, label: "Another action of the case" }] : []),
      { value: STOP, label: "Stop" },
    ]);
    const picked = answer === OTHER_ACTION ? await choose("Which action?", others, []) : answer;
    return typeof picked === "string" ? undefined : picked;
  }
}

/** Prompts for open work. Returns a handle, or that a new case is wanted. */
async function pickWork({ prompts, calls }: Dialogue): Promise<string> {
  const { assignments } = await readInbox(calls.context, { pageSize: 200 });
  const open = assignments.map(({ ID, businessID, label, name, assigneeInfo }) => {
    const [{ type, name: queue } = {}] = filterObjects([assigneeInfo]);
    const waits = type === "workbasket" ? ` (in ${queue})` : "";
    return { value: String(ID), label: `${businessID} ${label}: ${name}${waits}` };
  });
  return await prompts.search("What do you want to work on?", [...open, {
    value: NEW_CASE,
    label: "Start a new case",
  }]);
}

/** Creates a case of a type that the user picks, and prompts only for what a new case must have. */
async function startCase(dialogue: Dialogue): Promise<string> {
  const { prompts, calls } = dialogue;
  const { id, name } = await pickCaseType(dialogue);
  const form = createCaseForm(calls, id, name);
  const needsValues = readFields((await form.read()).uiResources).some(({ isRequired }) => isRequired);
  const reply = needsValues
    ? (await fillForm(prompts, form, { ...dialogue, prefill: undefined, requiredOnly: true })).reply
    : await form.submit({ submission: { data: {} }, content: {}, files: new Map() });
  const created = checkAnswer(cases.create.answer, reply);
  prompts.report(`${titleCase(created.data)} was created.`);
  return created.id;
}

/** Lists the actions of the assignments that the user may perform; those in the user's worklist first. */
function listTasks({ data: { caseInfo } }: CaseAnswer): Task[] {
  const open = (caseInfo.assignments ?? []).filter(({ canPerform }) => canPerform !== "false");
  const isOwn = ({ assigneeInfo }: AssignmentInfo) => assigneeInfo?.type === "worklist";
  return [...open.filter(isOwn), ...open.filter((assignment) => !isOwn(assignment))].flatMap(
    ({ ID, name, actions = [], isMultiStep }) =>
      actions.map((action) => ({
        assignmentId: ID,
        action: action.ID,
        label: actions.length === 1 || isMultiStep === "true" || action.name === name
          ? name
          : `${name}: ${action.name}`,
      })),
  );
}

function listCaseActions({ data: { caseInfo } }: CaseAnswer): Task[] {
  return (caseInfo.availableActions ?? []).map(({ ID, name }) => ({ action: ID, label: name }));
}

function find(wanted: string, tasks: readonly Task[]): Task {
  const isWanted = ({ action, label }: Task) =>
    [action, label, label.replace(/^.*: /, "")].some((name) => name.toLowerCase() === wanted.toLowerCase());
  const task = tasks.find(isWanted);
  if (task !== undefined) return task;
  throw new SvcError("INVALID_ARGS", `There is no action '${wanted}' that you may perform now.`, {
    hint: `The actions are ${[...new Set(tasks.map(({ action }) => action))].join(", ") || "none"}.`,
  });
}

/** Describes the state in which the dialogue leaves a case. */
function describeEnd(answer: CaseAnswer): string {
  const { data, status } = answer;
  const title = titleCase(data);
  const open = data.caseInfo.assignments ?? [];
  if (open.length === 0) return `${title} is done: ${status}.`;
  const waits = open.map(({ name, assigneeInfo }) =>
    `${name} (${assigneeInfo?.name ?? assigneeInfo?.ID ?? "not assigned"})`
  );
  return `${title} is ${status}. Open: ${waits.join(", ")}.`;
}

function isInterruption(error: unknown): boolean {
  return error instanceof SvcError && error.code === "INTERRUPTED";
}
