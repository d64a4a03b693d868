/** Reads, fills in and submits the forms of a case-management service. */
import { isNonEmptyString, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { type FormChange, listChanges } from "./edit/changes.ts";
import {
  attachFiles,
  detachFile,
  fill,
  insertRow,
  moveRow,
  removeRow,
  setChoice,
  setValue,
  updateRow,
} from "./edit/entries.ts";
import type { AttachedFile } from "./edit/page.ts";
import { listProblemNotes, listQuestions } from "./edit/questions.ts";
import { addRecord, choose, clearRecords, removeRecord } from "./edit/records.ts";
import { applyResponse, planRefresh, planRowRefresh, type RefreshCall, reopenForm } from "./edit/refresh.ts";
import { applyReportedErrors } from "./edit/reported_errors.ts";
import {
  drawForm,
  findCaseClass,
  findQuestion,
  type FormState,
  getTarget,
  invalid,
  type ReadFormOptions,
  readState,
  requireEditable,
} from "./edit/state.ts";
import { buildSubmission, type FormSubmission, type SubmissionOptions } from "./edit/submission.ts";
import {
  type FormAction,
  type FormButton,
  type FormPurpose,
  type FormStep,
  readActions,
  readButtons,
  readSteps,
  readTexts,
} from "./envelope.ts";
import type { Choice, FormList, FormNode, FormQuestion, FormReference } from "./nodes.ts";
import { formatPath, getObject } from "./path.ts";

/**
 * Reads the form in a response: the body of reading an action, an assignment, a step or a page. Throws `INVALID_RESPONSE`
 * if it has no `uiResources`.
 *
 * @example
 * ```ts
 * import { readForm } from "@svc/lib/forms";
 *
 * const form = readForm({
 *   data: { caseInfo: { content: { classID: "Demo-Trip", City: "Oslo" } } },
 *   uiResources: {
 *     root: { type: "reference", config: { type: "view", name: "Edit", context: "caseInfo.content" } },
 *     resources: {
 *       views: {
 *         Edit: [{
 *           name: "Edit",
 *           type: "View",
 *           config: { template: "DefaultForm" },
 *           children: [{ type: "TextInput", config: { value: "@P .City", label: "@L City", required: true } }],
 *         }],
 *       },
 *       fields: { City: [{ type: "Text", label: "City", maxLength: 40 }] },
 *     },
 *   },
 * });
 * const filled = form.set("City", "Bergen");
 * console.log(filled.toSubmission().content); // { City: "Bergen" }
 * ```
 */
export function readForm(response: object, options: ReadFormOptions = {}): Form {
  return new Form(readState(response, options));
}

/** A form with its entries. It never changes: each change returns another form. */
export class Form {
  readonly #state: FormState;

  /** Creates a form from its state. Use `readForm`. */
  constructor(state: FormState) {
    this.#state = state;
  }

  /** Kind of the response: a form, a page that only shows values, or the end of the work. */
  get purpose(): FormPurpose {
    return this.#state.root.purpose;
  }

  /** Action that the form submits. */
  get action(): string {
    return getTarget(this.#state).action;
  }

  /** Display name of the action, e.g. `Register`. */
  get name(): string {
    return this.#texts.name;
  }

  /** Number and label of the case; empty for other objects. */
  get caseTitle(): string {
    return this.#texts.caseTitle;
  }

  /** Title: the case, the assignment, the action, and the position among the steps. */
  get title(): string {
    const { caseTitle, assignmentName, name } = this.#texts;
    const { steps } = this;
    const current = steps.findIndex(({ isCurrent }) => isCurrent);
    const position = current < 0 ? "" : ` (screen ${current + 1} of ${steps.length})`;
    const work = [assignmentName, name].filter((text, i, all) => text !== "" && text !== all[i - 1]);
    return [caseTitle, work.join(", ")].filter(isNonEmptyString).join(": ") + position;
  }

  /** Instructions as plain text; empty without any. */
  get instructions(): string {
    const { resources, root } = this.#state;
    const { instructions } = getObject(resources.findView(root.name, [findCaseClass(this.#state)], new Set())?.config);
    return instructions === undefined || instructions === "casestep" ? this.#texts.instructions : "";
  }

  /** Message after the last step; empty before. */
  get confirmation(): string {
    return this.#texts.confirmation;
  }

  /** Steps of a sequence of forms. Empty for a single form. */
  get steps(): readonly FormStep[] {
    return readSteps(this.#state.uiResources);
  }

  /** Buttons, the main ones first. */
  get buttons(): readonly FormButton[] {
    return readButtons(this.#state.uiResources);
  }

  /** Other actions of the same assignment. */
  get actions(): readonly FormAction[] {
    return readActions(getObject(this.#state.data.caseInfo), getTarget(this.#state));
  }

  /** Parts of the form in order, hidden ones included. */
  get nodes(): readonly FormNode[] {
    return drawForm(this.#state).nodes;
  }

  /** Visible parts with a value, each once. A part that can be edited somewhere is not read-only. */
  get shown(): readonly FormQuestion[] {
    return listQuestions(this.nodes);
  }

  /** Parts that a person can fill in, in order: the visible parts that are not read-only. */
  get questions(): readonly FormQuestion[] {
    return this.shown.filter(({ isReadOnly, cannotFill }) => !isReadOnly && cannotFill === undefined);
  }

  /** Sentences about what could not be shown, filled in or understood. */
  get problems(): readonly string[] {
    const { nodes, log } = drawForm(this.#state);
    const unfillable = this.shown.filter(({ isReadOnly, cannotFill }) => !isReadOnly && cannotFill !== undefined);
    const problems = [
      ...(this.purpose === "reopen" ? ["The response has no view of this form."] : []),
      ...listProblemNotes(nodes),
      ...unfillable.map(({ label, cannotFill }) => `${label} cannot be filled in here. ${cannotFill}`),
      ...this.buttons.filter(hasOutcome).map(({ name }) =>
        `The button '${name}' cannot be used here: a submission has no place for its outcome.`
      ),
      ...log.warnings,
    ];
    return [...new Set(problems)];
  }

  /** Reported errors that do not belong to a field of the form. */
  get messages(): readonly string[] {
    return this.#state.messages;
  }

  /** Current values, including the entries. */
  get content(): JsonObject {
    return drawForm(this.#state).content;
  }

  /** True if something would be submitted. */
  get isChanged(): boolean {
    const { content, pageInstructions } = this.toSubmission();
    return Object.keys(content).length > 0 || pageInstructions.length > 0;
  }

  /**
   * Returns the part at a path, e.g. `Home.City`, `Stops[0].City` or `.Stops(1).City`; undefined if the form has none. Of
   * several parts with the same path, it returns the one that can be filled in.
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
   * console.log(form.find("Contact.Name")?.label);
   * ```
   */
  find(path: string): FormQuestion | undefined {
    return findQuestion(this.#state, path);
  }

  /**
   * Enters a value. Texts are converted to the type of the field, and an empty text or null clears it. Values that depend on
   * it are cleared. A list takes an array of rows, and a reference takes a key or an object with all keys. Throws
   * `INVALID_ARGS` for a value that the field cannot have, and for a path that cannot be filled in.
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
   * console.log(form.set("Area", "12.5").set("Urgent", true).toSubmission().content); // { Area: 12.5, Urgent: true }
   * ```
   */
  set(path: string, value: JsonValue): Form {
    return new Form(setValue(this.#state, path, value));
  }

  /**
   * Enters a choice in a field or a reference, with the values that the choice also sets. Throws `INVALID_ARGS` if the part
   * is not chosen from a list.
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
   * const channel = form.find("Channel");
   * if (channel?.type === "field") {
   *   const [first] = channel.choices ?? [];
   *   if (first) console.log(form.choose("Channel", first).content.Channel);
   * }
   * ```
   */
  choose(path: string, choice: Choice): Form {
    return new Form(setChoice(this.#state, path, choice));
  }

  /**
   * Changes the rows of a list. Throws `INVALID_ARGS` if the path is not a list that can be changed.
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
   * console.log(form.list("Documents").insert({ Title: "Plan" }).toSubmission().pageInstructions);
   * ```
   */
  list(path: string): ListChanges {
    const list = requireEditable(this.#state, path);
    if (list.type !== "list") throw invalid(`${list.label} is not a list.`);
    return new ListChanges(this.#state, list);
  }

  /**
   * Changes the records that a reference refers to. Throws `INVALID_ARGS` if the path is not a reference that can be changed.
   *
   * @example
   * ```ts
   * import type { Form } from "@svc/lib/forms";
   *
   * export const chooseDepot = (form: Form) => form.reference("Depot").choose(5);
   * ```
   */
  reference(path: string): ReferenceChanges {
    const reference = requireEditable(this.#state, path);
    if (reference.type !== "reference") throw invalid(`${reference.label} is not a reference.`);
    return new ReferenceChanges(this.#state, reference);
  }

  /**
   * Attaches uploaded files to an attachment field. In a field for several files, they are added. Null removes all files, and
   * an empty list restores the stored ones. Throws `INVALID_ARGS` for a file of another type than the field allows.
   *
   * @example
   * ```ts
   * import { createClient } from "@svc/lib";
   * import type { Form } from "@svc/lib/forms";
   *
   * export async function attachPlan(form: Form, file: File): Promise<Form> {
   *   const { ID } = await createClient().attachments.upload({ file });
   *   return form.attach("Plan", { ID, name: file.name });
   * }
   * ```
   */
  attach(path: string, file: AttachedFile | readonly AttachedFile[] | null): Form {
    return new Form(attachFiles(this.#state, path, file));
  }

  /**
   * Removes the file at a position, which starts at 0, from an attachment field. Throws `INVALID_ARGS` if there is no such file.
   *
   * @example
   * ```ts
   * import { readForm } from "@svc/lib/forms";
   *
   * const form = readForm({
   *   data: { caseInfo: { content: { Photos: [{ ID: "a", fileName: "front.jpg" }, { ID: "b", fileName: "back.jpg" }] } } },
   *   uiResources: {
   *     root: { type: "Attachment", config: { value: "@P .Photos", allowMultiple: "true" } },
   *     resources: { views: {}, fields: {} },
   *   },
   * });
   * console.log(form.detach("Photos", 0).toSubmission().pageInstructions);
   * // [{ instruction: "DELETE", target: ".Photos", listIndex: 1 }]
   * ```
   */
  detach(path: string, position: number): Form {
    return new Form(detachFile(this.#state, path, position));
  }

  /**
   * Returns the body that submits the changes. It contains only what is visible and can be edited. It is empty if nothing was
   * changed.
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
   * const { content, pageInstructions } = form.set("Applicant", "Ada").toSubmission();
   * await svc.cases.performAction(id, { action, data: content, pageInstructions });
   * ```
   */
  toSubmission(options?: SubmissionOptions): FormSubmission {
    const { nodes, page } = drawForm(this.#state);
    return buildSubmission(nodes, page, this.#state.root.path, options);
  }

  /**
   * Describes what was changed, by label, in the order of the form.
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
   * for (const { label, after } of form.set("Applicant", "Ada").changes()) console.log(label, after); // Applicant Ada
   * ```
   */
  changes(): FormChange[] {
    return listChanges(this.#state);
  }

  /**
   * Returns the call that computes the form again after a change at a path, or undefined if none is needed. Without a path,
   * after any change. The path of a row confirms the row. `options` are those of `toSubmission`.
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
   * const changed = form.set("Applicant", "Ada");
   * const call = changed.refreshFor("Applicant");
   * if (call !== undefined) {
   *   const { content, pageInstructions } = call.body;
   *   const response = await svc.cases.refreshAction(id, { action, data: content, pageInstructions });
   *   console.log(changed.apply(response).content.Applicant);
   * }
   * ```
   */
  refreshFor(path?: string, options?: SubmissionOptions): RefreshCall | undefined {
    return planRefresh(this.#state, path, options);
  }

  /**
   * Returns the call that computes a row while it is filled in, or undefined if the row does not depend on the service.
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
   * const inserted = form.list("Documents").insert({ Title: "Plan" });
   * const call = inserted.refreshRow("Documents[0]");
   * console.log(call?.body.interestPage ?? "The row needs no call.");
   * ```
   */
  refreshRow(path: string, options?: SubmissionOptions): RefreshCall | undefined {
    return planRowRefresh(this.#state, path, options);
  }

  /**
   * Continues with the form as the service has computed it. Its values replace those that were sent to it.
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
   * const response = await svc.cases.refreshAction(id, { action, data: { Applicant: "Ada" } });
   * console.log(form.apply(response).content.Applicant); // Ada
   * ```
   */
  apply(response: object): Form {
    return new Form(applyResponse(this.#state, response));
  }

  /**
   * Continues with a newly read form. Entries are kept, except for the entries of lists that someone else has changed, which
   * are in `lost`.
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
   * const filled = form.set("Applicant", "Ada");
   * const fresh = readForm(await svc.cases.getAction(id, { action }), { action });
   * const { form: continued, lost } = filled.reopen(fresh);
   * console.log(continued.toSubmission().content, lost.map(({ label }) => label)); // { Applicant: "Ada" } []
   * ```
   */
  reopen(fresh: Form): { readonly form: Form; readonly lost: readonly FormQuestion[] } {
    const { state, lost } = reopenForm(this.#state, fresh.#state);
    return { form: new Form(state), lost: lost.flatMap((path) => this.find(formatPath(path)) ?? []) };
  }

  /**
   * Shows the errors of a rejected submission at their fields. Errors about no field become `messages`. Takes an `SvcError`,
   * or the body of the response.
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
   * const rejected = form.applyErrors({
   *   errorDetails: [{ erroneousInputOutputFieldInPage: ".Applicant", localizedValue: "Enter a name." }],
   * });
   * console.log(rejected.find("Applicant")?.errors); // ["Enter a name."]
   * ```
   */
  applyErrors(error: object): Form {
    return new Form(applyReportedErrors(this.#state, error));
  }

  /**
   * Enters values from JSON, e.g. `{ Home: { City: "Oslo" } }`. A value may show the part for another one, in any order.
   * `rest` has the values for which the form has no place that can be filled in. Throws `INVALID_ARGS` for unusable values.
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
   * const { form: filled, rest } = form.fill({ Applicant: "Ada", Contact: { Name: "Charles" }, Shoe: 42 });
   * console.log(filled.toSubmission().content, rest); // … { Shoe: 42 }
   * ```
   */
  fill(content: JsonObject): { readonly form: Form; readonly rest: JsonObject } {
    const { state, rest } = fill(this.#state, content, this.#state.root.path);
    return { form: new Form(state), rest };
  }

  get #texts() {
    const { body, data } = this.#state;
    return readTexts(body, getObject(data.caseInfo), getTarget(this.#state));
  }
}

/** Reports whether a button decides about an approval. */
function hasOutcome({ kind }: FormButton): boolean {
  return kind === "approve" || kind === "reject";
}

/** Changes of the rows of a list. Positions start at 0. */
export class ListChanges {
  readonly #state: FormState;
  readonly #list: FormList;

  /** Prepares changes of a list. Use `form.list(path)`. */
  constructor(state: FormState, list: FormList) {
    this.#state = state;
    this.#list = list;
  }

  /**
   * Inserts a row, at the end by default, and enters its values. Throws `INVALID_ARGS` if no row can be added.
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
   * const changed = form.list("Documents").insert({ Title: "Plan" }).list("Documents").insert({ Title: "Deed" }, 0);
   * console.log(changed.toSubmission().pageInstructions);
   * ```
   */
  insert(values: JsonObject = {}, position: number = this.#list.rows.length): Form {
    return new Form(insertRow(this.#state, this.#list, values, position));
  }

  /**
   * Enters values of a row.
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
   * const changed = form.list("Documents").insert().list("Documents").update(0, { Title: "Plan", Pages: 3 });
   * console.log(changed.toSubmission().pageInstructions);
   * ```
   */
  update(position: number, values: JsonObject): Form {
    return new Form(updateRow(this.#state, this.#list, position, values));
  }

  /**
   * Removes a row. Throws `INVALID_ARGS` if it cannot be removed.
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
   * const changed = form.list("Documents").insert({ Title: "Plan" });
   * console.log(changed.list("Documents").remove(0).toSubmission().pageInstructions); // []
   * ```
   */
  remove(position: number): Form {
    return new Form(removeRow(this.#state, this.#list, position));
  }

  /**
   * Moves a row to another position.
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
   * const changed = form.list("Documents").insert({ Title: "Plan" }).list("Documents").insert({ Title: "Deed" });
   * console.log(changed.list("Documents").move(1, 0).find("Documents[0].Title"));
   * ```
   */
  move(from: number, to: number): Form {
    return new Form(moveRow(this.#state, this.#list, from, to));
  }
}

/** Changes of the records that a reference refers to. */
export class ReferenceChanges {
  readonly #state: FormState;
  readonly #reference: FormReference;

  /** Prepares changes of a reference. Use `form.reference(path)`. */
  constructor(state: FormState, reference: FormReference) {
    this.#state = state;
    this.#reference = reference;
  }

  /**
   * Refers to a record: a choice, the value of its key, or an object with all keys.
   *
   * @example
   * ```ts
   * import { readForm } from "@svc/lib/forms";
   *
   * const form = readForm({
   *   data: { caseInfo: { content: { Depot: { ID: 4 } } } },
   *   uiResources: {
   *     root: { type: "SimpleTableSelect", config: { value: "@P .Depot.ID", selectionKey: ".ID", referenceList: "D_Depots" } },
   *     resources: {},
   *   },
   * });
   * console.log(form.reference("Depot").choose(5).toSubmission().content); // { Depot: { ID: 5 } }
   * ```
   */
  choose(record: Choice | JsonValue): Form {
    return new Form(choose(this.#state, this.#reference, record));
  }

  /**
   * Adds a record. A record that is already there is not added again.
   *
   * @example
   * ```ts
   * import { readForm } from "@svc/lib/forms";
   *
   * const form = readForm({
   *   data: { caseInfo: { content: { Skills: [{ ID: "sail" }] } } },
   *   uiResources: {
   *     root: { type: "Multiselect", config: { selectionList: ".Skills", selectionKey: ".ID", referenceList: "D_Skills" } },
   *     resources: {},
   *   },
   * });
   * console.log(form.reference("Skills").add("swim").toSubmission().pageInstructions);
   * // [{ instruction: "INSERT", target: ".Skills", listIndex: 2, content: { ID: "swim" } }]
   * ```
   */
  add(record: Choice | JsonValue): Form {
    return new Form(addRecord(this.#state, this.#reference, record));
  }

  /**
   * Removes the record at a position, which starts at 0.
   *
   * @example
   * ```ts
   * import { readForm } from "@svc/lib/forms";
   *
   * const form = readForm({
   *   data: { caseInfo: { content: { Skills: [{ ID: "sail" }, { ID: "swim" }] } } },
   *   uiResources: {
   *     root: { type: "Multiselect", config: { selectionList: ".Skills", selectionKey: ".ID", referenceList: "D_Skills" } },
   *     resources: {},
   *   },
   * });
   * console.log(form.reference("Skills").remove(0).toSubmission().pageInstructions);
   * // [{ instruction: "DELETE", target: ".Skills", listIndex: 1 }]
   * ```
   */
  remove(position: number): Form {
    return new Form(removeRecord(this.#state, this.#reference, position));
  }

  /**
   * Removes all records.
   *
   * @example
   * ```ts
   * import { readForm } from "@svc/lib/forms";
   *
   * const form = readForm({
   *   data: { caseInfo: { content: { Depot: { ID: 4 } } } },
   *   uiResources: {
   *     root: { type: "SimpleTableSelect", config: { value: "@P .Depot.ID", selectionKey: ".ID", referenceList: "D_Depots" } },
   *     resources: {},
   *   },
   * });
   * console.log(form.reference("Depot").clear().toSubmission().content); // { Depot: { ID: "" } }
   * ```
   */
  clear(): Form {
    return new Form(clearRecords(this.#state, this.#reference));
  }
}
