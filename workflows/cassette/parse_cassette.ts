import { z } from "zod";
import { isOtherAnswer } from "../../lib/operation/answer.ts";
import { ERROR_CODES, type ErrorRecord, SvcError } from "../../lib/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../utils/json.ts";
import { lowerFirst } from "../../utils/text/wording.ts";
import type { Operations } from "../scripts/permissions.ts";
import { isWait } from "../sandbox/protocol/messages.ts";
import { type Cassette, CASSETTE_VERSION, type CassetteCall } from "./cassette.ts";

const json = z.custom<JsonValue>((value) => value !== undefined);
const object = z.custom<JsonObject>(isJsonObject, "must be a JSON object");
const base64 = z.base64("must be base64");
const time = z.string().refine((text) => isTime(text), "must be a time such as 2026-01-31T08:00:00.000Z");

const errorMembers = {
  code: z.enum(ERROR_CODES, "is not an error code"),
  message: z.string(),
  status: z.number().optional(),
  classification: z.string().optional(),
  details: z.array(object).optional(),
  operation: z.string().optional(),
  requestId: z.string().optional(),
  hint: z.string().optional(),
  attempts: z.array(object).optional(),
} satisfies { readonly [Member in keyof ErrorRecord]-?: z.ZodType };

const error = z.strictObject(errorMembers);

const answer = z.strictObject({
  etag: z.string().optional(),
  shape: z.string().refine(isOtherAnswer, "is not a response shape").optional(),
  body: json.optional(),
  text: z.string().optional(),
  content: z.strictObject({
    type: z.string(),
    name: z.string().optional(),
    size: z.number().optional(),
    base64,
  }).optional(),
}).refine(
  ({ body, text, content }) => [body, text, content].filter((one) => one !== undefined).length <= 1,
  "has more than one of body, text and content",
);

const call = z.strictObject({
  step: z.int(),
  operation: z.string(),
  values: object,
  answer: answer.optional(),
  error: error.optional(),
  at: time.optional(),
  order: z.int().optional(),
});

const cassette = z.strictObject({
  cassette: z.literal(CASSETTE_VERSION, `must be ${CASSETTE_VERSION}, the version of the format`),
  script: z.string(),
  startedAt: time,
  input: json.optional(),
  randomness: z.array(base64),
  patches: z.array(z.string()).optional(),
  calls: z.array(call),
  result: json.optional(),
  error: error.optional(),
});

/** Checks that JSON is a valid cassette. Throws an error that names the invalid member. */
export function parseCassette(path: string, content: JsonValue, operations: Operations): Cassette {
  const { success, data, error } = cassette.safeParse(content);
  if (!success) {
    const [issue] = error.issues;
    throw invalidCassette(path, z.core.toDotPath(issue?.path ?? []), issue?.message ?? "is invalid");
  }
  checkCalls(path, data.calls, operations);
  if (data.error !== undefined && data.result !== undefined) {
    throw invalidCassette(path, "error", "cannot be combined with result");
  }
  return data;
}

function checkCalls(path: string, calls: readonly CassetteCall[], operations: Operations): void {
  const ended = calls.filter((call) => call.answer !== undefined || call.error !== undefined);
  const orders = new Set<number>();
  for (const [i, { step, operation, answer, error, at, order }] of calls.entries()) {
    const invalid = (member: string, reason: string) => invalidCassette(path, `calls[${i}].${member}`, reason);
    if (step !== i + 1) throw invalid("step", `must be ${i + 1}`);
    const isKnown = isWait({ operation }) || operations.has(operation);
    if (!isKnown && error === undefined) throw invalid("operation", "is not an operation"); // A call of an unknown operation always fails.
    if (answer !== undefined && error !== undefined) throw invalid("error", "cannot be combined with answer");
    if (answer === undefined && error === undefined) {
      if (at !== undefined || order !== undefined) throw invalid("answer", "is missing");
      continue;
    }
    if (at === undefined) throw invalid("at", "is missing");
    if (order === undefined || order < 1 || order > ended.length || orders.has(order)) {
      throw invalid("order", `must be a number from 1 to ${ended.length} that no other call has`);
    }
    orders.add(order);
  }
}

function invalidCassette(path: string, member: string, reason: string): SvcError {
  const where = member === "" ? "" : `${member}: `;
  return new SvcError("INVALID_ARGS", `${path} is not a valid cassette: ${where}${lowerFirst(reason)}.`, {
    hint: "Correct the file, or record it again with 'svc workflow record'.",
  });
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
