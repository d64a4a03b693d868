/** The state of a form: the response that describes it, and the entries. */
import { SvcError } from "../../errors.ts";
import { isJsonObject, isNestedWithin, isNonEmptyString, type JsonObject } from "../../../utils/json.ts";
import { MAX_LEVELS } from "../../../utils/json_depth.ts";
import { didYouMean } from "../../../utils/text/did_you_mean.ts";
import { draw, drawViewReference } from "../draw.ts";
import { findRoot, type FormTarget, type Root } from "../envelope.ts";
import type { FormNode, FormQuestion } from "../nodes.ts";
import { formatPath, getObject, parsePath, type Path } from "../path.ts";
import { Resources } from "../resources.ts";
import type { DrawLog, DrawnForm, Scope } from "../scope.ts";
import { createPage, findPage, getContent, hasEntries, openList, type Page, type Row } from "./page.ts";
import { walkQuestions } from "./questions.ts";
import { keepSendable } from "./submission.ts";

/** Options of `readForm`. */
export interface ReadFormOptions {
  /** Action that the form submits. Default: the name of its view. */
  readonly action?: string;
  /** Handle of the assignment to which the action belongs. Default: the response decides. */
  readonly assignmentId?: string | undefined;
  /** Time zone of the person, e.g. `Europe/Oslo`. Default: the zone of this process. */
  readonly timeZone?: string | undefined;
}

/** The state of a form. It never changes. */
export interface FormState {
  readonly body: JsonObject;
  readonly data: JsonObject;
  readonly uiResources: JsonObject;
  readonly resources: Resources;
  /** Results of conditions that the service evaluated. */
  readonly conditions: JsonObject;
  readonly root: Root;
  /** Everything that was entered, also in parts that are hidden now. */
  readonly page: Page;
  readonly errors: ReadonlyMap<string, readonly string[]>;
  readonly messages: readonly string[];
  readonly options: ReadFormOptions;
}

/** Returns the action that a form submits. */
export function getTarget({ options, root }: FormState): FormTarget {
  return { action: options.action ?? root.name, assignmentId: options.assignmentId };
}

/** A drawn form. */
export interface Drawing {
  readonly nodes: readonly FormNode[];
  readonly log: DrawLog;
  /** The page with the entries in parts that are visible and can be edited. */
  readonly page: Page;
  /** Content with these entries. */
  readonly content: JsonObject;
}

/** Reads the state of a form from a response. */
export function readState(response: object, options: ReadFormOptions): FormState {
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
  return {
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
  };
}

/** Returns the values in a response about a case, a record or a participant. */
export function readContent(data: JsonObject): JsonObject {
  for (const holder of [data.caseInfo, data.dataInfo]) {
    if (isJsonObject(holder)) return getObject(holder.content);
  }
  return isJsonObject(data.content) ? data.content : data;
}

/** Returns the results of conditions in a response, in the structure of the content. */
export function readConditions({ context_data: context }: JsonObject): JsonObject {
  const places = [["caseInfo", "content"], ["dataInfo", "content"], ["caseInfo.content"]];
  return places.map((place) => getObject(context, place)).find((found) => Object.keys(found).length > 0) ?? {};
}

/** Returns the state after a change. Messages of an earlier submission disappear. */
export function withPage(state: FormState, page: Page): FormState {
  return { ...state, page, messages: [] };
}

const drawings = new WeakMap<FormState, Drawing>();

/** Draws a form, once for each state. */
export function drawForm(state: FormState): Drawing {
  const known = drawings.get(state);
  if (known !== undefined) return known;
  const drawing = hasEntries(state.page) ? drawConsistently(state) : drawPage(state, state.page);
  drawings.set(state, drawing);
  return drawing;
}

/** The number of times that a form is drawn until entries in hidden parts are given up. */
const MAX_DRAWINGS = 8;

/**
 * Draws a form so that what a part shows depends only on what would be submitted. A value that was entered in a part that
 * is hidden now counts as not entered, because the service does not receive it.
 */
function drawConsistently(state: FormState): Drawing {
  let drawing = drawPage(state, state.page);
  for (let i = 0;; i++) {
    // Parts that hide each other have no stable state. Giving up their entries, one after the other, always ends.
    const entered = i < MAX_DRAWINGS ? state.page : drawing.page;
    const kept = keepSendable(drawing.nodes, entered, state.root.path);
    if (kept === drawing.page || isSameContent(getContent(kept), drawing.content)) return { ...drawing, page: kept };
    drawing = drawPage(state, kept);
  }
}

function isSameContent(a: JsonObject, b: JsonObject): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function drawPage(state: FormState, page: Page): Drawing {
  const { data, resources, conditions, errors, options, root } = state;
  const content = getContent(page);
  const log: DrawLog = { warnings: new Set(), used: new Set(), usesConditions: false };
  const findRow = (path: Path) => {
    const holder = findPage(page, path.slice(0, -2));
    return holder && openList(holder, String(path.at(-2))).rows[Number(path.at(-1))];
  };
  const isNew = (row: Row | undefined) => row !== undefined && row.origin === undefined;
  const form: DrawnForm = {
    resources,
    data,
    content,
    conditions,
    classId: findCaseClass(state),
    errors,
    timeZone: options.timeZone,
    isNewRow: (path) => isNew(findRow(path)),
    isChangedRow(path) {
      const row = findRow(path);
      return isNew(row) || (row !== undefined && hasEntries(row.page));
    },
  };
  const scope: Scope = {
    form,
    log,
    path: root.path,
    classId: findRootClass(state, content),
    isVisible: true,
    isReadOnly: root.purpose !== "form",
    inherited: {},
    drawn: new Set(),
  };
  const nodes = root.component === undefined
    ? root.name === "" ? [] : drawViewReference(readRootConfig(state), scope)
    : draw(root.component, scope);
  return { nodes, log, page, content };
}

function readRootConfig({ root, uiResources }: FormState): JsonObject {
  const own = getObject(getObject(uiResources.root).config);
  return own.name === root.name
    ? { ...own, context: undefined, visibility: undefined }
    : { type: "view", name: root.name };
}

/** Returns the class of the content; undefined if the response does not name it. */
export function findCaseClass({ data, page }: FormState): string | undefined {
  return [page.stored.classID, getObject(data.caseInfo).caseTypeID].find(isNonEmptyString);
}

function findRootClass(state: FormState, content: JsonObject): string | undefined {
  const { root, resources } = state;
  const named = getObject(content, root.path).classID;
  if (isNonEmptyString(named)) return named;
  if (root.path.length === 0) return findCaseClass(state);
  const list = root.path.findLast((segment) => typeof segment === "string");
  const declared = resources.findField(String(list), findCaseClass(state));
  return isNonEmptyString(declared?.pageClass) ? declared.pageClass : undefined;
}

/** Returns the part at a path, preferably one that is visible and can be edited. */
export function findQuestion(state: FormState, path: string): FormQuestion | undefined {
  const wanted = formatPath(parsePath(path) ?? [path]);
  let found: FormQuestion | undefined;
  for (const question of walkQuestions(drawForm(state).nodes)) {
    if (question.path !== wanted) continue;
    if (question.isVisible && !question.isReadOnly) return question;
    found ??= question;
  }
  return found;
}

/** Returns the single reference whose key a path names, e.g. of `Depot.ID`. */
export function findReferenceByKey(state: FormState, path: string): FormQuestion | undefined {
  const place = toPath(path);
  const question = findQuestion(state, formatPath(place.slice(0, -1)));
  return question?.type === "reference" && question.keys.includes(String(place.at(-1))) ? question : undefined;
}

/** Returns the part at a path if it can be changed. Throws `INVALID_ARGS` for others. */
export function requireEditable(state: FormState, path: string): FormQuestion {
  const question = findQuestion(state, path) ?? findReferenceByKey(state, path);
  if (question === undefined) {
    const known = [...new Set([...walkQuestions(drawForm(state).nodes)].map((one) => one.path))];
    throw invalid(`'${path}' is not a field of this form.`, didYouMean(path, known, (name) => `'${name}'`));
  }
  if (question.isReadOnly) throw invalid(`${question.label} cannot be changed in this form.`);
  const isField = question.type === "field" && !toPath(question.path).some((segment) => typeof segment === "number");
  if (!question.isVisible && !isField) {
    throw invalid(`${question.label} is hidden.`, "First enter the values that show it.");
  }
  return question;
}

/** Returns the rows of a list as they would be submitted. */
export function findCurrentRows(state: FormState, path: Path) {
  const holder = findPage(drawForm(state).page, path.slice(0, -1));
  return holder === undefined ? { rows: [], count: 0 } : openList(holder, String(path.at(-1)));
}

/** Parses a path. Other text names a property that does not exist. */
export function toPath(text: string): Path {
  return parsePath(text) ?? [text];
}

/** Creates the error for an argument that the form does not accept. */
export function invalid(message: string, hint?: string): SvcError {
  return new SvcError("INVALID_ARGS", message, hint === undefined || hint === "" ? {} : { hint });
}
