/** How agents and assistants are written in an application definition. */
import { z } from "zod";
import { className, expression, text } from "./words.ts";

const template = text.describe("Text with CEL expressions in {{ }} over the case, and message");
const variable = z.string().regex(/^[A-Za-z_]\w*$/, "must be the name of an environment variable");

const rule = z.strictObject({
  contains: z.union([text, z.array(text).min(1)], "must be text or a list of texts").optional().describe(
    "Holds if one of the texts occurs in the message; capitals make no difference",
  ),
  like: text.optional().describe("Holds if the whole message is like it, where * stands for any characters"),
  when: expression.optional(),
  answer: template,
  followUps: z.array(text).optional().describe("What a person may ask next"),
});
const script = z.strictObject({
  rules: z.array(rule).default([]).describe("The first whose conditions all hold answers"),
  fallback: template.describe("The answer where no rule holds"),
});
const model = z.strictObject({
  addressVariable: variable.describe(
    "Environment variable with the server's address, to which /chat/completions is added",
  ),
  keyVariable: variable.optional().describe("Environment variable with the server's key"),
  name: text.describe("The model's name, as the server knows it"),
  instructions: template.describe("The system prompt: all that the model learns of the case"),
  timeoutSeconds: z.number().positive().max(600).default(25),
  maxTokens: z.int().positive().optional(),
});

/** ID of an agent or of an assistant: its class and its name. */
export const agentId = z.string().regex(
  /^@?[A-Za-z][\w-]*![A-Za-z][\w.-]*$/,
  "must be a class, '!' and a name, e.g. @baseclass!Guide",
);

/** An assistant: somebody to talk to, who answers by a script or by a model. */
export const assistant = z.strictObject({
  name: text,
  caseType: className.optional().describe("The cases whose fields its answers may name"),
  starterQuestion: text.optional().describe("Asked at the start of a conversation, unless the caller declines"),
  initialInstruction: text.optional().describe("What a person reads first"),
  suggestedPrompts: z.array(text).default([]).describe("What a person may ask first"),
  script: script.optional(),
  model: model.optional().describe("A server with the chat-completions interface"),
});

/** An agent: an assistant that other applications may use too. */
export const agent = assistant.extend({
  external: z.boolean().default(true).describe("Whether it is listed and can be talked to over the API"),
});

/** An assistant as it is written. */
export type AssistantDefinition = z.infer<typeof assistant> & { external?: boolean };
/** What answers by a script, as it is written. */
export type ScriptDefinition = z.infer<typeof script>;
/** What answers by a model, as it is written. */
export type ModelDefinition = z.infer<typeof model>;
