/** Creates cases. */
import { Forbidden, NotFound } from "../errors.ts";
import { suggestAlternatives } from "../../utils/text/did_you_mean.ts";
import { addAttachments } from "../attachments/attachments.ts";
import { newPage } from "./content/content.ts";
import { fillForm, type Submission } from "./content/fill_form.ts";
import { type CaseWork, type EngineContext, openCaseToChange } from "./case_work.ts";
import { enterStage, getCurrentStage } from "./flow.ts";
import { findCaseType, START_PROCESS } from "./creatable_types.ts";
import { newCase } from "./new_case.ts";
import { resolveRecords } from "./content/resolve_records.ts";
import { scopeWithoutCase } from "./scope.ts";

/** Request for a new case. */
export interface CreateRequest extends Submission {
  /** Case type ID. */
  readonly typeId: string;
  /** Handle of the parent case. */
  readonly parentId?: string;
  /** ID of the process that starts the case. Default: `START_PROCESS`. */
  readonly process?: string;
}

/** Creates a case and moves it to its first step. */
export async function createCase(context: EngineContext, request: CreateRequest): Promise<CaseWork> {
  const type = findCaseType(context.app, request.typeId);
  if (!type.creatable) throw new Forbidden(`Cases of type '${type.id}' are created by other cases`);
  if (request.process !== undefined && request.process !== START_PROCESS) {
    const instead = suggestAlternatives(request.process, [START_PROCESS]);
    throw new NotFound(`Process not found for the given parameter processID${instead}`);
  }
  if (request.parentId !== undefined) await openCaseToChange(context, request.parentId);
  const current = newPage(type.fields);
  const conditions = { fields: type.fields, scope: scopeWithoutCase(current, context) };
  const { content, attachments } = fillForm(type.createView, current, request, { complete: true, conditions });
  await resolveRecords(context, type.createView, current, content);
  const work = await newCase(context, type, content, { parentId: request.parentId });
  await enterStage(work, getCurrentStage(work));
  await addAttachments(work, attachments);
  await work.save();
  return work;
}
