/** The dialogue in which a person fills in a form and submits it. */
import { SvcError } from "../../lib/errors.ts";
import type { Reply } from "../../lib/client/response/reply.ts";
import type { JsonObject } from "../../utils/json.ts";
import { askField, type FieldSources } from "./ask_field.ts";
import type { FormField } from "./form.ts";
import { type FileChange, FormState, type FormView, type Submission } from "./form_state.ts";
import { describeIssue, formatValue, isAbout, isEmptyValue } from "./form_values.ts";
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
export interface FormSource extends FieldSources {
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
  /** Aborts when the user interrupts a call. */
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
  await dialogue.start();
  return await dialogue.run();
}

class FormDialogue {
  readonly #prompts: Prompts;
  readonly #source: FormSource;
  readonly #options: FormOptions;
  readonly #state: FormState;
  readonly #form: OpenForm;
  /** Keys of the fields that were prompted for. */
  readonly #asked = new Set<string>();
  /** True if the user has seen the offer of a draft, and cancels. */
  #isDeclined = false;

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
    const impossible = this.#state.fields.find((field) =>
      field.kind === "other" && field.isRequired && !field.isReadOnly && isEmptyValue(this.#state.getValue(field))
    );
    if (impossible) {
      throw new SvcError("INVALID_ARGS", `'${name}' requires ${impossible.label}, which prompts cannot fill in.`, {
        hint: `Pass it with --data '{"${impossible.key}":…}' or --page-instructions.`,
      });
    }
    const shown = this.#state.fields.filter((field) => field.isReadOnly && !isEmptyValue(this.#state.getValue(field)));
    const lines = [
      ...(instructions ? [instructions] : []),
      ...shown.map((field) => `${field.label}: ${formatValue(field, this.#state.getValue(field))}`),
    ];
    if (this.#options.requiredOnly) return;
    if (lines.length === 0) this.#prompts.report(this.#form.title);
    else this.#prompts.show(this.#form.title, lines);
  }

  async run(): Promise<FormOutcome> {
    for (;;) {
      try {
        await this.#askOthers();
        const outcome = await this.#finish();
        if (outcome !== undefined) return outcome;
      } catch (error) {
        const outcome = await this.#offerDraft(error);
        if (outcome !== undefined) return outcome;
      }
    }
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

  /** Prompts for the fields that were not prompted for. The answers may add fields to the form. */
  async #askOthers(): Promise<void> {
    for (let field = this.#nextField(); field !== undefined; field = this.#nextField()) {
      await this.#ask(field);
      this.#asked.add(field.key);
    }
  }

  #nextField(): FormField | undefined {
    return this.#editableFields().find(({ key, isRequired }) =>
      !this.#asked.has(key) && (isRequired || !this.#options.requiredOnly)
    );
  }

  #editableFields(): FormField[] {
    return this.#state.fields.filter(({ isReadOnly, kind }) =>
      !isReadOnly && kind !== "other" && !(kind === "attachment" && this.#form.acceptsNoFiles)
    );
  }

  async #ask(field: FormField): Promise<void> {
    for (let isRejected = false;; isRejected = true) {
      const before = JSON.stringify(this.#state.toSubmission());
      await askField(this.#prompts, this.#state, field, this.#source);
      if (!isRejected && JSON.stringify(this.#state.toSubmission()) === before) return;
      const issues = await this.#refresh(field);
      if (issues.length === 0) return;
      issues.forEach((issue) => this.#prompts.warn(`${field.label}: ${issue}`));
    }
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
        await this.#change();
        return undefined;
      case "back":
        return this.#source.goBack && { done: "wentBack", reply: await this.#source.goBack(this.#fill()) };
      case "save":
        return await this.#save();
      default:
        this.#isDeclined = true;
        throw new SvcError("INTERRUPTED", "Not submitted. Nothing was done.");
    }
  }

  async #change(): Promise<void> {
    const fields = this.#editableFields();
    const key = await this.#prompts.search(
      "Which field?",
      fields.map((field) => ({
        value: field.key,
        label: `${field.label}: ${formatValue(field, this.#state.getValue(field))}`,
      })),
    );
    const field = fields.find((field) => field.key === key);
    if (field !== undefined) await this.#ask(field);
  }

  async #submit(): Promise<FormOutcome | undefined> {
    try {
      return { done: "submitted", reply: await this.#source.submit(this.#fill()) };
    } catch (error) {
      if (!(error instanceof SvcError) || error.outcomeUnknown || this.#options.signal.aborted) throw error;
      await this.#showRejection(error);
      return undefined;
    }
  }

  /** Shows why the form was rejected, and marks the fields to prompt for again. */
  async #showRejection(error: SvcError): Promise<void> {
    const { name } = this.#form;
    if (error.code === "PRECONDITION_FAILED") return await this.#reload();
    const details = error.details ?? [];
    const about = (field: FormField) => details.filter((detail) => isAbout(detail, field));
    const fields = this.#editableFields().filter((field) => about(field).length > 0);
    const others = details.filter((detail) => !fields.some((field) => isAbout(detail, field)))
      .map((detail) => describeIssue(detail)).filter((text) => text !== error.message);
    if (fields.length === 0) {
      const hint = error.renderHint((flag) => `--${flag}`);
      this.#prompts.show(`'${name}' was rejected`, [error.message, ...others, ...(hint === undefined ? [] : [hint])]);
      return;
    }
    this.#prompts.warn(`'${name}' was rejected.`);
    others.forEach((text) => this.#prompts.warn(text));
    for (const field of fields) {
      about(field).forEach((issue) => this.#prompts.warn(`${field.label}: ${describeIssue(issue, field)}`));
      await this.#ask(field);
    }
  }

  /** Continues with the current form after another operator changed the case. */
  async #reload(): Promise<void> {
    const lost = this.#state.rebase(await this.#source.read());
    this.#prompts.show("The case has changed since the form was opened", [
      "Your entries are kept. Check them and submit again.",
      ...lost.map(({ label }) => `${label}: others have changed the rows. Change them again.`),
    ]);
  }

  /** After a cancellation, offers to save the entries. Returns undefined to continue with the form. */
  async #offerDraft(error: unknown): Promise<FormOutcome | undefined> {
    const isCancelled = error instanceof SvcError && error.code === "INTERRUPTED";
    const canAsk = !this.#isDeclined && !this.#prompts.hasEnded && !this.#options.signal.aborted;
    if (!isCancelled || !canAsk || !this.#form.canSave || !this.#state.isChanged) throw error;
    const answer = await this.#prompts.menu("Save your entries as a draft?", [
      { value: "save", label: "Save a draft" },
      { value: "discard", label: "Discard them" },
      { value: "continue", label: "Continue with the form" },
    ]);
    if (answer === "discard") throw error;
    return answer === "save" ? await this.#save() : undefined;
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
