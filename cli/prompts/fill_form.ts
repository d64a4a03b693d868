/** The dialogue in which a person fills in a form and submits it. */
import type { Reply } from "../../lib/client/response/reply.ts";
import { SvcError } from "../../lib/errors.ts";
import {
  type Choice,
  describeRow,
  type Form,
  type FormChange,
  type FormGroup,
  type FormNode,
  type FormQuestion,
  type FormStep,
  listQuestions,
  type RefreshCall,
} from "../../lib/forms/mod.ts";
import type { FileInput } from "../../lib/operation/operation.ts";
import { filterObjects, isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { pluralize } from "../../utils/text/wording.ts";
import { composeHint } from "../exit.ts";
import { formatValue } from "../view/format_value.ts";
import { askQuestion, type QuestionSources } from "./ask_question.ts";
import type { FormCalls } from "./form_calls.ts";
import type { FilledForm, FormSource, OpenForm } from "./form_source.ts";
import { isCancellation } from "./open_prompts.ts";
import type { Prompts } from "./prompts.ts";

/** Options of a dialogue. */
export interface FormOptions {
  /** Prompts only for required fields. */
  readonly requiredOnly: boolean;
  /** Values that are filled in before the first prompt. */
  readonly prefill?: { readonly data: JsonObject; readonly pageInstructions?: JsonValue[] };
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
  readonly done: "submitted" | "saved" | "wentBack" | "wentToStep";
  /** The response. */
  readonly reply: Reply;
}

/** Status of a submission whose robotic automation failed. */
const AUTOMATION_FAILED = 424;

/** Prompts for the fields of a form until it is submitted, saved or left. Throws `INTERRUPTED` if the user cancels. */
export async function fillForm(
  prompts: Prompts,
  calls: FormCalls,
  source: FormSource,
  options: FormOptions,
): Promise<FormOutcome> {
  const dialogue = new FormDialogue(prompts, calls, source, await source.read(), options);
  try {
    await dialogue.start();
    return await dialogue.run();
  } catch (error) {
    if (!options.isContinued || !isCancellation(error)) throw error;
    throw new SvcError("INTERRUPTED", "Cancelled. The current form was not submitted.", { cause: error });
  }
}

class FormDialogue implements QuestionSources {
  readonly #prompts: Prompts;
  readonly #calls: FormCalls;
  readonly #source: FormSource;
  readonly #options: FormOptions;
  readonly #opened: OpenForm;
  #form: Form;
  /** Content of `--data` that the form does not show. */
  #further: JsonObject = {};
  /** Paths of the questions that were prompted for. */
  readonly #asked = new Set<string>();
  /** Paths of the questions to prompt for again. */
  readonly #again = new Set<string>();
  /** Files to upload when the form is submitted, by the ID that stands for them. */
  readonly #files = new Map<string, FileInput>();
  /** Loaded choices by the path of their question. */
  readonly #choices = new Map<string, readonly Choice[]>();
  /** Texts that were typed until the user cancelled their prompt, and that are not valid. */
  readonly invalidTexts = new Map<string, string>();
  /** Heading of the group of the last question. */
  #heading = "";
  /** True if the user leaves the form. */
  #isLeaving = false;
  /** The form as it was computed when a row was confirmed. */
  #confirmed?: Form;
  /** True if the user was warned that the form cannot be computed. */
  #isWarned = false;

  constructor(prompts: Prompts, calls: FormCalls, source: FormSource, opened: OpenForm, options: FormOptions) {
    this.#prompts = prompts;
    this.#calls = calls;
    this.#source = source;
    this.#options = options;
    this.#opened = opened;
    this.#form = opened.form;
  }

  async start(): Promise<void> {
    const { name, title, instructions } = this.#opened;
    await this.#prefill();
    const unfillable = this.#form.shown.filter(({ isReadOnly, cannotFill }) => !isReadOnly && cannotFill !== undefined);
    const impossible = unfillable.find((question) => question.isRequired && !this.#hasValue(question));
    if (impossible) {
      throw new SvcError("INVALID_ARGS", `'${name}' requires ${impossible.label}, which prompts cannot fill in.`, {
        hint: `Pass it with --data '{"${impossible.path}":…}'.`,
      });
    }
    if (this.#options.requiredOnly) return;
    const drafted = this.#listDrafted();
    const shown = this.#form.shown.filter(({ isReadOnly, cannotFill }) => isReadOnly || cannotFill !== undefined);
    const lines = [
      ...instructions,
      ...(this.#opened.saved === undefined ? [] : ["This form shows your draft:", ...drafted]),
      ...shown.filter((question) => this.#hasValue(question)).map((question) => this.#describe(question)),
      ...unfillable.map(({ path, label }) =>
        `Prompts cannot change ${label}. Pass it with --data '{"${path.split(".")[0]}":…}'.`
      ),
      ...this.#listUnshown(),
    ];
    if (lines.length === 0) this.#prompts.report(title);
    else this.#prompts.show(title, lines);
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

  /** Loads the choices of a question, whose texts are shown from then on. Never throws. */
  loadChoices: QuestionSources["loadChoices"] = async (question) => {
    const loaded = await this.#calls.choices.load(question);
    this.#choices.set(question.path, loaded.choices);
    return loaded;
  };

  openFile: QuestionSources["openFile"] = (path) => this.#calls.openFile(path);

  keepFile(file: FileInput): string {
    const id = crypto.randomUUID();
    this.#files.set(id, file);
    return id;
  }

  async computeRow(form: Form, row: string): Promise<Form> {
    const call = form.refreshRow(row);
    return call === undefined ? form : await this.#compute(form, call);
  }

  async confirmRow(form: Form, row: string): Promise<Form> {
    const call = form.refreshFor(row);
    this.#confirmed = call === undefined ? form : await this.#compute(form, call);
    return this.#confirmed;
  }

  keepForm: QuestionSources["keepForm"] = (form) => void (this.#form = form);

  get acceptsFiles(): boolean {
    return this.#opened.acceptsNoFiles !== true;
  }

  #hasValue(question: FormQuestion): boolean {
    return describeValue(question) !== "" || this.#further[question.path] !== undefined;
  }

  #describe(question: FormQuestion): string {
    return `${question.label}: ${this.#nameChoice(question.path, describeValue(question)) || "(empty)"}`;
  }

  #canContinue(): boolean {
    return !this.#isLeaving && !this.#prompts.hasEnded && !this.#options.signal.aborted;
  }

  async #fillIn(): Promise<FormOutcome | undefined> {
    await this.#askQuestions();
    return await this.#finish();
  }

  async #prefill(): Promise<void> {
    const { data = {}, pageInstructions = [] } = this.#options.prefill ?? {};
    if (pageInstructions.length > 0) {
      const body = { content: data, pageInstructions: filterObjects(pageInstructions), contextData: false };
      const computed = await this.#source.refresh?.({ call: "action", body });
      if (computed !== undefined) this.#form = this.#form.apply(computed);
    }
    const { form, rest } = this.#form.fill(data);
    this.#form = form;
    this.#further = rest;
  }

  /** Prompts for the questions that were not prompted for, and for rejected ones. The answers may add further ones. */
  async #askQuestions(): Promise<void> {
    for (let question = this.#nextQuestion(); question !== undefined; question = this.#nextQuestion()) {
      const { path, label } = question;
      this.#showHeading(path);
      question.errors.forEach((issue) => this.#prompts.warn(`${label}: ${issue}`));
      listRowErrors(question).forEach((issue) => this.#prompts.warn(issue));
      const before = JSON.stringify(this.#form.toSubmission());
      const filled = this.#questions().filter((one) => describeValue(one) !== "").map((one) => one.path);
      const form = await this.#ask(question);
      this.#form = form;
      if (this.#again.has(path) || JSON.stringify(form.toSubmission()) !== before) {
        this.#again.add(path); // If the call fails, the question is prompted for again.
        if (form !== this.#confirmed) await this.#refresh(path);
      }
      this.#again.delete(path);
      this.#asked.add(path);
      for (const one of this.#questions()) {
        // A choice that was cleared, because another value has changed, is made again.
        if (one.path !== path && filled.includes(one.path) && describeValue(one) === "") this.#again.add(one.path);
      }
    }
  }

  /** Prompts for a question. If the user cancels, it is prompted for again with what was entered. */
  async #ask(question: FormQuestion): Promise<Form> {
    try {
      return await askQuestion(this.#prompts, this.#form, question, this);
    } catch (error) {
      this.#again.add(question.path);
      throw error;
    }
  }

  /** Shows the heading and the instructions of a question's group when the group begins. */
  #showHeading(path: string): void {
    const group = findGroup(this.#form.nodes, path);
    const lines = group === undefined ? [] : [group.label, group.instructions].filter((line) => line !== "");
    const heading = lines.join("\n");
    if (lines.length > 0 && heading !== this.#heading) this.#prompts.report(...lines);
    this.#heading = heading;
  }

  #nextQuestion(): FormQuestion | undefined {
    return this.#questions().find(({ path, isRequired }) =>
      this.#again.has(path) || (!this.#asked.has(path) && (isRequired || !this.#options.requiredOnly))
    );
  }

  #questions(): FormQuestion[] {
    return this.#form.questions.filter(({ type }) => type !== "attachment" || this.acceptsFiles);
  }

  /** Computes the form again if it depends on a changed value, and shows what has changed. */
  async #refresh(path: string): Promise<void> {
    if (this.#options.requiredOnly) return;
    const call = this.#form.refreshFor(path);
    if (call === undefined) return;
    const before = new Map(this.#form.shown.map((question) => [question.path, this.#describe(question)]));
    this.#form = await this.#compute(this.#form, call);
    for (const question of this.#form.shown) {
      const [old, now] = [before.get(question.path), this.#describe(question)];
      if (!question.isReadOnly || old === now) continue;
      this.#prompts.inform(`${old ?? `${question.label}: (empty)`} → ${now.slice(question.label.length + 2)}`);
    }
  }

  /** Returns the form as the service computes it. If that fails, the form is kept, and submitting it decides. */
  async #compute(form: Form, call: RefreshCall): Promise<Form> {
    if (this.#source.refresh === undefined) return form;
    const pageInstructions = call.body.pageInstructions.filter((one) => this.#findFile(one) === undefined);
    try {
      return form.apply(await this.#source.refresh({ ...call, body: { ...call.body, pageInstructions } }));
    } catch (error) {
      if (!(error instanceof SvcError) || isCancellation(error) || !this.#canContinue()) throw error;
      if (!this.#isWarned) {
        this.#prompts.warn(`The service did not compute the form: ${error.message} You can continue.`);
      }
      this.#isWarned = true;
      return form;
    }
  }

  /** Shows the changes and asks what to do with them. Returns undefined to continue with the form. */
  async #finish(): Promise<FormOutcome | undefined> {
    const { name } = this.#opened;
    const changes = this.#listChanges();
    const unshown = this.#listUnshown();
    this.#prompts.show(name, [...changes.length > 0 ? changes : ["No changes."], ...unshown]);
    const previous = this.#findPreviousName();
    const answer = await this.#prompts.menu(`Submit '${name}'?`, [
      { value: "submit", label: this.#isApproval ? "Submit without an outcome" : "Submit" },
      ...(this.#questions().length > 0 ? [{ value: "change", label: "Change a field" }] : []),
      ...(previous === undefined ? [] : [{ value: "back", label: `Go back to '${previous}'` }]),
      ...(this.#listOtherSteps().length > 0 ? [{ value: "step", label: "Go to another step" }] : []),
      ...(this.#canSave ? [{ value: "save", label: "Save a draft" }] : []),
      { value: "cancel", label: "Cancel" },
    ], unshown.length > 0 ? "cancel" : undefined);
    switch (answer) {
      case "submit":
        return await this.#submit();
      case "change":
        this.#again.add(await this.#pickQuestion());
        return undefined;
      case "back":
        return this.#source.goBack && { done: "wentBack", reply: await this.#source.goBack(await this.#fill()) };
      case "step":
        return await this.#goToStep();
      case "save":
        return await this.#save();
      default:
        return this.#leave(new SvcError("INTERRUPTED", "Not submitted. Nothing was done."));
    }
  }

  /** Lists the problems of the form, except for parts that are shown but cannot be filled in. */
  #listUnshown(): string[] {
    const unfillable = this.#form.shown.filter(({ cannotFill }) => cannotFill !== undefined);
    return this.#form.problems.filter((problem) => !unfillable.some(({ label }) => problem.startsWith(label)));
  }

  #listChanges(): string[] {
    const { content } = this.#opened.form;
    const further = Object.entries(this.#further).map(([path, value]) => {
      const label = this.#form.find(path)?.label ?? path;
      const [before, after] = [content[path], value].map((one) => isEmpty(one) ? "(empty)" : formatValue(one));
      return `${label}: ${before} → ${after}`;
    });
    return [...this.#listDrafted(), ...this.#form.changes().map((change) => this.#describeChange(change)), ...further];
  }

  /** Lists the changes of a saved draft, except for questions that were changed again. */
  #listDrafted(): string[] {
    const { form, saved } = this.#opened;
    if (saved === undefined) return [];
    const changed = new Set(this.#form.changes().map(({ path }) => path));
    return form.questions.filter(({ path }) => !changed.has(path)).flatMap((question) => {
      const { path, label } = question;
      const old = saved.find(path);
      if (old !== undefined && listTexts(old).join("\n") === listTexts(question).join("\n")) return [];
      const [before, after] = [old === undefined ? "" : describeValue(old), describeValue(question)];
      if (before === after) return [`${label}: rows edited`];
      return [this.#describeChange({ path, label, kind: "changed", before, after })];
    });
  }

  /** Describes a change. The label of a field on an embedded page follows that of the page. */
  #describeChange({ path, label, kind, before, after }: FormChange): string {
    const group = path.includes(".") ? findGroup(this.#form.nodes, path)?.label ?? "" : "";
    const name = group === "" ? label : `${group}: ${label}`;
    if (kind === "added") return `${name}: added ${after}`;
    if (kind === "removed") return `${name}: removed ${before}`;
    if (kind === "moved") return `${name}: moved ${after}`;
    const [old, now] = [before, after].map((text) => this.#nameChoice(path, text) || "(empty)");
    return `${name}: ${old} → ${now}`;
  }

  /** Returns the text of a loaded choice instead of its key. Other texts stay as they are. */
  #nameChoice(path: string, text: string): string {
    return this.#choices.get(path)?.find(({ key }) => String(key) === text)?.text ?? text;
  }

  get #canSave(): boolean {
    return this.#source.save !== undefined && this.#form.buttons.some(({ kind }) => kind === "save");
  }

  /** True if the form can only be approved or rejected. */
  get #isApproval(): boolean {
    const kinds = this.#form.buttons.map(({ kind }) => kind);
    return !kinds.includes("submit") && (kinds.includes("approve") || kinds.includes("reject"));
  }

  /** Returns the name of the previous step, if the form can go back. */
  #findPreviousName(): string | undefined {
    if (this.#source.goBack === undefined || !this.#form.buttons.some(({ kind }) => kind === "back")) return undefined;
    return this.#findPreviousStep()?.name ?? "the previous step";
  }

  #findPreviousStep(): FormStep | undefined {
    const { steps } = this.#form;
    return steps[steps.findIndex(({ isCurrent }) => isCurrent) - 1];
  }

  /** Lists the steps that the user can go to, except for the previous one if the menu already offers it. */
  #listOtherSteps(): FormStep[] {
    if (this.#source.goTo === undefined) return [];
    const previous = this.#findPreviousName() === undefined ? undefined : this.#findPreviousStep()?.ID;
    return this.#form.steps.filter(({ ID, canJump }) => canJump && ID !== previous);
  }

  async #goToStep(): Promise<FormOutcome | undefined> {
    const steps = this.#listOtherSteps().map(({ ID, name }) => ({ value: ID, label: name }));
    const step = await this.#prompts.menu("Which step?", [...steps, { value: "", label: "Stay here" }]);
    if (step === "" || this.#source.goTo === undefined) return undefined;
    return { done: "wentToStep", reply: await this.#source.goTo(step, await this.#fill()) };
  }

  /** Prompts for a question, and returns its path. */
  async #pickQuestion(): Promise<string> {
    return await this.#prompts.search(
      "Which field?",
      this.#questions().map((question) => ({ value: question.path, label: this.#describe(question) })),
    );
  }

  async #submit(send: FormSource["submit"] = this.#source.submit): Promise<FormOutcome | undefined> {
    try {
      return { done: "submitted", reply: await send(await this.#fill()) };
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
    const { name } = this.#opened;
    this.#form = this.#form.applyErrors(error);
    const questions = this.#questions().filter((question) => hasErrors(question));
    const others = this.#form.messages.filter((text) => text !== error.message);
    if (questions.length === 0) {
      this.#prompts.show(`'${name}' was rejected`, [error.message, ...others, ...listHints(error)]);
      return;
    }
    this.#prompts.warn(`'${name}' was rejected.`, ...others);
    for (const { path } of questions) this.#again.add(path);
  }

  /** Continues with the current form after another operator changed the case. */
  async #reload(): Promise<void> {
    const { form, lost } = this.#form.reopen((await this.#source.read()).form);
    this.#form = form;
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
    const canSave = this.#canSave && (this.#form.isChanged || Object.keys(this.#further).length > 0);
    if (isCancelled && !canSave && this.invalidTexts.size === 0) return this.#leave(error);
    if (!isCancelled || error.outcomeUnknown) this.#prompts.warn(error.message, ...listHints(error));
    for (const path of this.invalidTexts.keys()) {
      this.#prompts.warn(`${this.#form.find(path)?.label ?? path} is not valid, so it cannot be saved in a draft.`);
    }
    const resume = { value: "continue", label: "Continue with the form" };
    const save = { value: "save", label: "Save a draft" };
    const skip = { value: "skip", label: "Submit without robotic automation" };
    const answer = isCancelled
      ? await this.#prompts.menu(canSave ? "Save your entries as a draft?" : "Leave the form?", [
        ...(canSave ? [save] : []),
        { value: "leave", label: "Discard them" },
        resume,
      ])
      : await this.#prompts.menu("Your entries are kept. What now?", [
        ...(error.status === AUTOMATION_FAILED && this.#source.submitWithoutAutomation ? [skip] : []),
        resume,
        ...(canSave ? [save] : []),
        { value: "leave", label: "Leave the form, and discard them" },
      ]);
    if (answer === "leave") return this.#leave(error);
    if (answer === "skip") return await this.#submit(this.#source.submitWithoutAutomation);
    return answer === "save" ? await this.#save() : undefined;
  }

  #leave(error: SvcError): never {
    this.#isLeaving = true;
    throw error;
  }

  async #save(): Promise<FormOutcome | undefined> {
    if (this.#source.save === undefined) return undefined;
    const reply = await this.#source.save(await this.#fill());
    this.#prompts.report("The draft was saved.", ...this.#listChanges());
    return { done: "saved", reply };
  }

  /** Returns the chosen file that an instruction attaches. */
  #findFile({ content }: JsonObject): FileInput | undefined {
    return isJsonObject(content) ? this.#files.get(String(content.ID)) : undefined;
  }

  /** Uploads the chosen files one after the other, and returns what is submitted. */
  async #fill(): Promise<FilledForm> {
    const submission = this.#form.toSubmission();
    const pageInstructions: JsonObject[] = [];
    for (const instruction of submission.pageInstructions) {
      const file = this.#findFile(instruction);
      pageInstructions.push(
        file === undefined || this.#source.upload === undefined
          ? instruction
          : { ...instruction, content: { ID: await this.#source.upload(file) } },
      );
    }
    return { submission: { ...submission, pageInstructions }, further: this.#further };
  }
}

/** Reports whether a question, or a part of its rows, has errors. */
function hasErrors(question: FormQuestion): boolean {
  return question.errors.length > 0 || listRowErrors(question).length > 0;
}

/** Lists the errors of the parts of rows, with the position of each row. */
function listRowErrors(question: FormQuestion): string[] {
  if (question.type !== "list") return [];
  return question.rows.flatMap(({ nodes }, i) =>
    listQuestions(nodes).flatMap((inner) => [
      ...inner.errors.map((issue) => `${question.label} ${i + 1}: ${inner.label}: ${issue}`),
      ...listRowErrors(inner),
    ])
  );
}

function describeValue(question: FormQuestion): string {
  switch (question.type) {
    case "field":
      return typeof question.value === "object" && question.value !== null && question.text === ""
        ? isEmpty(question.value) ? "" : formatValue(question.value)
        : question.text;
    case "list":
      if (question.cannotFill !== undefined) {
        return question.rows.map((row) => `${row.heading}: ${describeRow(row)}`).join("; ");
      }
      return question.rows.length === 0 ? "" : pluralize(question.rows.length, "row");
    case "reference":
      return question.chosen.map(({ text }) => text).join(", ");
    case "attachment":
      return question.files.join(", ");
  }
}

/** Lists the texts of a question: those of its rows, or that of its value. */
function listTexts(question: FormQuestion): string[] {
  return question.type === "list" ? question.rows.map(describeRow) : [describeValue(question)];
}

function isEmpty(value: JsonValue | undefined): boolean {
  return value === undefined || value === null || value === "" ||
    (typeof value === "object" && Object.keys(value).filter((name) => name !== "classID").length === 0);
}

/** Returns the innermost group with a heading or instructions that contains a question. */
function findGroup(nodes: readonly FormNode[], path: string, outer?: FormGroup): FormGroup | undefined {
  for (const node of nodes) {
    if (node.type === "group") {
      const found = findGroup(node.children, path, node);
      if (found !== undefined) return found;
    } else if (node.type !== "note" && node.path === path && node.isVisible && !node.isReadOnly) return outer;
  }
  return undefined;
}

function listHints(error: SvcError): string[] {
  const hint = composeHint(error);
  return hint === undefined ? [] : [hint];
}
