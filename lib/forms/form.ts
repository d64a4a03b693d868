/** Reads, fills in and submits the forms of a case-management service. */
import { SvcError } from "../errors.ts";
import {
  filterObjects,
  isJsonObject,
  isNestedWithin,
  isNonEmptyString,
  isScalar,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { MAX_LEVELS } from "../../utils/json_depth.ts";
import { didYouMean } from "../../utils/text/did_you_mean.ts";
import { type FormChange, listChanges } from "./changes.ts";
import { readColumn } from "./choices.ts";
import { draw, drawViewReference } from "./draw.ts";
import {
  findRoot,
  type FormAction,
  type FormButton,
  type FormPurpose,
  type FormStep,
  readActions,
  readButtons,
  readRefreshConditions,
  readSteps,
  readTexts,
  type Root,
} from "./envelope.ts";
import type { Choice, FormAttachment, FormField, FormList, FormNode, FormQuestion, FormReference } from "./nodes.ts";
import {
  applyComputed,
  type AttachedFile,
  createPage,
  findPage,
  getContent,
  openList,
  type Page,
  rebase,
  updateList,
  updatePage,
  withFiles,
  withValue,
} from "./page.ts";
import { formatPath, formatTarget, getObject, isWithin, parsePath, type Path } from "./path.ts";
import { Resources } from "./resources.ts";
import type { DrawLog, FormData, Scope } from "./scope.ts";
import {
  buildSubmission,
  type FormSubmission,
  listQuestions,
  listSendablePaths,
  type SubmissionOptions,
} from "./submission.ts";
import { isEmptyValue, isSameValue, toFieldValue, toKey } from "./values.ts";

/** Options of `readForm`. */
export interface ReadFormOptions {
  /** Action that the form submits. Default: the name of its view. */
  readonly action?: string;
  /** Time zone of the person, e.g. `Europe/Oslo`. Default: the zone of this process. */
  readonly timeZone?: string;
}

/** A call that computes the form again. Send it with the entity tag of the form; then pass the response to `apply`. */
export interface RefreshCall {
  /** The operation: refresh of the action, or of the view of a row. */
  readonly call: "action" | "view";
  /** View of the row, for `view`. */
  readonly view?: string;
  /** Query parameter `refreshFor`, if the server waits for a change of this field. */
  readonly refreshFor?: string;
  /** Query parameter `operation`, for rows with actions of their own. */
  readonly operation?: "showRow" | "submitRow";
  /** Body of the request. */
  readonly body: JsonObject;
}

/** Everything that a form consists of. */
interface State {
  readonly body: JsonObject;
  readonly data: JsonObject;
  readonly uiResources: JsonObject;
  readonly resources: Resources;
  readonly conditions: JsonObject;
  readonly root: Root;
  readonly page: Page;
  readonly errors: ReadonlyMap<string, readonly string[]>;
  readonly messages: readonly string[];
  readonly options: ReadFormOptions;
}

/** A drawn form. */
interface Drawing {
  readonly nodes: readonly FormNode[];
  readonly log: DrawLog;
}

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
  const body: JsonObject = isJsonObject(response) ? response : {};
  const { uiResources } = body;
  if (!isJsonObject(uiResources)) {
    throw new SvcError("INVALID_RESPONSE", "The response has no form: 'uiResources' is missing.", {
      hint: "Read the action with viewType=form.",
    });
  }
  if (!isNestedWithin(body, MAX_LEVELS)) {
    throw new SvcError("INVALID_RESPONSE", `The response is nested more than ${MAX_LEVELS} levels deep.`, {
      hint: "Report this to the operator of the server.",
    });
  }
  const data = getObject(body.data);
  const stored = readContent(data);
  return new Form({
    body,
    data,
    uiResources,
    resources: new Resources(getObject(uiResources.resources)),
    conditions: readConditions(uiResources),
    root: findRoot({ uiResources, content: stored }),
    page: createPage(stored),
    errors: new Map(),
    messages: [],
    options,
  });
}

/** Returns the values in a response about a case, a record or a participant. */
function readContent(data: JsonObject): JsonObject {
  for (const holder of [data.caseInfo, data.dataInfo]) {
    if (isJsonObject(holder)) return getObject(holder.content);
  }
  return isJsonObject(data.content) ? data.content : data;
}

function readConditions({ context_data: context }: JsonObject): JsonObject {
  const nested = getObject(context, ["caseInfo", "content"]);
  return Object.keys(nested).length > 0 ? nested : getObject(context, ["caseInfo.content"]);
}

/** A form, with what was entered. It never changes: each change returns another form. */
export class Form {
  readonly #state: State;
  #drawing?: Drawing;
  #content?: JsonObject;

  /** Creates a form from its state. Use `readForm`. */
  constructor(state: State) {
    this.#state = state;
  }

  /** Whether the response is a form, a page that only shows values, or the end of the work. */
  get purpose(): FormPurpose {
    return this.#state.root.purpose;
  }

  /** Action that the form submits. */
  get action(): string {
    return this.#state.options.action ?? this.#state.root.name;
  }

  /** Name of what the form submits, e.g. `Register`. */
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
    const { instructions } = getObject(resources.findView(root.name, [this.#classId], new Set())?.config);
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
    return readActions(getObject(this.#state.data.caseInfo), this.action);
  }

  /** Parts of the form in order, hidden ones included. */
  get nodes(): readonly FormNode[] {
    return this.#draw().nodes;
  }

  /** Visible parts with a value, each once. A part that can be edited somewhere is not read-only. */
  get shown(): readonly FormQuestion[] {
    return listQuestions(this.nodes);
  }

  /** What a person can fill in, in order: the visible parts that are not read-only. */
  get questions(): readonly FormQuestion[] {
    return this.shown.filter(({ isReadOnly, cannotFill }) => !isReadOnly && cannotFill === undefined);
  }

  /** What could not be shown, filled in or understood, as sentences. */
  get problems(): readonly string[] {
    const { nodes, log } = this.#draw();
    const unfillable = this.shown.filter(({ isReadOnly, cannotFill }) => !isReadOnly && cannotFill !== undefined);
    const problems = [
      ...listNotes(nodes),
      ...unfillable.map(({ label, cannotFill }) => `${label} cannot be filled in here. ${cannotFill}`),
      ...log.warnings,
    ];
    return [...new Set(problems)];
  }

  /** Errors that the service has reported about no field of the form. */
  get messages(): readonly string[] {
    return this.#state.messages;
  }

  /** Current values, with those that were entered. */
  get content(): JsonObject {
    return this.#content ??= getContent(this.#state.page);
  }

  /** True if something would be submitted. */
  get isChanged(): boolean {
    const { content, pageInstructions } = this.toSubmission();
    return Object.keys(content).length > 0 || pageInstructions.length > 0;
  }

  /** Returns the part at a path, e.g. `Home.City`, `Stops[0].City` or `.Stops(1).City`; undefined if the form has none. */
  find(path: string): FormQuestion | undefined {
    const wanted = formatPath(parsePath(path) ?? [path]);
    let found: FormQuestion | undefined;
    for (const question of listAll(this.nodes)) {
      if (question.path !== wanted) continue;
      if (question.isVisible && !question.isReadOnly) return question;
      found ??= question;
    }
    return found;
  }

  /**
   * Enters a value. Texts are converted to the type of the field, and an empty text or null clears it. Values that depend on
   * it are cleared. Throws `INVALID_ARGS` for a value that the field cannot have, and for a path that cannot be filled in.
   */
  set(path: string, value: JsonValue): Form {
    const question = this.#editable(path, value);
    switch (question.type) {
      case "field": {
        const parsed = toFieldValue(question, value, this.#state.options.timeZone);
        if ("problem" in parsed) throw invalid(`${question.label}: ${parsed.problem}`);
        return this.#enter(question, parsed.value);
      }
      case "list":
        return this.#setRows(question, value);
      case "reference":
        if (question.mode === "multiple") return this.#setRecords(question, value);
        return value === null || value === "" ? this.reference(path).clear() : this.reference(path).choose(value);
      case "attachment":
        throw invalid(`${question.label} is a file. Attach an uploaded file to it.`);
    }
  }

  /** Enters a choice in a field, with the values that the choice also sets. */
  choose(path: string, choice: Choice): Form {
    const question = this.#editable(path);
    if (question.type === "reference") {
      return question.mode === "multiple" ? this.reference(path).add(choice) : this.reference(path).choose(choice);
    }
    if (question.type !== "field") throw invalid(`${question.label} is not chosen from a list.`);
    return this.#applySetters(this.#enter(question, choice.key), question, choice);
  }

  /** Changes the rows of a list. */
  list(path: string): ListChanges {
    const list = this.#editable(path);
    if (list.type !== "list") throw invalid(`${list.label} is not a list.`);
    return new ListChanges(this, list, (change) => this.#with({ page: change(this.#state.page) }));
  }

  /** Changes the records that a reference refers to. */
  reference(path: string): ReferenceChanges {
    const reference = this.#editable(path);
    if (reference.type !== "reference") throw invalid(`${reference.label} is not a reference.`);
    return new ReferenceChanges(reference, {
      choose: (keys, row) => this.#chooseRecord(reference, keys, row),
      changeRows: (change) => this.#with({ page: updateList(this.#state.page, toPath(reference.path), change) }),
    });
  }

  /** Attaches an uploaded file to an attachment field. Null removes the file. */
  attach(path: string, file: AttachedFile | readonly AttachedFile[] | null): Form {
    const field = this.#editable(path);
    if (field.type !== "attachment") throw invalid(`${field.label} is not an attachment field.`);
    const files = file === null ? [null] : isList(file) ? file : [file];
    const [first] = files;
    if (!field.isMultiple && files.length > 1) throw invalid(`${field.label} holds one file.`);
    if (first !== null && first !== undefined) checkExtension(field, first);
    const place = toPath(field.path);
    const name = String(place.at(-1));
    return this.#with({
      page: updatePage(
        this.#state.page,
        place.slice(0, -1),
        (page) => withFiles(page, name, file === null && field.files.length === 0 ? [] : files),
      ),
    });
  }

  /** Returns the files that were attached or removed, by the path of their field. */
  get files(): ReadonlyMap<string, readonly (AttachedFile | null)[]> {
    const files = new Map<string, readonly (AttachedFile | null)[]>();
    for (const { type, path } of listAll(this.nodes)) {
      const place = toPath(path);
      const chosen = findPage(this.#state.page, place.slice(0, -1))?.files.get(String(place.at(-1)));
      if (type === "attachment" && chosen !== undefined) files.set(path, chosen);
    }
    return files;
  }

  /** Returns the body that submits the changes. It contains only what is visible and can be edited. */
  toSubmission(options?: SubmissionOptions): FormSubmission {
    return buildSubmission(this.nodes, this.#state.page, this.#base, options);
  }

  /** Describes what was changed, by label. */
  changes(): FormChange[] {
    return listChanges(this, new Form({ ...this.#state, page: createPage(this.#state.page.stored) }), (path) => {
      const holder = findPage(this.#state.page, path.slice(0, -1));
      return holder === undefined ? [] : openList(holder, String(path.at(-1))).rows;
    });
  }

  /**
   * Returns the call that computes the form again after a change at a path, or undefined if none is needed. Without a path,
   * after any change. The path of a row confirms the row.
   */
  refreshFor(path?: string): RefreshCall | undefined {
    const { log, nodes } = this.#draw();
    const changed = path === undefined ? undefined : formatPath(toPath(path));
    const condition = readRefreshConditions(getObject(this.#state.data.caseInfo), this.action)
      .find((field) => changed === undefined || formatPath(toPath(field)) === changed);
    const isComputed = listQuestions(nodes).some(hasComputedValue);
    const reference = changed === undefined ? undefined : this.find(changed);
    const place = changed === undefined ? [] : toPath(changed);
    const rowAction = this.#findRowAction(place);
    const isNeeded = condition !== undefined || log.usesConditions || isComputed || rowAction !== undefined ||
      (reference?.type === "reference" && this.#showsRecord(reference));
    if (!isNeeded) return undefined;
    return {
      call: "action",
      ...(condition !== undefined && { refreshFor: `.${condition.replace(/^\./, "")}` }),
      ...(rowAction !== undefined && { operation: "submitRow" }),
      body: { ...this.#refreshBody(), ...(rowAction !== undefined && describeInterest(place, rowAction)) },
    };
  }

  /** Returns the call that computes a row while it is filled in, or undefined if the row does not depend on the service. */
  refreshRow(path: string): RefreshCall | undefined {
    const place = toPath(path);
    const list = this.find(formatPath(place.slice(0, -1)));
    if (list?.type !== "list" || list.rowView === undefined) return undefined;
    const row = list.rows[Number(place.at(-1))];
    if (row === undefined || !this.#dependsOnService(row.nodes, place)) return undefined;
    const action = this.#findRowAction(place);
    return {
      call: "view",
      view: list.rowView,
      ...(action !== undefined && { operation: "showRow" }),
      body: { ...this.#refreshBody(), ...describeInterest(place, action) },
    };
  }

  /** Returns the action with which the row at a path is edited. */
  #findRowAction(place: Path): string | undefined {
    const list = typeof place.at(-1) === "number" ? this.find(formatPath(place.slice(0, -1))) : undefined;
    return list?.type === "list" ? list.rowAction : undefined;
  }

  /** Continues with the form as the service has computed it. Its values replace those that were sent to it. */
  apply(response: object): Form {
    const body: JsonObject = isJsonObject(response) ? response : {};
    const data = getObject(body.data);
    const uiResources = getObject(body.uiResources);
    const computed = readContent(data);
    const sent = listSendablePaths(this.nodes);
    const wasSent = (path: Path) => sent.has(formatPath(path));
    const { path: row } = findRoot({ uiResources, content: computed });
    const isRow = typeof row.at(-1) === "number" && row.length > this.#base.length;
    const conditions = readConditions(uiResources);
    const { caseInfo: _, ...shared } = data;
    return this.#with({
      page: applyComputed(this.#state.page, isRow ? keepOnly(computed, row) : computed, wasSent),
      resources: this.#state.resources.merge(getObject(uiResources.resources)),
      conditions: isRow ? { ...this.#state.conditions, ...conditions } : conditions,
      data: { ...this.#state.data, ...shared },
    });
  }

  /** Continues with a newly read form. Entries are kept, but not those of lists that somebody else has changed. */
  reopen(response: object): { readonly form: Form; readonly lost: readonly FormQuestion[] } {
    const fresh = readForm(response, this.#state.options);
    const { page, lost } = rebase(this.#state.page, fresh.#state.page.stored);
    return {
      form: fresh.#with({ page }),
      lost: lost.flatMap((path) => this.find(formatPath(path)) ?? []),
    };
  }

  /** Shows the errors of a rejected submission at their fields. Errors about no field become `messages`. */
  applyErrors(error: object): Form {
    const source: JsonObject = isJsonObject(error) ? error : { ...error };
    const details = filterObjects(source.details ?? source.errorDetails);
    const errors = new Map<string, string[]>();
    const messages: string[] = [];
    const hasOthers = details.some((detail) => !isGeneric(detail));
    for (const detail of details) {
      if (isGeneric(detail) && hasOthers) continue;
      const question = this.#findConcerned(detail);
      const general = question === undefined ? source.localizedValue : undefined;
      const text = [detail.localizedValue, general, detail.message].find(isNonEmptyString) ?? "";
      if (question === undefined) messages.push(text);
      else errors.set(question.path, [...errors.get(question.path) ?? [], text]);
    }
    if (details.length === 0) {
      const text = [source.localizedValue, Reflect.get(error, "message")].find(isNonEmptyString);
      if (text !== undefined) messages.push(text);
    }
    return this.#with({ errors, messages });
  }

  /** Enters values from JSON, e.g. `{ Home: { City: "Oslo" } }`. Returns what the form has no editable place for, too. */
  fill(content: JsonObject): { readonly form: Form; readonly rest: JsonObject } {
    return fillFrom(this, content, this.#base);
  }

  get #texts() {
    const { body, data } = this.#state;
    return readTexts(body, getObject(data.caseInfo), this.action);
  }

  get #classId(): string | undefined {
    const { data, page } = this.#state;
    return [page.stored.classID, getObject(data.caseInfo).caseTypeID].find(isNonEmptyString);
  }

  get #base(): Path {
    return this.#state.root.path;
  }

  #with(changed: Partial<State>): Form {
    const isEdit = changed.errors === undefined && changed.page !== undefined;
    return new Form({ ...this.#state, ...(isEdit && { messages: [] }), ...changed });
  }

  #draw(): Drawing {
    return this.#drawing ??= this.#drawAnew();
  }

  #drawAnew(): Drawing {
    const { data, resources, conditions, errors, options, root, page } = this.#state;
    const log: DrawLog = { warnings: new Set(), used: new Set(), usesConditions: false };
    const form: FormData = {
      resources,
      data,
      content: this.content,
      conditions,
      classId: this.#classId,
      errors,
      timeZone: options.timeZone,
      isNewRow(path) {
        const holder = findPage(page, path.slice(0, -2));
        const row = holder && openList(holder, String(path.at(-2))).rows[Number(path.at(-1))];
        return row !== undefined && row.origin === undefined;
      },
    };
    const scope: Scope = {
      form,
      log,
      path: root.path,
      classId: this.#findRootClass(form.content),
      isVisible: true,
      isReadOnly: root.purpose !== "form",
      inherited: {},
      drawn: new Set(),
    };
    const nodes = root.component === undefined
      ? root.name === "" ? [] : drawViewReference(this.#rootConfig, scope)
      : draw(root.component, scope);
    return { nodes, log };
  }

  get #rootConfig(): JsonObject {
    const { root, uiResources } = this.#state;
    const own = getObject(getObject(uiResources.root).config);
    return own.name === root.name
      ? { ...own, context: undefined, visibility: undefined }
      : { type: "view", name: root.name };
  }

  #findRootClass(content: JsonObject): string | undefined {
    const { root, resources } = this.#state;
    const named = getObject(content, root.path).classID;
    if (isNonEmptyString(named)) return named;
    if (root.path.length === 0) return this.#classId;
    const list = root.path.findLast((segment) => typeof segment === "string");
    const declared = resources.findField(String(list), this.#classId);
    return isNonEmptyString(declared?.pageClass) ? declared.pageClass : undefined;
  }

  #refreshBody(): JsonObject {
    const { content, pageInstructions } = this.toSubmission();
    return { content, pageInstructions, contextData: false };
  }

  /** Returns a part that can be filled in. Throws `INVALID_ARGS` for others. */
  #editable(path: string, value?: JsonValue): FormQuestion {
    const question = this.find(path) ?? this.#findByKey(path);
    if (question === undefined) {
      const known = [...new Set([...listAll(this.nodes)].map((one) => one.path))];
      const hint = didYouMean(path, known, (name) => `'${name}'`);
      throw invalid(`'${path}' is not a field of this form.`, hint === "" ? undefined : hint);
    }
    if (question.isReadOnly) throw invalid(`${question.label} cannot be changed in this form.`);
    if (question.cannotFill !== undefined && value !== undefined) {
      throw invalid(`${question.label} cannot be filled in here. ${question.cannotFill}`);
    }
    return question;
  }

  /** Returns the single reference whose key a path names, e.g. of `Depot.ID`. */
  #findByKey(path: string): FormQuestion | undefined {
    const place = toPath(path);
    const question = this.find(formatPath(place.slice(0, -1)));
    return question?.type === "reference" && question.keys.includes(String(place.at(-1))) ? question : undefined;
  }

  #enter({ path, kind }: FormField, value: JsonValue): Form {
    const place = toPath(path);
    const name = String(place.at(-1));
    const holder = findPage(this.#state.page, place.slice(0, -1));
    const before = holder && getContent(holder)[name];
    const isSame = isSameValue(kind, before, value) && isEmptyValue(before) === isEmptyValue(value);
    const page = updatePage(this.#state.page, place.slice(0, -1), (inner) => withValue(inner, name, value));
    const form = this.#withoutError(path, page);
    return isSame ? form : form.#resetDependents([path], new Set([path]));
  }

  #withoutError(path: string, page: Page): Form {
    const errors = new Map(this.#state.errors);
    errors.delete(path);
    return this.#with({ page, errors, messages: [] });
  }

  /** Clears the choices that depend on changed values, and then those that depend on them. */
  #resetDependents(changed: readonly string[], visited: Set<string>): Form {
    let form = this.#with({});
    for (const question of listAll(this.nodes)) {
      if (question.isReadOnly || visited.has(question.path)) continue;
      const query = question.type === "field" || question.type === "reference" ? question.query : undefined;
      if (!query?.dependsOn.some((path) => changed.includes(path))) continue;
      visited.add(question.path);
      if (question.type === "field" && !isEmptyValue(question.value)) {
        const place = toPath(question.path);
        const page = updatePage(
          form.#state.page,
          place.slice(0, -1),
          (inner) => withValue(inner, String(place.at(-1)), ""),
        );
        form = form.#with({ page }).#resetDependents([question.path], visited);
      } else if (question.type === "reference" && question.mode === "single" && question.chosen.length > 0) {
        form = form.#chooseRecord(question, {}, {});
      }
    }
    return form;
  }

  #applySetters(form: Form, { query }: FormField | FormReference, { row = {} }: Choice): Form {
    let result = form;
    for (const { column, property } of query?.setters ?? []) {
      const place = toPath(property);
      const value = readColumn(row, column) ?? "";
      const page = updatePage(
        result.#state.page,
        place.slice(0, -1),
        (inner) => withValue(inner, String(place.at(-1)), value),
      );
      result = result.#with({ page }).#resetDependents([property], new Set([property]));
    }
    return result;
  }

  /** Refers to a record, or to none if there are no keys. Other members of the page show the row until a refresh. */
  #chooseRecord(reference: FormReference, keys: JsonObject, row: JsonObject): Form {
    const { path, mode } = reference;
    const names = mode === "copy" ? listCopied(reference, row, this.content, toPath(path)) : reference.keys;
    const page = updatePage(this.#state.page, toPath(path), (inner) => {
      const blank = Object.keys(inner.shown).filter((name) => name !== "classID" && !Array.isArray(inner.shown[name]));
      const shown: JsonObject = { ...inner.shown, ...Object.fromEntries(blank.map((name) => [name, ""])) };
      for (const [name, value] of Object.entries(row)) if (name !== "classID" && value !== null) shown[name] = value;
      const values = new Map(names.map((name): [string, JsonValue] => [name, keys[name] ?? ""]));
      return { ...inner, shown, values };
    });
    const changed = names.map((name) => `${path}.${name}`);
    const form = this.#withoutError(path, page).#resetDependents(changed, new Set(changed));
    return mode === "single" ? this.#applySetters(form, reference, { key: "", text: "", row }) : form;
  }

  #setRecords(reference: FormReference, value: JsonValue): Form {
    if (value !== null && value !== "" && !Array.isArray(value)) {
      throw invalid(`${reference.label} takes a list of records.`);
    }
    let form = this.reference(reference.path).clear();
    for (const record of Array.isArray(value) ? value : []) form = form.reference(reference.path).add(record);
    return form;
  }

  /** Turns the rows of a list into others, by their position. */
  #setRows(list: FormList, value: JsonValue): Form {
    if (value !== null && !Array.isArray(value)) throw invalid(`${list.label} takes a list of rows.`);
    const rows = filterObjects(value);
    let form = this.#with({});
    for (let i = list.rows.length - 1; i >= rows.length; i--) form = form.list(list.path).remove(i);
    rows.forEach((row, i) => {
      form = i < list.rows.length ? form.list(list.path).update(i, row) : form.list(list.path).insert(row);
    });
    return form;
  }

  #findConcerned(detail: JsonObject): FormQuestion | undefined {
    const { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member } = detail;
    const place = isNonEmptyString(page) ? page : "";
    const name = isNonEmptyString(member) ? member.replace(/^\./, "") : "";
    const candidates = [name === "" ? "" : `${place}.${name}`, place, name].filter(isNonEmptyString);
    for (const candidate of candidates) {
      const question = this.find(candidate);
      if (question?.isVisible) return question;
      const reference = this.#findByKey(candidate);
      if (reference?.isVisible) return reference;
    }
    return undefined;
  }

  /** True if the form shows more of a record than the keys that were chosen. */
  #showsRecord({ path, keys, details }: FormReference): boolean {
    if (details.length > 0) return true;
    const place = toPath(path);
    return [...this.#draw().log.used].some((text) => {
      const used: unknown = JSON.parse(text);
      if (!Array.isArray(used) || used.length <= place.length) return false;
      const isInside = isWithin(used, place);
      return isInside && !keys.includes(String(used[place.length])) && !this.#isShownByPicker(path, used);
    });
  }

  #isShownByPicker(path: string, used: Path): boolean {
    const reference = this.find(path);
    const member = used.at(-1);
    return reference?.type === "reference" && used.length === toPath(path).length + 1 &&
      (reference.query?.text === member || reference.columns.some((column) => column.path === member));
  }

  #dependsOnService(nodes: readonly FormNode[], row: Path): boolean {
    const place = formatPath(row);
    return this.#draw().log.usesConditions || listQuestions(nodes).some((question) =>
      hasComputedValue(question) ||
      (question.type === "field" && question.query?.dependsOn.some((path) => path.startsWith(place)) === true)
    );
  }
}

/** Changes of the rows of a list. Positions start at 0. */
export class ListChanges {
  readonly #form: Form;
  readonly #list: FormList;
  readonly #change: (change: (page: Page) => Page) => Form;

  /** Prepares changes of a list. Use `form.list(path)`. */
  constructor(form: Form, list: FormList, change: (change: (page: Page) => Page) => Form) {
    this.#form = form;
    this.#list = list;
    this.#change = change;
  }

  /** Inserts a row, at the end by default, and enters its values. Throws `INVALID_ARGS` if no row can be added. */
  insert(values: JsonObject = {}, position: number = this.#list.rows.length): Form {
    const { path, label, canAdd, rows } = this.#list;
    if (!canAdd) throw invalid(`Rows cannot be added to ${label}.`);
    if (position < 0 || position > rows.length) throw invalid(`${label} has ${rows.length} rows.`);
    const form = this.#change((page) =>
      updateList(page, toPath(path), (list) => ({
        ...list,
        rows: list.rows.toSpliced(position, 0, { page: createPage({}) }),
      }))
    );
    return fillStrictly(form, values, [...toPath(path), position]);
  }

  /** Enters values of a row. */
  update(position: number, values: JsonObject): Form {
    this.#row(position);
    return fillStrictly(this.#form, values, [...toPath(this.#list.path), position]);
  }

  /** Removes a row. Throws `INVALID_ARGS` if it cannot be removed. */
  remove(position: number): Form {
    const row = this.#row(position);
    if (!row.canDelete) throw invalid(`${row.heading} of ${this.#list.label} cannot be removed.`);
    return this.#change((page) =>
      updateList(page, toPath(this.#list.path), (list) => ({ ...list, rows: list.rows.toSpliced(position, 1) }))
    );
  }

  /** Moves a row to another position. */
  move(from: number, to: number): Form {
    this.#row(from);
    this.#row(to);
    if (!this.#list.canReorder) throw invalid(`The rows of ${this.#list.label} cannot be moved.`);
    return this.#change((page) =>
      updateList(page, toPath(this.#list.path), (list) => {
        const moved = list.rows.slice(from, from + 1);
        return { ...list, rows: list.rows.toSpliced(from, 1).toSpliced(to, 0, ...moved) };
      })
    );
  }

  #row(position: number) {
    const row = this.#list.rows[position];
    if (row === undefined) throw invalid(`${this.#list.label} has no row ${position + 1}.`);
    return row;
  }
}

/** The changes that a reference makes to its form. */
interface ReferenceTarget {
  choose(keys: JsonObject, row: JsonObject): Form;
  changeRows(change: Parameters<typeof updateList>[2]): Form;
}

/** Changes of the records that a reference refers to. */
export class ReferenceChanges {
  readonly #reference: FormReference;
  readonly #target: ReferenceTarget;

  /** Prepares changes of a reference. Use `form.reference(path)`. */
  constructor(reference: FormReference, target: ReferenceTarget) {
    this.#reference = reference;
    this.#target = target;
  }

  /** Refers to a record: a choice, the value of its key, or an object with all keys. */
  choose(record: Choice | JsonValue): Form {
    if (this.#reference.mode === "multiple") return this.add(record);
    const { keys, row } = this.#identify(record);
    return this.#target.choose(keys, row);
  }

  /** Adds a record. A record that is already there is not added again. */
  add(record: Choice | JsonValue): Form {
    const { keys, row } = this.#identify(record);
    const isKnown = (content: JsonObject) =>
      Object.entries(keys).every(([name, key]) => String(content[name]) === String(key));
    return this.#target.changeRows((list) => {
      if (list.rows.some(({ page }) => isKnown(getContent(page)))) return list;
      const page = {
        ...createPage({}, row),
        values: new Map(Object.entries(keys).map(([name, key]) => [name, key ?? ""] as const)),
      };
      return { ...list, rows: [...list.rows, { page }] };
    });
  }

  /** Removes the record at a position, which starts at 0. */
  remove(position: number): Form {
    if (this.#reference.chosen[position] === undefined) {
      throw invalid(`${this.#reference.label} has no record ${position + 1}.`);
    }
    if (this.#reference.mode !== "multiple") return this.clear();
    return this.#target.changeRows((list) => ({ ...list, rows: list.rows.toSpliced(position, 1) }));
  }

  /** Refers to no record. */
  clear(): Form {
    if (this.#reference.mode !== "multiple") return this.#target.choose({}, {});
    return this.#target.changeRows((list) => ({ ...list, rows: [] }));
  }

  #identify(record: Choice | JsonValue): { keys: JsonObject; row: JsonObject } {
    const { keys: names, keyKind, label, mode, choices = [] } = this.#reference;
    const [first = ""] = names;
    const typed = isString(record) ? toKey(keyKind, record) : record;
    const known = isScalar(typed) ? choices.find(({ key }) => String(key) === String(typed)) ?? typed : typed;
    if (isScalar(known)) {
      if (names.length !== 1) throw invalid(`${label} needs the keys ${names.join(", ")}.`);
      return { keys: { [first]: known }, row: { [first]: known } };
    }
    if (!isJsonObject(known)) throw invalid(`${label} takes the key of a record.`);
    const row = isChoice(known) ? known.row ?? { [first]: known.key } : known;
    if (mode === "copy") return { keys: copyMembers(row, first), row };
    const keys = Object.fromEntries(names.map((name) => [name, readColumn(row, name)]));
    const missing = names.find((name) => keys[name] === undefined || keys[name] === null);
    if (missing !== undefined) throw invalid(`${label} needs the key ${missing}.`);
    return { keys, row };
  }
}

function isChoice(value: JsonObject | Choice): value is Choice {
  return "key" in value && "text" in value && isScalar(value.key);
}

/** Returns the members that a copy of a row has, with its label. Members of the platform and lists are not copied. */
function copyMembers(row: JsonObject, key: string): JsonObject {
  const members = Object.entries(row).filter(([name, value]) =>
    !/^(?:classID$|p[xyz][A-Z])/.test(name) && !Array.isArray(value)
  );
  return { ...Object.fromEntries(members), pyLabel: row[key] ?? "" };
}

/** Lists the members that a copy sets: those of the row, or those of the page when it is cleared. */
function listCopied({ keys }: FormReference, row: JsonObject, content: JsonObject, path: Path): string[] {
  return Object.keys(copyMembers(Object.keys(row).length > 0 ? row : getObject(content, path), keys[0] ?? ""));
}

/** Returns the members of a request that name a row, and the action with which it is edited. */
function describeInterest(row: Path, action: string | undefined): JsonObject {
  return { interestPage: formatTarget(row), ...(action !== undefined && { interestPageActionID: action }) };
}

function* listAll(nodes: readonly FormNode[]): Generator<FormQuestion> {
  for (const node of nodes) {
    if (node.type === "note") continue;
    if (node.type === "group") {
      yield* listAll(node.children);
      continue;
    }
    yield node;
    if (node.type === "list") { for (const row of node.rows) yield* listAll(row.nodes); }
    if (node.type === "reference") yield* listAll(node.details);
  }
}

function listNotes(nodes: readonly FormNode[]): string[] {
  return nodes.flatMap((node) => {
    if (!node.isVisible) return [];
    if (node.type === "group") return listNotes(node.children);
    return node.type === "note" && node.isProblem ? [node.text] : [];
  });
}

function hasComputedValue(question: FormQuestion): boolean {
  if (question.type === "field") return question.isComputed && question.path !== "" && question.isVisible;
  if (question.type !== "list") return false;
  return [...question.rows.map(({ nodes }) => nodes), question.newRow].some((nodes) =>
    listQuestions(nodes).some(hasComputedValue)
  );
}

/** Enters values, and throws `INVALID_ARGS` for the first one that the form has no place for. */
function fillStrictly(form: Form, values: JsonObject, base: Path): Form {
  const { form: filled, rest } = fillFrom(form, values, base);
  const [unknown] = Object.keys(rest).filter((name) => name !== "classID");
  return unknown === undefined ? filled : form.set(formatPath([...base, unknown]), rest[unknown] ?? null);
}

function fillFrom(form: Form, content: JsonObject, base: Path): { form: Form; rest: JsonObject } {
  const rest: JsonObject = {};
  let filled = form;
  for (const [name, value] of Object.entries(content)) {
    if (value === undefined) continue;
    const path = [...base, name];
    const question = filled.find(formatPath(path));
    if (question !== undefined && question.type !== "attachment" && !question.isReadOnly) {
      filled = filled.set(question.path, value);
    } else if (question === undefined && isJsonObject(value)) {
      const inner = fillFrom(filled, value, path);
      filled = inner.form;
      if (Object.keys(inner.rest).length > 0) rest[name] = inner.rest;
    } else {
      rest[name] = value;
    }
  }
  return { form: filled, rest };
}

/** Returns content that has only a row, with empty rows before it. */
function keepOnly(content: JsonObject, [name, row, ...rest]: Path): JsonObject {
  const value = content[String(name)];
  if (typeof row !== "number") {
    return name === undefined
      ? content
      : { [name]: keepOnly(getObject(value), [...(row === undefined ? [] : [row]), ...rest]) };
  }
  const rows = Array.isArray(value) ? value : [];
  return { [String(name)]: rows.map((entry, i) => i === row && isJsonObject(entry) ? keepOnly(entry, rest) : {}) };
}

function isGeneric(
  { erroneousInputOutputFieldInPage: page, erroneousInputOutputIdentifier: member, message, localizedValue }:
    JsonObject,
): boolean {
  if (isNonEmptyString(page) || isNonEmptyString(member)) return false;
  return message === "Error_Validation_Fail" || /^validation failed/i.test(String(localizedValue ?? message ?? ""));
}

function checkExtension({ label, extensions }: FormAttachment, { name }: AttachedFile): void {
  const extension = name?.split(".").at(-1)?.toLowerCase();
  if (name === undefined || extensions.length === 0 || extensions.includes(extension ?? "")) return;
  throw invalid(`${label} takes files of the types ${extensions.join(", ")}, not '${name}'.`);
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}

function toPath(text: string): Path {
  return parsePath(text) ?? [text];
}

function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, { hint });
}
