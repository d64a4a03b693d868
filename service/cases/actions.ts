/** Actions on cases, and discarding drafts. */
import type { LocalAction } from "../application/model/application.ts";
import { addAttachments } from "../attachments/attachments.ts";
import {
  type CaseWork,
  checkChange,
  deleteDrafts,
  type EngineContext,
  findOtherHolder,
  getOperatorName,
  hasDrafts,
  openCase,
} from "./case_work.ts";
import { enterStage, findStage, getCurrentStage, getMember, listLocalActions } from "./flow.ts";
import { type Submission, submissionFacts } from "./content/fill_form.ts";
import { submitForm } from "./content/submit_form.ts";
import { REOPEN_ACTION, STAGE_FIELD } from "../application/model/case_type.ts";
import { mayManage } from "../access/case_rights.ts";
import { Conflict, Forbidden } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";

/** Finds an action that a case offers now. Throws `Conflict` for any other action. */
export function findLocalAction(work: CaseWork, id: string): LocalAction {
  const offered = listLocalActions(work);
  const action = offered.find((one) => one.id === id);
  if (action !== undefined) return action;
  const instead = suggestAlternatives(id, offered.map((one) => one.id));
  throw new Conflict(`${id} is not a valid action to use on the case ${work.stored.id}${instead}`);
}

/** A case, an action of it, and the entity tag that the caller knows. */
export interface LocalRequest {
  /** Case handle. */
  readonly caseId: string;
  /** Action ID. */
  readonly action: string;
  /** Entity tag. */
  readonly ifMatch?: string;
  /** True if the action is performed on several cases. */
  readonly bulk?: boolean;
}

/** Performs an action on a case. */
export async function performLocal(
  context: EngineContext,
  request: LocalRequest,
  submission: Submission,
): Promise<CaseWork> {
  const work = await openCase(context, request.caseId);
  const action = findLocalAction(work, request.action);
  if (request.bulk && !action.bulk) {
    throw new Conflict(`${action.id} is not a valid action to use on several cases`);
  }
  checkChange(work, request.ifMatch);
  work.touch();
  const before = work.stored.content;
  const form = await submitForm(work, action.view, { current: before }, submission);
  const { [STAGE_FIELD]: stageName, ...content } = form.content;
  work.setContent(content, action.set, action.id);
  await addAttachments(work, form.attachments);
  if (action.status !== undefined) work.stored.status = action.status;
  else if (action.id === REOPEN_ACTION) work.stored.status = "Open";
  const facts = submissionFacts(submission, { before, after: work.stored.content });
  work.addEvent("performed", `Performed ${action.name}`, { action: action.id, ...facts });
  if (typeof stageName === "string") await enterStage(work, findStage(work, stageName));
  else if (action.stage !== undefined) await enterStage(work, getMember(work.type.stages, action.stage));
  else if (action.id === REOPEN_ACTION) await enterStage(work, getCurrentStage(work));
  await work.save();
  return work;
}

/**
 * Discards the drafts of a case and releases its lock. Throws `Forbidden` unless they are the caller's, or the caller may
 * manage the case.
 */
export async function discardDrafts(
  context: EngineContext,
  caseId: string,
  ifMatch: string | undefined,
): Promise<CaseWork> {
  const work = await openCase(context, caseId, ifMatch);
  const drafted = work.assignments.filter(hasDrafts);
  if (drafted.length === 0) return work;
  const holder = findOtherHolder(work.stored, context.caller.id);
  if (holder !== undefined && !mayManage(work)) {
    const name = getOperatorName(context.app, holder);
    throw new Forbidden(
      `The drafts of ${work.stored.businessId} belong to ${name}: only ${name} and operators with the right 'manage' ` +
        "may discard them",
    );
  }
  for (const assignment of drafted) {
    deleteDrafts(assignment);
    work.putAssignment(assignment);
  }
  work.touch();
  const owner = holder ?? context.caller.id;
  work.addEvent("discarded", `Discarded the saved drafts of ${getOperatorName(context.app, owner)}`, { holder: owner });
  await work.save();
  return work;
}
