/** Responses with a case: its facts, content, assignments, stages and actions. */
import type { JsonObject } from "../../../utils/json.ts";
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
  getOperatorName,
  isResolved,
  readFollowers,
  readScreen,
  readVisits,
  readWaiting,
} from "../case_work.ts";
import { mayWork } from "../../access/case_rights.ts";
import { createLink, getViewResources, showContent } from "./ui.ts";
import { buildScreenId } from "../../assignments/navigate.ts";

/** Part of the user interface to return besides the data. */
export type ViewType = "none" | "form" | "page";

/** Options of a response with a case. */
export interface CaseOptions {
  /** Part of the user interface to return besides the data. */
  readonly viewType: ViewType;
  /** True after a change: clients reload their lists, and show the next assignment of the caller. */
  readonly changed?: boolean;
  /** True for a new case: clients expect its handle at the top level. */
  readonly created?: boolean;
}

function getDetailsView(work: CaseWork): View {
  return getMember(work.type.views, "pyDetails");
}

/** Describes a case. After a change, the next assignment of the caller is shown instead. */
export function createCaseOutcome(
  work: CaseWork,
  { viewType, changed = false, created = false }: CaseOptions,
): Outcome {
  const { stored, type, context } = work;
  const assignment = changed ? nextFor(work) : undefined;
  const { content, uiResources } = changed && viewType !== "none"
    ? showNext(work, assignment, viewType)
    : showDetails(work, viewType);
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
      data: { caseInfo: describeCase(work, content, changed) },
      ...(uiResources && { uiResources }),
    },
  };
}

/** Describes an assignment with its case. The form is that of an action (default: the first one). */
export function createAssignmentOutcome(
  open: AssignmentWork,
  { viewType, changed = false }: CaseOptions,
  action?: Action,
): Outcome {
  const { work, assignment } = open;
  const { content, uiResources } = showForm(open, viewType, action);
  return {
    tag: work.stored.tag,
    body: {
      id: assignment.id,
      etag: work.stored.tag,
      data: { caseInfo: describeCase(work, content, changed) },
      ...(uiResources && { uiResources }),
    },
  };
}

/** Content of a view of a case, and the resources of the view if the client requests them. */
interface ShownView {
  readonly content: JsonObject;
  readonly uiResources?: JsonObject;
}

/** Shows the next form of the caller, or the summary of the case. */
function showNext(work: CaseWork, next: StoredAssignment | undefined, viewType: ViewType): ShownView {
  return next === undefined ? showSummary(work) : showForm(resolveAssignment(work, next), viewType);
}

/** Shows the form of an action (default: the first one), or the details of the case if there is no action. */
function showForm(open: AssignmentWork, viewType: ViewType, action = offeredActions(open)[0]): ShownView {
  const { work } = open;
  const view = action?.view ?? getDetailsView(work);
  const content = action === undefined ? work.stored.content : getFormContent(open, action);
  return {
    content: showContent(work, view, content),
    ...(viewType !== "none" && { uiResources: buildAssignmentResources(open, view) }),
  };
}

function showDetails(work: CaseWork, viewType: ViewType): ShownView {
  const view = getDetailsView(work);
  return {
    content: showContent(work, view),
    ...(viewType !== "none" && { uiResources: getViewResources(view, work.type.id) }),
  };
}

/** Shows the summary of a case. It has no root, because clients would take that for a form to fill in. */
function showSummary(work: CaseWork): ShownView {
  const view = getMember(work.type.views, "pyCaseSummary");
  const { root: _, ...uiResources } = getViewResources(view, work.type.id);
  return { content: showContent(work, view), uiResources };
}

/** Builds the resources of an assignment's form. */
export function buildAssignmentResources(open: AssignmentWork, view: View): JsonObject {
  const steps = describeNavigation(open);
  return {
    ...getViewResources(view, open.work.type.id),
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
  const steps = [...step.actions.values()].map((screen, index) => {
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
  return { template: "Horizontal", steps };
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
