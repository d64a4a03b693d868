import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import { checkRequired, ContentIssues, mergeContent } from "./content.ts";
import { applyInstructions } from "./page_instructions.ts";

/** A submitted form. */
export interface Submission {
  /** Content of the fields. */
  readonly content?: JsonObject;
  /** Changes of embedded pages and lists. */
  readonly pageInstructions?: readonly JsonValue[];
  /** Attachments to add. */
  readonly attachments?: readonly JsonValue[];
}

/** Describes a submission, which may complete a draft, for the history of the case. */
export function submissionFacts({ content, pageInstructions }: Submission, draft: JsonObject = {}): JsonObject {
  return {
    content: { ...draft, ...content },
    ...(pageInstructions && { pageInstructions: [...pageInstructions] }),
  };
}

/**
 * Applies a submission to content. With `complete`, required fields must have a value. Throws `Invalid` or
 * `ValidationFailed` with all issues.
 */
export function fillForm(
  view: View,
  current: JsonObject,
  submission: Submission,
  { complete }: { readonly complete: boolean },
): JsonObject {
  const issues = new ContentIssues();
  const content = mergeContent(view, current, submission.content ?? {}, issues);
  if (submission.pageInstructions !== undefined) {
    applyInstructions(view, content, submission.pageInstructions, issues);
  }
  if (complete) checkRequired(view, content, issues);
  issues.check();
  return content;
}
