/** The envelope in which a case travels. */
import type { JsonObject } from "../../../utils/json.ts";
import type { Action, LocalAction, Process, Stage, View } from "../../application/model/application.ts";
import type { Outcome } from "../../http/handler.ts";
import type { StoredAssignment } from "../../store/store.ts";
import {
  type AssignmentWork,
  assignmentWork,
  mayWorkOn,
  nextFor,
  offeredActions,
  shownInForm,
} from "../../assignments/work.ts";
import { currentStage, known, listLocalActions, listOptionalProcesses } from "../flow.ts";
import {
  type CaseWork,
  isResolved,
  operatorName,
  readFollowers,
  readScreen,
  readVisits,
  readWaiting,
} from "../case_work.ts";
import { link, showContent, viewResources } from "./ui.ts";
import { screenId } from "../../assignments/navigate.ts";

/** Part of the user interface to return besides the data. */
export type ViewType = "none" | "form" | "page";

/** How a case is answered. */
export interface CaseOptions {
  /** Part of the user interface to return besides the data. */
  readonly viewType: ViewType;
  /** Set after a change: clients reload their lists, and show the next assignment of the caller. */
  readonly changed?: boolean;
  /** Set for a new case: clients expect its handle at the top level. */
  readonly created?: boolean;
}

/** The view `pyDetails`, which every case type has. */
function describeDetails(work: CaseWork): View {
  return known(work.type.views, "pyDetails");
}

/** Describes a case. After a change, the next assignment of the caller is shown instead. */
export function caseOutcome(
  work: CaseWork,
  { viewType, changed = false, created = false }: CaseOptions,
): Outcome {
  const { stored, type, context } = work;
  const assignment = changed ? nextFor(work) : undefined;
  const { content, uiResources } = changed && viewType !== "none"
    ? shownNext(work, assignment, viewType)
    : shownDetails(work, viewType);
  return {
    tag: stored.tag,
    ...(changed && { location: `/cases/${stored.id}` }),
    body: {
      id: stored.id,
      ...(created && { ID: stored.id }),
      type: type.id,
      status: stored.status,
      urgency: urgencyIn(context.app.platformVersion, stored.urgency),
      etag: stored.tag,
      ...(changed &&
        (assignment === undefined
          ? { confirmationNote: type.confirmation }
          : { nextAssignmentInfo: nextAssignmentInfo(work, assignment) })),
      data: { caseInfo: caseInfo(work, content, changed) },
      ...(uiResources && { uiResources }),
    },
  };
}

/** An assignment with its case, and the form of an action, the first without one, where a client wants to see it. */
export function assignmentOutcome(
  open: AssignmentWork,
  { viewType, changed = false }: CaseOptions,
  action?: Action,
): Outcome {
  const { work, assignment } = open;
  const { content, uiResources } = shownForm(open, viewType, action);
  return {
    tag: work.stored.tag,
    body: {
      id: assignment.id,
      etag: work.stored.tag,
      data: { caseInfo: caseInfo(work, content, changed) },
      ...(uiResources && { uiResources }),
    },
  };
}

/** Describes the content of a view of a case, and the view itself if the client requests it. */
interface Shown {
  readonly content: JsonObject;
  readonly uiResources?: JsonObject;
}

/** The form that is next for the caller; the summary of the case where nothing is. */
function shownNext(work: CaseWork, next: StoredAssignment | undefined, viewType: ViewType): Shown {
  return next === undefined ? shownSummary(work) : shownForm(assignmentWork(work, next), viewType);
}

/** The form of an action of an assignment, the first without one; the details of the case where it offers none. */
function shownForm(open: AssignmentWork, viewType: ViewType, action = offeredActions(open)[0]): Shown {
  const { work } = open;
  const view = action?.view ?? describeDetails(work);
  const content = action === undefined ? work.stored.content : shownInForm(open, action);
  return {
    content: showContent(work, view, content),
    ...(viewType !== "none" && { uiResources: assignmentResources(open, view) }),
  };
}

/** The details of a case. */
function shownDetails(work: CaseWork, viewType: ViewType): Shown {
  const view = describeDetails(work);
  return {
    content: showContent(work, view),
    ...(viewType !== "none" && { uiResources: viewResources(view, work.type.id) }),
  };
}

/** The summary of a case, without a root: clients would take that for a form to fill in. */
function shownSummary(work: CaseWork): Shown {
  const view = known(work.type.views, "pyCaseSummary");
  const { root: _, ...uiResources } = viewResources(view, work.type.id);
  return { content: showContent(work, view), uiResources };
}

/** The resources of an assignment's form. */
export function assignmentResources(open: AssignmentWork, view: View): JsonObject {
  const steps = navigation(open);
  return {
    ...viewResources(view, open.work.type.id),
    ...(steps && { navigation: steps }),
    actionButtons: actionButtons(open),
  };
}

/** The facts of a case with the given content. */
export function caseInfo(work: CaseWork, content: JsonObject, changed: boolean): JsonObject {
  const { stored, type, context } = work;
  return {
    ID: stored.id,
    businessID: stored.businessId,
    caseTypeID: type.id,
    caseTypeName: type.name,
    name: type.name,
    caseTypeIcon: "cmicons/pycase.svg",
    ...(stored.parentId !== undefined && { parentCaseID: stored.parentId }),
    status: stored.status,
    urgency: urgencyIn(context.app.platformVersion, stored.urgency),
    owner: stored.createdBy,
    createdBy: stored.createdBy,
    createTime: stored.createdAt,
    lastUpdatedBy: stored.updatedBy,
    lastUpdateTime: stored.updatedAt,
    stageID: stored.stageId,
    stageLabel: currentStage(work).name,
    sla: { goal: "", deadline: "" },
    associations: { follows: readFollowers(stored).includes(context.caller.id) },
    hasNewAttachments: false,
    WidgetsToRefresh: changed ? ["TaskList"] : [],
    content,
    assignments: work.assignments.map((assignment) => assignmentInfo(work, assignment)),
    stages: stageInfos(work),
    availableActions: listLocalActions(work).map((action) => localActionInfo(work, action)),
    availableProcesses: isResolved(stored) ? [] : listOptionalProcesses(work).map(({ id, name, stage }) => ({
      ID: id,
      name,
      type: stage === undefined ? "Case" : "Stage",
      links: { add: link(`/cases/${stored.id}/processes/${id}`, "POST", "Add optional process") },
    })),
  };
}

/** Lists one action of a case. */
export function onlyLocal(work: CaseWork, action: LocalAction): JsonObject {
  return { assignments: [], availableActions: [localActionInfo(work, action)] };
}

/** Lists one action of an assignment. */
export function onlyAction({ work, assignment }: AssignmentWork, action: Action): JsonObject {
  return { assignments: [assignmentInfo(work, assignment, [action])], availableActions: [] };
}

/** A case-wide or stage-wide action of a case. */
function localActionInfo({ stored }: CaseWork, { id, name, scope }: LocalAction): JsonObject {
  return {
    ID: id,
    name,
    type: scope,
    links: { open: link(`/cases/${stored.id}/actions/${id}`, "GET", "Get case action details") },
  };
}

/** All stages of a case's type, with the case's way through them. */
export function stageInfos(work: CaseWork): JsonObject[] {
  const visits = readVisits(work.stored);
  return [...work.type.stages.values()].map((stage) => stageInfo(work, stage, visits));
}

/** The stages with their processes and steps. */
export function stagesWithProcesses(work: CaseWork): JsonObject[] {
  const running = [...readWaiting(work.stored), ...work.assignments];
  const open = new Map(running.map(({ processId, stepId }) => [processId, stepId]));
  const visits = readVisits(work.stored);
  return [...work.type.stages.values()].map((stage) => {
    const info = stageInfo(work, stage, visits);
    return { id: stage.id, ...info, processes: processInfos([...stage.processes.values()], info.visited_status, open) };
  });
}

function stageInfo({ stored }: CaseWork, stage: Stage, visits: Readonly<Record<string, string>>): JsonObject {
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
    links: { open: link(`/cases/${stored.id}/stages/${stage.id}`, "PUT", "Jump to this stage") },
  };
}

/** The processes of a stage run one after another: those after the open one are still to come. */
function processInfos(
  processes: readonly Process[],
  stageStatus: JsonObject[string],
  open: ReadonlyMap<string, string>,
): JsonObject[] {
  const last = stageStatus === "active" ? processes.findLastIndex(({ id }) => open.has(id)) : -1;
  return processes.map((process, index) => {
    const isToCome = stageStatus === "future" || (last >= 0 && index > last);
    return processInfo(process, isToCome ? "future" : "completed", open.get(process.id));
  });
}

/** A process with an open step: the steps before it are done. */
function processInfo(process: Process, idle: "future" | "completed", openStep: string | undefined): JsonObject {
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
export function assignmentInfo(work: CaseWork, assignment: StoredAssignment, actions?: readonly Action[]): JsonObject {
  const { app, caller } = work.context;
  const open = assignmentWork(work, assignment);
  const { process, step } = open;
  const mine = mayWorkOn(assignment, caller);
  return {
    ID: assignment.id,
    name: step.name,
    processID: process.id,
    processName: process.name,
    instructions: step.instructions,
    context: "",
    canPerform: mine ? "true" : "false",
    isMultiStep: step.screens ? "true" : "false",
    urgency: urgencyIn(app.platformVersion, assignment.urgency),
    createTime: assignment.createdAt,
    assigneeInfo: assigneeInfo(work, assignment),
    ...(mine && {
      links: { open: openLink(assignment) },
      actions: (actions ?? offeredActions(open)).map((action) => actionInfo(assignment, action)),
    }),
  };
}

/** The reference to the assignment that is next for the caller. */
export function nextAssignmentInfo(work: CaseWork, assignment: StoredAssignment): JsonObject {
  return { ID: assignment.id, context: "self", className: work.type.id, links: { open: openLink(assignment) } };
}

/** Describes the screens of a screen flow as navigation steps. Returns nothing for a step without screens. */
export function navigation({ assignment, step }: AssignmentWork): JsonObject | undefined {
  if (!step.screens) return undefined;
  const { current, furthest } = readScreen(assignment);
  const steps = [...step.actions.values()].map((screen, index) => {
    const ID = screenId(index);
    const href = `assignments/${assignment.id}/navigation_steps/${ID}`;
    const visited = index <= furthest;
    return {
      ID,
      name: screen.name,
      actionID: screen.id,
      allow_jump: visited,
      visited_status: index === current ? "current" : visited ? "success" : "future",
      ...(visited && index !== current && { links: { open: link(href, "PATCH", `Go to step${index + 1}`) } }),
    };
  });
  return { template: "Horizontal", steps };
}

/** The buttons of an assignment's form. */
export function actionButtons({ assignment, step }: AssignmentWork): JsonObject {
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
    links: { open: link(href, "PATCH", "Go back to previous step") },
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

/** An urgency: text up to version 24, a number since. */
export function urgencyIn(platformVersion: number, urgency: number): number | string {
  return platformVersion >= 25 ? urgency : String(urgency);
}

function actionInfo({ id }: StoredAssignment, action: Action): JsonObject {
  const href = `/assignments/${id}/actions/${action.id}`;
  return {
    ID: action.id,
    name: action.name,
    type: "FlowAction",
    links: {
      submit: link(href, "PATCH", "Submit assignment action "),
      save: link(href + "/save", "PATCH", "Save assignment action "),
      open: link(href, "GET", "Get assignment action details"),
    },
  };
}

function assigneeInfo({ context }: CaseWork, { assignee }: StoredAssignment): JsonObject {
  return assignee.kind === "operator"
    ? { ID: assignee.id, name: operatorName(context.app, assignee.id), type: "worklist" }
    : { ID: assignee.id, name: context.app.queues.get(assignee.id) ?? assignee.id, type: "workbasket" };
}

function openLink({ id }: StoredAssignment): JsonObject {
  return link(`/assignments/${id}`, "GET", "Get assignment details");
}
