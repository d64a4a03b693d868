/** The format of an application definition. References, such as to a step or a queue, are checked when it is compiled. */
import { z } from "zod";
import type { JsonObject } from "../../../utils/json.ts";
import { LONGEST_MESSAGE } from "../model/application.ts";
import { agent, agentId, assistant } from "./agent_format.ts";
import { caseType } from "./case_type_format.ts";
import { dataType, dataView } from "./data_format.ts";
import { allowExtensions, removeExtensions } from "./extensions.ts";
import { userInterface } from "./interface_format.ts";
import { type DefinitionIssue, describeIssue, toIssues } from "./issues.ts";
import { atLeastOne, className, identifier, nonEmptyText, principal } from "./primitives.ts";

const operator = z.strictObject({
  name: nonEmptyText,
  email: z.email().optional(),
  queues: z.array(identifier).default([]),
});

const messageType = z.strictObject({
  name: nonEmptyText,
  maxLength: z.int().positive().max(LONGEST_MESSAGE).default(LONGEST_MESSAGE).describe(
    "Maximum number of characters in a message",
  ),
  queue: identifier.optional().describe("The queue that receives the messages, unless a message names another one"),
});

const definition = z.strictObject({
  application: z.strictObject({
    id: identifier,
    name: nonEmptyText,
    organisation: nonEmptyText,
    variant: z.enum(["hosted", "on-premises"]).default("hosted"),
    platformVersion: z.int().positive().default(25),
  }),
  operators: atLeastOne(z.record(principal, operator), "operator"),
  queues: z.record(identifier, z.strictObject({ name: nonEmptyText })).default({}),
  caseTypes: z.record(className, caseType),
  dataTypes: z.record(className, dataType).default({}),
  dataViews: z.record(identifier, dataView).default({}),
  messageTypes: z.record(className, messageType).default({}),
  ...userInterface,
  agents: z.record(agentId, agent).default({}),
  assistants: z.record(agentId, assistant).default({}),
});

/** A definition in the right format, with its defaults filled in. */
export type Definition = z.infer<typeof definition>;

/** Checks the format of a definition and fills in its defaults. */
export function parseDefinition(
  value: unknown,
): { readonly definition: Definition } | { readonly issues: DefinitionIssue[] } {
  const { data, error } = definition.safeParse(removeExtensions(value), { error: describeIssue });
  return error === undefined ? { definition: data } : { issues: toIssues(error.issues) };
}

/** Builds the published JSON Schema, by which editors complete and check a definition. */
export function applicationJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(definition, { io: "input", target: "draft-2020-12", reused: "ref" });
  return allowExtensions(JSON.parse(JSON.stringify({ ...schema, title: "svc application definition" })));
}
