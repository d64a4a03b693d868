/**
 * Forms of a case-management service without a user interface: reads what a service describes, evaluates it while values
 * are entered, and builds the body that submits them. It needs neither a terminal nor a network, and runs in Deno, Node.js
 * and a browser.
 *
 * @example
 * ```ts
 * import { createClient } from "@svc/lib";
 * import { readForm } from "@svc/lib/forms";
 *
 * const svc = createClient();
 * const { id } = await svc.cases.create({ type: "City-Permit-Work-Permit" });
 * const action = "pyUpdateCaseDetails";
 * const form = readForm(await svc.cases.getAction(id, { action }), { action });
 * for (const { label, path } of form.questions) console.log(label, path);
 * const { content, pageInstructions } = form.set("Applicant", "Ada").toSubmission();
 * await svc.cases.performAction(id, { action, data: content, pageInstructions });
 * ```
 *
 * @module
 */
export { Form, ListChanges, readForm, ReferenceChanges } from "./form.ts";
export type { ReadFormOptions } from "./edit/state.ts";
export { listQuestions } from "./edit/questions.ts";
export type { RefreshBody, RefreshCall } from "./edit/refresh.ts";
export type { FormAction, FormButton, FormPurpose, FormStep } from "./envelope.ts";
export type {
  Choice,
  ChoiceQuery,
  FieldKind,
  FormAttachment,
  FormColumn,
  FormField,
  FormGroup,
  FormList,
  FormNode,
  FormNote,
  FormQuestion,
  FormReference,
  FormRow,
  NodeBase,
  QuestionBase,
} from "./nodes.ts";
export {
  ChoiceLoader,
  type ChoiceRows,
  type ChoiceSource,
  createChoiceSource,
  type LoadedChoices,
  type QueryClient,
} from "./choices.ts";
export { formatFieldValue, type ParsedValue, parseInput, toInputText, type ValueRules } from "./values.ts";
export { describeRow, type FormChange } from "./edit/changes.ts";
export type { AttachedFile } from "./edit/page.ts";
export type { FormSubmission, SubmissionOptions } from "./edit/submission.ts";
export {
  ERROR_CODES,
  type ErrorAttempt,
  type ErrorCode,
  type ErrorDetail,
  type ErrorRecord,
  type Hint,
  type HintCommand,
  type HintOption,
  isSvcError,
  SvcError,
  type SvcErrorOptions,
} from "../errors.ts";
export { ExactNumber } from "../../utils/exact_number.ts";
export type { JsonObject, JsonValue } from "../../utils/json.ts";
