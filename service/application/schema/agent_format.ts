/** The format of agents and assistants. */
import { z } from "zod";
import { className, expression, nonEmptyText, requireExactlyOne, template } from "./primitives.ts";

const message = template.describe("Text with CEL expressions in {{ }} over the case, and message");
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");

const rule = z.strictObject({
  contains: z.union([nonEmptyText, z.array(nonEmptyText).min(1)], "must be text or a list of texts").optional()
    .describe(
      "Applies if the message contains one of the texts, in upper or lower case",
    ),
  like: nonEmptyText.optional().describe("Applies if the whole message matches; * stands for any characters"),
  when: expression.optional(),
  answer: message,
  followUps: z.array(nonEmptyText).default([]).describe("Messages that a person may continue with"),
}).refine(({ contains, like, when }) => contains !== undefined || like !== undefined || when !== undefined, {
  error: "must have 'contains', 'like' or 'when'; use 'fallback' for an answer without a condition",
});

const script = z.strictObject({
  rules: z.array(rule).default([]).describe("The first rule whose conditions all hold answers"),
  fallback: message.describe("The answer if no rule applies"),
});

const model = z.strictObject({
  addressVariable: variable.describe(
    "Environment variable with the server's address, to which /chat/completions is added",
  ),
  keyVariable: variable.optional().describe("Environment variable with the server's key"),
  name: nonEmptyText.describe("Name of the model on the server"),
  instructions: message.describe("The system prompt: all that the model learns about the case"),
  timeoutSeconds: z.number().positive().max(600).default(25),
  maxTokens: z.int().positive().optional(),
});

const assistantObject = z.strictObject({
  name: nonEmptyText,
  caseType: className.optional().describe("The cases whose fields its answers may use"),
  starterQuestion: nonEmptyText.default("").describe(
    "Question at the start of a conversation, unless the caller declines it",
  ),
  initialInstruction: nonEmptyText.default("").describe("Text that a person reads first"),
  suggestedPrompts: z.array(nonEmptyText).default([]).describe("Messages that a person may start with"),
  script: script.optional(),
  model: model.optional().describe("A server with the chat-completions interface"),
});

/** ID of an agent or of an assistant: its class and its name. */
export const agentId = z.string().regex(
  /^@?[A-Za-z][\w-]*![A-Za-z][\w.-]*$/,
  "must be a class, '!' and a name, e.g. @baseclass!Guide",
);

/** An assistant, which answers by a script or by a model. */
export const assistant = requireExactlyOne(assistantObject, "script", "model");

/** An agent: an assistant that other applications may use, too. */
export const agent = requireExactlyOne(
  assistantObject.extend({
    external: z.boolean().default(true).describe("Whether it is listed and can be talked to over the API"),
  }),
  "script",
  "model",
);

/** An agent or an assistant in the definition. */
export type AgentDefinition = z.infer<typeof assistant> & { readonly external?: boolean };
/** A script in the definition. */
export type ScriptDefinition = z.infer<typeof script>;
