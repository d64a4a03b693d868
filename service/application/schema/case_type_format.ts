/** The format of case types, with their stages, processes, steps and actions. */
import { z } from "zod";
import { caseFields, fields, form, viewField, views } from "./field_format.ts";
import {
  actionId,
  atLeastOne,
  className,
  expression,
  identifier,
  nonEmptyText,
  openStatus,
  requireExactlyOne,
  resolution,
  right,
  urgency,
} from "./primitives.ts";

const transition = requireExactlyOne(
  z.strictObject({
    when: expression.optional(),
    step: identifier.optional().describe("Go to a step of the same process"),
    stage: identifier.optional().describe("Go to a stage"),
    resolve: resolution.optional().describe("Resolve the case with a status"),
    end: z.literal(true).optional().describe("End the process"),
  }),
  "step",
  "stage",
  "resolve",
  "end",
);
const next = z.array(transition).optional().describe("Where to go: the first transition whose condition holds");

const screen = z.strictObject({
  name: nonEmptyText.optional(),
  ...form,
  set: z.record(identifier, expression).optional().describe("Fields to set when the action is performed"),
  status: openStatus.optional().describe("Status of the case when the action is performed"),
});
const screenOrPart = screen.extend({
  screens: atLeastOne(z.record(actionId, screen), "screen").optional().describe(
    "The screens of a part of a screen flow, which has only a name besides",
  ),
});
const action = screen.extend({ next });
const localAction = screen.extend({
  stage: identifier.optional().describe("The stage that the action moves the case to"),
  bulk: z.boolean().optional().describe("Whether the action can be performed on several cases at once"),
});

const route = requireExactlyOne(
  z.strictObject({
    to: z.enum(["creator", "performer"]).optional(),
    queue: identifier.optional(),
    operator: expression.optional().describe("A CEL expression whose value is an operator's ID"),
  }),
  "to",
  "queue",
  "operator",
);

const work = {
  name: nonEmptyText.optional(),
  next,
  route: route.optional(),
  urgency: urgency.optional(),
  dueDays: z.int().min(1).max(3650).optional().describe("Days after which the assignment is due"),
  instructions: nonEmptyText.optional(),
  status: screen.shape.status,
};
const step = z.discriminatedUnion("type", [
  action.extend({
    type: z.literal("assignment").optional(),
    ...work,
    actions: atLeastOne(z.record(actionId, action), "action").optional().describe(
      "What a person may do; the step's view, set and next are their defaults",
    ),
  }),
  z.strictObject({
    type: z.literal("screens"),
    ...work,
    screens: atLeastOne(z.record(actionId, screenOrPart), "screen").describe("The screens of a screen flow, in order"),
  }),
  action.pick({ name: true, set: true, status: true, next: true }).extend({ type: z.literal("automatic") }),
  z.strictObject({
    type: z.literal("child"),
    name: nonEmptyText.optional(),
    next,
    caseType: className.describe("The type of the child case that the step creates"),
    content: z.record(identifier, expression).optional().describe("Fields of the child case"),
    wait: z.boolean().default(false).describe("Whether the process waits until the child case is resolved"),
  }),
]);

const processes = z.record(
  identifier,
  z.strictObject({
    name: nonEmptyText.optional(),
    when: expression.optional(),
    steps: atLeastOne(z.record(identifier, step), "step"),
  }),
);

const stage = z.strictObject({
  name: nonEmptyText,
  type: z.enum(["Primary", "Alternate"]).default("Primary"),
  transition: z.enum(["create", "automatic", "manual", "resolution"]).default("automatic"),
  resolve: resolution.optional().describe("Status of a case that ends here, for the transition 'resolution'"),
  status: openStatus.optional().describe("Status of a case that enters"),
  processes: processes.optional().describe("Processes that run one after another"),
  optionalProcesses: processes.optional().describe("Processes that a person may start while the case is here"),
  actions: z.record(actionId, localAction).optional().describe(
    "Actions that a person may perform while the case is here",
  ),
}).refine(({ resolve, transition }) => resolve === undefined || transition === "resolution", {
  path: ["resolve"],
  error: "needs the transition 'resolution'",
});

const attachmentCategory = z.strictObject({
  name: nonEmptyText.optional(),
  type: z.enum(["File", "URL"]).default("File"),
  view: right.default(true),
  create: right.default(true),
  edit: right.default(true),
  deleteOwn: right.default(true),
  deleteAll: right.default(false),
});

const participantRole = z.strictObject({
  name: nonEmptyText.optional(),
  multiple: z.boolean().default(false).describe("Whether a case may have several participants in this role"),
  moreFields: fields.optional().describe("Fields besides those that every participant has, e.g. pyFirstName"),
  fields: z.array(viewField).optional().describe(
    "The form of a participant (default: pyFirstName, pyLastName, pyEmail1 and pyPhoneNumber)",
  ),
});

const rights = z.strictObject({
  read: right.default(true).describe("Who sees a case. For others, it does not exist"),
  work: right.default(true).describe("Who changes a case"),
  manage: right.default(false).describe(
    "Who discards drafts of other operators, and releases and transfers their assignments",
  ),
});

/** A case type. */
export const caseType = z.strictObject({
  name: nonEmptyText,
  prefix: z.string().regex(/^[A-Z]+$/, "must be capital letters").describe("Prefix of the case numbers, e.g. P"),
  workPool: z.string().regex(/^[A-Z][A-Z0-9-]*$/, "must be capital letters, digits and hyphens").describe(
    "First part of the case handles, e.g. CITY-PERMIT-WORK",
  ),
  label: expression.optional().describe("Label of a case (default: the name of the case type)"),
  urgency: urgency.default(10),
  status: openStatus.default("New").describe("Status of a new case"),
  creatable: z.boolean().default(true).describe("Whether a person may create a case of this type"),
  create: z.strictObject(form).optional().describe("The view of the creation (default: all fields, none required)"),
  confirmation: nonEmptyText.default("Thank you! The next step in this case has been routed appropriately.").describe(
    "Message for a person who has no further assignment in the case",
  ),
  fields: caseFields,
  views: views.optional(),
  stages: z.record(identifier, stage).refine((stages) => Object.values(stages)[0]?.type === "Primary", {
    error: "must begin with a stage of type Primary",
  }),
  optionalProcesses: processes.optional(),
  actions: z.record(actionId, localAction).optional().describe("Case-wide actions"),
  attachmentCategories: z.record(identifier, attachmentCategory).default({}),
  participantRoles: z.record(identifier, participantRole).default({}),
  rights: rights.prefault({}).describe("Rights of operators: true, false or a condition"),
});

/** A case type in the definition. */
export type CaseTypeDefinition = z.infer<typeof caseType>;
/** A step in the definition. */
export type StepDefinition = z.infer<typeof step>;
/** The route of an assignment in the definition. */
export type RouteDefinition = z.infer<typeof route>;
/** An action of an assignment in the definition. */
export type ActionDefinition = z.infer<typeof action>;
/** A case-wide or stage-wide action in the definition. */
export type LocalActionDefinition = z.infer<typeof localAction>;
/** A transition in the definition. */
export type TransitionDefinition = z.infer<typeof transition>;
