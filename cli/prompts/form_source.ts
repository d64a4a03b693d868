/** The forms that a person fills in, and the calls that they need. */
import type { Reply } from "../../lib/client/response/reply.ts";
import type { Form, FormSubmission, RefreshCall } from "../../lib/forms/mod.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { isJsonObject, type JsonObject } from "../../utils/json.ts";

/** A form as it was read, with what can be done with it. */
export interface OpenForm {
  /** The form. */
  readonly form: Form;
  /** Display name of the action, e.g. `Register`. */
  readonly name: string;
  /** Title, e.g. `P-1 Permit: Register the application`. */
  readonly title: string;
  /** The form without the saved draft that it shows. Default: it shows no draft. */
  readonly saved?: Form;
  /** Instructions for the person, a line for each. */
  readonly instructions: readonly string[];
  /** True if files cannot be attached, so that attachment fields are left out. */
  readonly acceptsNoFiles?: boolean;
}

/** The values that a form submits. */
export interface FilledForm {
  /** The changes. */
  readonly submission: FormSubmission;
  /** Values that the form does not show, e.g. of `--data`. */
  readonly further: JsonObject;
}

/** The calls of a form. */
export interface FormSource {
  /** Reads the form. */
  read(): Promise<OpenForm>;
  /** Computes the form with changes. Returns the body of the response. Forms without it are not computed again. */
  refresh?(call: RefreshCall): Promise<JsonObject>;
  /** Uploads a file. Returns its temporary ID. */
  upload?(file: FileInput): Promise<string>;
  /** Submits the form. */
  submit(filled: FilledForm): Promise<Reply>;
  /** Submits the form without robotic automation. */
  submitWithoutAutomation?(filled: FilledForm): Promise<Reply>;
  /** Saves a draft. */
  save?(filled: FilledForm): Promise<Reply>;
  /** Goes back to the previous step. */
  goBack?(filled: FilledForm): Promise<Reply>;
  /** Goes to another step. */
  goTo?(stepId: string, filled: FilledForm): Promise<Reply>;
}

/** Returns the values of a filled form as operations take them. */
export function toValues({ submission: { content, pageInstructions, attachments }, further }: FilledForm): JsonObject {
  return {
    data: mergeContent(further, content),
    ...(pageInstructions.length > 0 && { pageInstructions }),
    ...(attachments.length > 0 && { attachments }),
  };
}

/** Merges content by member, also on pages that both have. */
function mergeContent(base: JsonObject, changes: JsonObject): JsonObject {
  const merged = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    const before = merged[name];
    merged[name] = isJsonObject(before) && isJsonObject(value) ? mergeContent(before, value) : value;
  }
  return merged;
}
