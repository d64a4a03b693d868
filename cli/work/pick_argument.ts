/** Prompts for the case, the assignment or the data view that a command line lacks. */
import { checkAnswer } from "../../lib/client/response/check_answer.ts";
import { SvcError } from "../../lib/errors.ts";
import data from "../../lib/resources/data.ts";
import type { UsageProblem } from "../args/parse_arguments.ts";
import type { Arg, Command, CommandContext, ValueKind } from "../commands/command.ts";
import { findKind } from "../completion/suggest_values.ts";
import { callOperation } from "../context.ts";
import { getCaseHandle } from "../handles/handles.ts";
import { openPrompts } from "../prompts/open_prompts.ts";
import type { Prompts } from "../prompts/prompts.ts";
import { pickWork } from "./pick_work.ts";

type Pick = (context: CommandContext, prompts: Prompts) => Promise<string>;

const PICKS: Partial<Record<ValueKind, Pick>> = {
  "assignments": pickAssignment,
  "cases": async (context, prompts) => getCaseHandle(await pickAssignment(context, prompts)),
  "cases and assignments": pickAssignment,
  "data views": pickDataView,
};

/** An argument that the user can pick. */
export interface PickedArgument {
  /** Name. */
  readonly name: string;
  /** Prompts for its value. */
  pick(context: CommandContext): Promise<string>;
}

/**
 * Finds the argument whose lack is the only problem of a command line, if the user can pick it. Commands without a form
 * are for people if they are not part of the API; others, such as `cases delete`, must name what they change.
 */
export function findPickedArgument(command: Command, problem: UsageProblem): PickedArgument | undefined {
  const [arg, ...others] = command.args ?? [];
  const isForPeople = command.prefersView === true || command.flags?.interactive !== undefined;
  if (problem.kind !== "missing argument" || arg === undefined || others.length > 0 || !isForPeople) return undefined;
  const pick = findPick(arg);
  return pick && { name: arg.name, pick: async (context) => await pick(context, await openPrompts(context.io)) };
}

function findPick({ values, to }: Arg): Pick | undefined {
  const kind = values ?? findKind(to);
  return kind && PICKS[kind];
}

async function pickAssignment(context: CommandContext, prompts: Prompts): Promise<string> {
  return await pickWork(context, prompts, "Which open work?");
}

async function pickDataView(context: CommandContext, prompts: Prompts): Promise<string> {
  const reply = await callOperation(context, { name: "data.list-pages", operation: data.listPages }, {});
  const views = (checkAnswer(data.listPages.answer, reply).dataPages ?? []).filter(({ isSavable }) => isSavable);
  if (views.length === 0) throw new SvcError("NOT_FOUND", "There are no data views with records that you can change.");
  return await prompts.search(
    "Which data view?",
    views.map(({ ID, name = ID }) => ({ value: String(ID), label: `${name} (${ID})` })),
  );
}
