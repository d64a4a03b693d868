/** Case types: stages, processes, steps and actions. */
import type { Condition, Expression } from "./expression.ts";
import type { Field, View } from "./field.ts";
import type { CaseRights } from "./rights.ts";

/** The field that the action `pyChangeStage` asks for. No case stores it. */
export const STAGE_FIELD = "pyGotoStage";

/** Members of the content of every case besides its fields. */
export const CONTENT_FACTS = [
  "classID",
  "pxObjClass",
  "pyID",
  "pyLabel",
  "pyStatusWork",
  "pxUrgencyWork",
  "pxCreateOperator",
  "pxCreateDateTime",
  "pxUpdateOperator",
  "pxUpdateDateTime",
] as const;

/** The action that a resolved case offers, and only a resolved one. */
export const REOPEN_ACTION = "Reopen";

/** The class of every participant. */
export const PARTICIPANT_CLASS = "Data-Party";

/** A case type. */
export interface CaseType {
  /** ID, e.g. `City-Permit-Work-Permit`. */
  readonly id: string;
  readonly name: string;
  /** Prefix of the case numbers, e.g. `P`. */
  readonly prefix: string;
  /** First part of the case handles, e.g. `CITY-PERMIT-WORK`. */
  readonly workPool: string;
  /** Computes the label of a case. */
  readonly label?: Expression;
  /** Urgency of a new case. */
  readonly urgency: number;
  /** Status of a new case. */
  readonly status: string;
  /** True if a person may create a case of this type. */
  readonly creatable: boolean;
  /** Message for a person who has no further assignment in the case. */
  readonly confirmation: string;
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Views by ID. Every case type has `pyDetails` and `pyCaseSummary`. */
  readonly views: ReadonlyMap<string, View>;
  /** The view that is filled in to create a case. */
  readonly createView: View;
  /** Stages by ID, in order. */
  readonly stages: ReadonlyMap<string, Stage>;
  /** All processes by ID: those of the stages, and the optional ones. */
  readonly processes: ReadonlyMap<string, Process>;
  /** Case-wide actions by ID. Every case type has `pyUpdateCaseDetails` and `pyChangeStage`. */
  readonly actions: ReadonlyMap<string, LocalAction>;
  /** Attachment categories by ID. */
  readonly attachmentCategories: ReadonlyMap<string, AttachmentCategory>;
  /** Participant roles by ID. */
  readonly participantRoles: ReadonlyMap<string, ParticipantRole>;
  /** Rights of operators on the cases. */
  readonly rights: CaseRights;
}

/** A stage of a case. */
export interface Stage {
  /** ID, e.g. `PRIM0`. */
  readonly id: string;
  readonly name: string;
  /** Primary stages follow each other. A case enters an alternate stage only by a transition or an action. */
  readonly type: "Primary" | "Alternate";
  /** The transition when the processes of the stage have ended. */
  readonly transition: "create" | "automatic" | "manual" | "resolution";
  /** Status of a case that ends in this stage. */
  readonly resolve: string;
  /** Status of a case that enters this stage. */
  readonly status?: string;
  /** Processes by ID, in order. */
  readonly processes: ReadonlyMap<string, Process>;
  /** Processes that a person may start while the case is in this stage. */
  readonly optionalProcesses: ReadonlyMap<string, Process>;
  /** Actions that a person may perform while the case is in this stage. */
  readonly actions: ReadonlyMap<string, LocalAction>;
}

/** A process: steps that follow each other unless a transition applies. */
export interface Process {
  /** ID. In upper case, it is the last part of the handles of its assignments. */
  readonly id: string;
  readonly name: string;
  /** Decides whether the process runs. */
  readonly when: Condition;
  /** Text of `when`. Undefined if the process always runs. */
  readonly condition?: string;
  /** Steps by ID, in order. */
  readonly steps: ReadonlyMap<string, Step>;
  /** ID of the stage that it belongs to. A case-wide optional process belongs to no stage. */
  readonly stage?: string;
  /** True if it runs only when a person starts it. */
  readonly optional: boolean;
}

/** A step of a process. */
export type Step = AssignmentStep | AutomaticStep | ChildStep;

/** The members of all steps. */
interface BaseStep {
  /** ID within the process. */
  readonly id: string;
  readonly name: string;
  /** Transitions to try in order. If no condition holds, the next step follows. */
  readonly next: readonly StepTransition[];
}

/** A step in which a person works. */
export interface AssignmentStep extends BaseStep {
  readonly kind: "assignment";
  /** The operator or the queue that gets the assignment. */
  readonly route: AssignmentRoute;
  /** Urgency of the assignment (default: the urgency of the case). */
  readonly urgency?: number;
  /** Days after which the assignment is due. */
  readonly dueDays?: number;
  /** Instructions for people. */
  readonly instructions: string;
  /** Actions by ID. */
  readonly actions: ReadonlyMap<string, Action>;
  /** True if the actions are the screens of a screen flow, which are performed one after another. */
  readonly screens: boolean;
  /** Status of a case that comes to this step. */
  readonly status?: string;
}

/** A step that the service performs. */
export interface AutomaticStep extends BaseStep {
  readonly kind: "automatic";
  readonly set: FieldValues;
  /** Status of the case after the step. */
  readonly status?: string;
}

/** A step that creates a child case. */
export interface ChildStep extends BaseStep {
  readonly kind: "child";
  /** ID of the child's case type. */
  readonly caseType: string;
  /** Fields of the child case, computed from the parent. */
  readonly content: FieldValues;
  /** True if the process waits until the child case is resolved. */
  readonly wait: boolean;
}

/** Fields to set, in order, with the expressions that compute their values. */
export type FieldValues = readonly (readonly [name: string, value: Expression])[];

/** The operator or the queue that gets an assignment. */
export type AssignmentRoute =
  | { readonly kind: "creator" | "performer" }
  | { readonly kind: "queue"; readonly queue: string }
  | { readonly kind: "operator"; readonly operator: Expression };

/** A continuation of the case after an action or a step. */
export interface StepTransition {
  /** Decides whether the transition applies. If it does not, the next one is tried. */
  readonly when: Condition;
  /** Text of `when`. Undefined if the transition always applies. */
  readonly condition?: string;
  readonly to:
    | { readonly kind: "step"; readonly step: string }
    | { readonly kind: "stage"; readonly stage: string }
    | { readonly kind: "resolve"; readonly status: string }
    | { readonly kind: "end" };
}

/** An action of an assignment, of a screen flow, of a case or of a stage. */
export interface Action {
  readonly id: string;
  readonly name: string;
  /** The view that is filled in. */
  readonly view: View;
  readonly set: FieldValues;
  /** Status of the case after the action. */
  readonly status?: string;
  /** Transitions to try in order. If no condition holds, the next step follows. */
  readonly next: readonly StepTransition[];
  /** The part of the screen flow to which a screen belongs. */
  readonly part?: { readonly id: string; readonly name: string };
}

/** A case-wide or stage-wide action. */
export interface LocalAction extends Action {
  readonly scope: "Case" | "Stage";
  /** ID of the stage that the action moves the case to. */
  readonly stage?: string;
  /** True if the action can be performed on several cases at once. */
  readonly bulk: boolean;
}

/** A category of attachments, with the rights of the caller. */
export interface AttachmentCategory {
  /** ID, e.g. `File`. */
  readonly id: string;
  readonly name: string;
  readonly type: "File" | "URL";
  /** True if every caller may see the attachments, without a condition. */
  readonly isForAll: boolean;
  readonly canView: Condition;
  readonly canCreate: Condition;
  readonly canEdit: Condition;
  /** Decides whether the caller may delete attachments that the caller added. */
  readonly canDeleteOwn: Condition;
  readonly canDeleteAll: Condition;
}

/** A role in which people take part in a case. */
export interface ParticipantRole {
  /** ID, e.g. `Applicant`. */
  readonly id: string;
  readonly name: string;
  /** True if a case may have several participants in this role. */
  readonly multiple: boolean;
  /** Fields of a participant by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** The form of a participant. */
  readonly view: View;
}
