/**
 * The format of an application definition: the one source of its check, of its TypeScript type and of its published
 * JSON Schema. What refers to something else (a step, a queue, a field) is checked by the compilation.
 */
import { z } from "zod";
import type { JsonObject } from "../../../utils/json.ts";
import { messageTypes } from "../compile/social.ts";
import { type field, fields, viewField } from "./field_words.ts";
import { participantRole } from "../compile/participants.ts";
import { agent, agentId, assistant } from "./agent_format.ts";
import { userInterface } from "../compile/user_interface.ts";
import {
  actionId,
  className,
  condition,
  distinct,
  expression,
  identifier,
  PARAMETER_TYPES,
  principal,
  resolution,
  right,
  scalar,
  status,
  text,
  urgency,
} from "./words.ts";

const view = z.strictObject({ name: text.optional(), fields: z.array(viewField) });

const transition = z.strictObject({
  when: expression.optional(),
  step: identifier.optional().describe("Go to a step of the same process"),
  stage: identifier.optional().describe("Go to a stage"),
  resolve: resolution.optional().describe("Resolve the case with a status"),
  end: z.literal(true).optional().describe("End the process"),
});

const form = {
  view: identifier.optional().describe("The view to fill in"),
  fields: z.array(viewField).optional().describe("The view's fields, where no view of the case type fits"),
  set: z.record(identifier, expression).optional().describe("Fields to set when it is performed"),
  status: status.optional().describe("Status of the case when it is performed"),
};
const next = z.array(transition).optional().describe("Where to go: the first whose condition holds");
const action = z.strictObject({ name: text.optional(), ...form, next });
const localAction = z.strictObject({
  name: text.optional(),
  ...form,
  stage: identifier.optional(),
  bulk: z.boolean().optional(),
});
const screen = z.strictObject({ name: text.optional(), ...form });

const route = z.strictObject({
  to: z.enum(["creator", "performer"]).optional(),
  queue: identifier.optional(),
  operator: expression.optional().describe("A CEL expression whose value is an operator's ID"),
});

const step = z.strictObject({
  type: z.enum(["assignment", "screens", "automatic", "child"]).default("assignment"),
  name: text.optional(),
  route: route.optional(),
  urgency: urgency.optional(),
  instructions: text.optional(),
  ...form,
  actions: z.record(actionId, action).optional().describe(
    "What a person may do; the step's view, set and next are their defaults",
  ),
  screens: z.record(actionId, screen).optional().describe("The screens of a screen flow, in order"),
  caseType: className.optional().describe("The type of the child case that the step creates"),
  content: z.record(identifier, expression).optional().describe("Fields of the child case"),
  wait: z.boolean().optional().describe("Whether the process waits until the child case is resolved"),
  next,
});
const process = z.strictObject({
  name: text.optional(),
  when: expression.optional(),
  steps: z.record(identifier, step),
});
const processes = z.record(identifier, process);

const stage = z.strictObject({
  name: text,
  type: z.enum(["Primary", "Alternate"]).default("Primary"),
  transition: z.enum(["create", "automatic", "manual", "resolution"]).default("automatic"),
  resolve: resolution.optional().describe("Status of a case that ends here, for the transition 'resolution'"),
  status: status.optional().describe("Status of a case that enters"),
  processes: processes.optional().describe("Processes that run one after another"),
  optionalProcesses: processes.optional().describe("Processes that a person may start while the case is here"),
  actions: z.record(actionId, localAction).optional().describe(
    "Actions that a person may perform while the case is here",
  ),
});

const attachmentCategory = z.strictObject({
  name: text.optional(),
  type: z.enum(["File", "URL"]).default("File"),
  view: right.default(true),
  create: right.default(true),
  edit: right.default(true),
  deleteOwn: right.default(true),
  deleteAll: right.default(false),
});

const caseType = z.strictObject({
  name: text,
  prefix: z.string().regex(/^[A-Z]+$/, "must be capital letters").describe("Prefix of the case numbers, e.g. P"),
  workPool: z.string().regex(/^[A-Z][A-Z0-9-]*$/, "must be capital letters, digits and hyphens").describe(
    "First part of the case handles, e.g. CITY-PERMIT-WORK",
  ),
  label: expression.optional().describe("Label of a case; the case type's name without it"),
  urgency: urgency.default(10),
  status: status.default("New").describe("Status of a new case"),
  creatable: z.boolean().default(true).describe("Whether a person may create a case of this type"),
  create: z.strictObject({ view: identifier.optional(), fields: z.array(viewField).optional() }).optional().describe(
    "The view of the creation; without it, all fields, of which none is required",
  ),
  confirmation: text.optional().describe("What a person reads who has no further assignment of the case"),
  fields,
  views: z.record(identifier, view).optional(),
  stages: z.record(identifier, stage),
  optionalProcesses: processes.optional(),
  actions: z.record(actionId, localAction).optional().describe("Case-wide actions"),
  attachmentCategories: z.record(identifier, attachmentCategory).optional(),
  participantRoles: z.record(identifier, participantRole).optional(),
});

const recordAction = z.strictObject({
  name: text.optional(),
  view: identifier.optional(),
  fields: z.array(viewField).optional(),
});
const dataType = z.strictObject({
  name: text,
  key: distinct(identifier).min(1).describe("Fields that identify a record"),
  fields,
  views: z.record(identifier, view).optional(),
  savable: identifier.optional().describe("The data view through which records are created and changed"),
  actions: z.record(actionId, recordAction).optional(),
});

const parameter = z.strictObject({
  type: z.enum(PARAMETER_TYPES).default("Text"),
  description: text.optional(),
  required: z.boolean().default(false),
  default: scalar.optional(),
});
const dataView = z.strictObject({
  name: text,
  source: z.enum(["records", "cases", "history", "assignments"]),
  structure: z.enum(["list", "page"]).default("list"),
  class: className.optional().describe("Class of the records"),
  caseTypes: distinct(className).min(1).optional().describe("Types of the cases; all without it"),
  parameters: z.record(identifier, parameter).optional(),
  filter: z.array(condition).optional().describe("Conditions that all hold"),
  queryable: z.boolean().default(true).describe("Whether callers may select, filter, sort and page"),
  views: z.record(identifier, view).optional(),
});

/** An application definition. */
export const definitionSchema = z.strictObject({
  application: z.strictObject({
    id: identifier,
    name: text,
    organisation: text,
    variant: z.enum(["hosted", "on-premises"]).default("hosted"),
    platformVersion: z.int().positive().default(25),
  }),
  operators: z.record(
    principal,
    z.strictObject({ name: text, email: z.email().optional(), queues: z.array(identifier).default([]) }),
  ),
  queues: z.record(identifier, z.strictObject({ name: text })).default({}),
  caseTypes: z.record(className, caseType),
  dataTypes: z.record(className, dataType).default({}),
  dataViews: z.record(identifier, dataView).default({}),
  messageTypes,
  ...userInterface,
  agents: z.record(agentId, agent).default({}),
  assistants: z.record(agentId, assistant).default({}),
});

/** A definition that has passed the check, with its defaults filled in. */
export type Definition = z.infer<typeof definitionSchema>;
/** A field as it is written. */
export type FieldDefinition = z.infer<typeof field>;
/** A field of a view as it is written. */
export type ViewFieldDefinition = z.infer<typeof viewField>;
/** A case type as it is written. */
export type CaseTypeDefinition = z.infer<typeof caseType>;
/** A process as it is written. */
export type ProcessDefinition = z.infer<typeof process>;
/** A step as it is written. */
export type StepDefinition = z.infer<typeof step>;
/** A case-wide or stage-wide action as it is written. */
export type LocalActionDefinition = z.infer<typeof localAction>;
/** A transition as it is written. */
export type TransitionDefinition = z.infer<typeof transition>;
/** A data type as it is written. */
export type DataTypeDefinition = z.infer<typeof dataType>;
/** A condition on rows as it is written. */
export type ConditionDefinition = z.infer<typeof condition>;
/** A data view as it is written. */
export type DataViewDefinition = z.infer<typeof dataView>;

/** The published JSON Schema, which editors use to complete and check a definition. */
export function applicationJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(definitionSchema, { io: "input", target: "draft-2020-12" });
  return JSON.parse(JSON.stringify({ ...schema, title: "svc application definition" }));
}
