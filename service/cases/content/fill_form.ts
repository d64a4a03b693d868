import { isJsonObject, type JsonObject, type JsonValue } from "../../../utils/json.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";
import type { Field, Scope, View } from "../../application/model/application.ts";
import { checkRules, computeScope, ContentIssues, mergeContent } from "./content.ts";
import { applyInstructions } from "./page_instructions.ts";
import { type ConditionFacts, RowRules } from "./row_rules.ts";

/** A submitted form. */
export interface Submission {
  /** Content of the fields. */
  readonly content?: JsonObject;
  /** Changes to embedded pages, lists and page groups. */
  readonly pageInstructions?: readonly JsonValue[];
  /** Attachments to add. */
  readonly attachments?: readonly JsonValue[];
}

/** The result of a submission. */
export interface FilledForm {
  /** The new content. A changed attachment field contains the ID of its upload. */
  readonly content: JsonObject;
  /** Attachments to add. An attachment for a field contains the name of the field. */
  readonly attachments: readonly JsonValue[];
}

/** Content before and after a change. */
export interface ContentChange {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Describes a submission, the draft that it completes and the changes that it caused, for the history of the case. */
export function submissionFacts(
  { content, pageInstructions }: Submission,
  change: ContentChange,
  draft: JsonObject = {},
): JsonObject {
  const changes = describeChanges(change);
  return {
    content: { ...draft, ...content },
    ...(pageInstructions && { pageInstructions: [...pageInstructions] }),
    ...(Object.keys(changes).length > 0 && { changes }),
  };
}

/** Describes the fields that differ, e.g. `{ Fee: { from: 50, to: 150 } }`. A value that is missing is left out. */
function describeChanges({ before, after }: ContentChange): JsonObject {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  names.delete("pyLabel");
  const changed = [...names].filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, { from: before[name], to: after[name] }]));
}

/**
 * Whether a submission is complete. If it is, required fields must have a value, and the conditions of the form count. If
 * it is not, it may keep values that do not fit their fields (`lenient`), and numbers that were sent as text (`keepsText`).
 * With `conditions`, rows of lists change only as the form allows.
 */
export type Completeness =
  | {
    readonly complete: false;
    readonly lenient?: boolean;
    readonly keepsText?: boolean;
    readonly conditions?: ConditionFacts;
  }
  | {
    readonly complete: true;
    readonly lenient?: false;
    readonly keepsText?: false;
    readonly conditions: ConditionFacts;
    /** Stored content, if the current content has a draft. */
    readonly stored?: JsonObject;
  };

/** Applies a submission to content. Throws `Invalid` or `ValidationFailed` with all issues. */
export function fillForm(
  view: View,
  current: JsonObject,
  submission: Submission,
  completeness: Completeness,
): FilledForm {
  const { pageInstructions = [], attachments = [] } = submission;
  const issues = new ContentIssues(completeness);
  const content = mergeContent(view, current, submission.content ?? {}, issues);
  const rules = completeness.conditions && new RowRules(completeness.conditions, issues);
  rules?.checkLists(view.fields.values(), { path: "", fields: rules.fields }, current, content);
  applyInstructions(view, content, pageInstructions, issues, rules);
  const others = attachments.filter((attachment) => !placeAttachment(view, content, attachment, issues));
  if (completeness.complete) {
    const { conditions: { fields, scope }, stored } = completeness;
    let computed: Scope | undefined;
    const getScope = () => computed ??= computeScope(fields, content, scope);
    checkRules(view, { before: current, after: content, stored, path: "", scope: getScope }, issues);
  }
  issues.check(completeness);
  return { content, attachments: [...others, ...listUploads(view, current, content)] };
}

/** Sets or clears the attachment field that an attachment names. Returns false if it does not name a field. */
function placeAttachment(view: View, content: JsonObject, attachment: JsonValue, issues: ContentIssues): boolean {
  if (!isJsonObject(attachment) || attachment.attachmentFieldName === undefined) return false;
  const { attachmentFieldName, type, category, delete: clears = false, ID, name, ...others } = attachment;
  const field = findAttachmentField(view, attachmentFieldName, issues);
  if (field === undefined) return true;
  const refuse = (reason: string) => issues.addInvalid(field.name, `${field.name}: ${reason}`);
  const unknown = Object.keys(others).join(", ");
  if (unknown !== "") refuse(`an attachment field does not accept ${unknown}`);
  else if (typeof type !== "string" || type.toUpperCase() !== "FILE") refuse("'type' must be File");
  else if (category !== undefined && category !== field.category) refuse(`'category' must be ${field.category}`);
  else if (clears === true) {
    if ((category ?? ID ?? name) === undefined) delete content[field.name];
    else refuse("with 'delete', only 'type' and 'attachmentFieldName' are allowed");
  } else if (typeof ID !== "string") refuse("'ID' must be the ID that the upload returned");
  else content[field.name] = { ID, name };
  return true;
}

function findAttachmentField(view: View, name: JsonValue, issues: ContentIssues): Field | undefined {
  const found = view.fields.get(String(name));
  if (found?.field.type === "Attachment" && !found.readOnly) return found.field;
  const known = [...view.fields.values()].filter(({ field, readOnly }) => field.type === "Attachment" && !readOnly);
  const instead = suggestAlternatives(String(name), known.map(({ field }) => field.name));
  issues.addInvalid(String(name), `'${name}' is not an attachment field that this form can change${instead}`);
  return undefined;
}

/** Lists the attachment fields that have a new upload, as attachments to add. */
function listUploads(view: View, before: JsonObject, after: JsonObject): JsonObject[] {
  return [...view.fields.values()].flatMap(({ field: { name, type, category } }) => {
    const upload = after[name];
    if (type !== "Attachment" || !isJsonObject(upload) || upload === before[name]) return [];
    return [{ ...upload, attachmentFieldName: name, type: "File", category }];
  });
}
