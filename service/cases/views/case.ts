/** Responses with a case: its facts, content, assignments, stages and actions. */
import { isJsonObject, type JsonObject } from "../../../utils/json.ts";
import type { Action, LocalAction, Process, Stage, View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { StoredAssignment } from "../../store/store.ts";
import {
  type AssignmentWork,
  getFormContent,
  mayWorkOn,
  nextFor,
  offeredActions,
  resolveAssignment,
} from "../../assignments/work.ts";
import { getCurrentStage, getMember, listLocalActions, listOptionalProcesses } from "../flow.ts";
import {
  type CaseWork,
  describeDrafts,
  getOperatorName,
  isResolved,
  readFollowers,
  readScreen,
  readVisits,
  readWaiting,
} from "../case_work.ts";
import { mayWork } from "../../access/case_rights.ts";
import type { Frame } from "./forms/frames.ts";
import { createLink, describeCaseForm, describeShownView, listReferencedUsers, showContent } from "./ui.ts";
import { buildScreenId } from "../../assignments/navigate.ts";
import { Invalid, NotFound } from "../../errors.ts";
import { suggestAlternatives } from "../../../utils/text/did_you_mean.ts";

/** Part of the user interface to return besides the data. */
export type ViewType = "none" | "form" | "page";

/** Options of a response with a case. */
export interface CaseOptions {
  /** Part of the user interface to return besides the data. */
  readonly viewType: ViewType;
  /** ID of the view of the case to return as the page. */
  readonly pageName?: string;
  /** True after a change: clients reload their lists, and show the next assignment of the caller. */
  readonly changed?: boolean;
  /** True for a new case: clients expect its handle at the top level. */
  readonly created?: boolean;
  /** True after a move between screens. In the create stage, the response then has another page. */
  readonly navigated?: boolean;
}

/** Finds a view of a case. Throws `NotFound` if there is no such view. */
export function findView({ type }: CaseWork, id: string): View {
  const view = type.views.get(id);
  if (view !== undefined) return view;
  throw new NotFound(`View '${id}' not found${suggestAlternatives(id, type.views.keys())}`);
}

/** Finds the view that a request names as its page. */
function findPage(work: CaseWork, { viewType, pageName }: CaseOptions): View | undefined {
  if (pageName === undefined || pageName === "pyEmbedAssignment") return undefined;
  if (viewType !== "page") throw new Invalid("pageName needs viewType=page");
  return findView(work, pageName);
}

/** Describes a case. After a change, the next assignment of the caller is shown instead. */
export function createCaseOutcome(
  work: CaseWork,
  options: CaseOptions,
): Outcome {
  const { viewType, pageName, changed = false, created = false } = options;
  const { stored, type, context } = work;
  const assignment = changed ? nextFor(work) : undefined;
  const shown = changed && viewType !== "none"
    ? showNext(work, assignment, options)
    : showDetails(work, viewType, changed ? undefined : pageName);
  return {
    tag: stored.tag,
    ...(changed && { location: `/cases/${stored.id}` }),
    body: {
      id: stored.id,
      ...(created && { ID: stored.id }),
      type: type.id,
      status: stored.status,
      urgency: formatUrgency(context.app.platformVersion, stored.urgency),
      etag: stored.tag,
      ...(changed &&
        (assignment === undefined
          ? { confirmationNote: type.confirmation }
          : { nextAssignmentInfo: describeNextAssignment(work, assignment) })),
      ...describeShown(work, shown, describeCase(work, shown.content, changed)),
    },
  };
}

/** Describes an assignment with its case. The form is that of an action (default: the first one). */
export function createAssignmentOutcome(
  open: AssignmentWork,
  options: CaseOptions,
  action?: Action,
): Outcome {
  const { work, assignment } = open;
  const shown = showForm(open, options, action);
  return {
    tag: work.stored.tag,
    body: {
      id: assignment.id,
      etag: work.stored.tag,
      ...describeShown(work, shown, describeCase(work, shown.content, options.changed === true)),
    },
  };
}

/** A view of a case with its content, and the resources of the view if the client requests them. */
export interface ShownView {
  readonly view: View;
  readonly content: JsonObject;
  readonly uiResources?: JsonObject;
}

/** Describes the data and the resources of a view of a case. */
export function describeShown(
  work: CaseWork,
  { view, content, uiResources }: ShownView,
  caseInfo: JsonObject,
): JsonObject {
  return {
    data: {
      caseInfo,
      ...(uiResources && { referencedUsers: listReferencedUsers(work, view, content) }),
    },
    ...(uiResources && { uiResources }),
  };
}

/** Shows the next form of the caller, or the summary of the case. */
function showNext(work: CaseWork, next: StoredAssignment | undefined, options: CaseOptions): ShownView {
  if (next !== undefined) return showForm(resolveAssignment(work, next), options);
  return showView(work, findPage(work, options) ?? getMember(work.type.views, "pyCaseSummary"), "summary");
}

/** Shows the form of an action (default: the first one), or the details of the case if there is no action. */
function showForm(open: AssignmentWork, options: CaseOptions, action = offeredActions(open)[0]): ShownView {
  const { work } = open;
  const page = findPage(work, options);
  if (page !== undefined) return showView(work, page, "casePage");
  if (action === undefined) return showDetails(work, options.viewType);
  const content = getFormContent(open, action);
  return showAction(open, action.view, content, options);
}

/** Shows the form of an action of an assignment, alone or in a page. */
export function showAction(
  open: AssignmentWork,
  view: View,
  content: JsonObject,
  { viewType, navigated = false }: Pick<CaseOptions, "viewType" | "navigated">,
): ShownView {
  const { work } = open;
  const isCreate = navigated && getCurrentStage(work).transition === "create";
  const frame = viewType === "page" ? isCreate ? "createPage" : "page" : "form";
  return {
    view,
    content: { ...showContent(work, view, content), ...(viewType === "page" && describeShownView(view, frame)) },
    ...(viewType !== "none" && { uiResources: buildAssignmentResources(open, view, content, frame) }),
  };
}

function showDetails(work: CaseWork, viewType: ViewType, pageName = "pyDetails"): ShownView {
  const view = findView(work, pageName);
  if (viewType === "none") return { view, content: showContent(work, view) };
  return showView(work, view, "casePage");
}

/** Shows a view of a case that is not a form. */
function showView(work: CaseWork, view: View, frame: Frame): ShownView {
  return {
    view,
    content: { ...showContent(work, view), ...describeShownView(view, frame) },
    uiResources: describeCaseForm(work, view, work.stored.content, frame),
  };
}

/** Builds the resources of an assignment's form. */
function buildAssignmentResources(
  open: AssignmentWork,
  view: View,
  content: JsonObject,
  frame: Frame,
): JsonObject {
  const steps = describeNavigation(open);
  return {
    ...describeCaseForm(open.work, view, content, frame),
    ...(steps && { navigation: steps }),
    actionButtons: describeButtons(open),
  };
}

/** Describes a case with the given content. */
export function describeCase(work: CaseWork, content: JsonObject, changed: boolean): JsonObject {
  const { stored, type, context } = work;
  const isChangeable = mayWork(work);
  return {
    ID: stored.id,
    businessID: stored.businessId,
    caseTypeID: type.id,
    caseTypeName: type.name,
    name: type.name,
    caseTypeIcon: "cmicons/pycase.svg",
    ...(stored.parentId !== undefined && { parentCaseID: stored.parentId }),
    status: stored.status,
    urgency: formatUrgency(context.app.platformVersion, stored.urgency),
    owner: stored.createdBy,
    createdBy: stored.createdBy,
    createTime: stored.createdAt,
    lastUpdatedBy: stored.updatedBy,
    lastUpdateTime: stored.updatedAt,
    stageID: stored.stageId,
    stageLabel: getCurrentStage(work).name,
    sla: { goal: "", deadline: "" },
    associations: { follows: readFollowers(stored).includes(context.caller.id) },
    hasNewAttachments: false,
    WidgetsToRefresh: changed ? ["TaskList"] : [],
    content,
    assignments: work.assignments.map((assignment) => describeAssignment(work, assignment)),
    stages: describeStages(work),
    availableActions: (isChangeable ? listLocalActions(work) : []).map((action) => describeLocalAction(work, action)),
    availableProcesses: isResolved(stored) || !isChangeable
      ? []
      : listOptionalProcesses(work).map(({ id, name, stage }) => ({
        ID: id,
        name,
        type: stage === undefined ? "Case" : "Stage",
        links: { add: createLink(`/cases/${stored.id}/processes/${id}`, "POST", "Add optional process") },
      })),
  };
}

/** Lists one action of a case. */
export function listOneAction(work: CaseWork, action: LocalAction): JsonObject {
  return { assignments: [], availableActions: [describeLocalAction(work, action)] };
}

/** Lists one action of an assignment. */
export function listOneAssignmentAction({ work, assignment }: AssignmentWork, action: Action): JsonObject {
  return { assignments: [describeAssignment(work, assignment, [action])], availableActions: [] };
}

/** Describes a case-wide or stage-wide action. */
function describeLocalAction({ stored }: CaseWork, { id, name, scope }: LocalAction): JsonObject {
  return {
    ID: id,
    name,
    type: scope,
    links: { open: createLink(`/cases/${stored.id}/actions/${id}`, "GET", "Get case action details") },
  };
}

/** Describes the stages of a case. */
function describeStages(work: CaseWork): JsonObject[] {
  const visits = readVisits(work.stored);
  return [...work.type.stages.values()].map((stage) => describeStage(work, stage, visits));
}

/** Describes the stages of a case with their processes and steps. */
export function describeStagesWithProcesses(work: CaseWork): JsonObject[] {
  const running = [...readWaiting(work.stored), ...work.assignments];
  const open = new Map(running.map(({ processId, stepId }) => [processId, stepId]));
  const visits = readVisits(work.stored);
  return [...work.type.stages.values()].map((stage) => {
    const info = describeStage(work, stage, visits);
    return {
      id: stage.id,
      ...info,
      processes: describeProcesses([...stage.processes.values()], info.visited_status, open),
    };
  });
}

function describeStage({ stored }: CaseWork, stage: Stage, visits: Readonly<Record<string, string>>): JsonObject {
  const entryTime = visits[stage.id];
  const current = stage.id === stored.stageId;
  const visited = entryTime === undefined ? "future" : current && !isResolved(stored) ? "active" : "completed";
  return {
    ID: stage.id,
    name: stage.name,
    type: stage.type,
    transitionType: stage.transition,
    visited_status: visited,
    ...(entryTime !== undefined && { entryTime }),
    links: { open: createLink(`/cases/${stored.id}/stages/${stage.id}`, "PUT", "Jump to this stage") },
  };
}

/** Describes the processes of a stage. They run one after another: those after the last open one are in the future. */
function describeProcesses(
  processes: readonly Process[],
  stageStatus: JsonObject[string],
  open: ReadonlyMap<string, string>,
): JsonObject[] {
  const last = stageStatus === "active" ? processes.findLastIndex(({ id }) => open.has(id)) : -1;
  return processes.map((process, index) => {
    const isFuture = stageStatus === "future" || (last >= 0 && index > last);
    return describeProcess(process, isFuture ? "future" : "completed", open.get(process.id));
  });
}

/** Describes a process. The steps before the open one are completed. */
function describeProcess(process: Process, idle: "future" | "completed", openStep: string | undefined): JsonObject {
  const steps = [...process.steps.values()];
  const at = steps.findIndex(({ id }) => id === openStep);
  return {
    id: process.id,
    ID: process.id,
    name: process.name,
    visited_status: at < 0 ? idle : "active",
    steps: steps.map(({ id, name }, index) => ({
      id,
      ID: id,
      name,
      visited_status: at < 0 ? idle : index < at ? "completed" : index === at ? "active" : "future",
    })),
  };
}

/** Describes an assignment. Its actions are listed only for operators who may work on it. */
export function describeAssignment(
  work: CaseWork,
  assignment: StoredAssignment,
  actions?: readonly Action[],
): JsonObject {
  const { app } = work.context;
  const open = resolveAssignment(work, assignment);
  const { process, step } = open;
  const mine = mayWorkOn(work, assignment);
  return {
    ID: assignment.id,
    name: step.name,
    processID: process.id,
    processName: process.name,
    instructions: step.instructions,
    context: "",
    canPerform: mine ? "true" : "false",
    isMultiStep: step.screens ? "true" : "false",
    urgency: formatUrgency(app.platformVersion, assignment.urgency),
    createTime: assignment.createdAt,
    ...(assignment.state.due !== undefined && { dueTime: assignment.state.due }),
    ...describeDrafts(assignment),
    assigneeInfo: describeAssignee(work, assignment),
    ...(mine && {
      links: { open: createOpenLink(assignment) },
      actions: (actions ?? offeredActions(open)).map((action) => describeAction(assignment, action)),
    }),
  };
}

function describeNextAssignment(work: CaseWork, assignment: StoredAssignment): JsonObject {
  return { ID: assignment.id, context: "self", className: work.type.id, links: { open: createOpenLink(assignment) } };
}

/** Describes the screens of a screen flow as navigation steps. Returns undefined for a step without screens. */
function describeNavigation({ assignment, step }: AssignmentWork): JsonObject | undefined {
  if (!step.screens) return undefined;
  const { current, furthest } = readScreen(assignment);
  const screens = [...step.actions.values()].map((screen, index) => {
    const ID = buildScreenId(index);
    const href = `assignments/${assignment.id}/navigation_steps/${ID}`;
    const visited = index <= furthest;
    return {
      ID,
      name: screen.name,
      actionID: screen.id,
      allow_jump: visited,
      visited_status: index === current ? "current" : visited ? "success" : "future",
      ...(visited && index !== current && { links: { open: createLink(href, "PATCH", `Go to step${index + 1}`) } }),
    };
  });
  const steps: JsonObject[] = [];
  for (const [index, { part }] of [...step.actions.values()].entries()) {
    const screen = screens[index] ?? {};
    const parent = steps.at(-1);
    if (part === undefined) steps.push(screen);
    else if (parent?.ID === part.id && Array.isArray(parent.steps)) parent.steps.push(screen);
    else steps.push({ ID: part.id, name: part.name, allow_jump: false, steps: [screen] });
  }
  for (const part of steps) {
    if (Array.isArray(part.steps)) part.visited_status = summarizeVisits(part.steps.filter(isJsonObject));
  }
  return { template: "Horizontal", steps };
}

/** Returns the state of a part of a screen flow from those of its screens. */
function summarizeVisits(screens: readonly JsonObject[]): string {
  const states = screens.map(({ visited_status }) => visited_status);
  if (states.includes("current")) return "current";
  return states.every((state) => state === "success") ? "success" : "future";
}

/** Describes the buttons of an assignment's form. */
function describeButtons({ assignment, step }: AssignmentWork): JsonObject {
  const { current } = readScreen(assignment);
  const last = !step.screens || current === step.actions.size - 1;
  const main = last
    ? { jsAction: "finishAssignment", name: "Submit", actionID: "submit" }
    : { jsAction: "finishAssignment", name: "Next   ", actionID: "next" };
  const href = `assignments/${assignment.id}/navigation_steps/previous`;
  const back = {
    jsAction: "navigateToStep",
    name: "Previous",
    actionID: "back",
    links: { open: createLink(href, "PATCH", "Go back to previous step") },
  };
  return {
    main: [main],
    secondary: [
      { jsAction: "cancelAssignment", name: "Cancel", actionID: "cancel" },
      { jsAction: "saveAssignment", name: "Save for later", actionID: "save" },
      ...(step.screens && current > 0 ? [back] : []),
    ],
  };
}

/** Formats an urgency: as text up to platform version 24, as a number since. */
export function formatUrgency(platformVersion: number, urgency: number): number | string {
  return platformVersion >= 25 ? urgency : String(urgency);
}

function describeAction({ id }: StoredAssignment, action: Action): JsonObject {
  const href = `/assignments/${id}/actions/${action.id}`;
  return {
    ID: action.id,
    name: action.name,
    type: "FlowAction",
    links: {
      submit: createLink(href, "PATCH", "Submit assignment action "),
      save: createLink(href + "/save", "PATCH", "Save assignment action "),
      open: createLink(href, "GET", "Get assignment action details"),
    },
  };
}

function describeAssignee({ context }: CaseWork, { assignee }: StoredAssignment): JsonObject {
  return assignee.kind === "operator"
    ? { ID: assignee.id, name: getOperatorName(context.app, assignee.id), type: "worklist" }
    : { ID: assignee.id, name: context.app.queues.get(assignee.id) ?? assignee.id, type: "workbasket" };
}

function createOpenLink({ id }: StoredAssignment): JsonObject {
  return createLink(`/assignments/${id}`, "GET", "Get assignment details");
}
