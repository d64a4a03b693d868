/** The dialogue in which a person fills in a form and submits it. */
import { SvcError } from "../../lib/errors.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { JsonObject } from "../../utils/json.ts";
import { composeHint } from "../exit.ts";
import { askField, type FieldSources } from "./ask_field.ts";
import type { FormField } from "./form.ts";
import { type FileChange, FormState, type FormView, type Submission } from "./form_state.ts";
import { describeIssue, formatFieldValue, isAbout } from "./form_values.ts";
import { isEmptyValue } from "../view/format_value.ts";
import { isCancellation } from "./open_prompts.ts";
import type { Prompts } from "./prompts.ts";

/** A form as it was read, with what can be done with it. */
export interface OpenForm extends FormView {
  /** Name of what the form submits, e.g. `Register`. */
  readonly name: string;
  /** Title, e.g. `P-1 Permit: Register the application`. */
  readonly title: string;
  /** Instructions for the person. */
  readonly instructions?: string;
  /** True if files cannot be attached, so that attachment fields are left out. */
  readonly acceptsNoFiles?: boolean;
  /** True if a draft can be saved. */
  readonly canSave?: boolean;
  /** Name of the previous screen, if there is one. */
  readonly previous?: string;
}

/** The submitted values of a form, with the files of its attachment fields. */
export interface FilledForm {
  /** The changes, with page instructions for pages and lists. */
  readonly submission: Submission;
  /** The changes as content, in which a changed list is complete. */
  readonly content: JsonObject;
  /** Files by the key of their field. */
  readonly files: ReadonlyMap<string, FileChange>;
}

/** The calls of a form. */
export interface FormSource {
  /** Choices and files for its fields. */
  readonly fields: FieldSources;
  /** Reads the form. */
  read(): Promise<OpenForm>;
  /** Computes the form with changes. Forms without it are not recomputed. */
  refresh?(submission: Submission): Promise<FormView>;
  /** Submits the form. */
  submit(filled: FilledForm): Promise<Reply>;
  /** Saves a draft. */
  save?(filled: FilledForm): Promise<Reply>;
  /** Goes back to the previous screen. */
  goBack?(filled: FilledForm): Promise<Reply>;
}

/** Options of a dialogue. */
export interface FormOptions {
  /** Prompts only for required fields. */
  readonly requiredOnly: boolean;
  /** Values that are filled in before the first prompt. */
  readonly prefill?: Submission;
  /** Entity tag that must still be current. Default: that of the form. */
  readonly ifMatch?: string;
  /** True if something was done before, which remains if the user cancels. */
  readonly isContinued?: boolean;
  /** Aborts when the command must end. */
  readonly signal: AbortSignal;
}

/** The end of a dialogue, with the response. */
export interface FormOutcome {
  /** The last step. */
  readonly done: "submitted" | "saved" | "wentBack";
  /** The response. */
  readonly reply: Reply;
}

/** Prompts for the fields of a form until it is submitted, saved or left. Throws `INTERRUPTED` if the user cancels. */
export async function fillForm(prompts: Prompts, source: FormSource, options: FormOptions): Promise<FormOutcome> {
  const form = await source.read();
  const dialogue = new FormDialogue(prompts, source, form, options);
  try {
    await dialogue.start();
    return await dialogue.run();
  } catch (error) {
    if (!options.isContinued || !isCancellation(error)) throw error;
    throw new SvcError("INTERRUPTED", "Cancelled. The current form was not submitted.", { cause: error });
  }
}

class FormDialogue {
  readonly #prompts: Prompts;
  readonly #source: FormSource;
  readonly #options: FormOptions;
  readonly #state: FormState;
  readonly #form: OpenForm;
  /** Keys of the fields that were prompted for. */
  readonly #asked = new Set<string>();
  /** Issues by the key of the fields to prompt for again. */
  readonly #again = new Map<string, readonly string[]>();
  /** True if the user leaves the form. */
  #isLeaving = false;

  constructor(prompts: Prompts, source: FormSource, form: OpenForm, options: FormOptions) {
    this.#prompts = prompts;
    this.#source = source;
    this.#options = options;
    this.#form = form;
    this.#state = new FormState(form);
  }

  async start(): Promise<void> {
    const { name, instructions } = this.#form;
    await this.#prefill();
    const filled = this.#state.fields.filter((field) => !isEmptyValue(this.#state.getValue(field)));
    const impossible = this.#state.fields.find((field) =>
      isWithoutPrompt(field) && field.isRequired && !filled.includes(field)
    );
    if (impossible) {
      throw new SvcError("INVALID_ARGS", `'${name}' requires ${impossible.label}, which prompts cannot fill in.`, {
        hint: `Pass it with --data '{"${impossible.key}":…}'.`,
      });
    }
    const lines = [
      ...(instructions ? [instructions] : []),
      ...filled.filter((field) => field.isReadOnly || isWithoutPrompt(field)).map((field) => this.#describe(field)),
      ...this.#state.fields.filter(isWithoutPrompt).map(({ key, label }) =>
        `Prompts cannot change ${label}. Pass it with --data '{"${key}":…}'.`
      ),
    ];
    if (this.#options.requiredOnly) return;
    if (lines.length === 0) this.#prompts.report(this.#form.title);
    else this.#prompts.show(this.#form.title, lines);
  }

  #describe(field: FormField): string {
    return `${field.label}: ${formatFieldValue(field, this.#state.getValue(field))}`;
  }

  async run(): Promise<FormOutcome> {
    let failure: SvcError | undefined;
    for (;;) {
      try {
        const outcome = failure === undefined ? await this.#fillIn() : await this.#recover(failure);
        if (outcome !== undefined) return outcome;
        failure = undefined;
      } catch (error) {
        const isCancelledAgain = failure !== undefined && isCancellation(error);
        if (!(error instanceof SvcError) || isCancelledAgain || !this.#canContinue()) throw error;
        failure = error;
      }
    }
  }

  #canContinue(): boolean {
    return !this.#isLeaving && !this.#prompts.hasEnded && !this.#options.signal.aborted;
  }

  async #fillIn(): Promise<FormOutcome | undefined> {
    await this.#askFields();
    return await this.#finish();
  }

  async #prefill(): Promise<void> {
    const { prefill } = this.#options;
    if (prefill === undefined) return;
    const { data, pageInstructions = [] } = prefill;
    if (Object.keys(data).length === 0 && pageInstructions.length === 0) return;
    const { refresh } = this.#source;
    this.#state.adopt(refresh === undefined ? data : (await refresh.call(this.#source, prefill)).content);
    this.#state.addFurther(data);
  }

  /** Prompts for the fields that were not prompted for, and for rejected ones. The answers may add fields to the form. */
  async #askFields(): Promise<void> {
    for (let field = this.#nextField(); field !== undefined; field = this.#nextField()) {
      const { key, label } = field;
      this.#again.get(key)?.forEach((issue) => this.#prompts.warn(`${label}: ${issue}`));
      const before = JSON.stringify(this.#state.toSubmission());
      await askField(this.#prompts, this.#state, field, this.#source.fields);
      if (this.#again.has(key) || JSON.stringify(this.#state.toSubmission()) !== before) {
        this.#again.set(key, []); // If the refresh fails, the field is prompted for again.
        const issues = await this.#refresh(field);
        if (issues.length === 0) this.#again.delete(key);
        else this.#again.set(key, issues);
      }
      this.#asked.add(key);
    }
  }

  #nextField(): FormField | undefined {
    return this.#editableFields().find(({ key, isRequired }) =>
      this.#again.has(key) || (!this.#asked.has(key) && (isRequired || !this.#options.requiredOnly))
    );
  }

  #editableFields(): FormField[] {
    return this.#state.fields.filter((field) =>
      !field.isReadOnly && !isWithoutPrompt(field) && !(field.kind === "attachment" && this.#form.acceptsNoFiles)
    );
  }

  /** Computes the form again, and shows what has changed. Returns the issues of the field. */
  async #refresh(field: FormField): Promise<string[]> {
    if (this.#source.refresh === undefined || this.#options.requiredOnly) return [];
    try {
      const changed = this.#state.refresh(await this.#source.refresh(this.#state.toSubmission()));
      changed.forEach(({ field, before, after }) => this.#prompts.inform(`${field.label}: ${before} → ${after}`));
      return [];
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== "VALIDATION_FAIL") throw error;
      // Issues of other fields are shown when the form is submitted.
      return (error.details ?? []).filter((detail) => isAbout(detail, field)).map((issue) =>
        describeIssue(issue, field)
      );
    }
  }

  /** Shows the changes and asks what to do with them. Returns undefined to continue with the form. */
  async #finish(): Promise<FormOutcome | undefined> {
    const { name, canSave, previous } = this.#form;
    const changes = this.#state.describeChanges();
    this.#prompts.show(name, changes.length > 0 ? changes : ["No changes."]);
    const answer = await this.#prompts.menu(`Submit '${name}'?`, [
      { value: "submit", label: "Submit" },
      ...(this.#editableFields().length > 0 ? [{ value: "change", label: "Change a field" }] : []),
      ...(previous === undefined ? [] : [{ value: "back", label: `Go back to '${previous}'` }]),
      ...(canSave ? [{ value: "save", label: "Save a draft" }] : []),
      { value: "cancel", label: "Cancel" },
    ]);
    switch (answer) {
      case "submit":
        return await this.#submit();
      case "change":
        this.#again.set(await this.#pickField(), []);
        return undefined;
      case "back":
        return this.#source.goBack && { done: "wentBack", reply: await this.#source.goBack(this.#fill()) };
      case "save":
        return await this.#save();
      default:
        return this.#leave(new SvcError("INTERRUPTED", "Not submitted. Nothing was done."));
    }
  }

  /** Prompts for a field, and returns its key. */
  async #pickField(): Promise<string> {
    return await this.#prompts.search(
      "Which field?",
      this.#editableFields().map((field) => ({ value: field.key, label: this.#describe(field) })),
    );
  }

  async #submit(): Promise<FormOutcome | undefined> {
    try {
      return { done: "submitted", reply: await this.#source.submit(this.#fill()) };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      if (error.code === "INVALID_RESPONSE") return this.#leave(error); // The service has processed the form.
      if (error.code !== "VALIDATION_FAIL" && error.code !== "BAD_REQUEST") throw error;
      this.#showRejection(error);
      return undefined;
    }
  }

  /** Shows why the form was rejected, and marks the fields to prompt for again. */
  #showRejection(error: SvcError): void {
    const { name } = this.#form;
    const details = error.details ?? [];
    const about = (field: FormField) => details.filter((detail) => isAbout(detail, field));
    const fields = this.#editableFields().filter((field) => about(field).length > 0);
    const others = details.filter((detail) => !fields.some((field) => isAbout(detail, field)))
      .map((detail) => describeIssue(detail)).filter((text) => text !== error.message);
    if (fields.length === 0) {
      this.#prompts.show(`'${name}' was rejected`, [error.message, ...others, ...listHints(error)]);
      return;
    }
    this.#prompts.warn(`'${name}' was rejected.`, ...others);
    for (const field of fields) this.#again.set(field.key, about(field).map((issue) => describeIssue(issue, field)));
  }

  /** Continues with the current form after another operator changed the case. */
  async #reload(): Promise<void> {
    const lost = this.#state.rebase(await this.#source.read());
    this.#prompts.show("The case has changed since the form was opened", [
      "Your entries are kept. Check them and submit again.",
      ...lost.map(({ label }) => `${label}: others have changed the rows. Change them again.`),
    ]);
  }

  /** Offers what can be done after a cancellation or an error. Returns undefined to continue with the form. */
  async #recover(error: SvcError): Promise<FormOutcome | undefined> {
    if (error.code === "PRECONDITION_FAILED" && this.#options.ifMatch === undefined) {
      await this.#reload();
      return undefined;
    }
    const isCancelled = isCancellation(error);
    const canSave = this.#form.canSave && this.#state.isChanged;
    if (isCancelled && !canSave) return this.#leave(error);
    if (!isCancelled || error.outcomeUnknown) this.#prompts.warn(error.message, ...listHints(error));
    const resume = { value: "continue", label: "Continue with the form" };
    const save = { value: "save", label: "Save a draft" };
    const answer = isCancelled
      ? await this.#prompts.menu("Save your entries as a draft?", [
        save,
        { value: "leave", label: "Discard them" },
        resume,
      ])
      : await this.#prompts.menu("Your entries are kept. What now?", [
        resume,
        ...(canSave ? [save] : []),
        { value: "leave", label: "Leave the form, and discard them" },
      ]);
    if (answer === "leave") return this.#leave(error);
    return answer === "save" ? await this.#save() : undefined;
  }

  #leave(error: SvcError): never {
    this.#isLeaving = true;
    throw error;
  }

  async #save(): Promise<FormOutcome | undefined> {
    if (this.#source.save === undefined) return undefined;
    const reply = await this.#source.save(this.#fill());
    this.#prompts.report("The draft was saved.");
    return { done: "saved", reply };
  }

  #fill(): FilledForm {
    return { submission: this.#state.toSubmission(), content: this.#state.toContent(), files: this.#state.files };
  }
}

/** Reports whether a field can be changed, but not with prompts: a group of pages, or a list whose rows are not described. */
function isWithoutPrompt({ kind, isReadOnly }: FormField): boolean {
  return kind === "other" && !isReadOnly;
}

function listHints(error: SvcError): string[] {
  const hint = composeHint(error);
  return hint === undefined ? [] : [hint];
}
