/** The application that is served: its definition, indexed, with every reference resolved and every expression compiled. */
import type { JsonObject, JsonValue } from "../../../utils/json.ts";
import type { Agent } from "./agent_types.ts";
import type { DataType, DataView } from "./data_types.ts";
import type { CaseFacts, OperatorFacts } from "../expressions/expressions.ts";
import type { FIELD_TYPES } from "../schema/field_words.ts";
import type { MessageType } from "../compile/social.ts";
import type { ParticipantRole } from "../compile/participants.ts";
import type { UserInterface } from "../compile/user_interface.ts";

export type * from "./agent_types.ts";
export type * from "./data_types.ts";

/** What an expression can see. */
export interface Scope {
  /** The fields: those of the case, or of one row of a list. */
  readonly fields: JsonObject;
  /** Facts of the case; empty where there is none. */
  readonly caseInfo: CaseFacts;
  /** Who acts. */
  readonly operator: OperatorFacts;
  /** The action that is performed, or nothing. */
  readonly action: string;
  /** ISO 8601 time, UTC, with milliseconds. */
  readonly now: string;
}

/** A compiled expression. */
export type Expression = (scope: Scope) => JsonValue;

/** A compiled condition. */
export type Condition = (scope: Scope) => boolean;

/** What a field holds. */
export type FieldType = typeof FIELD_TYPES[number];

/** A field of a case, of a record, of an embedded page or of a row. */
export interface Field {
  /** Name, without a leading dot. */
  readonly name: string;
  /** What it holds. */
  readonly type: FieldType;
  /** Name for people. */
  readonly label: string;
  /** Whether it must be filled in wherever a person may edit it. */
  readonly required: boolean;
  /** Value of a new case, record or row. */
  readonly default?: string | number | boolean;
  /** Computes it: nobody may edit it then. */
  readonly calculated?: Expression;
  /** Characters at most. */
  readonly maxLength?: number;
  /** Smallest number. */
  readonly min?: number;
  /** Largest number. */
  readonly max?: number;
  /** Allowed values. */
  readonly values?: readonly string[];
  /** The fields of an embedded page or of a list's rows. */
  readonly embedded?: EmbeddedClass;
}

/** What embedded pages and rows of a list look like. */
export interface EmbeddedClass {
  /** Class, e.g. `City-Permit-Data-Document`. */
  readonly classId: string;
  /** Fields by name. */
  readonly fields: ReadonlyMap<string, Field>;
}

/** A field as a view shows it. */
export interface ViewField {
  /** The field. */
  readonly field: Field;
  /** Name for people. */
  readonly label: string;
  /** Whether it must be filled in. */
  readonly required: boolean;
  /** Whether it is shown only. */
  readonly readOnly: boolean;
}

/** A view: fields in order. */
export interface View {
  /** ID, e.g. `pyDetails`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, ViewField>;
}

/** Where to go after an action or a step. */
export interface Transition {
  /** Holds, or the next transition is tried. */
  readonly when: Condition;
  /** The place. */
  readonly to:
    | { readonly kind: "step"; readonly step: string }
    | { readonly kind: "stage"; readonly stage: string }
    | { readonly kind: "resolve"; readonly status: string }
    | { readonly kind: "end" };
}

/** An action of an assignment, of a screen flow, of a case or of a stage. */
export interface Action {
  /** ID: what `--action` takes. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** The view that is filled in. */
  readonly view: View;
  /** Fields that are set, in order. */
  readonly set: readonly (readonly [name: string, value: Expression])[];
  /** Status of the case afterwards. */
  readonly status?: string;
  /** Where to go; nothing holds: the next step. */
  readonly next: readonly Transition[];
}

/** A case-wide or stage-wide action. */
export interface LocalAction extends Action {
  /** Where it is offered. */
  readonly scope: "Case" | "Stage";
  /** Moves the case to a stage. */
  readonly stage?: string;
  /** Whether it can be performed on several cases at once. */
  readonly bulk: boolean;
}

/** Who gets an assignment. */
export type Route =
  | { readonly kind: "creator" | "performer" }
  | { readonly kind: "queue"; readonly queue: string }
  | { readonly kind: "operator"; readonly operator: Expression };

/** A step at which a person works. */
export interface AssignmentStep {
  /** What kind of step it is. */
  readonly kind: "assignment";
  /** ID within its process. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Who gets it. */
  readonly route: Route;
  /** Urgency; the case's without it. */
  readonly urgency?: number;
  /** What to do, for people. */
  readonly instructions: string;
  /** What a person may do here, by action ID. */
  readonly actions: ReadonlyMap<string, Action>;
  /** Whether the actions are the screens of a screen flow, performed one after another. */
  readonly screens: boolean;
  /** Status of a case that comes here. */
  readonly status?: string;
  /** Where to go after a screen flow's last screen. */
  readonly next: readonly Transition[];
}

/** A step that the service does by itself. */
export interface AutomaticStep {
  /** What kind of step it is. */
  readonly kind: "automatic";
  /** ID within its process. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Fields that are set, in order. */
  readonly set: readonly (readonly [name: string, value: Expression])[];
  /** Status of the case afterwards. */
  readonly status?: string;
  /** Where to go. */
  readonly next: readonly Transition[];
}

/** A step that creates a child case. */
export interface ChildStep {
  /** What kind of step it is. */
  readonly kind: "child";
  /** ID within its process. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Type of the child case. */
  readonly caseType: string;
  /** Fields of the child case, computed from the parent. */
  readonly content: readonly (readonly [name: string, value: Expression])[];
  /** Whether the process waits until the child case is resolved. */
  readonly wait: boolean;
  /** Where to go. */
  readonly next: readonly Transition[];
}

/** A step of a process. */
export type Step = AssignmentStep | AutomaticStep | ChildStep;

/** A process: steps, done one after another unless a transition says otherwise. */
export interface Process {
  /** ID: upper-cased, it is the last part of its assignments' handles. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Whether it runs at all. */
  readonly when: Condition;
  /** Steps by ID, in order. */
  readonly steps: ReadonlyMap<string, Step>;
  /** The stage that it belongs to; a case-wide optional process has none. */
  readonly stage?: string;
  /** Whether it runs only when a person starts it. */
  readonly optional: boolean;
}

/** A stage of a case. */
export interface Stage {
  /** ID, e.g. `PRIM0`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Whether it lies on the way or beside it. */
  readonly type: "Primary" | "Alternate";
  /** What happens when its processes have ended. */
  readonly transition: "create" | "automatic" | "manual" | "resolution";
  /** Status of a case that ends here. */
  readonly resolve: string;
  /** Status of a case that enters. */
  readonly status?: string;
  /** Processes by ID, in order. */
  readonly processes: ReadonlyMap<string, Process>;
  /** Processes that a person may start while the case is here. */
  readonly optionalProcesses: ReadonlyMap<string, Process>;
  /** Actions that a person may perform while the case is here. */
  readonly actions: ReadonlyMap<string, LocalAction>;
}

/** What the caller may do with the attachments of a category. */
export interface AttachmentCategory {
  /** ID, e.g. `File`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Of what its attachments are. */
  readonly type: "File" | "URL";
  /** Whether everybody may see them, whoever it is. */
  readonly isForAll: boolean;
  /** Whether the caller may see them. */
  readonly canView: Condition;
  /** Whether the caller may add one. */
  readonly canCreate: Condition;
  /** Whether the caller may change one. */
  readonly canEdit: Condition;
  /** Whether the caller may delete those that the caller added. */
  readonly canDeleteOwn: Condition;
  /** Whether the caller may delete any. */
  readonly canDeleteAll: Condition;
}

/** A case type. */
export interface CaseType {
  /** ID, e.g. `City-Permit-Work-Permit`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Prefix of the case numbers, e.g. `P`. */
  readonly prefix: string;
  /** First part of the case handles, e.g. `CITY-PERMIT-WORK`. */
  readonly workPool: string;
  /** Label of a case. */
  readonly label?: Expression;
  /** Urgency of a new case. */
  readonly urgency: number;
  /** Status of a new case. */
  readonly status: string;
  /** Whether a person may create a case of this type. */
  readonly creatable: boolean;
  /** What a person reads who has no further assignment of the case. */
  readonly confirmation: string;
  /** Fields by name, in order. */
  readonly fields: ReadonlyMap<string, Field>;
  /** Views by ID; `pyDetails` and `pyCaseSummary` are always there. */
  readonly views: ReadonlyMap<string, View>;
  /** The view of the creation. */
  readonly createView: View;
  /** Stages by ID, in order. */
  readonly stages: ReadonlyMap<string, Stage>;
  /** All processes by ID: those of the stages, and the optional ones. */
  readonly processes: ReadonlyMap<string, Process>;
  /** Case-wide actions by ID; `pyUpdateCaseDetails` and `pyChangeStage` are always there. */
  readonly actions: ReadonlyMap<string, LocalAction>;
  /** Attachment categories by ID. */
  readonly attachmentCategories: ReadonlyMap<string, AttachmentCategory>;
  /** Participant roles by ID. */
  readonly participantRoles: ReadonlyMap<string, ParticipantRole>;
}

/** A person, or a program, that works with the application. */
export interface Operator {
  /** Operator ID, e.g. `clerk@city`. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Queues from which the operator takes work. */
  readonly queues: readonly string[];
  /** Address for people. */
  readonly email?: string;
}

/** The application. */
export interface Application extends UserInterface {
  /** ID. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Whose it is. */
  readonly organisation: string;
  /** Which deployment variant is served. */
  readonly variant: "hosted" | "on-premises";
  /** Which platform version is served. */
  readonly platformVersion: number;
  /** Operators by ID. */
  readonly operators: ReadonlyMap<string, Operator>;
  /** Names of the queues by ID. */
  readonly queues: ReadonlyMap<string, string>;
  /** Case types by ID, in order. */
  readonly caseTypes: ReadonlyMap<string, CaseType>;
  /** Data types by class, in order. */
  readonly dataTypes: ReadonlyMap<string, DataType>;
  /** Data views by ID, in order; `D_pyWorkHistory` and `D_pyMyWorkList` are always there. */
  readonly dataViews: ReadonlyMap<string, DataView>;
  /** Types of messages by class; `Pega-Social-Message` is always there. */
  readonly messageTypes: ReadonlyMap<string, MessageType>;
  /** Agents by ID, in order. */
  readonly agents: ReadonlyMap<string, Agent>;
  /** Assistants by ID, in order. */
  readonly assistants: ReadonlyMap<string, Agent>;
}
