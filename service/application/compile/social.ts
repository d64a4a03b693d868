/** Types of messages, as an application defines them. */
import { z } from "zod";
import type { View } from "../model/application.ts";
import type { Report } from "../findings.ts";
import { missing } from "./references.ts";
import { className, identifier, text } from "../schema/words.ts";

/** A type of messages. */
export interface MessageType {
  /** Class. */
  readonly id: string;
  /** Name for people. */
  readonly name: string;
  /** Characters of a message at most. */
  readonly maxLength: number;
  /** The queue to which such messages go, unless one is named. */
  readonly queue?: string;
  /** The form of a new message. */
  readonly view: View;
}

/** The type of a message that names none. */
export const PLAIN_MESSAGE = "Pega-Social-Message";
/** Characters of a message at most, where its type does not say less. */
const LONGEST = 32_000;

/** Types of messages by class. */
export const messageTypes = z.record(
  className,
  z.strictObject({
    name: text,
    maxLength: z.int().positive().max(LONGEST).default(LONGEST).describe("Characters of a message at most"),
    queue: identifier.optional().describe("The queue to which such messages go, unless one is named"),
  }),
).default({});

/** Compiles the types of messages; the plain one is always there. */
export function compileMessageTypes(
  definitions: z.infer<typeof messageTypes>,
  queues: object,
  report: Report,
): Map<string, MessageType> {
  const plain: typeof definitions = { [PLAIN_MESSAGE]: { name: "Message", maxLength: LONGEST } };
  const types = new Map<string, MessageType>();
  for (const [id, { name, maxLength, queue }] of Object.entries({ ...plain, ...definitions })) {
    if (queue !== undefined && !Object.hasOwn(queues, queue)) {
      report(["messageTypes", id, "queue"], missing("queue", queue, Object.keys(queues)));
    }
    const field = { name: "pyMessage", type: "TextArea", label: "Message", required: true, maxLength } as const;
    const shown = { field, label: field.label, required: true, readOnly: false };
    types.set(id, {
      id,
      name,
      maxLength,
      queue,
      view: { id: "pyCreate", name, fields: new Map([[field.name, shown]]) },
    });
  }
  return types;
}
