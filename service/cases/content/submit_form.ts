/** Applies forms to cases. A submitted form must be complete, and a refreshed one may be incomplete. */
import type { JsonObject } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import type { CaseWork } from "../case_work.ts";
import { computeForm } from "./compute.ts";
import { type FilledForm, fillForm, type Submission } from "./fill_form.ts";
import { fillInRecords, resolveRecords } from "./resolve_records.ts";

/** Content to which a form is applied, and the stored content if the current content has a draft. */
export interface FormBase {
  readonly current: JsonObject;
  readonly stored?: JsonObject;
}

/** Applies a submitted form. Throws `Invalid` or `ValidationFailed` if it does not follow the rules of the form. */
export async function submitForm(
  work: CaseWork,
  view: View,
  { current, stored = current }: FormBase,
  submission: Submission,
): Promise<FilledForm> {
  const conditions = { fields: work.type.fields, scope: work.scope() };
  const form = fillForm(view, current, submission, { complete: true, conditions, stored });
  await resolveRecords(work.context, view, stored, form.content);
  return form;
}

/** Computes the content of a form after a submission, with the records that it refers to. Stores nothing. */
export async function computeWithRecords(
  work: CaseWork,
  view: View,
  current: JsonObject,
  submission: Submission,
  options: { readonly keepsText?: boolean } = {},
): Promise<JsonObject> {
  const content = computeForm(work, view, current, submission, options);
  await fillInRecords(work.context, view, current, content);
  return computeForm(work, view, content, {});
}
