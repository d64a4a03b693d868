/** Forms: content that is submitted through a view. */
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import type { View } from "../../application/model/application.ts";
import { checkRequired, Findings, mergeContent } from "./content.ts";
import { applyInstructions } from "./page_instructions.ts";

/** A submission. */
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

/** How strictly a form is checked. */
export interface FormOptions {
  /** Set if required fields must have a value. */
  readonly complete: boolean;
}

/** Applies a submission to the content of a case. Throws `Invalid` or `ValidationFailed` with all issues. */
export function fillForm(
  view: View,
  current: JsonObject,
  submission: Submission,
  { complete }: FormOptions,
): JsonObject {
  const findings = new Findings();
  const content = mergeContent(view, current, submission.content ?? {}, findings);
  if (submission.pageInstructions !== undefined) {
    applyInstructions(view, content, submission.pageInstructions, findings);
  }
  if (complete) checkRequired(view, content, findings);
  findings.check();
  return content;
}
