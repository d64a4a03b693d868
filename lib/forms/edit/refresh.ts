/** Decides which calls compute a form again, and continues with their responses. */
import { filterObjects, isJsonObject, type JsonObject } from "../../../utils/json.ts";
import { readRefreshConditions, readRootPath } from "../envelope.ts";
import type { FormNode, FormReference } from "../nodes.ts";
import { formatPath, formatTarget, getObject, isWithin, type Path } from "../path.ts";
import { applyComputed, getContent, mergeContent, rebase } from "./page.ts";
import { hasComputedValue, listQuestions } from "./questions.ts";
import { drawForm, findQuestion, type FormState, getTarget, readConditions, readContent, toPath } from "./state.ts";
import { buildSubmission, findSendable, type SubmissionOptions } from "./submission.ts";

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
  readonly body: RefreshBody;
}

/** The body of a call that computes a form. */
export type RefreshBody = {
  /** Values of the case and of its embedded pages. */
  readonly content: JsonObject;
  /** Changes of lists and attachment fields. */
  readonly pageInstructions: JsonObject[];
  /** False: the response also contains the views. */
  readonly contextData: boolean;
  /** The row to compute, e.g. `.Documents(1)`. Positions start at 1. */
  readonly interestPage?: string;
  /** Action of the row. */
  readonly interestPageActionID?: string;
};

/** Returns the call that computes a form again after a change at a path, or after any change. */
export function planRefresh(
  state: FormState,
  path: string | undefined,
  options?: SubmissionOptions,
): RefreshCall | undefined {
  const { log, nodes } = drawForm(state);
  const changed = path === undefined ? undefined : formatPath(toPath(path));
  const condition = readRefreshConditions(getObject(state.data.caseInfo), getTarget(state))
    .find((field) => changed === undefined || isWithin(toPath(field), toPath(changed)));
  const reference = changed === undefined ? undefined : findQuestion(state, changed);
  const place = changed === undefined ? [] : toPath(changed);
  const rowAction = findRowAction(state, place);
  const isNeeded = condition !== undefined || log.usesConditions || rowAction !== undefined ||
    listQuestions(nodes).some(hasComputedValue) ||
    (reference?.type === "reference" && showsRecord(state, reference));
  if (!isNeeded) return undefined;
  return {
    call: "action",
    ...(condition !== undefined && { refreshFor: `.${condition}` }),
    ...(rowAction !== undefined && { operation: "submitRow" }),
    body: { ...buildBody(state, options), ...(rowAction !== undefined && describeInterest(place, rowAction)) },
  };
}

/** Returns the call that computes a row while it is filled in. */
export function planRowRefresh(
  state: FormState,
  path: string,
  options?: SubmissionOptions,
): RefreshCall | undefined {
  const place = toPath(path);
  const list = findQuestion(state, formatPath(place.slice(0, -1)));
  if (list?.type !== "list" || list.rowView === undefined) return undefined;
  const row = list.rows[Number(place.at(-1))];
  const action = list.rowAction;
  // The view of a row action may be described only by the response that opens the row.
  const isMissing = action !== undefined && state.resources.findView(list.rowView, [], new Set()) === undefined;
  if (row === undefined || (!isMissing && !dependsOnService(state, row.nodes, place))) return undefined;
  return {
    ...(action === undefined ? { call: "view", view: list.rowView } : { call: "action", operation: "showRow" }),
    body: { ...buildBody(state, options), ...describeInterest(place, action) },
  };
}

/** Returns the action with which the row at a path is edited. */
function findRowAction(state: FormState, place: Path): string | undefined {
  const list = typeof place.at(-1) === "number" ? findQuestion(state, formatPath(place.slice(0, -1))) : undefined;
  return list?.type === "list" ? list.rowAction : undefined;
}

/** Returns the members of a request that name a row, and the action with which it is edited. */
function describeInterest(
  row: Path,
  action: string | undefined,
): Pick<RefreshBody, "interestPage" | "interestPageActionID"> {
  return { interestPage: formatTarget(row), ...(action !== undefined && { interestPageActionID: action }) };
}

function buildBody(state: FormState, options?: SubmissionOptions): RefreshBody {
  const { nodes, page } = drawForm(state);
  const { content, pageInstructions } = buildSubmission(nodes, page, state.root.path, options);
  return { content, pageInstructions, contextData: false };
}

/** True if the form shows more of a record than the keys that were chosen. */
function showsRecord(state: FormState, { path, keys, details, query, columns }: FormReference): boolean {
  if (details.length > 0) return true;
  const place = toPath(path);
  return [...drawForm(state).log.used].some((text) => {
    const used: unknown = JSON.parse(text);
    if (!Array.isArray(used) || used.length <= place.length || !isWithin(used, place)) return false;
    const member = String(used[place.length]);
    const isShownByPicker = used.length === place.length + 1 &&
      (query?.text === member || columns.some((column) => column.path === member));
    return !keys.includes(member) && !isShownByPicker;
  });
}

function dependsOnService(state: FormState, nodes: readonly FormNode[], row: Path): boolean {
  const place = formatPath(row);
  return drawForm(state).log.usesConditions || listQuestions(nodes).some((question) =>
    hasComputedValue(question) ||
    (question.type === "field" && question.query?.dependsOn.some((path) => path.startsWith(place)) === true)
  );
}

/** Continues with a form that the service has computed from the entries. */
export function applyResponse(state: FormState, response: object): FormState {
  const body: JsonObject = isJsonObject(response) ? response : {};
  const data = getObject(body.data);
  const uiResources = getObject(body.uiResources);
  const computed = readContent(data);
  const row = readRootPath(uiResources);
  const isRow = typeof row.at(-1) === "number" && row.length > state.root.path.length;
  const conditions = readConditions(uiResources);
  const { caseInfo: _, ...shared } = data;
  const wasSent = findSendable(drawForm(state).nodes);
  return {
    ...state,
    page: applyComputed(state.page, isRow ? keepOnly(computed, row, getContent(state.page)) : computed, wasSent),
    resources: state.resources.merge(getObject(uiResources.resources)),
    conditions: isRow ? mergeContent(state.conditions, keepOnly(conditions, row, state.conditions)) : conditions,
    data: { ...state.data, ...shared },
    messages: [],
  };
}

/** Returns content that has only one row. Empty rows take the places of the others, also of those that it leaves out. */
function keepOnly(content: JsonObject, [name, row, ...rest]: Path, current: JsonObject): JsonObject {
  if (typeof name !== "string") return content;
  const [value, known] = [content[name], current[name]];
  if (typeof row !== "number") {
    return { [name]: keepOnly(getObject(value), row === undefined ? [] : [row, ...rest], getObject(known)) };
  }
  const rows = filterObjects(known);
  const entry = Array.isArray(value) ? value[row] : undefined;
  const kept = isJsonObject(entry) ? keepOnly(entry, rest, rows[row] ?? {}) : {};
  return { [name]: Array.from({ length: Math.max(rows.length, row + 1) }, (_, i) => i === row ? kept : {}) };
}

/** Continues with a newly read form. Returns the paths of the lists whose entries were lost. */
export function reopenForm(state: FormState, fresh: FormState): { state: FormState; lost: Path[] } {
  const { page, lost } = rebase(state.page, fresh.page.stored);
  return { state: { ...fresh, page }, lost };
}
