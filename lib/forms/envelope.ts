/** Reads what surrounds a form in a response: its case, steps, buttons and actions, and the view to draw. */
import {
  filterObjects,
  isJsonObject,
  isNonEmptyString,
  isString,
  type JsonObject,
  type JsonValue,
} from "../../utils/json.ts";
import { htmlToText } from "./html.ts";
import { getObject, parsePath, type Path } from "./path.ts";
import { parseContext, parseReference } from "./scope.ts";

/** A step of a sequence of forms. */
export interface FormStep {
  /** Step ID. */
  readonly ID: string;
  /** Display name. */
  readonly name: string;
  /** Action of the step; empty if the response does not name it. */
  readonly actionID: string;
  /** True for the step of this form. */
  readonly isCurrent: boolean;
  /** True if it was completed. */
  readonly isDone: boolean;
  /** True if the person may go to it. */
  readonly canJump: boolean;
}

/** A button of a form. */
export interface FormButton {
  /** Display name. */
  readonly name: string;
  /** Its effect. Unknown buttons have `other`. */
  readonly kind: "submit" | "approve" | "reject" | "save" | "cancel" | "back" | "other";
  /** ID that the server gives it. */
  readonly actionID: string;
  /** Outcome that an approval sends; empty for other buttons. */
  readonly outcomeID: string;
  /** True for a main button. */
  readonly isMain: boolean;
}

/** An action that can be opened in place of the current one. */
export interface FormAction {
  /** Action ID. */
  readonly ID: string;
  /** Display name. */
  readonly name: string;
}

/** The kind of a response: a form, a page that only shows values, the end of the work, or a form that must be opened again. */
export type FormPurpose = "form" | "page" | "confirmation" | "reopen";

/** The view to draw. */
export interface Root {
  readonly purpose: FormPurpose;
  /** Name of the view; empty if the component is described in place. */
  readonly name: string;
  /** Component that is described in place. */
  readonly component?: JsonObject;
  readonly path: Path;
}

const BUTTON_KINDS: Readonly<Record<string, FormButton["kind"]>> = {
  finishAssignment: "submit",
  approveCase: "approve",
  rejectCase: "reject",
  saveAssignment: "save",
  cancelAssignment: "cancel",
  navigateToStep: "back",
};

/** Roots that contain the form of the action somewhere below them. */
const FRAMES: readonly string[] = ["pyEmbedAssignment", "pyCaseWorkarea", "pzFlowContainer", "pzCreateDetails"];

/** Templates of pages that may contain the form of an action. */
const PAGE_TEMPLATE = /^(?:SelfService)?CaseView$|Page$/;

/** Finds the view to draw. */
export function findRoot({ uiResources, content }: { uiResources: JsonObject; content: JsonObject }): Root {
  const { root } = uiResources;
  const views = getObject(getObject(uiResources.resources).views);
  const reopen: Root = { purpose: "reopen", name: "", path: [] };
  if (!isJsonObject(root)) {
    return { purpose: "confirmation", name: Object.hasOwn(views, "pyCaseSummary") ? "pyCaseSummary" : "", path: [] };
  }
  const config = getObject(root.config);
  const name = isString(config.name) ? config.name : "";
  if (root.type !== "reference" || name === "") return { purpose: "form", name: "", component: root, path: [] };
  const { pyViewName: own } = content;
  const isFrame = FRAMES.includes(name);
  const hasView = Object.hasOwn(views, name);
  if (isNonEmptyString(own) && Object.hasOwn(views, own) && (isFrame || !hasView || isPage(views[name]))) {
    return { purpose: "form", name: own, path: readContext(content.pyViewContext) };
  }
  if (isFrame && own === "") return { purpose: "page", name, path: [] };
  if (isFrame || !hasView) return reopen;
  const hasForm = own !== "" || isJsonObject(uiResources.actionButtons);
  return { purpose: hasForm ? "form" : "page", name, path: readContext(config.context) };
}

function isPage(entries: JsonValue | undefined): boolean {
  return filterObjects(entries).some(({ config }) => PAGE_TEMPLATE.test(String(getObject(config).template)));
}

/** Returns the path of the page that a response is about, also if the response leaves out its views. */
export function readRootPath({ root }: JsonObject): Path {
  return isJsonObject(root) ? readContext(getObject(root.config).context) : [];
}

/** Reads a context such as `caseInfo.content.Stops[1]` or `.Home`. */
function readContext(context: JsonValue | undefined): Path {
  if (!isString(context)) return [];
  const text = parseReference(context)?.rest ?? context;
  return parseContext(text) ?? parsePath(text) ?? [];
}

/** Lists the steps in order, those of sub-processes in place. Returns nothing for a single form. */
export function readSteps({ navigation }: JsonObject): FormStep[] {
  const { template, steps } = getObject(navigation);
  const all = flattenSteps(steps);
  return template === "Standard" || all.length < 2 ? [] : all;
}

function flattenSteps(steps: JsonValue | undefined): FormStep[] {
  return filterObjects(steps).flatMap((step) => {
    const inner = flattenSteps(step.steps);
    if (inner.length > 0) return inner;
    const status = step.visited_status;
    return [{
      ID: String(step.ID ?? ""),
      name: String(step.name ?? step.ID ?? "").trim(),
      actionID: String(step.actionID ?? ""),
      isCurrent: status === "current",
      isDone: status === "success",
      canJump: step.allow_jump === true && status !== "current" && step.links !== undefined,
    }];
  });
}

/** Lists the buttons, the main ones first. */
export function readButtons({ actionButtons }: JsonObject): FormButton[] {
  const { main, secondary } = getObject(actionButtons);
  const describe = (isMain: boolean) => (button: JsonObject): FormButton => ({
    name: String(button.name ?? "").trim(),
    kind: BUTTON_KINDS[String(button.jsAction)] ?? "other",
    actionID: String(button.actionID ?? ""),
    outcomeID: String(button.outcomeID ?? ""),
    isMain,
  });
  return [...filterObjects(main).map(describe(true)), ...filterObjects(secondary).map(describe(false))];
}

/** The texts about the work that a form belongs to. */
export interface FormTexts {
  /** Number and label of the case, e.g. `P-1 Permit for Ada`; empty for other objects. */
  readonly caseTitle: string;
  /** Name of the action. */
  readonly name: string;
  /** Name of the assignment; empty without one. */
  readonly assignmentName: string;
  /** Instructions as plain text; empty without any. */
  readonly instructions: string;
  /** Message after the last step; empty before. */
  readonly confirmation: string;
}

/** The action that a form submits. */
export interface FormTarget {
  /** Action ID. */
  readonly action: string;
  /** Handle of the assignment to which the action belongs. Actions of the whole case have none. */
  readonly assignmentId?: string | undefined;
}

/** Finds an action: of the assignment, or of the case and then of any assignment. */
function findAction(
  caseInfo: JsonObject,
  { action, assignmentId }: FormTarget,
): { assignment: JsonObject; action: JsonObject } {
  const isWanted = ({ ID }: JsonObject) => ID === action;
  const own = assignmentId === undefined ? filterObjects(caseInfo.availableActions).find(isWanted) : undefined;
  if (own !== undefined) return { assignment: {}, action: own };
  const assignments = filterObjects(caseInfo.assignments);
  for (const assignment of assignments) {
    if (assignmentId !== undefined && assignment.ID !== assignmentId) continue;
    const found = filterObjects(assignment.actions).find(isWanted);
    if (found !== undefined || assignmentId !== undefined) return { assignment, action: found ?? {} };
  }
  return { assignment: {}, action: {} };
}

/** Reads the texts about the work. */
export function readTexts(body: JsonObject, caseInfo: JsonObject, target: FormTarget): FormTexts {
  const content = getObject(caseInfo.content);
  const label = [content.pyLabel, caseInfo.name].find(isNonEmptyString);
  const { assignment, action: found } = findAction(caseInfo, target);
  return {
    caseTitle: [caseInfo.businessID ?? caseInfo.ID, label].filter(isNonEmptyString).join(" "),
    name: [found.name, target.action].find(isNonEmptyString) ?? "",
    assignmentName: isString(assignment.name) ? assignment.name : "",
    instructions: isString(assignment.instructions) ? htmlToText(assignment.instructions) : "",
    confirmation: isString(body.confirmationNote) ? htmlToText(body.confirmationNote) : "",
  };
}

/** Lists the properties whose change makes the service compute the form again. */
export function readRefreshConditions(caseInfo: JsonObject, target: FormTarget): string[] {
  const { action: found } = findAction(caseInfo, target);
  return filterObjects(found.refreshConditions).map(({ field }) => field).filter(isNonEmptyString)
    .map((field) => field.replace(/^\./, ""));
}

/** Lists the actions of the assignment that the action belongs to, except the action itself. */
export function readActions(caseInfo: JsonObject, target: FormTarget): FormAction[] {
  const { assignment } = findAction(caseInfo, target);
  return filterObjects(assignment.actions).filter(({ ID }) => ID !== target.action)
    .map(({ ID, name }) => ({ ID: String(ID), name: String(name ?? ID) }));
}
