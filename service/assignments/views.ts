/** Assignments, as a case lists them. */
import type { JsonObject } from "../../utils/json.ts";
import type { Action } from "../application/model/application.ts";
import type { StoredAssignment } from "../store/store.ts";
import { type AssignmentWork, assignmentWork, mayWorkOn, offeredActions } from "./work.ts";
import { type CaseWork, operatorName } from "../cases/case_work.ts";
import { screenId } from "./navigate.ts";
import { readScreen } from "../cases/state.ts";
import { link } from "../cases/views/ui.ts";

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
